#pragma once
// Relaxation factors from the coefficients of one point: the formulas of [NCG 10], (10.9) to (10.12), and of the mixed
// case. Additions and products are written as fma, so that every kernel that recomputes omega gets the same bits.
#include <cmath>

#include "base/reciprocal.hpp"
#include "base/square_root.hpp"

namespace tessera::solvers::grid::lmsor {

/// An ellipse with half axes a, b through the corner of a rectangle |Re mu| <= R < 1, |Im mu| <= I: a^2 = R^2/c, b^2 =
/// I^2/(1-c).
struct CornerEllipse {
  double s;      ///< sqrt(1 - a^2 + b^2): its best omega is 2/(1 + s), the rate of convergence ((a + b)/(1 + s))^2
  double slope;  ///< below 0 where a larger c makes it better
};
TESSERA_HD inline CornerEllipse corner_ellipse(double R, double I, double c) {
  const double a = R * reciprocal(square_root(c)), b = I * reciprocal(square_root(1 - c));
  const double s = square_root(fma(b, b, fmax(0.0, (1 - a) * (1 + a))));
  const double q = (a + b) * reciprocal(1 + s);
  return {s, c * b * fma(-a, q, 1.0) - (1 - c) * a * fma(b, q, 1.0)};
}

/// The best single omega where the eigenvalues mu of the local Jacobi operator fill |Re mu| <= R < 1, |Im mu| <= I:
/// that of the best ellipse, whose c in (R^2, 1) twelve bisections and four steps of regula falsi find to 1e-4 or
/// better; the rate is flat there. Own derivation by Fourier analysis, docs/methods/lmsor.md. R = 0 or I = 0: the known
/// formulas of imaginary and real mu.
TESSERA_HD inline double rectangle_omega(double R, double I) {
  if (R <= 0 || I <= 0) return 2 * reciprocal(1 + square_root(fma(I, I, fma(-R, R, 1.0))));
  double low = R * R, high = 1, at_low = 0, at_high = 0;  // 0: not looked at
  CornerEllipse ellipse{};
  int repeated = 0;
  for (int step = 0; step < 16; ++step) {
    const bool bisect = step < 12 || at_low == 0 || at_high == 0;
    const double c = bisect ? 0.5 * (low + high) : (low * at_high - high * at_low) * reciprocal(at_high - at_low);
    ellipse = corner_ellipse(R, I, c);
    if (ellipse.slope > 0) {
      if (repeated == 1) at_low *= 0.5;  // Illinois
      high = c;
      at_high = ellipse.slope;
    } else {
      if (repeated == -1) at_high *= 0.5;
      low = c;
      at_low = ellipse.slope;
    }
    repeated = bisect ? 0 : ellipse.slope > 0 ? 1 : -1;
  }
  return 2 * reciprocal(1 + ellipse.s);
}

/// omega of a point from F = h f/2 and G = k g/2: l r = A^2 (1 - F^2), t b = B^2 (1 - G^2).
struct LocalOmega {
  double mu_max_x = 0, mu_max_y = 0;  ///< 2 A cos(pi/(m1+1)), 2 B cos(pi/(m2+1)): the largest |mu|, (10.10)
  double mu_min_x = 0, mu_min_y = 0;  ///< 2 A sin(pi/(2(m1+1))), ...: the least |mu| by (10.11); 0 in lsor
  double constant[2] = {0, 0};        ///< of red and black points, where omega is no function of the point
  double damping = 1;
  bool local = true;
  bool pairs = false;  ///< mu_min_x, mu_min_y are not 0

  TESSERA_HD static bool is_mixed(double F, double G) {
    const double p = fma(-F, F, 1.0), q = fma(-G, G, 1.0);
    return (p < 0 && q > 0) || (p > 0 && q < 0);
  }

  /// Cases 1 and 2: p, q >= 0 or p, q <= 0.
  TESSERA_HD double unmixed(double F, double G, int colour) const {
    const double p = fma(-F, F, 1.0), q = fma(-G, G, 1.0);
    const double x = square_root(fabs(p)), y = square_root(fabs(q));
    const double M = fma(mu_max_x, x, mu_max_y * y), sign = p >= 0 && q >= 0 ? -1.0 : 1.0;
    const double square = fma(sign * M, M, 1.0);
    if (!pairs) return 2 * damping * reciprocal(1 + square_root(square));
    const double m = fma(mu_min_x, x, mu_min_y * y);
    const double s = square_root(square * fma(sign * m, m, 1.0));
    return 2 * damping * reciprocal(fma(colour == 0 ? -M : M, m, 1.0) + s);
  }

  TESSERA_HD double mixed(double F, double G) const {
    const double p = fma(-F, F, 1.0), q = fma(-G, G, 1.0);
    const double x = mu_max_x * square_root(fabs(p)), y = mu_max_y * square_root(fabs(q));
    return damping * (p > 0 ? rectangle_omega(x, y) : rectangle_omega(y, x));
  }

  /// may_be_mixed = false: for grids without mixed points.
  template <bool may_be_mixed = true>
  TESSERA_HD double at(double F, double G, int colour) const {
    if (!local) return damping * constant[colour];
    if (may_be_mixed && is_mixed(F, G)) return mixed(F, G);
    return unmixed(F, G, colour);
  }
};

}  // namespace tessera::solvers::grid::lmsor
