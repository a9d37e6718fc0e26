#include "assembly/spectral/patches.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "assembly/spectral/patch_shape.hpp"

namespace tessera::assembly::spectral {

namespace {

/// The cells of each vertex: those of vertex v are cells[ptr[v]] to cells[ptr[v + 1] - 1].
struct CellsOfVertices {
  std::vector<Index> ptr, cells;

  explicit CellsOfVertices(const mesh::CellBlock& block, int vertices) {
    Index last = 0;
    for (Index c = 0; c < block.cells(); ++c)
      for (int v = 0; v < vertices; ++v) last = std::max(last, block.cell(c)[v]);
    ptr.assign(static_cast<std::size_t>(last) + 2, 0);
    for (Index c = 0; c < block.cells(); ++c)
      for (int v = 0; v < vertices; ++v) ++ptr[static_cast<std::size_t>(block.cell(c)[v]) + 1];
    for (std::size_t v = 1; v < ptr.size(); ++v) ptr[v] += ptr[v - 1];
    cells.resize(static_cast<std::size_t>(ptr.back()));
    std::vector<Index> next(ptr.begin(), ptr.end() - 1);
    for (Index c = 0; c < block.cells(); ++c)
      for (int v = 0; v < vertices; ++v)
        cells[static_cast<std::size_t>(next[static_cast<std::size_t>(block.cell(c)[v])]++)] = c;
  }
  std::span<const Index> of(Index vertex) const {
    const auto v = static_cast<std::size_t>(vertex);
    return {&cells[static_cast<std::size_t>(ptr[v])], static_cast<std::size_t>(ptr[v + 1] - ptr[v])};
  }
};

/// A cell beside those of a patch.
struct Candidate {
  Index cell;
  Offset shared;  ///< nodes, counted with every cell of the patch
};

class Growth {
 public:
  Growth(const mesh::CellBlock& block, int n)
      : block_(block),
        vertices_(1 << mesh::dimension(block.shape)),
        n_(n),
        of_vertices_(block, vertices_),
        taken_(static_cast<std::size_t>(block.cells()), 0),
        place_(static_cast<std::size_t>(block.cells()), -1) {}

  /// Cells of which `last` [cells] is not 0 follow all others; empty: there are none.
  std::vector<Index> order(int each, std::span<const char> last) {
    std::vector<Index> result;
    result.reserve(taken_.size());
    const auto is_last = [&](Index cell) { return !last.empty() && last[static_cast<std::size_t>(cell)] != 0; };
    for (Index c = 0; c < block_.cells(); ++c)
      if (is_last(c)) taken_[static_cast<std::size_t>(c)] = 1;
    grow(each, static_cast<std::size_t>(std::count(taken_.begin(), taken_.end(), 0)), result);
    for (Index c = 0; c < block_.cells(); ++c)
      if (is_last(c)) taken_[static_cast<std::size_t>(c)] = 0;
    grow(each, taken_.size(), result);
    return result;
  }

 private:
  /// Takes cells until `result` has so many. What is no whole patch at its end is filled by cells that come next.
  void grow(int each, std::size_t most, std::vector<Index>& result) {
    Index left = 0;
    while (result.size() < most) {
      for (const Candidate& candidate : candidates_) place(candidate.cell) = -1;
      candidates_.clear();
      do {
        while (taken_[static_cast<std::size_t>(left)]) ++left;
        result.push_back(take_best(left));
      } while (result.size() < most && result.size() % static_cast<std::size_t>(each) != 0);
    }
  }
  Index take_best(Index otherwise) {
    Candidate best{otherwise, 0};
    for (const Candidate& candidate : candidates_)
      if (candidate.shared > best.shared || (candidate.shared == best.shared && candidate.cell < best.cell))
        best = candidate;
    taken_[static_cast<std::size_t>(best.cell)] = 1;
    remove(best.cell);
    add_neighbours(best.cell);
    return best.cell;
  }

