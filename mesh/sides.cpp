#include "mesh/sides.hpp"

#include <algorithm>

namespace tessera::mesh {

namespace {

Offset code_of(Index cell, int side) { return Offset{cell} * 8 + side; }

}  // namespace

std::vector<SidePair> sides_of(const Mesh& mesh, std::span<const Index> facets) {
  std::vector<SidePair> result;
  std::vector<char> marked;  // vertices of interior facets
  for (const Index facet : facets) {
    result.push_back({{mesh.facets.cell[facet], mesh.facets.side[facet]}, {}});
    if (mesh.facets.exterior[facet]) continue;
    if (marked.empty()) marked.assign(static_cast<std::size_t>(mesh.nodes()), 0);
    for (const Index vertex : side_vertices(mesh, mesh.facets.cell[facet], mesh.facets.side[facet]))
      if (vertex >= 0) marked[vertex] = 1;
  }
  if (marked.empty()) return result;
  std::vector<Index> cells;
  for (const CellBlock& block : mesh.blocks)
    for (Index c = 0; c < block.cells(); ++c)
      if (std::any_of(block.cell(c), block.cell(c) + vertex_count(block.shape), [&](Index v) { return marked[v]; }))
        cells.push_back(block.first_cell + c);
  const auto pairs = pair_sides(mesh, cells, {}, [&](Index cell, int side) {
    const FacetVertices vertices = side_vertices(mesh, cell, side);
    return std::all_of(vertices.begin(), vertices.end(), [&](Index v) { return v < 0 || marked[v]; });
  });
  for (SidePair& pair : result) {
    const auto at = std::lower_bound(pairs.begin(), pairs.end(), pair, [](const SidePair& a, const SidePair& b) {
      return code_of(a.first.cell, a.first.side) < code_of(b.first.cell, b.first.side);
    });
    if (at != pairs.end() && at->first.cell == pair.first.cell && at->first.side == pair.first.side)
      pair.second = at->second;
  }
  return result;
}

FacetFinder::FacetFinder(const Mesh& mesh) {
  codes_.reserve(static_cast<std::size_t>(mesh.facets.size()));
  for (Index f = 0; f < mesh.facets.size(); ++f)
    codes_.emplace_back(code_of(mesh.facets.cell[f], mesh.facets.side[f]), f);
  if (!std::is_sorted(codes_.begin(), codes_.end())) std::sort(codes_.begin(), codes_.end());
}

Index FacetFinder::find(const CellSide& side) const {
  const std::pair<Offset, Index> key{code_of(side.cell, side.side), -1};
  const auto at = std::lower_bound(codes_.begin(), codes_.end(), key);
  return at != codes_.end() && at->first == key.first ? at->second : -1;
}

}  // namespace tessera::mesh
