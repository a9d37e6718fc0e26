#include "assembly/edge/loop_threads.hpp"
#include "physics/forms/euler_edges_instances.hpp"

namespace tessera::assembly {
TESSERA_EULER_EDGES(Threads);
}  // namespace tessera::assembly
