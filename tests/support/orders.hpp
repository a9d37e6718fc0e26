#pragma once
#include <cmath>

namespace tessera::testing {

/// p of an error that goes with h^p, from those of two meshes; `finer`: how much finer the second is.
inline double observed_order(double coarse_error, double fine_error, double finer = 2) {
  return std::log(coarse_error / fine_error) / std::log(finer);
}

}  // namespace tessera::testing
