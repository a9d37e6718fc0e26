#pragma once
// Twenty matrices of 512 rows on which tridiagonal solvers are compared (Venetis et al. 2015; Klein and Strzodka 2021).
#include <functional>
#include <string>

#include "tests/tridiagonal/systems.hpp"

namespace tessera::testing {

struct SuiteMatrix {
  std::string name;
  bool dominant;  ///< in every row: methods without pivoting are safe
  Batch<double> batch;
};

namespace suite {

inline constexpr Index rows = 512;
using Entry = std::function<double(Index)>;
using Dense = std::vector<double>;  ///< [rows, rows]

/// x -= 2 v (v, x) / (v, v) for all columns (left) or rows (right) from `first` on; v starts at `first` too.
inline void reflect(Dense& A, const std::vector<double>& v, Index first, bool left, Index from) {
  const Index n = rows, length = static_cast<Index>(v.size());
  double vv = 0;
  for (const double value : v) vv += value * value;
  if (vv == 0) return;
  if (left) {
    std::vector<double> sums(n, 0.0);
    for (Index i = 0; i < length; ++i)
      for (Index j = from; j < n; ++j) sums[j] += v[i] * A[(first + i) * n + j];
    for (Index i = 0; i < length; ++i)
      for (Index j = from; j < n; ++j) A[(first + i) * n + j] -= 2 / vv * v[i] * sums[j];
  } else {
    for (Index i = from; i < n; ++i) {
      double sum = 0;
      for (Index j = 0; j < length; ++j) sum += v[j] * A[i * n + first + j];
      for (Index j = 0; j < length; ++j) A[i * n + first + j] -= 2 / vv * v[j] * sum;
    }
  }
}

/// The vector that reflects x onto a multiple of the first unit vector.
inline std::vector<double> householder(std::vector<double> x) {
  double norm = 0;
  for (const double value : x) norm += value * value;
  x[0] += std::copysign(std::sqrt(norm), x[0]);
  return x;
}

/// A tridiagonal matrix with given singular values: random reflections from both sides, then others that take it back
/// to three diagonals (the construction of LAPACK's and MATLAB's banded test matrices).
inline void with_singular_values(const Entry& sigma, Batch<double>& batch, unsigned seed) {
  const Index n = rows;
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> normal;
  Dense A(static_cast<std::size_t>(n) * n, 0.0);
  for (Index i = 0; i < n; ++i) A[i * n + i] = sigma(i);
  std::vector<double> v(n);
  for (int k = 0; k < 24; ++k)
    for (const bool left : {true, false}) {
      for (double& value : v) value = normal(generator);
      reflect(A, v, 0, left, 0);
    }
  for (Index k = 0; k + 1 < n; ++k) {
    std::vector<double> column, row;
    for (Index i = k + 1; i < n; ++i) column.push_back(A[i * n + k]);
    reflect(A, householder(column), k + 1, true, k);
    for (Index j = k + 1; j < n; ++j) row.push_back(A[k * n + j]);
    reflect(A, householder(row), k + 1, false, k);
  }
  for (Index i = 0; i < n; ++i) {
    batch.diag[i] = A[i * n + i];
    batch.lower[i] = i > 0 ? A[i * n + i - 1] : 0;
    batch.upper[i] = i + 1 < n ? A[i * n + i + 1] : 0;
  }
}

/// MATLAB's gallery('dorr', n, theta): diagonally dominant and ill-conditioned.
inline void dorr(double theta, Batch<double>& batch) {
  const double h = 1.0 / (rows + 1), term = theta / (h * h);
  for (Index i = 1; i <= rows; ++i) {
    const double side = (0.5 - i * h) / h;
    const bool first_half = i <= (rows + 1) / 2;
    const double lower = first_half ? -term : -term + side, upper = first_half ? -term - side : -term;
    batch.lower[i - 1] = lower, batch.upper[i - 1] = upper, batch.diag[i - 1] = -(lower + upper);
  }
}

}  // namespace suite

inline std::vector<SuiteMatrix> stability_suite() {
  using suite::Entry;
  using suite::rows;
  std::vector<SuiteMatrix> result;
  // Random entries where nothing is given, then the change.
  auto add = [&](std::string name, bool dominant, const std::function<void(Batch<double>&)>& change) {
    auto batch = random_batch<double>(rows, 1, TridiagonalLayout::contiguous, Kind::general,
                                      20 + static_cast<unsigned>(result.size()));
    change(batch);
    // b = A x with x normal of mean 3, formed in long double
    std::mt19937_64 generator(5);
    std::normal_distribution<double> normal(3, 1);
    std::vector<double> x(rows);
    for (double& value : x) value = normal(generator);
    for (Index i = 0; i < rows; ++i) {
      long double sum = static_cast<long double>(batch.diag[i]) * x[i];
      if (i > 0) sum += static_cast<long double>(batch.lower[i]) * x[i - 1];
      if (i + 1 < rows) sum += static_cast<long double>(batch.upper[i]) * x[i + 1];
      batch.rhs[i] = static_cast<double>(sum);
    }
    result.push_back({std::move(name), dominant, std::move(batch)});
  };
  auto diagonals = [](const Entry& a, const Entry& b, const Entry& c) {
    return [=](Batch<double>& batch) {
      for (Index i = 0; i < rows; ++i) batch.lower[i] = a(i), batch.diag[i] = b(i), batch.upper[i] = c(i);
    };
  };
  auto constant = [](double value) { return [value](Index) { return value; }; };
  auto diagonal = [](double value) { return [value](Batch<double>& batch) { batch.diag.assign(rows, value); }; };
  auto singular_values = [](const Entry& sigma) {
    return [sigma](Batch<double>& batch) { suite::with_singular_values(sigma, batch, 3); };
  };
  const double kappa = 1e15;

  add("random", false, [](Batch<double>&) {});
  add("b = 1e8", true, diagonal(1e8));
  add("lesp", true,
      diagonals([](Index i) { return 1.0 / (i + 1); }, [](Index i) { return -(2.0 * i + 5); },
                [](Index i) { return i + 2.0; }));
  add("one a scaled by 1e-50", false, [](Batch<double>& batch) { batch.lower[rows / 2] *= 1e-50; });
  add("half of a and c zero", false, [](Batch<double>& batch) {
    std::mt19937_64 generator(9);
    for (Index i = 0; i < rows; ++i) {
      if (generator() % 2) batch.lower[i] = 0;
      if (generator() % 2) batch.upper[i] = 0;
    }
  });
  add("b = 64", true, diagonal(64));
  add("inverse of kms(0.5)", true,
      diagonals(
          constant(-0.5 / 0.75), [](Index i) { return (i == 0 || i == rows - 1 ? 1.0 : 1.25) / 0.75; },
          constant(-0.5 / 0.75)));
  add("randsvd(1e15), mode 1", false, singular_values([=](Index i) { return i == 0 ? 1 : 1 / kappa; }));
  add("randsvd(1e15), mode 2", false, singular_values([=](Index i) { return i < rows - 1 ? 1 : 1 / kappa; }));
  add("randsvd(1e15), mode 3", false,
      singular_values([=](Index i) { return std::pow(kappa, -static_cast<double>(i) / (rows - 1)); }));
  add("randsvd(1e15), mode 4", false,
      singular_values([=](Index i) { return 1 - static_cast<double>(i) / (rows - 1) * (1 - 1 / kappa); }));
  add("all a scaled by 1e-50", false, [](Batch<double>& batch) {
    for (double& value : batch.lower) value *= 1e-50;
  });
  add("dorr(1e-4)", true, [](Batch<double>& batch) { suite::dorr(1e-4, batch); });
  add("b = 1e-8", false, diagonal(1e-8));
  add("b = 0", false, diagonal(0));
  add("(1, 1e-8, 1)", false, diagonals(constant(1), constant(1e-8), constant(1)));
  add("(1, 1e8, 1)", true, diagonals(constant(1), constant(1e8), constant(1)));
  add("(-1, 4, -1)", true, diagonals(constant(-1), constant(4), constant(-1)));
  add("(-1, 4, 1)", true, diagonals(constant(-1), constant(4), constant(1)));
  return result;
}

}  // namespace tessera::testing
