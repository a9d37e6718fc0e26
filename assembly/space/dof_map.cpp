#include "assembly/space/dof_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <tuple>

#include "assembly/space/face_frame.hpp"
#include "assembly/space/periodic_dof_map.hpp"
#include "base/error.hpp"
#include "base/team.hpp"
#include "base/touch.hpp"

namespace tessera::assembly {
namespace {

/// An edge or a face of one cell: its vertices but for the lowest, and its slot among the edges or faces of all cells.
struct Piece {
  Index second, third;
  Offset slot;
  bool operator<(const Piece& other) const {
    return std::tie(second, third, slot) < std::tie(other.second, other.third, other.slot);
  }
  bool same(const Piece& other) const { return second == other.second && third == other.third; }
};

/// The edges, or faces, of all cells, gathered by their lowest vertex: pieces[ptr[v] .. ptr[v+1]), sorted, equal ones
/// adjacent.
struct Pieces {
  std::vector<Offset> ptr;
  std::vector<Piece> pieces;
  std::vector<int> inside;   ///< per slot: dofs inside the piece
  std::vector<Index> first;  ///< per slot: first dof inside it
};

/// What numbering the dofs of a mesh needs on the way. Edges and faces are told apart by sorting, not by hashing:
/// a few short sorts a vertex, all independent.
struct Numbering {
  const mesh::Mesh& mesh;
  int order;
  int threads;
  bool joined;              ///< some vertices are one
  std::vector<Index> rank;  ///< [nodes] compact number of a vertex, -1 for others
  Index vertices = 0;
  Pieces edges, faces;
  std::vector<Offset> first_edge_slot, first_face_slot;  ///< per block
  std::vector<Index> interior_first;                     ///< per cell
  std::vector<Index> vertex_dof;                         ///< per rank

