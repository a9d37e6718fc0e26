#pragma once
#include <algorithm>
#include <atomic>

#include "base/team.hpp"
#include "mesh/adjacency.hpp"
#include "mesh/side_table.hpp"

namespace tessera::mesh {

/// Which of [0, count) are in each of `lists` lists: visit(i, put) calls put(list) for each that i is in.
template <class Visit>
Adjacency gather_lists(Index lists, Index count, Visit visit) {
  const int threads = default_threads();
  Adjacency result;
  result.ptr.assign(static_cast<std::size_t>(lists) + 1, 0);
  parallel_for(threads, count, [&](Index i) {
    visit(i, [&](Index list) { std::atomic_ref(result.ptr[list]).fetch_add(1, std::memory_order_relaxed); });
  });
  result.items.resize(static_cast<std::size_t>(counts_to_starts(result.ptr)));
  std::vector<Offset> next = result.ptr;
  parallel_for(threads, count, [&](Index i) {
    visit(i,
          [&](Index list) { result.items[std::atomic_ref(next[list]).fetch_add(1, std::memory_order_relaxed)] = i; });
  });
  // Threads come in any order.
  parallel_for(threads, lists, [&](Index list) {
    std::sort(result.items.begin() + result.ptr[list], result.items.begin() + result.ptr[list + 1]);
  });
  return result;
}

}  // namespace tessera::mesh
