#include "assembly/edge/edge_instantiate.hpp"
#include "assembly/edge/edge_loop_threads.hpp"

namespace tessera::assembly {

TESSERA_EDGES(Threads);

}  // namespace tessera::assembly
