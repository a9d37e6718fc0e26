#pragma once
// Include this where edge functions are instantiated for CUDA.
#include <nv/target>

#include "assembly/edge/loop_impl.hpp"

namespace tessera::assembly {

namespace kernels {

constexpr int gather_block = 64;
/// Doubles of an edge and its other end in registers.
template <class F>
inline constexpr int neighbour_doubles = F::inputs + (F::needs & edge_data::c ? 2 * F::dim : 0) +
                                         (F::needs & edge_data::mass ? 1 : 0) +
                                         (F::needs & edge_data::stiffness ? 1 : 0);
/// Edges loaded together, and blocks that must fit a multiprocessor. On an H200 (CUDA 13, 2026-11-21), 4 M nodes in
/// 2-D, 2.1 M in 3-D: Laplacian, 1 edge 0.097 ms and 0.100, 4 edges in 24 warps 0.093 and 0.098. EulerRusanov, 1 edge
/// in 24 warps 0.397 and 0.499, 2 in 20 warps 0.370 and 0.475, in 16 warps 0.453 and 0.515; a pipeline of one edge
/// ahead 0.475 and 0.515. A matrix writes as it goes, so one edge: upwind, 2 edges 0.560 and 0.742 ms (8 M nodes in
/// 2-D, 4.2 M in 3-D), 1 edge 0.540 and 0.682.
template <class F, class Target>
inline constexpr int gather_edges = Target::matrix              ? 1
                                    : neighbour_doubles<F> <= 2 ? 4
                                                                : 2;
template <class F>
inline constexpr int gather_blocks = neighbour_doubles<F> <= 2 ? 24
                                     : has_state<F>            ? 10
                                                               : 1;

template <class F, class Target>
__global__ void __launch_bounds__(gather_block, gather_blocks<F>) gather_nodes(GatherNode<F> gather, Target target) {
  const Offset node = blockIdx.x * static_cast<Offset>(gather_block) + threadIdx.x;
  if (node < gather.list.nodes) gather.template gather<gather_edges<F, Target>>(static_cast<Index>(node), target);
}

/// Rows of a warp before they go to memory: [outputs, capacity].
struct StagedTarget {
  static constexpr bool matrix = true;
  double* staged;
  Index capacity;
  Offset begin;  ///< of the warp's rows among the values
  const Offset* row_ptr;
  const std::uint16_t* node_slot;
  TESSERA_HD double& entry(Index row, Index slot, int c) const {
    return staged[c * capacity + row_ptr[row] - begin + slot];
  }
  TESSERA_HD double& sum(Index node, int c) const { return entry(node, node_slot[node], c); }
};

/// Into compressed rows: 32 rows stand side by side, so a warp collects them in shared memory and writes whole lines.
template <class F>
__global__ void __launch_bounds__(gather_block, gather_blocks<F>)
    gather_rows(GatherNode<F> gather, MatrixTarget target, Index capacity) {
  extern __shared__ double staged[];
  const Index warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const Index first = static_cast<Index>((blockIdx.x * Offset{gather_block / 32} + warp) * 32);
  if (first >= gather.list.nodes) return;
  const Index last = min(first + 32, gather.list.nodes);
  const Offset* row_ptr = target.layout.starts;
  double* mine = staged + Offset{warp} * F::outputs * capacity;
  const Offset begin = row_ptr[first], count = row_ptr[last] - begin;
  if (first + lane < last)
    gather.template gather<gather_edges<F, StagedTarget>>(
        first + lane, StagedTarget{mine, capacity, begin, row_ptr, target.node_slot});
  __syncwarp();
  for (int c = 0; c < F::outputs; ++c)
    for (Offset k = lane; k < count; k += 32) target.values[c * target.stride + begin + k] = mine[c * capacity + k];
}

}  // namespace kernels

/// Shared memory that a block may take without asking for more.
inline constexpr std::size_t staged_bytes = 48 * 1024;

template <>
struct EdgeBackend<Cuda> {
  struct Add {
    template <class F>
    TESSERA_HD static void add(double& sum, int, double value) {
      NV_IF_ELSE_TARGET(NV_IS_DEVICE, (atomicAdd(&sum, value);), (sum += value;))
    }
  };

  template <class F, class Target>
  static void gather(Cuda& exec, Index longest, const GatherNode<F>& gather, const Target& target) {
    const Offset blocks = (Offset{gather.list.nodes} + kernels::gather_block - 1) / kernels::gather_block;
    if constexpr (Target::matrix) {
      const Index capacity = 32 * (longest + 1);
      const std::size_t bytes = sizeof(double) * F::outputs * (kernels::gather_block / 32) * capacity;
      if (target.layout.slice == 1 && bytes <= staged_bytes && blocks > 0) {
        kernels::gather_rows<F>
            <<<static_cast<unsigned>(blocks), kernels::gather_block, bytes, exec.stream()>>>(gather, target, capacity);
        TESSERA_CUDA_CHECK(cudaGetLastError());
        return;
      }
    }
    launch(exec, kernels::gather_nodes<F, Target>, blocks, kernels::gather_block, gather, target);
  }

  template <class Body>
  struct Shifted {
    Body body;
    Offset first;
    TESSERA_HD void operator()(Offset item) const { body(first + item); }
  };
  /// One launch a colour.
  template <class Body>
  static void colours(Cuda& exec, const EdgeLoop<Device>& loop, const Body& body) {
    for (int c = 0; c < loop.colours(); ++c)
      for_each(exec, loop.colour_ptr[c + 1] - loop.colour_ptr[c], Shifted<Body>{body, loop.colour_ptr[c]});
  }
};

}  // namespace tessera::assembly
