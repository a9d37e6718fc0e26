#pragma once
// Node orders of other programs against Gmsh's. All put vertices first and alike; they differ in edges and faces.
#include <vector>

namespace tessera::mesh {

/// Sets of vertices of a cell, each standing for the node at their mean in the straight cell.
using VertexSets = std::vector<std::vector<int>>;

/// The order of edges that Abaqus, CalculiX and VTK have in common: around the base, around the top, upwards. For a
/// type of Gmsh.
const VertexSets& common_edges(int gmsh_type);

/// The places of Gmsh's nodes in a cell of another program, whose nodes are the vertices, then those of `beyond`:
/// result[node of Gmsh] = node of the other. Throws Error(internal) where one is missing.
std::vector<int> places_of_nodes(int gmsh_type, const VertexSets& beyond);

}  // namespace tessera::mesh
