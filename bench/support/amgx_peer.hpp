#pragma once
#include <optional>
#include <string>

#include "base/backend.hpp"
#include "linalg/crs.hpp"

namespace tessera::bench {

/// The second set-up and the second solve to 1e-8 of a system by AMGX, milliseconds.
struct AmgxTimes {
  double set_up_ms = 0, solve_ms = 0;
  int iterations = 0;
};

/// A configuration of PCG with AMG that did well (NVIDIA/AMGX, core/configs): "classical", "aggressive",
/// "aggregation". Nothing where the environment variable TESSERA_AMGX does not name a folder with libamgxsh.so and, if
/// that needs it, libamgxstubs.so, or where the matrix has 2^31 entries.
std::optional<AmgxTimes> amgx_peer(Cuda& exec, const linalg::Crs<Device>& A, View<const double> b,
                                   const std::string& configuration);
/// AMGX is for GPUs.
inline std::optional<AmgxTimes> amgx_peer(Threads&, const linalg::Crs<Host>&, View<const double>, const std::string&) {
  return {};
}

}  // namespace tessera::bench
