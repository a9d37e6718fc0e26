#include "mesh/facets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>

#include "base/error.hpp"
#include "base/team.hpp"
#include "mesh/side_table.hpp"

namespace tessera::mesh {
namespace {

/// Codes of all exterior sides, ascending.
std::vector<Offset> exterior_codes(const SideTable& table) {
  const int threads = default_threads();
  std::vector<std::vector<Offset>> of_part(static_cast<std::size_t>(threads));
  parallel_ranges(threads, table.buckets(), [&](Offset from, Offset to, int part) {
    std::vector<SideTable::Record> records;
    std::vector<Offset>& mine = of_part[static_cast<std::size_t>(part)];
    for (auto v = static_cast<Index>(from); v < to; ++v) {
      table.bucket(v, records);
      for (std::size_t first = 0, last = 0; first < records.size(); first = last) {
        while (last < records.size() && records[last].key == records[first].key) ++last;
        if (last - first == 1) mine.push_back(records[first].code);
        table.check_run(records, first, last);
      }
    }
  });
  std::vector<Offset> exterior;
  for (const std::vector<Offset>& codes : of_part) exterior.insert(exterior.end(), codes.begin(), codes.end());
  std::sort(exterior.begin(), exterior.end());
  return exterior;
}

std::vector<Side> match(const SideTable& table, std::span<const FacetVertices> facets) {
  std::vector<Side> sides(facets.size());
  parallel_ranges(default_threads(), static_cast<Offset>(facets.size()), [&](Offset from, Offset to, int) {
    std::vector<SideTable::Record> records;
    Index bucket = -1;  // facets of one surface often follow each other around a vertex
    for (Offset i = from; i < to; ++i) {
      const FacetVertices key = sorted_key(facets[i]);
      if (key[0] < 0 || key[0] >= table.buckets()) continue;
      if (key[0] != bucket) table.bucket(bucket = key[0], records);
      auto found = std::lower_bound(records.begin(), records.end(), SideTable::Record{key, -1});
      if (found == records.end() || found->key != key) continue;
      const bool single = found + 1 == records.end() || (found + 1)->key != key;
      sides[i] = {SideTable::cell(found->code), SideTable::side(found->code), single};
    }
  });
  return sides;
}

/// Mesh::facets = exterior sides and `named` (codes, any order), sorted. Returns their codes.
std::vector<Offset> store_facets(Mesh& mesh, const std::vector<Offset>& exterior, std::vector<Offset> named) {
  std::sort(named.begin(), named.end());
  named.erase(std::unique(named.begin(), named.end()), named.end());
  std::vector<Offset> codes;
  codes.reserve(exterior.size() + named.size());
  std::set_union(exterior.begin(), exterior.end(), named.begin(), named.end(), std::back_inserter(codes));
  Facets& facets = mesh.facets;
  facets.cell.resize(codes.size());
  facets.side.resize(codes.size());
  facets.exterior.resize(codes.size());
  std::size_t e = 0;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    facets.cell[i] = SideTable::cell(codes[i]);
    facets.side[i] = SideTable::side(codes[i]);
    facets.exterior[i] = e < exterior.size() && exterior[e] == codes[i];
    e += facets.exterior[i];
  }
  return codes;
}

std::vector<Index> positions(const std::vector<Offset>& sorted, const std::vector<Offset>& wanted) {
  std::vector<Index> found;
  found.reserve(wanted.size());
  for (Offset code : wanted)
    found.push_back(static_cast<Index>(std::lower_bound(sorted.begin(), sorted.end(), code) - sorted.begin()));
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

FacetVertices side_vertices(const Mesh& mesh, Index cell, int side) {
  const CellBlock& block = mesh.block_of(cell);
  const Index* nodes = block.cell(cell - block.first_cell);
  const auto& local = topology(block.shape).facets[side].vertices;
  FacetVertices vertices{-1, -1, -1, -1};
  for (int v = 0; v < 4 && local[v] >= 0; ++v) vertices[v] = nodes[local[v]];
  return vertices;
}

std::vector<Side> match_facets(const Mesh& mesh, std::span<const FacetVertices> facets) {
  return match(SideTable(mesh), facets);
}

void find_exterior_facets(Mesh& mesh) {
  const SideTable table(mesh);
  const std::vector<Offset> exterior = exterior_codes(table);
  // Facets known so far, by their lower-numbered cell.
  std::vector<FacetVertices> known;
  for (Index f = 0; f < mesh.facets.size(); ++f)
    known.push_back(side_vertices(mesh, mesh.facets.cell[f], mesh.facets.side[f]));
  std::vector<Offset> known_codes;
  for (const Side& side : match(table, known)) known_codes.push_back(SideTable::code(side.cell, side.side));
  const std::vector<Offset> codes = store_facets(mesh, exterior, known_codes);
  for_each_group(mesh, [&](Group& group) {
    if (group.dim != mesh.dim - 1) return;
    std::vector<Offset> members;
    for (Index facet : group.entities) members.push_back(known_codes.at(facet));
    group.entities = positions(codes, members);
  });
}

std::vector<Offset> set_facets(Mesh& mesh, const std::vector<NamedFacets>& named) {
  const SideTable table(mesh);
  const std::vector<Offset> exterior = exterior_codes(table);
  std::vector<std::vector<Offset>> members(named.size());
  std::vector<Offset> all, loose(named.size(), 0);
  for (std::size_t g = 0; g < named.size(); ++g) {
    const std::vector<Side> sides = match(table, named[g].facets);
    for (std::size_t i = 0; i < sides.size(); ++i) {
      if (sides[i].cell < 0 && named[g].is_entity) continue;  // of a part of the geometry that was not meshed
      if (sides[i].cell < 0) {
        ++loose[g];
        continue;
      }
      members[g].push_back(SideTable::code(sides[i].cell, sides[i].side));
    }
    all.insert(all.end(), members[g].begin(), members[g].end());
  }
  const std::vector<Offset> codes = store_facets(mesh, exterior, std::move(all));
  for (std::size_t g = 0; g < named.size(); ++g) {
    if (named[g].is_entity && members[g].empty()) continue;
    (named[g].is_entity ? mesh.entities : mesh.groups)
        .push_back({named[g].name, mesh.dim - 1, positions(codes, members[g]), {}});
  }
  return loose;
}

std::vector<std::array<Index, 2>> edges(const Mesh& mesh) {
  std::vector<Offset> ptr(static_cast<std::size_t>(mesh.nodes()) + 1);
  auto for_each_edge = [&](auto visit) {
    for (const CellBlock& block : mesh.blocks) {
      const auto& local = topology(block.shape).edges;
      const Index cells = block.cells();
      parallel_for(default_threads(), cells, [&](Index c) {
        const Index* nodes = block.cell(c);
        for (const auto& e : local) visit(std::min(nodes[e[0]], nodes[e[1]]), std::max(nodes[e[0]], nodes[e[1]]));
      });
    }
  };
  for_each_edge([&](Index low, Index) { std::atomic_ref(ptr[low]).fetch_add(1, std::memory_order_relaxed); });
  std::vector<Index> high(static_cast<std::size_t>(counts_to_starts(ptr)));
  std::vector<Offset> next = ptr;
  for_each_edge([&](Index low, Index other) {
    const Offset slot = std::atomic_ref(next[low]).fetch_add(1, std::memory_order_relaxed);
    high[slot] = other;
  });
  // Unique edges of each lower vertex, to the front of its bucket.
  const Index nodes = mesh.nodes();
  std::vector<Offset> count(static_cast<std::size_t>(nodes) + 1);
  parallel_for(default_threads(), nodes, [&](Index v) {
    const auto first = high.begin() + ptr[v], last = high.begin() + ptr[v + 1];
    std::sort(first, last);
    count[v] = std::unique(first, last) - first;
  });
  std::vector<std::array<Index, 2>> result(static_cast<std::size_t>(counts_to_starts(count)));
  parallel_for(default_threads(), nodes, [&](Index v) {
    for (Offset i = 0; i < count[v + 1] - count[v]; ++i) result[count[v] + i] = {v, high[ptr[v] + i]};
  });
  return result;
}

}  // namespace tessera::mesh