  void add_neighbours(Index cell) {
    neighbours_.clear();
    for (int v = 0; v < vertices_; ++v)
      for (const Index other : of_vertices_.of(block_.cell(cell)[v]))
        if (!taken_[static_cast<std::size_t>(other)]) neighbours_.push_back(other);
    std::sort(neighbours_.begin(), neighbours_.end());
    for (std::size_t i = 0, last = 0; i < neighbours_.size(); i = last) {
      while (last < neighbours_.size() && neighbours_[last] == neighbours_[i]) ++last;
      add(neighbours_[i], nodes_of(last - i));
    }
  }
  void add(Index cell, Offset shared) {
    if (place(cell) >= 0) {
      candidates_[static_cast<std::size_t>(place(cell))].shared += shared;
      return;
    }
    place(cell) = static_cast<Index>(candidates_.size());
    candidates_.push_back({cell, shared});
  }
  void remove(Index cell) {
    const Index at = std::exchange(place(cell), -1);
    if (at < 0) return;
    const Candidate last = candidates_.back();
    candidates_.pop_back();
    if (last.cell == cell) return;
    candidates_[static_cast<std::size_t>(at)] = last;
    place(last.cell) = at;
  }
  /// Of a cell among the candidates; -1: it is none.
  Index& place(Index cell) { return place_[static_cast<std::size_t>(cell)]; }
  /// Nodes that cells with so many common vertices share: of a corner, an edge, a side.
  Offset nodes_of(std::size_t common) const {
    Offset nodes = 1;
    for (; common > 1; common /= 2) nodes *= n_;
    return nodes;
  }

  const mesh::CellBlock& block_;
  int vertices_, n_;
  CellsOfVertices of_vertices_;
  std::vector<char> taken_;
  std::vector<Index> place_;
  std::vector<Candidate> candidates_;
  std::vector<Index> neighbours_;
};

/// The nodes of a patch, in the order of HostPatches.
struct PatchOrder {
  struct Node {
    Index dof;
    int first, places;  ///< in `entries`
    bool outer;
  };
  std::vector<std::pair<Index, unsigned short>> entries;
  std::vector<Node> nodes;

