#pragma once
#include "linalg/crs.hpp"

namespace tessera::solvers::amg {

/// C = A B with ascending columns. Row by row with a table of columns (Gustavson 1978; on CUDA a hash table in shared
/// memory for a few lanes, a warp, or, in windows of columns, a block, by how many columns the row turns out to have:
/// Nagasaka, Nukada & Matsuoka 2017). Each entry is summed in double in the order of A's and then B's entries, whatever
/// the number of threads or the schedule: no atomics on values. Columns of a row of A and of B must be distinct.
template <class Exec, class TA, class TB>
linalg::Crs<typename Exec::Space> multiply(Exec& exec, const linalg::CrsView<const TA>& A,
                                           const linalg::CrsView<const TB>& B);
/// The values of C, which `multiply` has made of matrices of the same patterns.
template <class Exec, class TA, class TB>
void multiply_values(Exec& exec, const linalg::CrsView<const TA>& A, const linalg::CrsView<const TB>& B,
                     linalg::Crs<typename Exec::Space>& C);

#define TESSERA_INSTANTIATE_MULTIPLY(Exec, TA, TB)                                                         \
  template linalg::Crs<Exec::Space> multiply(Exec&, const linalg::CrsView<const TA>&,                      \
                                             const linalg::CrsView<const TB>&);                            \
  template void multiply_values(Exec&, const linalg::CrsView<const TA>&, const linalg::CrsView<const TB>&, \
                                linalg::Crs<Exec::Space>&)
/// Those that a hierarchy needs: A P and R (A P).
#define TESSERA_INSTANTIATE_MULTIPLIES(Exec)         \
  TESSERA_INSTANTIATE_MULTIPLY(Exec, double, float); \
  TESSERA_INSTANTIATE_MULTIPLY(Exec, float, double); \
  TESSERA_INSTANTIATE_MULTIPLY(Exec, double, double)

}  // namespace tessera::solvers::amg
