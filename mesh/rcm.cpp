#include <algorithm>
#include <atomic>
#include <limits>

#include "base/team.hpp"
#include "mesh/numbering.hpp"

namespace tessera::mesh {
namespace {

Index degree(const Adjacency& graph, Index v) { return static_cast<Index>(graph.ptr[v + 1] - graph.ptr[v]); }

/// Breadth-first, level by level. All threads walk a wide level; its nodes come in the order in which one thread finds
/// them: by their parents, which are their first neighbours in the level before.
class Walk {
 public:
  explicit Walk(const Adjacency& graph)
      : graph_(graph),
        parent_(static_cast<std::size_t>(graph.size()), unseen),
        found_(static_cast<std::size_t>(default_threads())) {}

  enum class Children { as_listed, by_degree };
  /// Over nodes that no walk has seen. Returns the number of levels.
  int run(Index start, Children children) {
    order_.assign(1, start);
    parent_[start] = -1;
    int depth = 0;
    for (last_level_ = 0;; ++depth) {
      const std::size_t next = order_.size();
      add_level(children);
      if (order_.size() == next) return depth + 1;
      last_level_ = next;
    }
  }
  /// The last one has seen nothing.
  void forget() {
    parallel_for(parts_of(order_.size()), static_cast<Offset>(order_.size()),
                 [&](Offset k) { parent_[order_[k]] = unseen; });
  }
  bool has_seen(Index v) const { return parent_[v] != unseen; }
  /// Of the last one, its nodes, and those of its last level.
  const std::vector<Index>& order() const { return order_; }
  std::span<const Index> last_level() const { return std::span(order_).subspan(last_level_); }
  const Adjacency& graph() const { return graph_; }
  /// By how many threads so many nodes are walked: by one where a call of the team takes longer than they do.
  int parts_of(std::size_t nodes) const { return nodes < wide ? 1 : static_cast<int>(found_.size()); }

 private:
  static constexpr Index unseen = std::numeric_limits<Index>::max();
  static constexpr std::size_t wide = 2048;

  /// The neighbours of the last level that were not seen yet.
  void add_level(Children children) {
    const auto first = static_cast<Index>(last_level_);
    const auto count = static_cast<Offset>(order_.size()) - first;
    const int parts = parts_of(static_cast<std::size_t>(count));
    if (parts > 1)
      parallel_for(parts, count, [&](Offset k) {
        const auto at = static_cast<Index>(first + k);
        for (const Index v : graph_[order_[at]]) claim(parent_[v], at);
      });
    for (std::vector<Index>& found : found_) found.clear();
    parallel_ranges(parts, count, [&](Offset begin, Offset end, int part) {
      std::vector<Index>& found = found_[part];
      for (auto at = static_cast<Index>(first + begin); at < first + end; ++at) {
        const auto before = static_cast<std::ptrdiff_t>(found.size());
        for (const Index v : graph_[order_[at]]) {
          if (parts == 1 && parent_[v] == unseen)
            parent_[v] = at;
          else if (parts == 1 || parent_[v] != at)
            continue;
          found.push_back(v);
        }
        if (children == Children::by_degree) sort_by_degree({found.begin() + before, found.end()});
      }
    });
    for (const std::vector<Index>& found : found_) order_.insert(order_.end(), found.begin(), found.end());
  }
  static void claim(Index& parent, Index at) {
    std::atomic_ref shared(parent);
    Index now = shared.load(std::memory_order_relaxed);
    while (at < now && !shared.compare_exchange_weak(now, at, std::memory_order_relaxed)) {
    }
  }
  void sort_by_degree(std::span<Index> nodes) const {
    std::sort(nodes.begin(), nodes.end(), [&](Index a, Index b) {
      const Index da = degree(graph_, a), db = degree(graph_, b);
      return da != db ? da < db : a < b;
    });
  }

  const Adjacency& graph_;
  std::vector<Index> parent_;              ///< where it stands in the order; of a start: -1
  std::vector<std::vector<Index>> found_;  ///< by each part
  std::vector<Index> order_;
  std::size_t last_level_ = 0;
};

/// A node of nearly greatest eccentricity in the component of `start` (George and Liu, algorithm 4.4.2).
Index pseudo_peripheral(Walk& walk, Index start) {
  int depth = walk.run(start, Walk::Children::as_listed);
  constexpr int most_searches = 4;
  for (int i = 0; i < most_searches; ++i) {
    const std::span<const Index> last = walk.last_level();
    const Index candidate = *std::min_element(
        last.begin(), last.end(), [&](Index a, Index b) { return degree(walk.graph(), a) < degree(walk.graph(), b); });
    walk.forget();
    const int deeper = walk.run(candidate, Walk::Children::as_listed);
    if (deeper <= depth) {
      start = candidate;
      break;
    }
    depth = deeper;
    start = candidate;
  }
  walk.forget();
  return start;
}

}  // namespace

std::vector<Index> rcm(const Adjacency& graph) {
  const Index n = graph.size();
  Walk walk(graph);
  std::vector<Index> new_number(static_cast<std::size_t>(n));
  Index before = 0;
  for (Index seed = 0; seed < n; ++seed) {
    if (walk.has_seen(seed)) continue;
    walk.run(pseudo_peripheral(walk, seed), Walk::Children::by_degree);
    const std::vector<Index>& order = walk.order();
    parallel_for(walk.parts_of(order.size()), static_cast<Offset>(order.size()),
                 [&](Offset i) { new_number[order[i]] = n - 1 - before - static_cast<Index>(i); });
    before += static_cast<Index>(order.size());
  }
  return new_number;
}

}  // namespace tessera::mesh
