#include "assembly/edge/instantiate.hpp"
#include "assembly/edge/loop_threads.hpp"

namespace tessera::assembly {

TESSERA_EDGES(Threads);

}  // namespace tessera::assembly
