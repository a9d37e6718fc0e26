#pragma once
// Which sizes of cells this build has kernels for.
#include "base/error.hpp"

namespace tessera::assembly::matrix_free {

/// Whether this build has the kernels of cells with n nodes along an axis. Builds that compile device code only to see
/// that it compiles have those that differ by more than their sizes.
constexpr bool has_kernels([[maybe_unused]] int n) {
#ifdef TESSERA_QUICK_DEVICE_CODE
  return n == 2 || n == 3 || n == 5;
#else
  return true;
#endif
}

[[noreturn]] inline void refuse_size() {
  throw Error(ExitCode::usage, "this build has no kernels for elements of this order",
              "configure it with -DTESSERA_QUICK_DEVICE_CODE=OFF, or choose backend threads");
}

}  // namespace tessera::assembly::matrix_free
