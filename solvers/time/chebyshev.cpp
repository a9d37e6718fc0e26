#include "solvers/time/chebyshev.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace tessera::solvers {
namespace {

constexpr double damping = 2.0 / 13;

/// Over dt spectral radius; 1.54 instead of 1 / 0.653 leaves a margin.
constexpr double per_square = 1.54;

}  // namespace

ChebyshevScheme::ChebyshevScheme(int s) : stages(s) {
  assert(s >= 2);
  const auto size = static_cast<std::size_t>(s) + 1;
  const double w0 = 1 + damping / (static_cast<double>(s) * s);
  // T_j, T_j' and T_j'' at w0.
  std::vector<double> T(size), dT(size), ddT(size);
  T[0] = 1, T[1] = w0, dT[1] = 1;
  for (std::size_t j = 2; j < size; ++j) {
    T[j] = 2 * w0 * T[j - 1] - T[j - 2];
    dT[j] = 2 * T[j - 1] + 2 * w0 * dT[j - 1] - dT[j - 2];
    ddT[j] = 4 * dT[j - 1] + 2 * w0 * ddT[j - 1] - ddT[j - 2];
  }
  const double w1 = dT[s] / ddT[s];
  std::vector<double> b(size);
  for (std::size_t j = 2; j < size; ++j) b[j] = ddT[j] / (dT[j] * dT[j]);
  b[0] = b[1] = b[2];

  mu.assign(size, 0), nu.assign(size, 0), mu_tilde.assign(size, 0), gamma_tilde.assign(size, 0), c.assign(size, 0);
  mu_tilde[1] = b[1] * w1;
  for (std::size_t j = 2; j < size; ++j) {
    mu[j] = 2 * b[j] * w0 / b[j - 1];
    nu[j] = -b[j] / b[j - 2];
    mu_tilde[j] = 2 * b[j] * w1 / b[j - 1];
    const double a = 1 - b[j - 1] * T[j - 1];
    gamma_tilde[j] = -a * mu_tilde[j];
    c[j] = w1 * ddT[j] / dT[j];
  }
  c[1] = c[2] / dT[2];
  c[s] = 1;
  // On u' = lambda u, z = dt lambda, w_s = 1 - b_s T_s(w0) + b_s T_s(w0 + w1 z), which leaves [-1, 1] at w0 + w1 z =
  // -x: upwards, where x = w0, for even s, and downwards for odd s.
  const double x = s % 2 == 0 ? w0 : std::cosh(std::acosh((2 - b[s] * T[s]) / b[s]) / s);
  beta = (w0 + x) / w1;
}

int chebyshev_stages(double product) {
  const double stages = 1 + std::floor(std::sqrt(1 + per_square * std::max(product, 0.0)));
  return static_cast<int>(std::clamp(stages, 2.0, static_cast<double>(most_chebyshev_stages)));
}

double chebyshev_reach(int stages) { return (static_cast<double>(stages) * stages - 1) / per_square; }

}  // namespace tessera::solvers
