#pragma once
#include <string>
#include <vector>

#include "mesh/gmsh_reader_model.hpp"

namespace tessera::mesh {

/// Appends a group for each node set of a model to a mesh that has its facets: the exterior facets all of whose nodes
/// are in the set, of those nodes that the file has (cells that were completed have more). A set without such a facet
/// becomes a group of points: those of its nodes that are vertices of cells. A name that a group of the same
/// dimension has already keeps its meaning. `number`: of each of the model's points in the mesh, -1 where it has
/// gone.
void add_node_sets(const GmshModel& model, const std::vector<Index>& number, const std::string& file, Mesh& mesh);

}  // namespace tessera::mesh
