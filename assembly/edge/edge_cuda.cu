#include "assembly/edge/edge_instantiate.hpp"
#include "assembly/edge/edge_loop_cuda.cuh"

namespace tessera::assembly {

TESSERA_EDGES(Cuda);

}  // namespace tessera::assembly
