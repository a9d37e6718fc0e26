#pragma once
// Groups that a deck makes, for meshes whose file carries none.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "deck/section.hpp"
#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// group.box: left out, a side is open.
struct GroupBox {
  std::vector<double> min, max;
};

/// One [[group]] of a deck. What several of its conditions say holds together.
struct GroupParams {
  std::string name;
  std::optional<std::string> of;      ///< points, curves, surfaces or volumes; left out: what bounds the cells
  std::vector<std::string> entities;  ///< names of entities or groups to choose from
  std::optional<deck::Expression> where;
  std::vector<double> normal;
  double angle = 1;  ///< degrees
  std::optional<GroupBox> box;
  deck::Where place;
};

/// The schema of [[group]].
deck::Section<GroupParams> group_section();

/// Appends the groups of the deck to mesh.groups, in their order; a later one may be made of an earlier one.
///
/// What there is to choose from: the named entities; else all exterior facets, cells, nodes (points) or edges (curves
/// in 3-D). `where` is asked at the centre of a cell, so that of "x < 1" and "x >= 1" exactly one holds, and at all
/// nodes of facets and edges, drawn towards their centre by a millionth, so that neither rounding nor < against <=
/// matters at a border that the mesh follows. `box` is asked at the same points, to a millionth of the mesh's extent.
/// `normal` looks at exterior facets.
///
/// Throws Error(usage) for a group that says nothing, contradicts itself or the mesh's dimension, or has the name of
/// another; Error(mesh) for entities that are not there and for a group that catches nothing, with what came nearest.
void add_groups(Mesh& mesh, const std::vector<GroupParams>& groups);

/// Exterior facets (dim = mesh.dim - 1) or cells (dim = mesh.dim) that are in none of the groups or entities `named`,
/// as a group called "rest". Names that are not in the mesh are passed over.
Group rest_of(const Mesh& mesh, int dim, std::span<const std::string> named);

}  // namespace tessera::mesh
