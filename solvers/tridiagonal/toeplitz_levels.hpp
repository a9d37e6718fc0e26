#pragma once
// The coefficients of simplified cyclic reduction, level by level, without cancellation.
//
// Level r has the rows i = 2^r, 2 2^r ... <= n of  -t v_{i-2^r} + d v_i - t v_{i+2^r} = g_i,  d/t = 2 + delta_r. Its
// last row has the diagonal e, e/t = 1 + eps_r: 1 + delta_0 at first, something else where n + 1 is no power of two.
// With y = g / diagonal the reduction and the substitution need only the ratios below, and t drops out:
//     y' = kept y + side (y_left + y_right),    v = y + back (v_left + v_right).
#include "base/types.hpp"
#include "solvers/tridiagonal/elimination.hpp"

namespace tessera::solvers::tridiagonal {

template <class T>
struct ToeplitzLevel {
  T kept, side, back;
  T last_kept, last_side, last_back;
};

struct ToeplitzState {
  double delta, eps;
  Index rows;  ///< of this level

  /// delta_{r+1} = delta_r (delta_r + 4), kept in range: beyond 1e18 the couplings are far below round-off.
  TESSERA_HD double next_delta() const {
    const double next = delta * (delta + 4);
    return next < 1e18 ? next : 1e18;
  }
  /// rows odd: 1 + eps' = (2+delta)^2 - 1 - (2+delta) / (1+eps); even: (1+eps) (2+delta) - 1. All terms positive.
  TESSERA_HD double next_eps() const {
    if (rows % 2 == 0) return delta + eps * (2 + delta);
    const double r = reciprocal(1 + eps);
    return (3 * delta + delta * delta) * r + (eps * r) * (2 + 4 * delta + delta * delta);
  }
  TESSERA_HD ToeplitzState next() const { return {next_delta(), next_eps(), rows / 2}; }

  template <class T>
  TESSERA_HD ToeplitzLevel<T> level() const {
    const double d = 2 + delta, e = 1 + eps;
    const double alpha = reciprocal(d), kept = reciprocal(1 - 2 * alpha * alpha), r = reciprocal(1 + next_eps());
    const double last_kept = (rows % 2 == 1 ? d : e) * d * r, last_side = d * r;
    return {T(kept), T(kept * alpha), T(alpha), T(last_kept), T(last_side), T(reciprocal(e))};
  }
};

}  // namespace tessera::solvers::tridiagonal
