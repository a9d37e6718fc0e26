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

/// R A P = R (A P) with ascending columns, summed as by `multiply`. On threads rows of A P are read where they were
/// made, and nobody sorts them; of a symmetric A, where R is P^T, its upper half U with half of the diagonal is
/// multiplied alone, which is half of the products: P^T A P = P^T U P + (P^T U P)^T, symmetric to the last bit. Devices
/// multiply the whole: there the transpose takes longer than the products that it spares (decision 0032).
template <class Exec, class V>
linalg::Crs<typename Exec::Space> galerkin_product(Exec& exec, const linalg::CrsView<const V>& R,
                                                   const linalg::CrsView<const double>& A,
                                                   const linalg::CrsView<const V>& P, bool symmetric);
/// The values of C, which `galerkin_product` has made of matrices of the same patterns, with the same `symmetric`.
template <class Exec, class V>
void galerkin_values(Exec& exec, const linalg::CrsView<const V>& R, const linalg::CrsView<const double>& A,
                     const linalg::CrsView<const V>& P, bool symmetric, linalg::Crs<typename Exec::Space>& C);

#define TESSERA_INSTANTIATE_MULTIPLY(Exec, TA, TB)                                                         \
  template linalg::Crs<Exec::Space> multiply(Exec&, const linalg::CrsView<const TA>&,                      \
                                             const linalg::CrsView<const TB>&);                            \
  template void multiply_values(Exec&, const linalg::CrsView<const TA>&, const linalg::CrsView<const TB>&, \
                                linalg::Crs<Exec::Space>&)
#define TESSERA_INSTANTIATE_GALERKIN(Exec, V)                                                                 \
  template linalg::Crs<Exec::Space> galerkin_product(Exec&, const linalg::CrsView<const V>&,                  \
                                                     const linalg::CrsView<const double>&,                    \
                                                     const linalg::CrsView<const V>&, bool);                  \
  template void galerkin_values(Exec&, const linalg::CrsView<const V>&, const linalg::CrsView<const double>&, \
                                const linalg::CrsView<const V>&, bool, linalg::Crs<Exec::Space>&)
/// Those that a hierarchy needs: A P and R (A P).
#define TESSERA_INSTANTIATE_MULTIPLIES(Exec)          \
  TESSERA_INSTANTIATE_MULTIPLY(Exec, double, float);  \
  TESSERA_INSTANTIATE_MULTIPLY(Exec, float, double);  \
  TESSERA_INSTANTIATE_MULTIPLY(Exec, double, double); \
  TESSERA_INSTANTIATE_GALERKIN(Exec, float);          \
  TESSERA_INSTANTIATE_GALERKIN(Exec, double)

}  // namespace tessera::solvers::amg