  PatchOrder(std::span<const Index> dofs, Index owned, const PatchNodes& of_dofs) {
    for (std::size_t e = 0; e < dofs.size(); ++e)
      if (dofs[e] < owned) entries.emplace_back(dofs[e], static_cast<unsigned short>(e));
    std::sort(entries.begin(), entries.end());
    for (std::size_t e = 0, last = 0; e < entries.size(); e = last) {
      const Index dof = entries[e].first;
      while (last < entries.size() && entries[last].first == dof) ++last;
      const int places = static_cast<int>(last - e);
      const auto number = static_cast<std::size_t>(dof);
      nodes.push_back({dof, static_cast<int>(e), places, of_dofs.apart[number] != 0 || places < of_dofs.cells[number]});
    }
    std::stable_partition(nodes.begin(), nodes.end(), [](const Node& node) { return !node.outer; });
  }
};

}  // namespace

PatchLayout patch_layout(int of_dim, int of_n, int components, std::size_t number) {
  PatchLayout layout;
  on_lattice(of_dim, of_n, [&](auto dim, auto n) {
    const auto take = [&](auto shape) {
      using Shape = decltype(shape);
      static_assert(Shape::places < 1 << 16 && Shape::cells * Shape::Cell::pitch < 1 << 16);  // halves of words
      layout = {Shape::cells, n(), Shape::Cell::row, Shape::Cell::pitch, 1};
    };
    if (number == sizeof(float))
      components == 1 ? take(PatchShape<n(), dim(), 1, float>()) : take(PatchShape<n(), dim(), dim(), float>());
    else
      components == 1 ? take(PatchShape<n(), dim(), 1, double>()) : take(PatchShape<n(), dim(), dim(), double>());
  });
  return layout;
}

PatchLayout patch_layout_of_threads(int dim, int n, int components, std::size_t number) {
  const int places = power(n, dim);
  return {cells_of_patch(dim, places, entry_size(components), number), n, n, places, cell_lanes(number)};
}

std::vector<Index> order_in_patches(const mesh::CellBlock& block, int n, int each, std::span<const char> last) {
  if (each > 0) return Growth(block, n).order(each, last);
  std::vector<Index> order(static_cast<std::size_t>(block.cells()));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

std::vector<char> cells_of_others(const Cells& cells, const mesh::CellBlock& block, Index owned) {
  std::vector<char> result(static_cast<std::size_t>(block.cells()), 0);
  for (Index c = 0; c < block.cells(); ++c) {
    const Index* const dofs = cells.cell(block.first_cell + c);
    const auto others = std::count_if(dofs, dofs + cells.places, [&](Index dof) { return dof >= owned; });
    result[static_cast<std::size_t>(c)] = 2 * others > cells.places;
  }
  return result;
}

SplitOrder split_order(const Cells& cells, const mesh::CellBlock& block, std::span<const Index> order, int each,
                       Index owned) {
  SplitOrder result;
  for (std::size_t first = 0; first < order.size(); first += static_cast<std::size_t>(each)) {
    const auto patch = order.subspan(first, std::min(static_cast<std::size_t>(each), order.size() - first));
    const bool waits = std::any_of(patch.begin(), patch.end(), [&](Index c) {
      const Index* const dofs = cells.cell(block.first_cell + c);
      return std::any_of(dofs, dofs + cells.places, [&](Index dof) { return dof >= owned; });
    });
    std::vector<Index>& part = waits ? result.waiting : result.free;
    part.insert(part.end(), patch.begin(), patch.end());
  }
  return result;
}

PatchNodes patch_nodes(const Cells& cells, Index dofs, std::span<const Index> apart) {
  PatchNodes nodes{std::vector<int>(static_cast<std::size_t>(dofs), 0),
                   std::vector<char>(static_cast<std::size_t>(dofs), 0)};
  for (const Index dof : cells.dofs) ++nodes.cells[static_cast<std::size_t>(dof)];
  for (const Index dof : apart) nodes.apart[static_cast<std::size_t>(dof)] = 1;
  return nodes;
}

HostPatches make_patches(std::span<const Index> dofs, int places, const PatchLayout& layout, Index owned,
                         const PatchNodes& of_dofs) {
  const int all_places = places * layout.cells;
  const auto of_patch = static_cast<std::size_t>(all_places);
  const auto patches = static_cast<Index>((dofs.size() + of_patch - 1) / of_patch);
  const auto order_of = [&](Index p) {
    const std::size_t first = static_cast<std::size_t>(p) * of_patch;
    return PatchOrder(dofs.subspan(first, std::min(of_patch, dofs.size() - first)), owned, of_dofs);
  };
  HostPatches result;
  result.patches.resize(static_cast<std::size_t>(patches));
  parallel_for(default_threads(), patches, [&](Index p) {
    const PatchOrder order = order_of(p);
    Patch& patch = result.patches[static_cast<std::size_t>(p)];
    patch.nodes = static_cast<Index>(order.nodes.size());
    for (const PatchOrder::Node& node : order.nodes) patch.own += node.outer ? 0 : 1;
  });
  Index outer = 0;
  Offset words = 0;
  for (Patch& patch : result.patches) {
    patch.outer = std::exchange(outer, outer + patch.nodes - patch.own);
    const int its_words = words_of_patch(all_places, patch.nodes, patch.own);
    patch.words = std::exchange(words, words + its_words);
    result.most_words = std::max(result.most_words, its_words);
  }
  result.outer.resize(static_cast<std::size_t>(outer));
  result.words.resize(static_cast<std::size_t>(words));
  parallel_for(default_threads(), patches, [&](Index p) {
    const Patch& patch = result.patches[static_cast<std::size_t>(p)];
    PatchLists lists(result.words.data() + patch.words, all_places, patch.nodes);
    Index* out = result.outer.data() + patch.outer;
    int place = 0;
    const PatchOrder order = order_of(p);
    for (const PatchOrder::Node& node : order.nodes) {
      *lists.first++ = static_cast<unsigned short>(place);
      for (int k = 0; k < node.places; ++k) {
        const int e = order.entries[static_cast<std::size_t>(node.first) + static_cast<std::size_t>(k)].second;
        lists.addresses[place++] = static_cast<unsigned short>(layout.address(e / places, e % places));
      }
      *(node.outer ? out++ : lists.rows++) = node.dof;
    }
    *lists.first = static_cast<unsigned short>(place);
  });
  return result;
}

}  // namespace tessera::assembly::spectral
