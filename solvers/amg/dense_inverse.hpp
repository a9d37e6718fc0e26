#pragma once
#include "base/array.hpp"
#include "base/backend.hpp"

namespace tessera::solvers::amg {

/// Beside a part of its own diagonal entry a pivot must exceed this part of the largest one: rounding of the
/// elimination.
inline constexpr double pivot_rounding = 1e-12;

/// Inverts A [n, n], symmetric and positive semi-definite, by sweeps (Goodnight, A tutorial on the SWEEP operator, The
/// American Statistician 33 (1979), section 4): after all of them -A^-1 stands in its place. A row whose pivot does not
/// exceed dependent d_i + pivot_rounding max_j d_j, d the diagonal, as the last one of a floating part of the domain,
/// gets zeros: the inverse of the others, which solves every system that has a solution. ratios [n]: the pivots over
/// these bounds. On CUDA 8 n^2 B for a moment.
template <class Exec>
void invert_semidefinite(Exec& exec, Index n, double dependent, Array<double, typename Exec::Space>& A,
                         View<double> ratios);

}  // namespace tessera::solvers::amg
