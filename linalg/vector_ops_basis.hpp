#pragma once
#include "linalg/vector_ops.hpp"

namespace tessera::linalg {

/// Vectors of one length, one after the other: [count, rows], each contiguous.
template <class T>
struct Basis {
  View<T> data;
  Offset rows = 0;
  View<T> operator[](Offset k) const { return data.part(k * rows, rows); }
};

// Operations with the first `count` vectors of a basis V, for orthogonalisation. Bytes are those of one entry of w, in
// double.

/// h_k = (v_k, w), k < count. Vectors are taken eight at a time: 8 count + count B.
template <class Exec, class T>
void basis_dot(Exec& exec, const Basis<T>& V, Offset count, In<T> w, double* h);
/// w += factor sum_k h_k v_k in one pass: 8 count + 16 B. `h` lives where the vectors live.
template <class Exec, class T>
void basis_add(Exec& exec, double factor, const Basis<T>& V, Offset count, const double* h, View<T> w);
/// v = w / sqrt(*ww), 0 where *ww is not positive (16 B).
template <class Exec, class T>
void normalise(Exec& exec, const double* ww, In<T> w, View<T> v);

}  // namespace tessera::linalg
