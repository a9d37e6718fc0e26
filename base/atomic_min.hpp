#pragma once
#include <atomic>

namespace tessera {

/// `least` becomes `value` where that is less; other threads of the host may do the same meanwhile.
template <class T>
void lower_to(T& least, T value) {
  std::atomic_ref shared(least);
  for (T known = shared.load(std::memory_order_relaxed);
       value < known && !shared.compare_exchange_weak(known, value, std::memory_order_relaxed);) {
  }
}

}  // namespace tessera