  void rank_vertices(std::span<const Index> same);
  bool are_nodes(const mesh::CellBlock& block, int nodes) const {
    return order == 1 && !joined && vertices == mesh.nodes() && block.nodes_per_cell == nodes;
  }
  void fill_linear(const mesh::CellBlock& block, int nodes, Index* dofs) const;
  void gather_edges();
  void gather_faces();
  void gather(Pieces& pieces, std::span<const std::array<Index, 3>> keys) const;
  Index assign();
  void fill(const mesh::CellBlock& block, std::size_t number, Index* dofs) const;
};

/// Vertices that are one have one rank; so edges and faces between them are told to be one by their ranks.
void Numbering::rank_vertices(std::span<const Index> same) {
  resize_by_all(rank, static_cast<std::size_t>(mesh.nodes()), threads);
  const bool all = mesh.box_cells[0] > 0 && mesh.order == 1;  // nodes of a box are vertices
  parallel_for(threads, mesh.nodes(), [&](Offset node) { rank[node] = all ? 0 : -1; });
  for (const mesh::CellBlock& block : mesh.blocks) {
    if (all) break;
    const int count = mesh::vertex_count(block.shape);
    parallel_for(threads, block.cells(), [&](Index c) {
      for (int v = 0; v < count; ++v)
        if (std::atomic_ref known(rank[block.cell(c)[v]]); known.load(std::memory_order_relaxed) < 0)
          known.store(0, std::memory_order_relaxed);  // every writer writes the same
    });
  }
  if (!same.empty()) {
    for (std::size_t node = 0; node < rank.size(); ++node)
      if (rank[node] >= 0) rank[node] = same[node] == static_cast<Index>(node) ? vertices++ : rank[same[node]];
    return;
  }
  // Each thread counts the vertices of its range, then numbers them behind those of the ranges before it.
  std::vector<Index> first(static_cast<std::size_t>(threads) + 1, 0);
  parallel_ranges(threads, mesh.nodes(), [&](Offset begin, Offset end, int part) {
    Index count = 0;
    for (Offset node = begin; node < end; ++node) count += rank[node] >= 0;
    first[part + 1] = count;
  });
  for (int part = 0; part < threads; ++part) first[part + 1] += first[part];
  vertices = first.back();
  parallel_ranges(threads, mesh.nodes(), [&](Offset begin, Offset end, int part) {
    Index next = first[part];
    for (Offset node = begin; node < end; ++node)
      if (rank[node] >= 0) rank[node] = next++;
  });
}

/// Of order 1 the dofs are the vertices.
void Numbering::fill_linear(const mesh::CellBlock& block, int nodes, Index* dofs) const {
  parallel_ranges(threads, block.cells(), [&](Offset first, Offset last, int) {
    Index* out = dofs + first * nodes;
    for (auto c = static_cast<Index>(first); c < last; ++c)
      for (int i = 0; i < nodes; ++i) *out++ = rank[block.cell(c)[i]];
  });
}

void Numbering::gather(Pieces& result, std::span<const std::array<Index, 3>> keys) const {
  result.ptr.assign(static_cast<std::size_t>(vertices) + 1, 0);
  const auto count = static_cast<Offset>(keys.size());
  parallel_for(threads, count, [&](Offset slot) {
    std::atomic_ref(result.ptr[keys[slot][0] + 1]).fetch_add(1, std::memory_order_relaxed);
  });
  for (Index v = 0; v < vertices; ++v) result.ptr[v + 1] += result.ptr[v];
  resize_by_all(result.pieces, keys.size(), threads);
  std::vector<Offset> next(result.ptr.begin(), result.ptr.end() - 1);
  // Around a vertex the pieces come in the order of the threads; sorting them takes it away.
  parallel_for(threads, count, [&](Offset slot) {
    const Offset to = std::atomic_ref(next[keys[slot][0]]).fetch_add(1, std::memory_order_relaxed);
    result.pieces[to] = {keys[slot][1], keys[slot][2], slot};
  });
  parallel_for(threads, vertices, [&](Index v) {
    std::sort(result.pieces.begin() + result.ptr[v], result.pieces.begin() + result.ptr[v + 1]);
  });
  resize_by_all(result.first, keys.size(), threads);
}

void Numbering::gather_edges() {
  std::vector<std::array<Index, 3>> keys;
  Offset slots = 0;
  for (const mesh::CellBlock& block : mesh.blocks) {
    first_edge_slot.push_back(slots);
    if (mesh::dimension(block.shape) > 1)
      slots += Offset(block.cells()) * Offset(mesh::topology(block.shape).edges.size());
  }
  if (order < 2 || slots == 0) return;
  resize_by_all(keys, slots, threads);
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const mesh::CellBlock& block = mesh.blocks[b];
    if (mesh::dimension(block.shape) < 2) continue;
    const auto& local = mesh::topology(block.shape).edges;
    parallel_for(threads, block.cells(), [&](Index c) {
      for (std::size_t e = 0; e < local.size(); ++e) {
        const Index a = rank[block.cell(c)[local[e][0]]], z = rank[block.cell(c)[local[e][1]]];
        keys[first_edge_slot[b] + Offset(c) * local.size() + e] = {std::min(a, z), std::max(a, z), 0};
      }
    });
  }
  gather(edges, keys);
  edges.inside.assign(slots, order - 1);
}

void Numbering::gather_faces() {
  std::vector<std::array<Index, 3>> keys;
  Offset slots = 0;
  for (const mesh::CellBlock& block : mesh.blocks) {
    first_face_slot.push_back(slots);
    const Element& element = lagrange(block.shape, order);
    if (element.dim == 3 && element.face_first.back() > element.face_first[0])
      slots += Offset(block.cells()) * Offset(mesh::topology(block.shape).facets.size());
  }
  if (slots == 0) return;
  resize_by_all(keys, slots, threads);
  faces.inside.assign(slots, 0);
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const mesh::CellBlock& block = mesh.blocks[b];
    const Element& element = lagrange(block.shape, order);
    if (element.dim < 3 || element.face_first.back() == element.face_first[0]) continue;
    const auto& local = mesh::topology(block.shape).facets;
    parallel_for(threads, block.cells(), [&](Index c) {
      for (std::size_t f = 0; f < local.size(); ++f) {
        std::array<Index, 4> v;
        v.fill(std::numeric_limits<Index>::max());
        const int count = mesh::vertex_count(local[f].shape);
        for (int i = 0; i < count; ++i) v[i] = rank[block.cell(c)[local[f].vertices[i]]];
        std::sort(v.begin(), v.end());
        const Offset slot = first_face_slot[b] + Offset(c) * local.size() + f;
        keys[slot] = {v[0], v[1], v[2]};  // three vertices tell faces of a conforming mesh apart
        faces.inside[slot] = element.face_first[f + 1] - element.face_first[f];
      }
    });
  }
  gather(faces, keys);
}

