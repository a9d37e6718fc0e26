#include "mesh/rank_mesh.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/archive.hpp"
#include "base/team.hpp"
#include "base/touch.hpp"
#include "mesh/gmsh_reader_model.hpp"

namespace tessera::mesh {

// What an archive of a part is made of; CellBlock is described with Gmsh's model.
template <class Archive>
static void describe(Archive& archive, Facets& f) {
  archive(f.cell, f.side, f.exterior);
}
template <class Archive>
static void describe(Archive& archive, Group& g) {
  archive(g.name, g.dim, g.entities, g.vertices);
}
template <class Archive>
static void describe(Archive& archive, RankMesh& r) {
  Mesh& m = r.mesh;
  archive(m.dim, m.order, m.points, m.blocks, m.facets, m.groups, m.entities, m.measure.radius, r.cell_numbers,
          r.owners, r.joined);
  for (std::size_t axis = 0; axis < 3; ++axis) archive(m.box_min[axis], m.box_max[axis]);
}

namespace {

/// New numbers of those that stay, in their order; -1 for others.
std::vector<Index> numbers_of(const std::vector<char>& stays) {
  std::vector<Index> number(stays.size(), -1);
  Index next = 0;
  for (std::size_t i = 0; i < stays.size(); ++i)
    if (stays[i]) number[i] = next++;
  return number;
}

/// Those of the list that stay, with their new numbers.
std::vector<Index> renumbered(const std::vector<Index>& list, const std::vector<Index>& number) {
  std::vector<Index> result;
  for (const Index old : list)
    if (number[old] >= 0) result.push_back(number[old]);
  return result;
}

Group part_of_group(const Group& group, int dim, const std::vector<Index>& cells, const std::vector<Index>& facets,
                    const std::vector<Index>& nodes) {
  Group result{group.name, group.dim, {}, {}};
  if (group.dim >= dim - 1) result.entities = renumbered(group.entities, group.dim == dim ? cells : facets);
  const std::size_t width = static_cast<std::size_t>(group.dim) + 1;
  for (std::size_t first = 0; first < group.vertices.size(); first += width) {
    const auto begin = group.vertices.begin() + static_cast<std::ptrdiff_t>(first),
               end = begin + static_cast<std::ptrdiff_t>(width);
    if (std::all_of(begin, end, [&](Index node) { return nodes[node] >= 0; }))
      for (auto node = begin; node != end; ++node) result.vertices.push_back(nodes[*node]);
  }
  return result;
}

/// A joined vertex stands for the first of them that is here.
std::vector<Index> part_of_joined(std::span<const Index> joined, const std::vector<Index>& order) {
  std::vector<Index> result;
  for (std::size_t i = 0; i < order.size(); ++i)
    result.push_back(i > 0 && joined[order[i - 1]] == joined[order[i]] ? result.back() : static_cast<Index>(i));
  return result;
}

struct Sink {
  Communicator::Bytes bytes;
  void write(const void* data, std::size_t size) {
    const char* const first = static_cast<const char*>(data);
    bytes.insert(bytes.end(), first, first + size);
  }
};
struct Source {
  const Communicator::Bytes& bytes;
  std::size_t at = 0;
  void read(void* data, std::size_t size) {
    if (size > bytes.size() - at) throw Error(ExitCode::internal, "a part of the mesh ends too early");
    std::memcpy(data, bytes.data() + at, size);
    at += size;
  }
};

/// What of the whole stays, by old numbers.
struct Staying {
  std::vector<char> cells, nodes;
};

/// Cells with a vertex of the rank.
std::vector<char> cells_at_vertices(const Mesh& whole, std::span<const int> owners, int rank) {
  std::vector<char> result(static_cast<std::size_t>(whole.cells()), 0);
  for (const CellBlock& block : whole.blocks) {
    const int vertices = vertex_count(block.shape);
    parallel_for(default_threads(), block.cells(), [&](Offset cell) {
      const Index* const nodes = block.cell(static_cast<Index>(cell));
      if (std::any_of(nodes, nodes + vertices, [&](Index v) { return owners[v] == rank; }))
        result[static_cast<std::size_t>(block.first_cell + cell)] = 1;
    });
  }
  return result;
}

/// With the nodes of the cells.
Staying staying(const Mesh& whole, std::vector<char> cells) {
  Staying result{std::move(cells), std::vector<char>(static_cast<std::size_t>(whole.nodes()), 0)};
  for (const CellBlock& block : whole.blocks) {
    parallel_for(default_threads(), block.cells(), [&](Offset cell) {
      if (!result.cells[static_cast<std::size_t>(block.first_cell + cell)]) return;
      const Index* const nodes = block.cell(static_cast<Index>(cell));
      for (int n = 0; n < block.nodes_per_cell; ++n)
        std::atomic_ref(result.nodes[nodes[n]]).store(1, std::memory_order_relaxed);
    });
  }
  return result;
}

/// The cells of a block that stay, with the new numbers of their nodes; their numbers are appended.
CellBlock part_of_block(const CellBlock& block, const std::vector<char>& stays, const std::vector<Index>& nodes,
                        std::vector<Offset>& numbers) {
  const auto first = static_cast<Offset>(numbers.size());
  for (Index c = 0; c < block.cells(); ++c)
    if (stays[block.first_cell + c]) numbers.push_back(block.first_cell + c);
  const Offset count = static_cast<Offset>(numbers.size()) - first, width = block.nodes_per_cell;
  CellBlock own{block.shape, block.order, block.nodes_per_cell, {}, static_cast<Index>(first)};
  resize_by_all(own.nodes, static_cast<std::size_t>(count * width), default_threads());
  parallel_for(default_threads(), count, [&](Offset c) {
    const Index* const from =
        block.cell(static_cast<Index>(numbers[static_cast<std::size_t>(first + c)]) - block.first_cell);
    for (Offset n = 0; n < width; ++n) own.nodes[static_cast<std::size_t>(c * width + n)] = nodes[from[n]];
  });
  return own;
}

/// `owners` and `joined` may be empty.
RankMesh part_of(const Mesh& whole, const Staying& stays, std::span<const int> owners, std::span<const Index> joined) {
  std::vector<Index> order;  // of the nodes that stay
  for (Index node = 0; node < whole.nodes(); ++node)
    if (stays.nodes[node]) order.push_back(node);
  // Joined vertices stand together, at the first of them in the whole mesh, so that all ranks see them in one order.
  if (!joined.empty())
    std::sort(order.begin(), order.end(),
              [&](Index a, Index b) { return std::pair(joined[a], a) < std::pair(joined[b], b); });
  std::vector<Index> nodes(stays.nodes.size(), -1);
  const std::vector<Index> cells = numbers_of(stays.cells);
  RankMesh part;
  Mesh& mesh = part.mesh;
  mesh.dim = whole.dim;
  mesh.order = whole.order;
  mesh.box_min = whole.box_min;
  mesh.box_max = whole.box_max;
  mesh.measure = whole.measure;
  resize_by_all(mesh.points, 3 * order.size(), default_threads());
  if (!owners.empty()) resize_by_all(part.owners, order.size(), default_threads());
  parallel_for(default_threads(), static_cast<Offset>(order.size()), [&](Offset i) {
    const Index node = order[static_cast<std::size_t>(i)];
    nodes[node] = static_cast<Index>(i);
    std::copy_n(whole.point(node), 3, mesh.points.begin() + 3 * i);
    if (!owners.empty()) part.owners[static_cast<std::size_t>(i)] = owners[node];
  });
  if (!joined.empty()) part.joined = part_of_joined(joined, order);
  for (const CellBlock& block : whole.blocks)
    if (CellBlock own = part_of_block(block, stays.cells, nodes, part.cell_numbers); own.cells() > 0)
      mesh.blocks.push_back(std::move(own));
  std::vector<Index> facets(static_cast<std::size_t>(whole.facets.size()), -1);
  for (Index f = 0; f < whole.facets.size(); ++f) {
    if (cells[whole.facets.cell[f]] < 0) continue;
    facets[f] = mesh.facets.size();
    mesh.facets.cell.push_back(cells[whole.facets.cell[f]]);
    mesh.facets.side.push_back(whole.facets.side[f]);
    mesh.facets.exterior.push_back(whole.facets.exterior[f]);
  }
  for (const Group& group : whole.groups) mesh.groups.push_back(part_of_group(group, whole.dim, cells, facets, nodes));
  for (const Group& group : whole.entities)
    mesh.entities.push_back(part_of_group(group, whole.dim, cells, facets, nodes));
  return part;
}

/// Most of what an archive of it takes.
std::size_t bytes_of(const RankMesh& part) {
  std::size_t bytes = 1 << 16;
  bytes += part.mesh.points.size() * sizeof(double) + part.cell_numbers.size() * sizeof(Offset);
  bytes += (part.owners.size() + part.joined.size()) * sizeof(Index) + part.mesh.facets.cell.size() * 6;
  for (const CellBlock& block : part.mesh.blocks) bytes += block.nodes.size() * sizeof(Index);
  for_each_group(part.mesh, [&](const Group& group) {
    bytes += (group.entities.size() + group.vertices.size()) * sizeof(Index) + group.name.size() + 64;
  });
  return bytes;
}

}  // namespace

RankMesh part_of_rank(const Mesh& whole, std::span<const int> owners, int rank, std::span<const Index> joined,
                      const CoupledCells& coupled) {
  const std::vector<char> own = cells_at_vertices(whole, owners, rank);
  std::vector<char> all = own;
  for (const auto& [a, b] : coupled) {
    if (own[a]) all[b] = 1;
    if (own[b]) all[a] = 1;
  }
  return part_of(whole, staying(whole, std::move(all)), owners, joined);
}

RankMesh part_of_cells(const Mesh& whole, std::vector<char> cells) {
  return part_of(whole, staying(whole, std::move(cells)), {}, {});
}

RankMesh distribute(Communicator& ranks, const Mesh& whole, std::span<const int> owners, std::span<const Index> joined,
                    const CoupledCells& coupled) {
  std::vector<Communicator::Bytes> to(static_cast<std::size_t>(ranks.size()));
  RankMesh own;
  if (ranks.is_root()) {
    for (int rank = 1; rank < ranks.size(); ++rank) {
      RankMesh part = part_of_rank(whole, owners, rank, joined, coupled);
      Sink sink;
      sink.bytes.reserve(bytes_of(part));
      ArchiveWriter<Sink> archive(sink);
      archive(part);
      to[static_cast<std::size_t>(rank)] = std::move(sink.bytes);
    }
    own = part_of_rank(whole, owners, 0, joined, coupled);
  }
  const std::vector<Communicator::Bytes> from = ranks.exchange(std::move(to));
  if (!ranks.is_root()) {
    Source source{from.front()};
    ArchiveReader<Source> archive(source);
    archive(own);
  }
  return own;
}

}  // namespace tessera::mesh
