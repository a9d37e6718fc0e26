#pragma once
// Cells of any order become complete cells of order 2.
#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// Nodes of edges and faces by the vertices there, so that neighbours share what is made for one of them.
class SharedNodes {
 public:
  /// `points` [nodes, 3] grows with the nodes that are made.
  explicit SharedNodes(std::vector<double>& points) : points_(points) {}

  /// The node at the mean of the vertices `set` of a cell, whose vertices are its first nodes: that of a cell before,
  /// else the cell's own, else a new one where the cell's map puts it. `basis`: the cell's Lagrange basis there,
  /// [nodes]. Throws Error(mesh) where 32-bit numbers do not count the nodes.
  Index operator()(const Index* cell, const std::vector<int>& set, const double* basis, int nodes);

 private:
  using Key = std::array<Index, 4>;
  struct Hash {
    std::size_t operator()(const Key& key) const {
      std::uint64_t hash = 0;
      for (Index v : key) hash = (hash ^ static_cast<std::uint32_t>(v)) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
      return hash;
    }
  };
  Index node_at(const Index* cell, const double* basis, int nodes);

  std::vector<double>& points_;
  std::unordered_map<Key, Index, Hash> nodes_;
};

/// How cells of one kind become complete ones of order 2: each basis at the nodes of the other cell.
struct Completion {
  Shape shape = Shape::tet;
  int nodes = 0;               ///< of the cell as it is
  std::vector<double> at_new;  ///< the cell's basis at the nodes of order 2: [nodes of order 2, nodes]
  std::vector<double> at_old;  ///< the basis of order 2 at the cell's nodes: [nodes, nodes of order 2]
};

/// Writes the nodes of the complete cell to `made`, in Gmsh's order; points grow with those that were missing.
/// Returns the largest distance of the cell's nodes from where the new cell puts them.
double complete_cell(const Completion& completion, const Index* cell, Index* made, std::vector<double>& points,
                     SharedNodes& shared);

}  // namespace tessera::mesh
