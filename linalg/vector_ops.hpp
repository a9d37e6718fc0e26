#pragma once
#include <type_traits>

#include "base/backend.hpp"
#include "linalg/crs.hpp"

namespace tessera::linalg {

// Operations on vectors, each one pass. Every function exists for Threads and Cuda and for T = double and float, deduced from
// the vector that is written (pass a View). Scalars given by pointer are double whatever T is, and live where the vectors
// live, so that no iteration of a solver waits for the host. Bytes are those of one entry in double; float halves them.

/// A vector that is read. It takes no part in deducing T, so Arrays and Views of either kind may be passed.
template <class T>
using In = std::type_identity_t<View<const T>>;

/// A quotient of two scalars that live with the vectors; the operation that consumes it divides. It is 0 where the
/// denominator is not positive: a finished or broken iteration then leaves its vectors as they are.
struct Quotient {
  const double* numerator;
  const double* denominator;
  TESSERA_HD double value() const { return *denominator > 0 ? *numerator / *denominator : 0.0; }
};

template <class Exec, class T>
void fill(Exec& exec, View<T> x, std::type_identity_t<T> value);  // 8 B
template <class Exec, class T>
void copy(Exec& exec, In<T> from, View<T> to);  // 16 B
/// to = from, rounded to the type of `to` (12 B).
template <class Exec, class From, class To>
void convert(Exec& exec, View<From> from, View<To> to);
/// x *= factor (16 B).
template <class Exec, class T>
void scale(Exec& exec, double factor, View<T> x);
/// y += alpha x (24 B).
template <class Exec, class T>
void axpy(Exec& exec, double alpha, In<T> x, View<T> y);
/// *result = (x, y) (16 B; 8 B when both are the same).
template <class Exec, class T>
void dot(Exec& exec, View<T> x, In<T> y, double* result);
/// r = b - r and *rr = (r, r) (24 B).
template <class Exec, class T>
void subtract_from_dot(Exec& exec, In<T> b, View<T> r, double* rr);
/// z_i = d_i r_i (24 B).
template <class Exec, class T>
void multiply(Exec& exec, In<T> d, In<T> r, View<T> z);

/// diagonal_i = A_ii, 0 where the row has none; A square, columns ascending within a row.
template <class Exec, class T>
void extract_diagonal(Exec& exec, const std::type_identity_t<CrsView<const T>>& A, View<T> diagonal);
/// d_i = 1 / d_i. *bad = how many entries were not positive and finite (they become 0).
template <class Exec, class T>
void invert_diagonal(Exec& exec, View<T> d, double* bad);

/// r -= alpha q ; rr = (r, r) ; rz = (r, D^-1 r). `inverse_diagonal` empty: D = 1. 24 B, with D 32 B.
template <class Exec, class T>
void update_r_dot(Exec& exec, Quotient alpha, In<T> q, In<T> inverse_diagonal, View<T> r, double* rr, double* rz);
/// x += alpha p ; p = D^-1 z + beta p. `inverse_diagonal` empty: D = 1. 40 B, with D 48 B: updating x here and not
/// beside r saves one reading of p.
template <class Exec, class T>
void update_x_p(Exec& exec, Quotient alpha, Quotient beta, In<T> z, In<T> inverse_diagonal, View<T> x, View<T> p);

}  // namespace tessera::linalg
