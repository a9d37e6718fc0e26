#pragma once
// How edge functions are instantiated for one backend: by a source that includes this and loop_threads.hpp or
// loop_cuda.cuh. Those of functions.hpp by TESSERA_EDGES.
#include "assembly/edge/boundary_normals_impl.hpp"
#include "assembly/edge/builder_impl.hpp"
#include "assembly/edge/functions.hpp"
#include "assembly/edge/setup_impl.hpp"

#define TESSERA_EDGE_FUNCTION(Exec, ...)                                                                            \
  template void run_edges<Exec, __VA_ARGS__>(Exec&, EdgeLoop<Exec::Space>&, const __VA_ARGS__&, View<const double>, \
                                             View<double>)
#define TESSERA_MATRIX_FUNCTION(Exec, ...)                                                           \
  template void assemble_edges<Exec, __VA_ARGS__>(Exec&, EdgeLoop<Exec::Space>&, const __VA_ARGS__&, \
                                                  View<const double>, linalg::RowLayout, View<double>)
#define TESSERA_BOUNDARY_FUNCTION(Exec, ...)                                                                    \
  template void run_boundary<Exec, __VA_ARGS__>(Exec&, const BoundaryNormals<Exec::Space>&, const __VA_ARGS__&, \
                                                View<const double>, View<double>, bool)
#define TESSERA_EDGE_DIMENSION(Exec, dim)                             \
  TESSERA_EDGE_FUNCTION(Exec, Laplacian<dim, 1>);                     \
  TESSERA_EDGE_FUNCTION(Exec, ConsistentMass<dim>);                   \
  TESSERA_EDGE_FUNCTION(Exec, GroupFlux<dim, 1, LinearFlux<dim, 1>>); \
  TESSERA_EDGE_FUNCTION(Exec, NeighbourBounds<dim>);                  \
  TESSERA_MATRIX_FUNCTION(Exec, StiffnessMatrix<dim>);                \
  TESSERA_MATRIX_FUNCTION(Exec, DiscreteUpwinding<dim>)
#define TESSERA_EDGES(Exec)                                                                                  \
  template class EdgeBuilder<Exec>;                                                                          \
  template EdgeLoop<Exec::Space> make_edge_loop<Exec>(Exec&, const EdgeList<Exec::Space>&, EdgeStrategy);    \
  template void refresh_edge_loop<Exec>(Exec&, EdgeLoop<Exec::Space>&);                                      \
  template BoundaryNormals<Exec::Space> make_boundary_normals<Exec>(Exec&, const mesh::Mesh&, const DofMap&, \
                                                                    const mesh::Group&);                     \
  TESSERA_EDGE_DIMENSION(Exec, 1);                                                                           \
  TESSERA_EDGE_DIMENSION(Exec, 2);                                                                           \
  TESSERA_EDGE_DIMENSION(Exec, 3);                                                                           \
  TESSERA_EDGE_FUNCTION(Exec, Laplacian<2, 4>);                                                              \
  TESSERA_EDGE_FUNCTION(Exec, Laplacian<3, 3>);                                                              \
  TESSERA_EDGE_FUNCTION(Exec, Laplacian<3, 5>);                                                              \
  TESSERA_EDGE_FUNCTION(Exec, GroupFlux<2, 4, LinearFlux<2, 4>>);                                            \
  TESSERA_EDGE_FUNCTION(Exec, GroupFlux<3, 5, LinearFlux<3, 5>>)
