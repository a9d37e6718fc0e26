#pragma once
#include "base/backend.hpp"
#include "linalg/crs.hpp"

namespace tessera::linalg {

// Operations on vectors, each one pass. Every function exists for Threads and Cuda. Scalars given by pointer live where the
// vectors live, so that no iteration of a solver waits for the host. Bytes are those of one entry.

/// A quotient of two scalars that live with the vectors; the operation that consumes it divides. It is 0 where the
/// denominator is not positive: a finished or broken iteration then leaves its vectors as they are.
struct Quotient {
  const double* numerator;
  const double* denominator;
  TESSERA_HD double value() const { return *denominator > 0 ? *numerator / *denominator : 0.0; }
};

template <class Exec>
void fill(Exec& exec, View<double> x, double value);  // 8 B
template <class Exec>
void copy(Exec& exec, View<const double> from, View<double> to);  // 16 B
/// x *= factor (16 B).
template <class Exec>
void scale(Exec& exec, double factor, View<double> x);
/// y += alpha x (24 B).
template <class Exec>
void axpy(Exec& exec, double alpha, View<const double> x, View<double> y);
/// *result = (x, y) (16 B; 8 B when both are the same).
template <class Exec>
void dot(Exec& exec, View<const double> x, View<const double> y, double* result);
/// z_i = d_i r_i (24 B).
template <class Exec>
void multiply(Exec& exec, View<const double> d, View<const double> r, View<double> z);

/// diagonal_i = A_ii, 0 where the row has none; A square, columns ascending within a row.
template <class Exec>
void extract_diagonal(Exec& exec, const CrsView<const double>& A, View<double> diagonal);
/// d_i = 1 / d_i. *bad = how many entries were not positive and finite (they become 0).
template <class Exec>
void invert_diagonal(Exec& exec, View<double> d, double* bad);

/// r -= alpha q ; rr = (r, r) ; rz = (r, D^-1 r). `inverse_diagonal` empty: D = 1. 24 B, with D 32 B.
template <class Exec>
void update_r_dot(Exec& exec, Quotient alpha, View<const double> q, View<const double> inverse_diagonal, View<double> r,
                  double* rr, double* rz);
/// x += alpha p ; p = D^-1 z + beta p. `inverse_diagonal` empty: D = 1. 40 B, with D 48 B: updating x here and not
/// beside r saves one reading of p.
template <class Exec>
void update_x_p(Exec& exec, Quotient alpha, Quotient beta, View<const double> z, View<const double> inverse_diagonal,
                View<double> x, View<double> p);

}  // namespace tessera::linalg
