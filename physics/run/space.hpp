#pragma once
// The space of a run, with periodic sides or without, and what is done to solutions in it.
#include <functional>

#include "physics/model.hpp"

namespace tessera::physics {

/// Where the nodes of elements lie on a mesh, of which each of `ranks` (null: there is one) has a part: those of Gauss
/// and Lobatto where all cells have them, as they condition orders 3 and 4 better than equispaced ones; else what
/// `physics` says. Collective.
assembly::LineNodes line_nodes(const PhysicsParams& physics, const mesh::Mesh& mesh, Communicator* ranks = nullptr);

/// Makes the space on space.mesh, dof_points and, where `same` (Model::joined_vertices) is not empty, `unfolded`.
/// `nodes`: line_nodes().
void make_space(const deck::Deck& deck, const PhysicsParams& physics, int components, const std::vector<Index>& same,
                assembly::LineNodes nodes, Discretisation& space);

/// assembly::lower_dof_map of a higher order, with the rows that are fixed there.
using MakeLowerMap = std::function<assembly::DofMap(std::vector<Index>& fixed)>;
/// The same in a lower order on the mesh of a space that was set up. For order 1, whose dofs may be its nodes, a copy
/// of that is in `space.mesh`; above, it may come later. As much as an operator needs: what is prescribed is 0 in the
/// rows of what is prescribed in the higher order, and there are places of dofs only where order 1 has several unknowns
/// a node, whose near kernel asks for them. `make_map` is asked on one rank. Of a part that is one of a rank, and
/// collective.
void make_lower_space(const Discretisation& higher, int order, Discretisation& space, const MakeLowerMap& make_map);

/// The rows with Dirichlet values, ascending: of the unfolded space where there is one.
std::vector<Index> fixed_rows(const Discretisation& space);

/// [unfolded dofs, components] the values of u at the dofs that they became.
std::vector<double> unfold(const Unfolded& unfolded, const std::vector<double>& u);

/// A (u - level) = b as a system of u: b + level A 1.
LinearSystem of_u(linalg::Crs<Host> A, Array<double> b, double level);

}  // namespace tessera::physics
