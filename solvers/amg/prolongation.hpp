#pragma once
#include "solvers/amg/aggregation.hpp"

namespace tessera::solvers::amg {

/// The pattern of P = (I - omega D^-1 A_F) T, T the aggregates: a row has its own aggregate and those of its strong
/// neighbours. Values are left undefined. Overwrites the columns of the graph by their aggregates.
template <class Exec, class V>
linalg::Crs<typename Exec::Space, V> prolongation_pattern(Exec& exec,
                                                          const Aggregates<typename Exec::Space>& aggregates,
                                                          StrongGraph<typename Exec::Space>&& graph);

/// P of `prolongation_pattern` with the values of `prolongation_values`, in one pass on threads.
template <class Exec, class V>
linalg::Crs<typename Exec::Space, V> make_prolongation(Exec& exec, const linalg::CrsView<const double>& A,
                                                       View<const double> diagonal, const Strength& strength,
                                                       double omega, View<const double> parts,
                                                       const Aggregates<typename Exec::Space>& aggregates,
                                                       StrongGraph<typename Exec::Space>&& graph);

/// The values of P in its pattern. A_F is A with weak entries lumped into the diagonal, so that its rows keep their
/// sums and constants stay constants (Vanek, Mandel & Brezina 1996, (5.1)); D is the diagonal of A. Where there are
/// `parts` [rows], omega of a row is that part of it. An entry that is strong but outside of the pattern, as new values
/// of A may make it, counts as weak.
template <class Exec, class V>
void prolongation_values(Exec& exec, const linalg::CrsView<const double>& A, View<const double> diagonal,
                         const Strength& strength, double omega, View<const double> parts, View<const Index> aggregate,
                         linalg::CrsView<V> P);

/// R = P^T. Rows in ascending order. On CUDA 16 B an entry for a moment.
template <class Exec, class V>
linalg::Crs<typename Exec::Space, V> transpose(Exec& exec, const linalg::CrsView<const V>& P);
/// The values of P into those of R, which `transpose` has made of the same pattern.
template <class Exec, class V>
void transpose_values(Exec& exec, const linalg::CrsView<const V>& P, linalg::CrsView<V> R);

}  // namespace tessera::solvers::amg
