#pragma once
// What flows through sides of cells, tested with the functions of their dofs: what boundary conditions say and what the
// gradient says.
#include <span>
#include <vector>

#include "assembly/fields/tensor_field.hpp"
#include "assembly/space/dof_map.hpp"
#include "mesh/sides.hpp"

namespace tessera::assembly {

/// Values for each dof of each side: those of side s are [first[s], first[s + 1]).
struct SideLoads {
  std::vector<Offset> first{0};
  std::vector<Index> dofs;
  std::vector<double> flux;    ///< [dofs, components] int lambda phi_i ds, lambda the flow or force in
  std::vector<double> weight;  ///< int phi_i^2 ds over the mesh as it is; where it is asked for
  int components = 1;

  Offset sides() const { return static_cast<Offset>(first.size()) - 1; }
  /// int lambda ds of a side: the functions of its dofs sum to one.
  double total(Offset side, int component = 0) const;
};

/// lambda = l - C_vv u of a form over the facets of a group (see CellAssembler::add_facets), by the same quadrature.
/// threads 0: all. Instantiated for a form by a source that includes facet_loads_impl.hpp.
template <class Form>
SideLoads facet_loads(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group, Form form,
                      const typename Form::Data& data, std::span<const double> u, int threads = 0);

/// lambda = (tensor grad u) . n on sides of cells, of which n points out, with their weights; on a mesh with an axis
/// (mesh::Measure) the flow through the surfaces of revolution. The tensor is evaluated at quadrature points of cells
/// alone (DerivedValues). threads 0: all.
SideLoads gradient_loads(const mesh::Mesh& mesh, const DofMap& dofs, std::span<const double> u,
                         const HostTensorField& tensor, std::span<const mesh::CellSide> sides, int threads = 0);

/// int lambda ds of each side, where the sides that meet in a dof together have reaction[slot[dof]] = int lambda
/// phi_dof. Each takes what its gradient says, and of what is left over its share of the weights: so the sum over all
/// sides is that of the reactions of their dofs, and sides whose dofs are no others' get exactly theirs. slot [dofs];
/// -1: the dof's flux is that of the gradient.
std::vector<double> share_reactions(const SideLoads& loads, std::span<const Index> slot,
                                    std::span<const double> reaction);

}  // namespace tessera::assembly
