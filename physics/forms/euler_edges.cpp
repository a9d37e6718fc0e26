#include "physics/forms/euler_edges.hpp"

#include "assembly/edge/instantiate.hpp"
#include "assembly/edge/loop_threads.hpp"

namespace tessera::assembly {

using physics::euler::EulerBoundary;
using physics::euler::EulerRusanov;

TESSERA_EDGE_FUNCTION(Threads, EulerRusanov<1>);
TESSERA_EDGE_FUNCTION(Threads, EulerRusanov<2>);
TESSERA_EDGE_FUNCTION(Threads, EulerRusanov<3>);
TESSERA_BOUNDARY_FUNCTION(Threads, EulerBoundary<1>);
TESSERA_BOUNDARY_FUNCTION(Threads, EulerBoundary<2>);
TESSERA_BOUNDARY_FUNCTION(Threads, EulerBoundary<3>);

}  // namespace tessera::assembly
