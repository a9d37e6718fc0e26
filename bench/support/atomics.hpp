#pragma once
#include <vector>

#include "base/backend.hpp"
#include "bench/support/bench.hpp"

namespace tessera::bench {

/// Additions of doubles in global and shared memory, plain and atomic, side by side and scattered: the choice of
/// assembly strategies. None on threads and without CUDA.
inline std::vector<Row> atomic_rows(Threads&) { return {}; }
std::vector<Row> atomic_rows(Cuda& exec);

}  // namespace tessera::bench
