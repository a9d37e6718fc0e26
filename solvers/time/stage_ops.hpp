#pragma once
#include <cassert>

#include "base/backend.hpp"
#include "solvers/time/tableau.hpp"

namespace tessera::solvers {

// What happens between two evaluations of f, each in one pass. Every function exists for Threads and Cuda. Bytes are
// those of one row. What is written may be one of the vectors that are read: a row is read before it is written. Sums
// stand where the vectors live and are those of this rank's rows.

/// sum_k c_k x_k, at least one term.
struct Terms {
  static constexpr int most = max_stages + 1;
  int count = 0;
  const double* x[most] = {};
  double c[most] = {};

  void add(double factor, View<const double> vector) {
    assert(count < most);
    x[count] = vector.data();
    c[count++] = factor;
  }
  /// The same, but nothing where the factor is 0.
  void add_unless_zero(double factor, View<const double> vector) {
    if (factor != 0) add(factor, vector);
  }
};

/// What an error is measured against: absolute + relative |u| in every entry.
struct StepTolerance {
  double relative = 1e-4;
  double absolute = 1e-6;
};

/// y = the terms (8 (terms + 1) B).
template <class Exec>
void combine_terms(Exec& exec, const Terms& terms, View<double> y);

/// y = the terms; *not_finite = how many entries of y are not (8 (terms + 1) B).
template <class Exec>
void combine_terms_checked(Exec& exec, const Terms& terms, View<double> y, double* not_finite);

/// before = u; u = the terms (8 (terms + 3) B; 8 (terms + 2) B where u is one of them).
template <class Exec>
void combine_terms_keeping(Exec& exec, const Terms& terms, View<double> u, View<double> before);

/// before = u; u += the terms; *squares = sum of (e / (absolute + relative max(|before|, |u|)))^2, where e are the
/// vectors of `terms` with the factors `error` [terms.count] (8 (terms + 3) B).
template <class Exec>
void finish_with_error(Exec& exec, const Terms& terms, const double* error, const StepTolerance& tolerance,
                       View<double> u, View<double> before, double* squares);

/// *squares = sum of (e / (absolute + relative max(|before|, |u|)))^2, e = the terms (8 (terms + 2) B, less where
/// `before` or u are among them).
template <class Exec>
void error_squares(Exec& exec, const Terms& terms, const StepTolerance& tolerance, View<const double> before,
                   View<const double> u, double* squares);

/// k = a k + f; u += b k; *not_finite = how many entries of u are not (40 B).
template <class Exec>
void low_storage_stage(Exec& exec, double a, double b, View<const double> f, View<double> k, View<double> u,
                       double* not_finite);

/// v += dv a; u += du v + du_a a, with the v before (40 B).
template <class Exec>
void newmark_predict(Exec& exec, double dv, double du, double du_a, View<const double> a, View<double> u,
                     View<double> v);

/// *not_finite = how many entries of u are not (8 B).
template <class Exec>
void count_not_finite(Exec& exec, View<const double> u, double* not_finite);

/// *result = sum of (x - y)^2 (16 B); y empty: sum of x^2 (8 B).
template <class Exec>
void square_of_difference(Exec& exec, View<const double> x, View<const double> y, double* result);

}  // namespace tessera::solvers
