#pragma once
// Relaxation factors from the coefficients of one point: the formulas of [NCG 10], (10.9) to (10.12), and of the mixed case.
// Additions and products are written as fma, so that every kernel that recomputes omega gets the same bits.
#include <cmath>

#include "base/reciprocal.hpp"
#include "base/square_root.hpp"

namespace tessera::solvers::grid::lmsor {

/// The best single omega where the eigenvalues mu of the local Jacobi operator fill |Re mu| <= R < 1, |Im mu| <= I: an ellipse
/// with half axes a, b through the corner (R, I), chosen by bisection; the rate of convergence is ((a + b) / (1 + s))^2. Own
/// derivation by Fourier analysis, docs/methods/lmsor.md. R = 0 or I = 0 give the known formulas of imaginary and real mu.
TESSERA_HD inline double rectangle_omega(double R, double I) {
  if (R <= 0 || I <= 0) return 2 * reciprocal(1 + square_root(fma(I, I, fma(-R, R, 1.0))));
  double low = R, high = 1, s = 1;
  for (int step = 0; step < 50; ++step) {
    const double a = 0.5 * (low + high);
    const double room = (a - R) * (a + R);
    if (room <= 0) break;
    const double b = I * a * reciprocal(square_root(room));
    s = square_root(fma(b, b, (1 - a) * (1 + a)));
    const double q = (a + b) * reciprocal(1 + s);
    // F(a) = R^2 b^3 (1 - a q) - I^2 a^3 (1 + b q), positive left of the root
    const double Rb = R * b, Ia = I * a;
    if (Rb * Rb * b * fma(-a, q, 1.0) > Ia * Ia * a * fma(b, q, 1.0))
      low = a;
    else
      high = a;
  }
  return 2 * reciprocal(1 + s);
}

/// omega of a point from F = h f/2 and G = k g/2: l r = A^2 (1 - F^2), t b = B^2 (1 - G^2).
struct LocalOmega {
  double real_x = 0, real_y = 0;  ///< 2 A cos(pi/(m1+1)), 2 B cos(pi/(m2+1)): the largest |mu|, (10.10)
  double low_x = 0, low_y = 0;    ///< 2 A sin(pi/(2(m1+1))), ...: the least |mu| by (10.11); 0 in lsor
  double constant[2] = {0, 0};    ///< of red and black points, where omega is no function of the point
  double damping = 1;
  bool local = true;

  TESSERA_HD static bool is_mixed(double F, double G) {
    const double p = fma(-F, F, 1.0), q = fma(-G, G, 1.0);
    return (p < 0 && q > 0) || (p > 0 && q < 0);
  }

  /// Cases 1 and 2: p, q >= 0 or p, q <= 0.
  TESSERA_HD double unmixed(double F, double G, int colour) const {
    const double p = fma(-F, F, 1.0), q = fma(-G, G, 1.0);
    const double x = square_root(fabs(p)), y = square_root(fabs(q));
    const double M = fma(real_x, x, real_y * y), m = fma(low_x, x, low_y * y);
    const double sign = p >= 0 && q >= 0 ? -1.0 : 1.0;
    const double s = square_root(fma(sign * M, M, 1.0) * fma(sign * m, m, 1.0));
    return 2 * damping * reciprocal(fma(colour == 0 ? -M : M, m, 1.0) + s);
  }

  TESSERA_HD double mixed(double F, double G) const {
    const double p = fma(-F, F, 1.0), q = fma(-G, G, 1.0);
    const double x = real_x * square_root(fabs(p)), y = real_y * square_root(fabs(q));
    return damping * (p > 0 ? rectangle_omega(x, y) : rectangle_omega(y, x));
  }

  TESSERA_HD double operator()(double F, double G, int colour) const {
    if (!local) return damping * constant[colour];
    return is_mixed(F, G) ? mixed(F, G) : unmixed(F, G, colour);
  }
};

}  // namespace tessera::solvers::grid::lmsor
