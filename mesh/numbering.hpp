#pragma once
#include <functional>
#include <span>
#include <vector>

#include "mesh/adjacency.hpp"

namespace tessera::mesh {

/// Permutations are given as new_number[old].

/// Reverse Cuthill-McKee with pseudo-peripheral starts, of a symmetric graph that names a neighbour once. The same
/// numbers whatever the number of threads.
/// Source: A. George and J. Liu, Computer Solution of Large Sparse Positive Definite Systems, 1981, chapter 4.
std::vector<Index> rcm(const Adjacency& graph);
/// Fill-reducing nested dissection (METIS_NodeND, in a child process that ends where `stop` is true). Throws
/// Error(mesh) where the graph is beyond 32-bit indices.
std::vector<Index> nested_dissection(const Adjacency& graph, const std::function<bool()>& stop = {});

/// Gives nodes new numbers everywhere (points, blocks, groups), then sorts the cells of each block by their least node
/// and lets facets and groups follow.
void renumber_nodes(Mesh& mesh, std::span<const Index> new_number);
/// Gives cells new numbers; a cell stays in its block. new_number: [cells]. Throws Error(internal) for anything else.
void renumber_cells(Mesh& mesh, std::span<const Index> new_number);
void renumber_rcm(Mesh& mesh);
void renumber_metis(Mesh& mesh, const std::function<bool()>& stop = {});

/// Bandwidth max |i-j| and profile sum_i (i - least neighbour) of the node graph.
struct Spread {
  Index bandwidth = 0;
  Offset profile = 0;
};
Spread spread(const Mesh& mesh);

/// True when `numbers` holds each of 0..size-1 once.
bool is_permutation(std::span<const Index> numbers);

}  // namespace tessera::mesh
