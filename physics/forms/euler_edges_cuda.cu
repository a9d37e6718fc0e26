#include "physics/forms/euler_edges.hpp"

#include "assembly/edge/instantiate.hpp"
#include "assembly/edge/loop_cuda.cuh"

namespace tessera::assembly {

using physics::euler::EulerBoundary;
using physics::euler::EulerRusanov;

TESSERA_EDGE_FUNCTION(Cuda, EulerRusanov<1>);
TESSERA_EDGE_FUNCTION(Cuda, EulerRusanov<2>);
TESSERA_EDGE_FUNCTION(Cuda, EulerRusanov<3>);
TESSERA_BOUNDARY_FUNCTION(Cuda, EulerBoundary<1>);
TESSERA_BOUNDARY_FUNCTION(Cuda, EulerBoundary<2>);
TESSERA_BOUNDARY_FUNCTION(Cuda, EulerBoundary<3>);

}  // namespace tessera::assembly