/// Vertex by vertex: its dof, then those inside the edges, faces and cells of which it is the lowest vertex.
Index Numbering::assign() {
  std::vector<Offset> start(static_cast<std::size_t>(vertices) + 1, 0);
  const auto number = [&](const Pieces& pieces, Index v, Offset first, std::vector<Index>* out) {
    if (pieces.pieces.empty()) return first;
    const Piece* previous = nullptr;
    Offset next = first;
    for (Offset i = pieces.ptr[v]; i < pieces.ptr[v + 1]; ++i) {
      const Piece& piece = pieces.pieces[i];
      if (!previous || !previous->same(piece)) {
        first = next;
        next += pieces.inside[piece.slot];
      }
      if (out) (*out)[piece.slot] = static_cast<Index>(first);
      previous = &piece;
    }
    return next;
  };
  parallel_for(threads, vertices,
               [&](Index v) { start[v + 1] = number(faces, v, number(edges, v, 1, nullptr), nullptr); });

  const auto lowest = [&](const mesh::CellBlock& block, Index c) {
    Index low = rank[block.cell(c)[0]];
    for (int i = 1; i < mesh::vertex_count(block.shape); ++i) low = std::min(low, rank[block.cell(c)[i]]);
    return low;
  };
  for (const mesh::CellBlock& block : mesh.blocks) {
    const int inside = lagrange(block.shape, order).interior();
    if (inside == 0) continue;
    interior_first.resize(static_cast<std::size_t>(mesh.cells()), 0);
    for (Index c = 0; c < block.cells(); ++c) {
      Offset& size = start[lowest(block, c) + 1];
      interior_first[block.first_cell + c] = static_cast<Index>(size);  // relative to the vertex's dof
      size += inside;
    }
  }
  for (Index v = 0; v < vertices; ++v) start[v + 1] += start[v];
  if (start[vertices] > std::numeric_limits<Index>::max())
    throw Error(ExitCode::mesh, fmt::format("{} dofs of order {} exceed 32-bit numbers", start[vertices], order),
                "use a coarser mesh or a lower order");
  vertex_dof.resize(vertices);
  parallel_for(threads, vertices, [&](Index v) {
    vertex_dof[v] = static_cast<Index>(start[v]);
    number(faces, v, number(edges, v, start[v] + 1, &edges.first), &faces.first);
  });
  for (const mesh::CellBlock& block : mesh.blocks)
    if (lagrange(block.shape, order).interior() > 0)
      for (Index c = 0; c < block.cells(); ++c)
        interior_first[block.first_cell + c] += static_cast<Index>(start[lowest(block, c)]);
  return static_cast<Index>(start[vertices]);
}

