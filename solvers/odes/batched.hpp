#pragma once
#include "base/backend.hpp"
#include "base/view.hpp"

namespace tessera::solvers {

// Many small dense matrices at once, a thread each. They stand with their entries apart and their numbers together:
// entry (i, j) of matrix k is a[(i n + j) count + k], so that neighbouring threads read neighbouring numbers.

/// Largest n of `solve_batch`.
inline constexpr int most_solve_size = 32;
/// Largest n of `matrix_exponentials`: each thread keeps seven matrices.
inline constexpr int most_exponential_size = 16;

/// x = A^-1 x for each of `count` systems by LU with scaled partial pivoting; a [n, n, count] is kept, x [n, count].
/// *singular, where the vectors live: how many matrices are singular or not finite; their x are then NaN. Throws
/// Error(usage) for n outside 1 .. 32 and for sizes that do not agree. Numerical Computations with GPUs, chapters 4, 5.
template <class Exec>
void solve_batch(Exec& exec, int n, Offset count, View<const double> a, View<double> x, double* singular);

/// result = exp(factor A) of each of `count` matrices, [n, n, count]; it may be `a`. *not_finite, where the vectors
/// live: how many results are not finite. Throws Error(usage) for n outside 1 .. 16 and for sizes that do not agree.
/// See matrix_exponential.hpp; Numerical Computations with GPUs, chapter 3.
template <class Exec>
void matrix_exponentials(Exec& exec, int n, Offset count, double factor, View<const double> a, View<double> result,
                         double* not_finite);

}  // namespace tessera::solvers
