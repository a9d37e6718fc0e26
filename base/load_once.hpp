#pragma once
#include <type_traits>

#include "base/types.hpp"

namespace tessera {

/// *place, which nobody writes meanwhile and one thread alone reads: on the device past the first cache, which is left
/// to what several threads read.
template <class T>
TESSERA_HD_INLINE inline T load_once(const T* place) {
#ifdef __CUDA_ARCH__
  if constexpr (std::is_same_v<T, double>) {
    double value;
    asm("ld.global.nc.L1::no_allocate.f64 %0, [%1];" : "=d"(value) : "l"(place));
    return value;
  } else if constexpr (std::is_same_v<T, float>) {
    float value;
    asm("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(value) : "l"(place));
    return value;
  } else if constexpr (std::is_same_v<T, Index>) {
    Index value;
    asm("ld.global.nc.L1::no_allocate.s32 %0, [%1];" : "=r"(value) : "l"(place));
    return value;
  }
#endif
  return *place;
}

}  // namespace tessera
