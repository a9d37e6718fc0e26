#include "mesh/adjacency.hpp"

#include <algorithm>
#include <array>

#include "base/team.hpp"
#include "mesh/side_table.hpp"

namespace tessera::mesh {

Adjacency node_cells(const Mesh& mesh, bool vertices_only) {
  Adjacency result;
  result.ptr.assign(static_cast<std::size_t>(mesh.nodes()) + 1, 0);
  auto for_each_pair = [&](auto visit) {
    for (const CellBlock& block : mesh.blocks) {
      const int count = vertices_only ? vertex_count(block.shape) : block.nodes_per_cell;
      for (Index c = 0; c < block.cells(); ++c)
        for (int i = 0; i < count; ++i) visit(block.cell(c)[i], block.first_cell + c);
    }
  };
  for_each_pair([&](Index node, Index) { ++result.ptr[node]; });
  result.items.resize(static_cast<std::size_t>(counts_to_starts(result.ptr)));
  std::vector<Offset> next = result.ptr;
  for_each_pair([&](Index node, Index cell) { result.items[next[node]++] = cell; });
  return result;
}

Adjacency node_nodes(const Mesh& mesh) {
  const Adjacency around = node_cells(mesh);
  const Index nodes = mesh.nodes();
  Adjacency result;
  result.ptr.assign(static_cast<std::size_t>(nodes) + 1, 0);
  // Neighbours of a node are gathered twice, to count and to store: less memory than keeping duplicates.
  auto gather = [&](Index node, std::vector<Index>& list) {
    list.clear();
    for (Index cell : around[node]) {
      const CellBlock& block = mesh.block_of(cell);
      const Index* local = block.cell(cell - block.first_cell);
      for (int i = 0; i < block.nodes_per_cell; ++i)
        if (local[i] != node) list.push_back(local[i]);
    }
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  auto for_each_list = [&](auto use) {
    parallel_ranges(default_threads(), nodes, [&](Offset first, Offset last, int) {
      std::vector<Index> list;
      for (auto v = static_cast<Index>(first); v < last; ++v) {
        gather(v, list);
        use(v, list);
      }
    });
  };
  for_each_list([&](Index v, const std::vector<Index>& list) { result.ptr[v] = static_cast<Offset>(list.size()); });
  result.items.resize(static_cast<std::size_t>(counts_to_starts(result.ptr)));
  for_each_list([&](Index v, const std::vector<Index>& list) {
    std::copy(list.begin(), list.end(), result.items.begin() + result.ptr[v]);
  });
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