void Numbering::fill(const mesh::CellBlock& block, std::size_t number, Index* dofs) const {
  const Element& element = lagrange(block.shape, order);
  const mesh::Topology& topology = mesh::topology(block.shape);
  const int corners = mesh::vertex_count(block.shape);
  std::vector<const Element*> face_elements;
  if (element.dim == 3)
    for (const auto& facet : topology.facets) face_elements.push_back(&lagrange(facet.shape, order));
  parallel_for(threads, block.cells(), [&](Index c) {
    Index* out = dofs + Offset(c) * element.nodes;
    std::array<Index, 8> v{};
    for (int i = 0; i < corners; ++i) v[i] = rank[block.cell(c)[i]];
    for (int i = 0; i < corners; ++i) out[i] = vertex_dof[v[i]];
    if (element.dim > 1 && order > 1)
      for (std::size_t e = 0; e < topology.edges.size(); ++e) {
        const Index first = edges.first[first_edge_slot[number] + Offset(c) * topology.edges.size() + e];
        const bool along = v[topology.edges[e][0]] < v[topology.edges[e][1]];
        for (int j = 0; j < order - 1; ++j) out[element.edge_first[e] + j] = first + (along ? j : order - 2 - j);
      }
    for (std::size_t f = 0; f < face_elements.size(); ++f) {
      const int count = element.face_first[f + 1] - element.face_first[f];
      if (count == 0) continue;
      const Index first = faces.first[first_face_slot[number] + Offset(c) * topology.facets.size() + f];
      std::array<int, (max_order - 1) * (max_order - 1)> position{};
      if (count > 1) {
        std::array<Index, 4> corner{};
        for (int i = 0; i < 4; ++i)
          corner[i] = topology.facets[f].vertices[i] < 0 ? 0 : v[topology.facets[f].vertices[i]];
        permute_face(*face_elements[f], canonical_frame(face_elements[f]->shape, corner.data()), position.data());
      }
      for (int j = 0; j < count; ++j) out[element.face_first[f] + j] = first + position[j];
    }
    for (int j = 0; j < element.interior(); ++j)
      out[element.interior_first + j] = interior_first[block.first_cell + c] + j;
  });
}

/// Dofs of curves in 3-D given by vertex pairs: found on the edges of the cells.
void append_curve_dofs(const mesh::Mesh& mesh, const DofMap& dofs, const mesh::Group& group,
                       std::vector<Index>& result) {
  std::vector<std::array<Index, 2>> wanted;
  for (std::size_t i = 0; i + 1 < group.vertices.size(); i += 2)
    wanted.push_back(
        {std::min(group.vertices[i], group.vertices[i + 1]), std::max(group.vertices[i], group.vertices[i + 1])});
  std::sort(wanted.begin(), wanted.end());
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const mesh::CellBlock& block = mesh.blocks[b];
    const Element& element = lagrange(block.shape, dofs.order);
    const auto& edges = mesh::topology(block.shape).edges;
    for (Index c = 0; c < block.cells(); ++c)
      for (std::size_t e = 0; e < edges.size(); ++e) {
        const Index a = block.cell(c)[edges[e][0]], z = block.cell(c)[edges[e][1]];
        if (!std::binary_search(wanted.begin(), wanted.end(), std::array{std::min(a, z), std::max(a, z)})) continue;
        for (int n = element.edge_first[e]; n < element.edge_first[e + 1]; ++n)
          result.push_back(dofs.blocks[b].cell(c)[n]);
      }
  }
}

void append_side(const DofMap& dofs, Index cell, int side, std::vector<Index>& result) {
  const DofBlock& block = dofs.block_of(cell);
  const Index* of_cell = block.cell(cell - block.first_cell);
  for (const int local : facet_local_dofs(block.shape, dofs.order, side)) result.push_back(of_cell[local]);
}

/// `dofs`: of the space.
void sort_unique(std::vector<Index>& values, Index dofs) {
  // Where there are many, marks are quicker than sorting: a bit a dof.
  constexpr Index few = 1024, bits = 64;
  if (static_cast<Index>(values.size()) < dofs / few) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return;
  }
  std::vector<std::uint64_t> marked(static_cast<std::size_t>(dofs / bits) + 1, 0);
  for (const Index dof : values) marked[dof / bits] |= std::uint64_t{1} << (dof % bits);
  values.clear();
  for (std::size_t word = 0; word < marked.size(); ++word)
    for (std::uint64_t rest = marked[word]; rest != 0; rest &= rest - 1)
      values.push_back(static_cast<Index>(word) * bits + std::countr_zero(rest));
}

}  // namespace

