#pragma once
#include <optional>
#include <string>
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

/// Partitions that a file cuts the mesh into are entities of its cells, "partition_3", which overlap with others.
std::string partition_name(int number);
/// The number of such an entity; none where it is another.
std::optional<int> partition_number(const Group& entity);

/// [cells] of the mesh: which of the file's partitions each lies in, counted from 0 in the order of their numbers.
/// Throws Error(usage) where the file has none, another number of them than `parts`, or cells outside of them.
std::vector<Index> partitions_of_file(const Mesh& mesh, Index parts);

}  // namespace tessera::mesh
