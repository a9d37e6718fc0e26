#pragma once
#include <optional>

#include "assembly/space/cell_lists.hpp"
#include "assembly/space/dof_map.hpp"
#include "base/backend.hpp"

namespace tessera::assembly {

/// The dofs of a lower order on the mesh of `higher`, numbered as make_dof_map, or make_periodic_dof_map, would number
/// them. Vertices, edges, faces and cells have consecutive dofs in either order and follow each other in the same one,
/// so nothing is sorted: a pass over the cells finds where each begins, what the lower order has before it is counted,
/// and another pass writes the dofs of the cells. 5/8 B a dof of the higher order, or less, for a moment.
/// `order` is from 1 on and lower.
DofMap lower_dof_map(const DofMap& higher, int order, int threads = 0);

/// The same, and which of its rows dof * components + c are fixed, ascending: those in the vertices, edges, faces and
/// cells whose dofs are fixed in the higher order. `fixed`: the rows of that, which become those of the lower one.
/// `mesh`, where it is given, is that of `higher`: where all of its nodes are dofs of order 1, in their order, the map
/// of that borrows them, and nothing of the above is made.
DofMap lower_dof_map(const DofMap& higher, int order, int threads, int components, std::vector<Index>& fixed,
                     const mesh::Mesh* mesh = nullptr);

/// That map of order 1, where it borrows the nodes; else nothing, and `fixed` stays.
std::optional<DofMap> map_of_nodes(const DofMap& higher, const mesh::Mesh& mesh, int threads, int components,
                                   std::vector<Index>& fixed);

/// A map, and the dofs of its cells where a backend has made them, see CellLists; else none.
template <class Space>
struct MapOnBackend {
  DofMap map;
  Array<Index, Space> cells;
};

/// lower_dof_map as a backend makes it: on CUDA from `cells`, those of the higher order, 4 B a dof of that for a
/// moment, and the lists of the lower order are made there and copied to the host.
MapOnBackend<Host> lower_dof_map_on(Threads& exec, const DofMap& higher, CellLists<Host>& cells, int order, int threads,
                                    int components, std::vector<Index>& fixed, const mesh::Mesh* mesh = nullptr);
MapOnBackend<Device> lower_dof_map_on(Cuda& exec, const DofMap& higher, CellLists<Device>& cells, int order,
                                      int threads, int components, std::vector<Index>& fixed,
                                      const mesh::Mesh* mesh = nullptr);

/// The function that is linear, or linear along each axis, between the values at vertices of a field u [dofs of the
/// higher order], at the nodes of the lower one, [dofs of that], each from the first cell that has it. Its values lie
/// between those of u, as polynomials through fewer nodes would not.
std::vector<double> at_lower_nodes(const DofMap& higher, const DofMap& lower, std::span<const double> u);

}  // namespace tessera::assembly
