#include "bench/support/atomics.hpp"

namespace tessera::bench {

std::vector<Row> atomic_rows(Cuda&) { return {}; }

}  // namespace tessera::bench
