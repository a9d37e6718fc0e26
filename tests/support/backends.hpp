#pragma once
#include <gtest/gtest.h>

#include <type_traits>

#include "base/backend.hpp"
#include "base/on_cuda.hpp"

namespace tessera::testing {

/// Those that this build has.
using Backends = std::conditional_t<TESSERA_HAS_CUDA, ::testing::Types<Threads, Cuda>, ::testing::Types<Threads>>;

template <class Exec>
bool usable() {
  if constexpr (std::is_same_v<Exec, Threads>)
    return true;
  else
    return cuda_info().usable;
}

/// A backend; threads are as many as asked.
template <class Exec>
Exec with_threads(int threads) {
  if constexpr (std::is_same_v<Exec, Threads>)
    return Exec(threads);
  else
    return Exec();
}

}  // namespace tessera::testing

/// First line of a typed test: skips it, saying so, where the backend has no device.
#define TESSERA_REQUIRE(Exec) \
  if (!::tessera::testing::usable<Exec>()) GTEST_SKIP() << "no GPU: " << ::tessera::cuda_info().why_not
