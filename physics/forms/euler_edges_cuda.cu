#include "assembly/edge/loop_cuda.cuh"
#include "physics/forms/euler_edges_instances.hpp"

namespace tessera::assembly {
TESSERA_EULER_EDGES(Cuda);
}  // namespace tessera::assembly
