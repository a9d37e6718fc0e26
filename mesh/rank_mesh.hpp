#pragma once
#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/communicator.hpp"
#include "mesh/mesh.hpp"
#include "mesh/params.hpp"

namespace tessera::mesh {

/// The part of a mesh that one rank sees: all cells with a vertex that it owns, so that the rows of its unknowns are
/// complete without a word to others. What else it owns follows from its vertices: an edge, face or cell, and what lies
/// inside, belongs to the owner of its vertex of the lowest number. Nodes, cells of a block, facets and groups keep the
/// order that they have in the whole mesh; groups keep their names, also where nothing of them is here. Where sides are
/// periodic, joined vertices stand beside each other. Cells that are coupled with one of these (CoupledCells) are here,
/// too.
struct RankMesh {
  Mesh mesh;
  std::vector<Offset> cell_numbers;  ///< [cells] of the whole mesh, ascending
  std::vector<int> owners;           ///< [nodes] the rank of a vertex
  std::vector<Index> joined;         ///< [nodes] the vertex that each is one with, of periodic sides; or empty
};

/// Which rank owns each node: bricks of a box, else the parts that METIS cuts or, of more than 4 M nodes, equal pieces
/// of a space-filling curve, a second for some 10 M nodes. `method`: "auto", "metis", "curve" or "file", the partitions
/// of the file. `joined`: see RankMesh; vertices that are one have one owner. Every rank owns some. Throws Error(usage)
/// where there are fewer vertices than ranks, or the file's partitions do not fit (partitions_of_file).
std::vector<int> vertex_owners(const Mesh& mesh, int ranks, const std::string& method = "auto",
                               std::span<const Index> joined = {}, const std::function<bool()>& stop = {});

/// The part of a rank of the mesh that make_box makes, of which bricks of vertices are the ranks': the same part as
/// that of the whole mesh, which nobody has. Throws what make_box throws. Bricks (mesh/bricks.hpp) must exist.
RankMesh part_of_box(const BoxParams& params, int order, int ranks, int rank);

/// Cells whose unknowns have entries between each other though they share none: of contacts.
using CoupledCells = std::vector<std::array<Index, 2>>;

/// The part of a rank. Of coupled cells it has both where it owns a vertex of one.
RankMesh part_of_rank(const Mesh& whole, std::span<const int> owners, int rank, std::span<const Index> joined = {},
                      const CoupledCells& coupled = {});

/// Some cells of a mesh, those that are marked [cells]; nobody owns their vertices.
RankMesh part_of_cells(const Mesh& whole, std::vector<char> cells);

/// The part of each rank, from the root, which has the whole mesh, its owners, `joined` and `coupled`; others' are not
/// read. Collective.
RankMesh distribute(Communicator& ranks, const Mesh& whole, std::span<const int> owners,
                    std::span<const Index> joined = {}, const CoupledCells& coupled = {});

}  // namespace tessera::mesh
