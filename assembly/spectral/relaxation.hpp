#pragma once
#include <cmath>

namespace tessera::assembly::spectral {

/// Of tau w' = u - w over a step dt, u straight from u_0 to u_1: w_1 = kept w_0 + before u_0 + now u_1.
struct Relaxation {
  double kept, before, now;
  Relaxation(double dt, double tau) {
    const double x = dt / tau, mean = -std::expm1(-x) / x;
    kept = std::exp(-x);
    before = mean - kept;
    now = 1 - mean;
  }
};

}  // namespace tessera::assembly::spectral