const DofBlock& DofMap::block_of(Index cell) const {
  for (const DofBlock& block : blocks)
    if (cell < block.first_cell + block.cells()) return block;
  throw Error(ExitCode::internal, fmt::format("cell {} is not in the dof map", cell));
}

bool DofMap::is_equispaced() const {
  return std::all_of(blocks.begin(), blocks.end(),
                     [this](const DofBlock& block) { return element(block.shape).equispaced; });
}

DofMap make_dof_map(const mesh::Mesh& mesh, int order, int threads, LineNodes nodes) {
  return make_periodic_dof_map(mesh, order, {}, threads, nodes);
}

DofMap make_periodic_dof_map(const mesh::Mesh& mesh, int order, std::span<const Index> same, int threads,
                             LineNodes nodes) {
  if (threads <= 0) threads = default_threads();
  DofMap result;
  result.order = order;
  result.nodes = nodes;
  for (const mesh::CellBlock& block : mesh.blocks) lagrange(block.shape, order, nodes);
  Numbering numbering{mesh, order, threads, !same.empty(), {}, 0, {}, {}, {}, {}, {}, {}};
  numbering.rank_vertices(same);
  if (order > 1) {
    numbering.gather_edges();
    numbering.gather_faces();
  }
  result.dofs = order > 1 ? numbering.assign() : numbering.vertices;
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const mesh::CellBlock& block = mesh.blocks[b];
    const int of_cell = lagrange(block.shape, order).nodes;
    CellDofs dofs(block);
    if (!numbering.are_nodes(block, of_cell)) {
      std::vector<Index> own;
      resize_by_all(own, static_cast<std::size_t>(block.cells()) * of_cell, threads);
      order > 1 ? numbering.fill(block, b, own.data()) : numbering.fill_linear(block, of_cell, own.data());
      dofs = CellDofs(std::move(own));
    }
    result.blocks.push_back({block.shape, block.order, of_cell, std::move(dofs), block.first_cell});
  }
  result.vertex_dofs = std::move(numbering.rank);
  if (order > 1)
    for (Index& v : result.vertex_dofs)
      if (v >= 0) v = numbering.vertex_dof[v];
  return result;
}

std::vector<Index> facet_dofs(const mesh::Mesh& mesh, const DofMap& dofs, const mesh::Group& group) {
  std::vector<Index> result;
  if (group.dim == mesh.dim) {
    for (const Index cell : group.entities) {
      const DofBlock& block = dofs.block_of(cell);
      const Index* of_cell = block.cell(cell - block.first_cell);
      result.insert(result.end(), of_cell, of_cell + block.nodes);
    }
  } else if (group.dim == mesh.dim - 1) {
    result.reserve(4 * group.entities.size());
    for (const Index facet : group.entities)
      append_side(dofs, mesh.facets.cell[facet], mesh.facets.side[facet], result);
  } else {
    for (const Index node : group.vertices)
      if (dofs.vertex_dofs[node] >= 0) result.push_back(dofs.vertex_dofs[node]);
    if (group.dim == 1 && dofs.order > 1) append_curve_dofs(mesh, dofs, group, result);
  }
  sort_unique(result, dofs.dofs);
  return result;
}

std::vector<Index> exterior_dofs(const mesh::Mesh& mesh, const DofMap& dofs) {
  std::vector<Index> result;
  for (Index f = 0; f < mesh.facets.size(); ++f)
    if (mesh.facets.exterior[f]) append_side(dofs, mesh.facets.cell[f], mesh.facets.side[f], result);
  sort_unique(result, dofs.dofs);
  return result;
}

}  // namespace tessera::assembly
