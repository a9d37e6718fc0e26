#pragma once
// What a group may be made of: points, edges, facets or cells, with the places where a condition on them is asked.
#include <array>
#include <vector>

#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// Items of one dimension of a mesh. Borrows the mesh.
class GroupItems {
 public:
  /// All items of that dimension: exterior facets, cells, nodes that are vertices of cells, and in 3-D edges.
  GroupItems(const Mesh& mesh, int dim);
  /// Those of groups of that dimension, each once.
  GroupItems(const Mesh& mesh, int dim, const std::vector<const Group*>& groups);

  Index size() const;
  bool are_facets() const { return dim_ == mesh_.dim - 1; }
  bool are_cells() const { return dim_ == mesh_.dim; }
  /// "exterior facets", "cells", ... for messages.
  const char* noun() const;
  /// Appends the places of item i where conditions are asked, see add_groups: [places, 3].
  void append_places(Index i, std::vector<double>& xyz) const;
  std::array<double, 3> centre(Index i) const;
  /// Only for facets.
  bool exterior(Index i) const { return mesh_.facets.exterior[ids_[i]] != 0; }
  std::array<double, 3> normal(Index i) const;
  void keep(const std::vector<char>& kept);
  /// The group of what is left.
  Group group(const std::string& name) const;

 private:
  std::vector<Index> nodes(Index i) const;
  const Mesh& mesh_;
  int dim_;
  std::vector<Index> ids_;                   ///< of cells and facets
  std::vector<std::array<Index, 2>> lower_;  ///< of points {node, -1} and edges
};

/// Outward area vector of a side of a cell as its vertices span it: its length is the area (length in 2-D, 1 in 1-D).
std::array<double, 3> area_vector(const Mesh& mesh, Index facet);

}  // namespace tessera::mesh
