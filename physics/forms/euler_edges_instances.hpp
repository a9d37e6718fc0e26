#pragma once
// Instantiates the edge functions of euler_edges.hpp on a backend, in namespace tessera::assembly.
#include "assembly/edge/instantiate.hpp"
#include "physics/forms/euler_edges.hpp"

#define TESSERA_EULER_EDGES_OF(Exec, dim)                                  \
  TESSERA_EDGE_FUNCTION(Exec, tessera::physics::euler::EulerRusanov<dim>); \
  TESSERA_BOUNDARY_FUNCTION(Exec, tessera::physics::euler::EulerBoundary<dim>)
#define TESSERA_EULER_EDGES(Exec)  \
  TESSERA_EULER_EDGES_OF(Exec, 1); \
  TESSERA_EULER_EDGES_OF(Exec, 2); \
  TESSERA_EULER_EDGES_OF(Exec, 3)
