#pragma once
// Include this where edge functions are instantiated for threads.
#include "assembly/edge/loop_impl.hpp"
#include "base/team.hpp"

namespace tessera::assembly {

template <>
struct EdgeBackend<Threads> {
  struct Add {
    template <class F>
    static void add(double& sum, int, double value) {
      std::atomic_ref(sum).fetch_add(value, std::memory_order_relaxed);
    }
  };

  template <class F, class Target>
  static void gather(Threads& exec, Index, const GatherNode<F>& gather, const Target& target) {
    for_each(exec, gather.list.nodes, GatherInto<F, Target>{gather, target});
  }

  /// Chunks of consecutive edges of one colour share no node; the edges of a chunk are added in their order.
  template <class Body>
  static void colours(Threads& exec, const EdgeLoop<Host>& loop, const Body& body) {
    for (int c = 0; c < loop.colours(); ++c) {
      const Offset first = loop.colour_ptr[c], last = loop.colour_ptr[c + 1];
      parallel_for(exec.count(), last - first, [&](Offset m) {
        const Offset begin = Offset{loop.chunks[first + m]} * loop.chunk_edges;
        const Offset end = std::min<Offset>(loop.edges->edges, begin + loop.chunk_edges);
        for (Offset edge = begin; edge < end; ++edge) body(edge);
      });
    }
  }
};

}  // namespace tessera::assembly
