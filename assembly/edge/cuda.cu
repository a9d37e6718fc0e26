#include "assembly/edge/instantiate.hpp"
#include "assembly/edge/loop_cuda.cuh"

namespace tessera::assembly {

TESSERA_EDGES(Cuda);

}  // namespace tessera::assembly
