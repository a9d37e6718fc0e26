#include "mesh/adjacency.hpp"

#include <algorithm>
#include <array>

#include "base/team.hpp"
#include "mesh/gather_lists.hpp"

namespace tessera::mesh {

Adjacency node_cells(const Mesh& mesh, bool vertices_only) {
  return gather_lists(mesh.nodes(), mesh.cells(), [&](Index cell, auto put) {
    const CellBlock& block = mesh.block_of(cell);
    const int count = vertices_only ? vertex_count(block.shape) : block.nodes_per_cell;
    const Index* nodes = block.cell(cell - block.first_cell);
    for (int i = 0; i < count; ++i) put(nodes[i]);
  });
}

Adjacency node_nodes(const Mesh& mesh) {
  const Adjacency around = node_cells(mesh);
  const int threads = default_threads();
  Adjacency result;
  result.ptr.assign(static_cast<std::size_t>(mesh.nodes()) + 1, 0);
  std::vector<std::vector<Index>> of_parts(static_cast<std::size_t>(threads));
  parallel_ranges(threads, mesh.nodes(), [&](Offset first, Offset last, int part) {
    std::vector<Index>& lists = of_parts[part];
    for (auto node = static_cast<Index>(first); node < last; ++node) {
      const auto before = static_cast<std::ptrdiff_t>(lists.size());
      for (const Index cell : around[node]) {
        const CellBlock& block = mesh.block_of(cell);
        const Index* nodes = block.cell(cell - block.first_cell);
        for (int i = 0; i < block.nodes_per_cell; ++i)
          if (nodes[i] != node) lists.push_back(nodes[i]);
      }
      std::sort(lists.begin() + before, lists.end());
      lists.erase(std::unique(lists.begin() + before, lists.end()), lists.end());
      result.ptr[node] = static_cast<Offset>(lists.size()) - before;
    }
  });
  result.items.reserve(static_cast<std::size_t>(counts_to_starts(result.ptr)));
  for (std::vector<Index>& lists : of_parts) {
    result.items.insert(result.items.end(), lists.begin(), lists.end());
    lists = {};
  }
  return result;
}

Adjacency cell_cells(const Mesh& mesh) {
  const SideTable table(mesh);
  const int threads = default_threads();
  std::vector<std::vector<std::array<Index, 2>>> pairs(static_cast<std::size_t>(threads));
  parallel_ranges(threads, table.buckets(), [&](Offset first, Offset last, int part) {
    std::vector<SideTable::Record> records;
    std::vector<std::array<Index, 2>>& mine = pairs[static_cast<std::size_t>(part)];
    for (auto v = static_cast<Index>(first); v < last; ++v) {
      table.bucket(v, records);
      for (std::size_t i = 1; i < records.size(); ++i)
        if (records[i].key == records[i - 1].key)
          mine.push_back({SideTable::cell(records[i - 1].code), SideTable::cell(records[i].code)});
    }
  });
  Adjacency result;
  result.ptr.assign(static_cast<std::size_t>(mesh.cells()) + 1, 0);
  for (const auto& of_part : pairs)
    for (const auto& [a, b] : of_part) ++result.ptr[a], ++result.ptr[b];
  result.items.resize(static_cast<std::size_t>(counts_to_starts(result.ptr)));
  std::vector<Offset> next = result.ptr;
  for (const auto& of_part : pairs)
    for (const auto& [a, b] : of_part) result.items[next[a]++] = b, result.items[next[b]++] = a;
  parallel_for(default_threads(), result.size(), [&](Index c) {
    std::sort(result.items.begin() + result.ptr[c], result.items.begin() + result.ptr[c + 1]);
  });
  return result;
}

}  // namespace tessera::mesh
