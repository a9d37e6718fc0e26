#pragma once
// Quotients and roots of rows on the device, a step of Newton's method shorter than those of base/: within 2 ulp. In
// single precision the hardware's own, within 1 to 2 ulp.
#include <cmath>

#include "base/reciprocal.hpp"
#include "base/square_root.hpp"

namespace tessera {

/// 1 / value; of double numbers it stands beside reciprocal().
TESSERA_HD inline float quick_reciprocal(float value) {
#ifdef __CUDA_ARCH__
  float r;
  asm("rcp.approx.f32 %0, %1;" : "=f"(r) : "f"(value));
  return r;
#else
  return 1 / value;
#endif
}

/// The square root of a number above 1e-300, or 1e-37.
TESSERA_HD inline double quick_root(double value) {
#ifdef __CUDA_ARCH__
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(value));
  const double root = value * y, e = fma(-root, y, 1.0);
  return fma(root * e, fma(e, 0.375, 0.5), root);  // third order: 20 bits to 60
#else
  return std::sqrt(value);
#endif
}
TESSERA_HD inline float quick_root(float value) {
#ifdef __CUDA_ARCH__
  float root;
  asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(value));
  return root;
#else
  return std::sqrt(value);
#endif
}

TESSERA_HD inline float square_root(float value) { return std::sqrt(value); }

}  // namespace tessera
