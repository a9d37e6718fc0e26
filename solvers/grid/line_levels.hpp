#pragma once
// The line across the rows of a partial solution: the symmetric Toeplitz matrix A_x + lambda M_x of one axis, and its
// levels under simplified cyclic reduction (docs/methods/tridiagonal.md). With g, the right-hand side of level r, rows
// i = 2^r, 2 2^r ... <= n:
//
//   g_i += alpha_r (g_{i - 2^r} + g_{i + 2^r}) at even rows,
//   v_i = g_i / d_r + alpha_r (v_{i - 2^r} + v_{i + 2^r}) at odd ones,
//
// and where alpha_r < eps, or one row is left, v_i = g_i / d_r. The last row has the diagonal e_r instead of d_r. As
// the right neighbour of a row, and with its own solution, it counts d_r / e_r times.
#include "base/reciprocal.hpp"
#include "solvers/grid/fast_poisson.hpp"
#include "solvers/tridiagonal/toeplitz_levels.hpp"

namespace tessera::solvers::grid {

struct Line {
  Index n;
  double h;
  Stencil stencil;
};

/// tridiag(-t, d, -t), d = (2 + delta) |t|. delta > 0 is what decides the accuracy, so it is never a difference. t < 0
/// where the mass outweighs the stiffness.
struct LineMatrix {
  double delta, inverse_diagonal;
  bool positive;  ///< t
};

TESSERA_HD inline LineMatrix line_matrix(const Line& line, double lambda) {
  constexpr double most = 1e30;  // couplings below are far below round-off, and its square is still a number
  const double scaled = lambda * line.h * line.h;
  if (line.stencil == Stencil::star) {
    const double delta = scaled < most ? scaled : most;
    return {delta, line.h * line.h * reciprocal(2 + scaled), true};
  }
  const double sigma = scaled / 6;  // d = (2 + 4 sigma) / h, t = (1 - sigma) / h
  const double numerator = sigma < 1 ? 6 * sigma : 4 + 2 * sigma, t = sigma < 1 ? 1 - sigma : sigma - 1;
  const double delta = numerator < most * t ? numerator / t : most;
  return {delta, line.h * reciprocal(2 + 4 * sigma), sigma < 1};
}

/// Couplings below this are not seen.
template <class T>
inline constexpr double least_alpha = sizeof(T) == 8 ? 0x1p-54 : 0x1p-25;

template <class T>
struct LineLevel {
  T alpha, inverse;  ///< alpha_r, 1 / d_r
  T last;            ///< d_r / e_r
};

/// Walks through the levels of a line.
struct LineState {
  double delta, eps;  ///< (d_r / t_r) - 2, (e_r / t_r) - 1, as in ToeplitzState
  double inverse;
  Index rows;
  bool positive;
  bool decoupled = false;
  double ratio = 1;  ///< d_r / e_r

  TESSERA_HD LineState(const LineMatrix& line, Index n)
      : delta(line.delta), eps(1 + line.delta), inverse(line.inverse_diagonal), rows(n), positive(line.positive) {}

  TESSERA_HD double alpha() const { return decoupled ? 0 : reciprocal(2 + delta); }

  /// Goes to the next level; beyond `least` nothing is coupled any more.
  TESSERA_HD void next(double least) {
    const double a = alpha();
    if (a < least) {
      decoupled = true;
      if (rows % 2 == 1) ratio = 1;
      rows /= 2;
      return;
    }
    eps = tridiagonal::ToeplitzState{delta, eps, rows}.next_eps();
    inverse *= reciprocal(1 - 2 * a * a);
    delta *= delta + 4;
    ratio = (2 + delta) * reciprocal(1 + eps);
    rows /= 2;
    positive = true;
  }

  template <class T>
  TESSERA_HD LineLevel<T> level() const {
    const double a = alpha();
    return {T(positive ? a : -a), T(inverse), T(ratio)};
  }
};

/// Coupling of neighbouring rows: g v_i = centre v_i + side (v_{i-1} + v_{i+1}). Differences have theirs in the poles.
struct LineCoupling {
  double centre = 1, side = 0;
  bool identity = true;
};
TESSERA_HD inline LineCoupling line_coupling(const Line& line, double row_spacing, double shift) {
  if (line.stencil == Stencil::star) return {};
  // M_x / h_row - h_row / 6 (K_x + shift M_x)
  const double mass = line.h / 6 * (reciprocal(row_spacing) - row_spacing / 6 * shift),
               stiffness = row_spacing / (6 * line.h);
  return {4 * mass - 2 * stiffness, mass + stiffness, false};
}

}  // namespace tessera::solvers::grid
