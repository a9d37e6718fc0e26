#pragma once
// Kernels of vector_ops_basis.hpp, written once.
#include <cassert>
#include <cmath>

#include "base/link.hpp"
#include "base/reduce_pair.hpp"
#include "linalg/vector_ops_basis.hpp"

namespace tessera::linalg {
namespace detail {

template <int vectors, class Exec, class T>
void basis_dot_of(Exec& exec, const Basis<T>& V, Offset first, View<const T> w, double* h) {
  SumTargets<vectors> targets;
  for (int k = 0; k < vectors; ++k) targets.value[k] = h + first + k;
  const View<const T> v = V.data.part(first * V.rows, vectors * V.rows);
  const Offset rows = V.rows;
  reduce_sums(
      exec, rows,
      [=] TESSERA_HD(Offset i) {
        Sums<vectors> sums;
        const double value = w[i];
        for (int k = 0; k < vectors; ++k) sums.value[k] = v[k * rows + i] * value;
        return sums;
      },
      targets);
}

}  // namespace detail

template <class Exec, class T>
void basis_dot(Exec& exec, const Basis<T>& V, Offset count, In<T> w, double* h) {
  assert(w.size() == V.rows);
  Offset first = 0;
  for (; first + 8 <= count; first += 8) detail::basis_dot_of<8>(exec, V, first, w, h);
  if (first + 4 <= count) detail::basis_dot_of<4>(exec, V, first, w, h), first += 4;
  if (first + 2 <= count) detail::basis_dot_of<2>(exec, V, first, w, h), first += 2;
  if (first < count) detail::basis_dot_of<1>(exec, V, first, w, h);
  sum_over_ranks(exec, {{h, static_cast<int>(count)}});
}

template <class Exec, class T>
void basis_add(Exec& exec, double factor, const Basis<T>& V, Offset count, const double* h, View<T> w) {
  assert(w.size() == V.rows);
  const View<T> v = V.data;
  const Offset rows = V.rows;
  for_each(exec, rows, [=] TESSERA_HD(Offset i) {
    T sum = 0;
    for (Offset k = 0; k < count; ++k) sum += static_cast<T>(h[k]) * v[k * rows + i];
    w[i] += static_cast<T>(factor) * sum;
  });
}

template <class Exec, class T>
void normalise(Exec& exec, const double* ww, In<T> w, View<T> v) {
  assert(w.size() == v.size());
  for_each(exec, v.size(), [=] TESSERA_HD(Offset i) {
    const double square = *ww;
    v[i] = square > 0 ? static_cast<T>(w[i] / sqrt(square)) : T{0};
  });
}

#define TESSERA_INSTANTIATE_BASIS_OPS(Exec, T)                                                      \
  template void basis_dot<Exec, T>(Exec&, const Basis<T>&, Offset, View<const T>, double*);         \
  template void basis_add<Exec, T>(Exec&, double, const Basis<T>&, Offset, const double*, View<T>); \
  template void normalise<Exec, T>(Exec&, const double*, View<const T>, View<T>)

}  // namespace tessera::linalg
