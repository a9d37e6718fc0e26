#pragma once
#include <type_traits>

#include "base/backend.hpp"
#include "linalg/crs.hpp"

namespace tessera::linalg {

// Operations on vectors, each one pass. Every function exists for Threads and Cuda and for T = double and float,
// deduced from the vector that is written (pass a View). Scalars given by pointer are double whatever T is, and live
// where the vectors live, so that no iteration of a solver waits for the host. Bytes are those of one entry in double;
// float halves them. Where ranks share the vectors (base/link.hpp) each gives its rows, and sums are those over all
// ranks.

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
/// to = from - what `convert` makes of it in the type of `to`: what rounding loses (12 B).
template <class Exec, class From, class To>
void convert_remainder(Exec& exec, View<From> from, View<To> to);
/// to = factor from, rounded to the type of `to` (12 B).
template <class Exec, class From, class To>
void convert_scaled(Exec& exec, double factor, View<From> from, View<To> to);
/// m_ic = x_i: column c of a matrix m [x.size(), columns], row-major (16 B).
template <class Exec, class T>
void set_column(Exec& exec, In<T> x, Index c, View<T> m);
/// y += factor x, x of another type (20 B).
template <class Exec, class From, class To>
void add_scaled(Exec& exec, double factor, View<From> x, View<To> y);
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
/// Which diagonals a preconditioner may divide by: positive ones, the magnitudes of all, or all as they are.
enum class Sign { positive, magnitude, any };
/// d_i = 1 / d_i or 1 / |d_i|. *bad = how many entries do not admit it, that is are not positive (zero, if any sign may
/// be), not finite, or too small to be inverted (they become 0).
template <class Exec, class T>
void invert_diagonal(Exec& exec, View<T> d, double* bad, Sign sign = Sign::positive);
/// Uniform numbers in (-1, 1), the same on every backend (8 B). `first_row`: the global number of the row of x_0.
template <class Exec, class T>
void fill_random(Exec& exec, View<T> x, unsigned seed, Offset first_row = 0);

/// r -= alpha q ; rr = (r, r) ; rz = (r, D^-1 r). `inverse_diagonal` empty: D = 1. 24 B, with D 32 B.
template <class Exec, class T>
void update_r_dot(Exec& exec, Quotient alpha, In<T> q, In<T> inverse_diagonal, View<T> r, double* rr, double* rz);
/// x += alpha p ; p = D^-1 z + beta p. `inverse_diagonal` empty: D = 1. 40 B, with D 48 B: updating x here and not
/// beside r saves one reading of p.
template <class Exec, class T>
void update_x_p(Exec& exec, Quotient alpha, Quotient beta, In<T> z, In<T> inverse_diagonal, View<T> x, View<T> p);

/// The scalars of one step of the single-reduction CG; `advance_single` reads the sums of this step and what the last
/// one left behind, and writes `alpha` and `pq`.
struct SingleReductionStep {
  const double* gamma;      ///< (r, u), u = M^-1 r
  const double* delta;      ///< (A u, u)
  const double* gamma_old;  ///< of the step before; the first step points to a zero
  const double* alpha_old;
  double* alpha;
  double* pq;  ///< (p, A p) of the new direction, from the recurrence
};
/// beta = gamma / gamma_old ; pq = delta - beta gamma / alpha_old ; alpha = gamma / pq
/// p = u + beta p ; s = w + beta s ; x += alpha p ; r -= alpha s ; u = D^-1 r ; rr = (r, r) ; ru = (r, u).
/// With D: u is formed from r and written, 88 B. Without: u is read (it may be r itself), 80 B (72 B), ru = rr.
template <class Exec, class T>
void advance_single(Exec& exec, const SingleReductionStep& step, In<T> u_before, In<T> inverse_diagonal, In<T> w,
                    View<T> x, View<T> r, View<T> p, View<T> s, View<T> u, double* rr, double* ru);

/// One step of the Chebyshev iteration: d = a d + b D^-1 (r - w) ; z += d (56 B).
template <class Exec, class T>
void chebyshev_step(Exec& exec, double a, double b, In<T> inverse_diagonal, In<T> r, In<T> w, View<T> d, View<T> z);

/// A number times one that lives with the vectors; the number alone where there is no pointer.
struct Scalar {
  double factor = 0;
  const double* value = nullptr;
  TESSERA_HD double get() const { return value ? factor * *value : factor; }
};
/// a x, a summand of `combine`.
template <class T>
struct Term {
  Scalar a;
  View<const T> x;
};
/// y = c y + the terms; terms without a vector are left out, and y is not read where c is plainly 0.
/// 8 B for each vector read, and 8 B for y.
template <class Exec, class T>
void combine(Exec& exec, View<T> y, Scalar c, std::type_identity_t<Term<T>> first,
             std::type_identity_t<Term<T>> second = {}, std::type_identity_t<Term<T>> third = {});
/// *first = (x, y), *second = (z, w) in one pass (32 B, less where vectors are the same).
template <class Exec, class T>
void dot_pair(Exec& exec, View<T> x, In<T> y, In<T> z, In<T> w, double* first, double* second);

}  // namespace tessera::linalg
