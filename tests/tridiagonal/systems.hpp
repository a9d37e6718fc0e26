#pragma once
// Systems with random entries, a reference solution in long double, and backward errors.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "solvers/tridiagonal/tridiagonal.hpp"

namespace tessera::testing {

using solvers::Tridiagonal;
using solvers::TridiagonalLayout;

/// A batch on the host; entries [systems, n] or [n, systems]. lower of the first and upper of the last rows hold NaN:
/// nobody may use them.
template <class T>
struct Batch {
  Index n = 0, systems = 1;
  TridiagonalLayout layout = TridiagonalLayout::contiguous;
  std::vector<T> lower, diag, upper, rhs;

  std::size_t at(Index system, Index row) const {
    return layout == TridiagonalLayout::contiguous ? static_cast<std::size_t>(system) * n + row
                                                   : static_cast<std::size_t>(row) * systems + system;
  }
};

enum class Kind { dominant, general };

template <class T>
Batch<T> random_batch(Index n, Index systems, TridiagonalLayout layout, Kind kind, unsigned seed = 1) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  Batch<T> batch{n, systems, layout, {}, {}, {}, {}};
  const std::size_t rows = static_cast<std::size_t>(n) * systems;
  for (auto* entries : {&batch.lower, &batch.diag, &batch.upper, &batch.rhs}) {
    entries->resize(rows);
    for (T& value : *entries) value = static_cast<T>(uniform(generator));
  }
  if (kind == Kind::dominant)
    for (std::size_t i = 0; i < rows; ++i)
      batch.diag[i] = std::copysign(
          std::abs(batch.diag[i]) * T(0.2) + std::abs(batch.lower[i]) + std::abs(batch.upper[i]), batch.diag[i]);
  for (Index s = 0; s < systems; ++s) {
    batch.lower[batch.at(s, 0)] = std::numeric_limits<T>::quiet_NaN();
    batch.upper[batch.at(s, n - 1)] = std::numeric_limits<T>::quiet_NaN();
  }
  return batch;
}

/// Gaussian elimination with row interchanges in long double.
template <class T>
std::vector<long double> reference_solution(const Batch<T>& batch) {
  using Real = long double;
  std::vector<Real> x(batch.rhs.size());
  const Index n = batch.n;
  for (Index s = 0; s < batch.systems; ++s) {
    std::vector<Real> p(n), u(n), v(n), d(n);
    Real pivot = batch.diag[batch.at(s, 0)], next = n > 1 ? Real(batch.upper[batch.at(s, 0)]) : 0,
         rhs = batch.rhs[batch.at(s, 0)];
    for (Index k = 0; k + 1 < n; ++k) {
      const std::size_t i = batch.at(s, k + 1);
      const Real a = batch.lower[i], b = batch.diag[i], c = k + 2 < n ? Real(batch.upper[i]) : 0, r = batch.rhs[i];
      if (std::abs(pivot) >= std::abs(a)) {
        p[k] = pivot, u[k] = next, v[k] = 0, d[k] = rhs;
        const Real f = a / pivot;
        pivot = b - f * next, next = c, rhs = r - f * rhs;
      } else {
        p[k] = a, u[k] = b, v[k] = c, d[k] = r;
        const Real f = pivot / a;
        pivot = next - f * b, next = -f * c, rhs -= f * r;
      }
    }
    p[n - 1] = pivot, d[n - 1] = rhs;
    Real x1 = 0, x2 = 0;
    for (Index k = n; k-- > 0;) {
      const Real value = (d[k] - (k + 1 < n ? u[k] * x1 : 0) - (k + 2 < n ? v[k] * x2 : 0)) / p[k];
      x[batch.at(s, k)] = value;
      x2 = x1, x1 = value;
    }
  }
  return x;
}

/// max over systems of ||b - A x|| / (||A|| ||x|| + ||b||) in maximum norms, formed in long double.
template <class T>
double backward_error(const Batch<T>& batch, const std::vector<T>& x) {
  using Real = long double;
  Real worst = 0;
  for (Index s = 0; s < batch.systems; ++s) {
    Real r = 0, norm_A = 0, norm_x = 0, norm_b = 0;
    for (Index k = 0; k < batch.n; ++k) {
      const std::size_t i = batch.at(s, k);
      const Real a = k > 0 ? Real(batch.lower[i]) : 0, b = batch.diag[i],
                 c = k + 1 < batch.n ? Real(batch.upper[i]) : 0, d = batch.rhs[i];
      Real ax = b * x[i];
      if (k > 0) ax += a * x[batch.at(s, k - 1)];
      if (k + 1 < batch.n) ax += c * x[batch.at(s, k + 1)];
      if (!std::isfinite(x[i])) return std::numeric_limits<double>::quiet_NaN();
      r = std::max(r, std::abs(d - ax));
      norm_A = std::max(norm_A, std::abs(a) + std::abs(b) + std::abs(c));
      norm_x = std::max(norm_x, std::abs(Real(x[i])));
      norm_b = std::max(norm_b, std::abs(d));
    }
    worst = std::max(worst, r / (norm_A * norm_x + norm_b));
  }
  return static_cast<double>(worst);
}

/// max |x - reference| / max |reference| of each system, the largest.
template <class T>
double forward_error(const Batch<T>& batch, const std::vector<T>& x, const std::vector<long double>& reference) {
  long double worst = 0;
  for (Index s = 0; s < batch.systems; ++s) {
    long double difference = 0, scale = 0;
    for (Index k = 0; k < batch.n; ++k) {
      const std::size_t i = batch.at(s, k);
      difference = std::max(difference, std::abs(x[i] - reference[i]));
      if (!(x[i] == x[i])) return std::numeric_limits<double>::quiet_NaN();
      scale = std::max(scale, std::abs(reference[i]));
    }
    worst = std::max(worst, difference / scale);
  }
  return static_cast<double>(worst);
}

/// A batch in a backend's memory.
template <class Space, class T>
struct Placed {
  Array<T, Space> lower, diag, upper, rhs;
  Tridiagonal<T> matrix;

  explicit Placed(const Batch<T>& batch)
      : lower(to_space<Space>(batch.lower)),
        diag(to_space<Space>(batch.diag)),
        upper(to_space<Space>(batch.upper)),
        rhs(to_space<Space>(batch.rhs)),
        matrix{lower.view(), diag.view(), upper.view(), batch.n, batch.systems, batch.layout} {}
};

/// Solves on a backend and brings the solution back.
template <class Exec, class T>
std::vector<T> solve_on(Exec& exec, const Batch<T>& batch, const solvers::TridiagonalParams& params,
                        solvers::TridiagonalReport* report = nullptr) {
  Placed<typename Exec::Space, T> placed(batch);
  Array<T, typename Exec::Space> x(placed.rhs.size());
  const solvers::TridiagonalReport done =
      solvers::solve_tridiagonal(exec, placed.matrix, View<const T>(placed.rhs.view()), x.view(), params);
  exec.synchronize();
  if (report) *report = done;
  return to_vector(x);
}

}  // namespace tessera::testing
