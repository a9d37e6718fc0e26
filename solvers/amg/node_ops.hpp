#pragma once
#include "solvers/amg/cycle_ops.hpp"
#include "solvers/amg/node_matrix.hpp"

namespace tessera::solvers::amg {

// The passes of a cycle for levels whose nodes have several unknowns: as those of cycle_ops.hpp, but that D^-1 is that
// of the blocks on the diagonal.

template <class Exec, class T, class V>
void begin_cycle(Exec& exec, double scale, View<const T> r, const NodeDiagonalView<V>& inverse, View<V> b, View<V> s);
template <class Exec, class V, class T>
void smooth(Exec& exec, const NodeMatrixView<const V>& A, const NodeDiagonalView<V>& inverse, const Smoother<V>& q,
            View<V> s, View<V> t, bool adds, View<V> x, View<T> z, const Bring<V>& bring);
template <class Exec, class V>
void residual(Exec& exec, const NodeMatrixView<const V>& A, View<const V> x, View<const V> b, View<V> s);
template <class Exec, class V>
void scaled_residual(Exec& exec, const NodeMatrixView<const V>& A, const NodeDiagonalView<V>& inverse, View<const V> x,
                     View<const V> b, View<V> s);
template <class Exec, class V>
void restrict_to(Exec& exec, const NodeMatrixView<const V>& R, View<const V> r, const NodeDiagonalView<V>& inverse,
                 View<V> b, View<V> s);
template <class Exec, class V>
void prolong(Exec& exec, const NodeMatrixView<const V>& P, View<const V> y, View<V> x);
template <class Exec, class V>
void product(Exec& exec, const NodeMatrixView<const V>& A, View<const V> x, View<V> z);
template <class Exec, class V>
void krylov_residual(Exec& exec, View<const double> sums, View<const V> Ac, const NodeDiagonalView<V>& inverse,
                     View<V> b, View<V> s);

/// As for matrices of numbers. x, y, z: scratch [columns]. Waits.
template <class Exec, class V>
double largest_eigenvalue(Exec& exec, const NodeMatrixView<const V>& A, const NodeDiagonalView<V>& inverse, int steps,
                          View<V> x, View<V> y, View<V> z, const Bring<V>& bring = {}, Offset first_row = 0);

}  // namespace tessera::solvers::amg
