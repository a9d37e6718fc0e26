#pragma once
// Both sides of facets: Mesh::facets keeps one cell of each.
#include <algorithm>
#include <span>
#include <vector>

#include "mesh/facets.hpp"

namespace tessera::mesh {

/// A side of a cell; cell -1: none.
struct CellSide {
  Index cell = -1;
  std::int8_t side = -1;
};

/// The sides that share a facet. `second` has no cell where the facet has one cell only.
struct SidePair {
  CellSide first, second;
};

/// Pairs up the sides of `cells` (ascending) that `wanted(cell, side)` takes, by their vertices; `id` [nodes] gives
/// vertices a number that may be shared (periodic boundaries), empty: their own. In the order of first.cell and
/// first.side, `first` the lower.
template <class Wanted>
std::vector<SidePair> pair_sides(const Mesh& mesh, std::span<const Index> cells, std::span<const Index> id,
                                 Wanted wanted);

/// Both sides of each facet of Mesh::facets in `facets`: `first` is that of Mesh::facets.
std::vector<SidePair> sides_of(const Mesh& mesh, std::span<const Index> facets);

/// The facets of a mesh by the side they are.
class FacetFinder {
 public:
  explicit FacetFinder(const Mesh& mesh);
  /// The number in Mesh::facets; -1 where the mesh does not keep it. Only the side that Mesh::facets names is found.
  Index find(const CellSide& side) const;

 private:
  std::vector<std::pair<Offset, Index>> codes_;
};

template <class Wanted>
std::vector<SidePair> pair_sides(const Mesh& mesh, std::span<const Index> cells, std::span<const Index> id,
                                 Wanted wanted) {
  struct Entry {
    FacetVertices key;
    CellSide side;
  };
  std::vector<Entry> entries;
  for (const Index cell : cells) {
    const int count = static_cast<int>(topology(mesh.block_of(cell).shape).facets.size());
    for (int side = 0; side < count; ++side) {
      if (!wanted(cell, side)) continue;
      FacetVertices key = side_vertices(mesh, cell, side);
      if (!id.empty())
        for (Index& vertex : key)
          if (vertex >= 0) vertex = id[vertex];
      std::sort(key.begin(), key.end());
      entries.push_back({key, {cell, static_cast<std::int8_t>(side)}});
    }
  }
  // Stable: of equal keys the lower cell comes first.
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
  std::vector<SidePair> pairs;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    pairs.push_back({entries[i].side, {}});
    if (i + 1 < entries.size() && entries[i + 1].key == entries[i].key) pairs.back().second = entries[++i].side;
  }
  std::sort(pairs.begin(), pairs.end(), [](const SidePair& a, const SidePair& b) {
    return a.first.cell != b.first.cell ? a.first.cell < b.first.cell : a.first.side < b.first.side;
  });
  return pairs;
}

}  // namespace tessera::mesh
