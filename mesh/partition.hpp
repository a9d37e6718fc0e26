#pragma once
#include <vector>

#include "mesh/adjacency.hpp"

namespace tessera::mesh {

/// Part of each cell, parts of about `cells_per_block` cells (METIS k-way on the dual graph, fixed seed). Parts are
/// numbered 0.. without gaps. Throws Error(mesh) where the dual graph is beyond METIS's 32-bit indices, or METIS fails.
std::vector<Index> partition_cells(const Mesh& mesh, Index cells_per_block);

/// Part of each vertex of any graph, `parts` parts.
std::vector<Index> partition_graph(const Adjacency& graph, Index parts);

/// Cells of each part, ascending: an Adjacency part -> cells.
Adjacency parts_to_cells(const std::vector<Index>& part);

}  // namespace tessera::mesh
