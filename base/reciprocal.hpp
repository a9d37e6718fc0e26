#pragma once
#include <cmath>

#include "base/types.hpp"

namespace tessera {

/// 1 / value. On the device the hardware's estimate and two Newton steps: as accurate as a division to 1 ulp, without
/// its slow path. Zero gives NaN, so that a broken elimination shows. Entries below 1e-290 or above 1e290 are out of
/// its range.
TESSERA_HD inline double reciprocal(double value) {
#ifdef __CUDA_ARCH__
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(value));
  double e = fma(-value, r, 1.0);
  r = fma(r, fma(e, e, e), r);  // third order: 20 bits to 60
  e = fma(-value, r, 1.0);
  return fma(r, e, r);
#else
  return 1 / value;
#endif
}
TESSERA_HD inline float reciprocal(float value) { return 1 / value; }

}  // namespace tessera
