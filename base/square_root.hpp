#pragma once
#include <cmath>

#include "base/types.hpp"

namespace tessera {

/// sqrt(value), 0 <= value. On the device the hardware's estimate and two Newton steps: within 1 ulp of the root,
/// without the slow path; zero gives less than 1e-150.
TESSERA_HD inline double square_root(double value) {
#ifdef __CUDA_ARCH__
  const double x = value > 1e-300 ? value : 1e-300;
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  double root = x * y;
  y *= 0.5;
  root = fma(fma(-root, root, x), y, root);  // 20 bits to 40
  return fma(fma(-root, root, x), y, root);
#else
  return std::sqrt(value);
#endif
}

/// sqrt(value) and 1 / sqrt(value), 1e-300 < value < 1e300.
struct RootAndInverse {
  double root, inverse;
};
TESSERA_HD inline RootAndInverse root_and_inverse(double value) {
#ifdef __CUDA_ARCH__
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(value));
  const double e = fma(-value * y, y, 1.0);
  y = fma(y * e, fma(e, 0.375, 0.5), y);  // third order: 20 bits to 60
  const double root = value * y;
  return {fma(fma(-root, root, value), 0.5 * y, root), y};
#else
  const double root = std::sqrt(value);
  return {root, 1 / root};
#endif
}

}  // namespace tessera
