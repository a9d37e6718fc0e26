#pragma once
#include <functional>

#include "solvers/amg/level_matrix.hpp"

namespace tessera::solvers::amg {

// The passes of a cycle. V is the type of the hierarchy, T that of the outer iteration. Each is one pass over a matrix
// or over vectors.

/// q(t) = a_0 + a_1 t + ..., such that x + q(D^-1 A) D^-1 (b - A x) is the result of `degree` Chebyshev steps.
template <class V>
struct Smoother {
  static constexpr int most = 4;
  int degree = 1;
  V a[most] = {};
};
/// For the spectrum [rho / 4, rho] of D^-1 A: Saad, Iterative Methods for Sparse Linear Systems, section 12.3.
template <class V>
Smoother<V> make_smoother(double rho, int degree) {
  // d_0 = r / c ; d_k = sigma_k sigma_{k-1} d_{k-1} + (2 sigma_k / h) (r - t x_k), polynomials in t with r = 1.
  constexpr int most = Smoother<V>::most;
  const double low = 0.25 * rho, centre = 0.5 * (rho + low), half = 0.5 * (rho - low), ratio = centre / half;
  double x[most + 1] = {1 / centre}, d[most + 1] = {1 / centre}, sigma = 1 / ratio;
  for (int step = 1; step < degree; ++step) {
    const double next = 1 / (2 * ratio - sigma);
    for (int k = most; k >= 0; --k)
      d[k] = next * sigma * d[k] + 2 * next / half * ((k == 0 ? 1.0 : 0.0) - (k > 0 ? x[k - 1] : 0.0));
    for (int k = 0; k <= most; ++k) x[k] += d[k];
    sigma = next;
  }
  Smoother<V> result;
  result.degree = degree;
  for (int k = 0; k < degree; ++k) result.a[k] = static_cast<V>(x[k]);
  return result;
}

/// `degree` steps of damped Jacobi, q(t) = (1 - (1 - w t)^degree) / t with w = 4 / (3 rho): of the eigenvalues of
/// D^-1 A that are not real it makes more errors small than Chebyshev's steps, which magnify some.
template <class V>
Smoother<V> make_damped_smoother(double rho, int degree) {
  const double omega = 4 / (3 * rho);
  Smoother<V> result;
  result.degree = degree;
  double term = omega * degree;  // binomial(degree, k + 1) (-1)^k omega^(k + 1)
  for (int k = 0; k < degree; ++k) {
    result.a[k] = static_cast<V>(term);
    term *= -omega * (degree - k - 1) / (k + 2);
  }
  return result;
}

/// Where ranks share a level, whose vectors have the entries of ghosts behind those of rows: brings the former before a
/// product with the vector. Empty: there are no ghosts.
template <class V>
using Bring = std::function<void(View<V>)>;

/// b = scale r ; s = D^-1 b (20 B a row of double and float).
template <class Exec, class T, class V>
void begin_cycle(Exec& exec, double scale, View<const T> r, View<const V> inverse, View<V> b, View<V> s);
/// x = q(D^-1 A) s, or x += where `adds`; the result goes to z, which may be x. s and t are overwritten from degree 3
/// on; below t is not used.
template <class Exec, class V, class T>
void smooth(Exec& exec, const LevelMatrixView<V>& A, View<const V> inverse, const Smoother<V>& q, View<V> s, View<V> t,
            bool adds, View<V> x, View<T> z, const Bring<V>& bring);
/// s = b - A x.
template <class Exec, class V>
void residual(Exec& exec, const LevelMatrixView<V>& A, View<const V> x, View<const V> b, View<V> s);
/// s = D^-1 (b - A x).
template <class Exec, class V>
void scaled_residual(Exec& exec, const LevelMatrixView<V>& A, View<const V> inverse, View<const V> x, View<const V> b,
                     View<V> s);
/// b = R r ; s = D^-1 b, of the coarse level.
template <class Exec, class V>
void restrict_to(Exec& exec, const LevelMatrixView<V>& R, View<const V> r, View<const V> inverse, View<V> b, View<V> s);
/// x += P y.
template <class Exec, class V>
void prolong(Exec& exec, const LevelMatrixView<V>& P, View<const V> y, View<V> x);
/// z = A x.
template <class Exec, class V, class T>
void product(Exec& exec, const LevelMatrixView<V>& A, View<const V> x, View<T> z);

/// The scalars of the two steps of a K-cycle (Notay & Vassilevski 2008, algorithm 3.2), 8 doubles.
enum class Sum { first_energy, first_work, cross, second_energy, second_work };
inline constexpr int krylov_sums = 5;
/// sums[which] = (x, y).
template <class Exec, class V>
void krylov_dot(Exec& exec, View<const V> x, View<const V> y, Sum which, View<double> sums);
/// b -= alpha A c, alpha = first_work / first_energy, Ac given ; s = D^-1 b.
template <class Exec, class V>
void krylov_residual(Exec& exec, View<const double> sums, View<const V> Ac, View<const V> inverse, View<V> b,
                     View<V> s);
/// x = the combination of the first direction c and the second, x, that has the least error in energy.
template <class Exec, class V>
void krylov_combine(Exec& exec, View<const double> sums, View<const V> c, View<V> x);

/// The D-norm of D^-1 A x over that of x after `steps` steps x = D^-1 A x from random numbers: from below towards the
/// largest eigenvalue. x, y: scratch [columns]. Waits. Where ranks share the matrix sums are those of all;
/// `first_row`: the number of its first row among those of all ranks.
template <class Exec, class V>
double largest_eigenvalue(Exec& exec, const LevelMatrixView<V>& A, View<const V> inverse, int steps, View<V> x,
                          View<V> y, const Bring<V>& bring = {}, Offset first_row = 0);
/// inverse_i = 1 / (scale d_i).
template <class Exec, class V>
void invert(Exec& exec, double scale, View<const double> diagonal, View<V> inverse);

/// dense [rows, rows] = A.
template <class Exec>
void spread(Exec& exec, const linalg::CrsView<const double>& A, View<double> dense);
/// A matrix of the cycle with all entries, values / scale.
template <class Exec, class V>
LevelMatrix<typename Exec::Space, V> make_full(Exec& exec, Index rows, double scale, View<const double> dense);

}  // namespace tessera::solvers::amg
