#include "mesh/elevate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/team.hpp"
#include "mesh/facets.hpp"
#include "mesh/side_table.hpp"

namespace tessera::mesh {
namespace {

/// Quad faces of 3-D cells get numbers 0..; returns their count. of_side: [cells, 6], -1 where a side is no quad.
Offset number_quad_faces(const Mesh& mesh, std::vector<Index>& of_side) {
  const SideTable table(mesh);
  of_side.assign(static_cast<std::size_t>(mesh.cells()) * 6, -1);
  std::vector<Offset> first(static_cast<std::size_t>(table.buckets()) + 1);
  auto for_each_quad = [&](Index v, std::vector<SideTable::Record>& records, auto visit) {
    table.bucket(v, records);
    Offset number = -1;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (records[i].key[3] < 0) continue;
      if (i == 0 || records[i].key != records[i - 1].key) ++number;
      visit(records[i].code, number);
    }
    return number + 1;
  };
  const auto for_each_bucket = [&](auto work) {
    parallel_ranges(default_threads(), table.buckets(), [&](Offset from, Offset to, int) {
      std::vector<SideTable::Record> records;
      for (auto v = static_cast<Index>(from); v < to; ++v) work(v, records);
    });
  };
  for_each_bucket([&](Index v, std::vector<SideTable::Record>& records) {
    first[v] = for_each_quad(v, records, [](Offset, Offset) {});
  });
  const Offset count = counts_to_starts(first);
  if (count > std::numeric_limits<Index>::max()) return count;
  for_each_bucket([&](Index v, std::vector<SideTable::Record>& records) {
    for_each_quad(v, records, [&](Offset code, Offset number) {
      of_side[static_cast<std::size_t>(SideTable::cell(code)) * 6 + SideTable::side(code)] =
          static_cast<Index>(first[v] + number);
    });
  });
  return count;
}

bool has_inner_node(Shape shape) { return shape == Shape::quad || shape == Shape::hex; }

}  // namespace

Mesh elevate(const Mesh& linear) {
  const auto edge_list = edges(linear);
  // Edges of a lower vertex lie together: [edge_start[v], edge_start[v+1]).
  std::vector<Offset> edge_start(static_cast<std::size_t>(linear.nodes()) + 1);
  for (const auto& e : edge_list) ++edge_start[e[0]];
  counts_to_starts(edge_start);
  std::vector<Index> face_of_side;
  Offset faces = 0;
  const bool quads = linear.dim == 3 && std::any_of(linear.blocks.begin(), linear.blocks.end(),
                                                    [](const CellBlock& b) { return b.shape != Shape::tet; });
  if (quads) faces = number_quad_faces(linear, face_of_side);
  const Offset first_edge = linear.nodes(), first_face = first_edge + static_cast<Offset>(edge_list.size());
  const Offset first_inner = first_face + faces;
  Offset nodes = first_inner;
  for (const CellBlock& block : linear.blocks)
    if (has_inner_node(block.shape)) nodes += block.cells();
  if (nodes > std::numeric_limits<Index>::max())
    throw Error(ExitCode::mesh,
                fmt::format("a refined or order-2 mesh would have {} nodes, more than 32-bit indices hold", nodes),
                "use a coarser mesh, order 1, or fewer refinements");

  Mesh mesh = linear;
  mesh.order = 2;
  mesh.points.resize(3 * static_cast<std::size_t>(nodes));
  auto set_mean = [&](Index node, auto vertices, int count) {
    for (int d = 0; d < 3; ++d) {
      double sum = 0;
      for (int i = 0; i < count; ++i) sum += linear.point(vertices(i))[d];
      mesh.points[3 * static_cast<std::size_t>(node) + d] = sum / count;
    }
  };
  parallel_for(default_threads(), edge_list.size(), [&](std::size_t e) {
    set_mean(
        static_cast<Index>(first_edge + e), [&](int i) { return edge_list[e][i]; }, 2);
  });
  Index inner = static_cast<Index>(first_inner);
  for (std::size_t b = 0; b < linear.blocks.size(); ++b) {
    const CellBlock& old = linear.blocks[b];
    CellBlock& block = mesh.blocks[b];
    const Topology& local = topology(old.shape);
    const int vertices = vertex_count(old.shape);
    const Index cells = old.cells();
    block.order = 2;
    block.nodes_per_cell = node_count(old.shape, 2);
    block.nodes.resize(static_cast<std::size_t>(cells) * block.nodes_per_cell);
    // Cells in order: a face's centre is set by each of its cells, and the last one, in order, decides its rounding.
    for (Index c = 0; c < cells; ++c) {
      const Index* from = old.cell(c);
      Index* to = std::copy_n(from, vertices, block.nodes.data() + static_cast<Offset>(c) * block.nodes_per_cell);
      for (const auto& e : local.edges) {
        const std::array<Index, 2> edge{std::min(from[e[0]], from[e[1]]), std::max(from[e[0]], from[e[1]])};
        const auto begin = edge_list.begin();
        const auto at = std::lower_bound(begin + edge_start[edge[0]], begin + edge_start[edge[0] + 1], edge);
        *to++ = static_cast<Index>(first_edge + (at - begin));
      }
      for (std::size_t s = 0; linear.dim == 3 && s < local.facets.size(); ++s) {
        if (local.facets[s].shape != Shape::quad) continue;
        *to = static_cast<Index>(first_face + face_of_side[static_cast<std::size_t>(old.first_cell + c) * 6 + s]);
        set_mean(
            *to++, [&](int i) { return from[local.facets[s].vertices[i]]; }, 4);
      }
      if (has_inner_node(old.shape)) {
        *to = inner++;
        set_mean(
            *to++, [&](int i) { return from[i]; }, vertices);
      }
    }
  }
  return mesh;
}

}  // namespace tessera::mesh
