#pragma once
// The sums of nodes on CUDA: one launch for all lists, of which a block of threads finds its own.
#include <limits>

#include "assembly/spectral/gather_impl.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly::spectral {
namespace kernels {

/// Lists that are launched together, and the first block of threads of each; of those that are not there the last.
struct GatherTable {
  static constexpr int most = 8;
  GatherView lists[most];
  unsigned first[most];
};

/// Nodes of a block of threads, a thread a component, and blocks that a multiprocessor has registers for.
template <int components>
struct GatherThreads {
  static constexpr int nodes = components == 1 ? 256 : components == 2 ? 128 : 64;
  static constexpr int all = nodes * components;
  static constexpr int blocks = 2048 / all;
};

template <int components, class T>
__global__ void __launch_bounds__(GatherThreads<components>::all, GatherThreads<components>::blocks)
    add_up_lists(const __grid_constant__ GatherTable table, const SumOfNode<components, T> add_up) {
  int own = 0;
#pragma unroll
  for (int k = 1; k < GatherTable::most; ++k) own += blockIdx.x >= table.first[k];
  const GatherView& list = table.lists[own];
  const Offset node =
      (blockIdx.x - table.first[own]) * Offset{GatherThreads<components>::nodes} + threadIdx.x / components;
  if (node < list.nodes) add_up(list, static_cast<Index>(node), static_cast<int>(threadIdx.x % components));
}

}  // namespace kernels

template <int components, class T>
void add_up_lists(Cuda& exec, std::span<const GatherView> lists, const SumOfNode<components, T>& add_up) {
  using Team = kernels::GatherThreads<components>;
  constexpr std::size_t most = kernels::GatherTable::most;
  for (; !lists.empty(); lists = lists.subspan(std::min(most, lists.size()))) {
    kernels::GatherTable table;
    unsigned blocks = 0;
    for (std::size_t k = 0; k < most; ++k) {
      table.first[k] = k < lists.size() ? blocks : std::numeric_limits<unsigned>::max();
      if (k >= lists.size()) continue;
      table.lists[k] = lists[k];
      blocks += static_cast<unsigned>((Offset{lists[k].nodes} + Team::nodes - 1) / Team::nodes);
    }
    launch(exec, kernels::add_up_lists<components, T>, blocks, Team::all, table, add_up);
  }
}

}  // namespace tessera::assembly::spectral
