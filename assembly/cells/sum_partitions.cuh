#pragma once
// shared on CUDA: a block of threads a partition. Its nodes' coordinates and its element values stay in shared memory;
// there every non-zero that only this partition touches is summed, through lists of 16-bit numbers in a fixed order.
// What partitions share is written as one partial sum each and finished in a second pass: atomics would cost twice a
// plain addition or more, and forget the order.
#include "assembly/cells/launch.cuh"

namespace tessera::assembly {
namespace kernels {

/// Partitions as the kernel sees them.
struct PartitionsView {
  const Index* first;
  const Offset* first_target;
  const Index* targets;
  const Offset* list_first;
  const std::uint16_t* lists;
  const std::uint16_t* widths;
  const Offset* first_slice;
  const Offset* first_node;
  const Index* nodes;
  const std::uint16_t* local;
  int most_nodes;
};

/// Threads of a block.
template <class Element>
inline constexpr int partition_block = partition_threads(Element::kind);

/// Blocks that the registers of a multiprocessor must hold; 0: as the compiler likes. Linear simplices wait on memory:
/// with one block less they were 17 per cent slower (H200, 2026-11-22), and tets fit into 64 registers a thread,
/// triangles into 48, without spilling.
template <class Element>
inline constexpr int partition_blocks = 0;
template <int dim, class Form>
inline constexpr int partition_blocks<LinearSimplex<dim, Form>> = dim == 1 ? 0 : 7 - dim;

/// Computes the elements of a partition: their values go to a sink that make_sink(values) gives for the shared memory
/// behind what else is there. Returns that memory.
template <class Element, class MakeSink>
__device__ __forceinline__ double* compute_partition(const Element& element, const PartitionsView& parts,
                                                     MakeSink make_sink) {
  extern __shared__ double shared[];
  constexpr int threads = partition_block<Element>;
  constexpr int groups = threads / Element::lanes;
  const BlockView& block = element.block;
  const Index first = parts.first[blockIdx.x], count = parts.first[blockIdx.x + 1] - first;
  const int group = threadIdx.x / Element::lanes;
  const ElementMemory memory = element.memory();
  double* work = shared + memory.tables / sizeof(double);
  double* coordinates = work + groups * (memory.work / sizeof(double));
  double* values = coordinates + 3 * parts.most_nodes;
  element.prepare(shared);
  const Offset first_node = parts.first_node[blockIdx.x];
  const int nodes = static_cast<int>(parts.first_node[blockIdx.x + 1] - first_node);
  for (int k = threadIdx.x; k < 3 * nodes; k += threads)
    coordinates[k] = block.coordinates[Offset{3} * parts.nodes[first_node + k / 3] + k % 3];
  __syncthreads();

  const LocalGeometry geometry{coordinates, parts.local, block.cells};
  const auto sink = make_sink(values, first, count);
  for (Index local = group; local < count; local += groups)
    element.add(first + local, threadIdx.x % Element::lanes, shared, work + group * (memory.work / sizeof(double)),
                geometry, sink);
  __syncthreads();
  return values;
}

template <class Element>
__global__ void __launch_bounds__(partition_block<Element>, partition_blocks<Element>)
    sum_partition(Element element, PartitionsView parts, Target target, const Index* row_of, double* partials, bool add,
                  bool by_columns) {
  constexpr int threads = partition_block<Element>;
  const BlockView& block = element.block;
  const double* values = compute_partition(element, parts, [&](double* to, Index first, Index count) {
    return StoreSink<Element::is_symmetric>{to, by_columns ? 1 : block.entries(), by_columns ? count : 1, first,
                                            block.nodes};
  });
  const Offset first_target = parts.first_target[blockIdx.x];
  const int targets = static_cast<int>(parts.first_target[blockIdx.x + 1] - first_target);
  const Offset nnz = target.pattern.col_ind.size();
  for (int t = threadIdx.x; t < targets; t += threads) {
    const Offset slice = parts.first_slice[blockIdx.x] + t / 32;
    const std::uint16_t* list = parts.lists + parts.list_first[slice] + t % 32;
    double sum = 0;
    for (int k = 0; k < parts.widths[slice]; ++k)
      if (const int at = list[k * 32]; at != 65535) sum += values[at];
    const Index to = parts.targets[first_target + t];
    if (to < 0) {
      partials[-1 - to] = sum;
    } else {
      double* value = target_of(target, row_of, nnz, to);
      *value = add ? *value + sum : sum;
    }
  }
}

/// The same of forms with several unknowns a node: a thread sums one number of a block.
template <class Element>
__global__ void __launch_bounds__(partition_block<Element>)
    sum_block_partition(Element element, PartitionsView parts, Target target, BlockValues numbers, double* partials,
                        bool add) {
  const double* values = compute_partition(element, parts, [&](double* to, Index first, Index) {
    return StoreBlocks<Element::is_symmetric>{to, first, element.block.nodes, numbers.components};
  });
  const Offset first_target = parts.first_target[blockIdx.x], nnz = target.pattern.col_ind.size();
  const int m = numbers.components;
  const int items = static_cast<int>(parts.first_target[blockIdx.x + 1] - first_target) * m * m;
  for (int item = threadIdx.x; item < items; item += partition_block<Element>) {
    const int t = item / (m * m), c = item % (m * m) / m, d = item % m;
    const Offset slice = parts.first_slice[blockIdx.x] + t / 32;
    const std::uint16_t* list = parts.lists + parts.list_first[slice] + t % 32;
    // Sources of the matrix are not those of the load, whether they say so singly (one unknown a node) or doubled.
    const int entry = m == 1 ? list[0] : list[0] / 2;
    const bool is_load = entry % numbers.sources >= numbers.blocks;
    if (is_load && d > 0) continue;
    double sum = 0;
    for (int k = 0; k < parts.widths[slice]; ++k) {
      const int at = list[k * 32];
      if (at == 65535) continue;
      sum += m == 1 ? values[at] : is_load ? numbers.load(values, at, c) : numbers.block(values, at, c, d);
    }
    const Index to = parts.targets[first_target + t];
    if (to < 0) {
      partials[Offset{-1 - to} * m * m + (is_load ? c : c * m + d)] = sum;
    } else {
      double* value = is_load ? target.b + (to - nnz) * m + c : target.values + Offset{to} * m * m + c * m + d;
      *value = add ? *value + sum : sum;
    }
  }
}

}  // namespace kernels

/// Bytes of fast memory that the values of a partition may take.
template <class Form>
std::size_t partition_bytes(Cuda&, const BlockData<Device>& block) {
  const std::size_t most = shared_of_block();
  // Per cell: its values, and at worst all of its nodes.
  std::size_t used = 0;
  kernels::with_element(block, Form{},
                        [&](const auto& element) { used = besides_values(element.memory(), element.kind, 0); });
  // The general elements of straight simplices, with coefficients at points, need the most.
  if (block.straight_simplex && block.view.symmetric)
    used = std::max(used, sizeof(double) * block.view.points * (4 * basis_stride(block.view.nodes) + 8 * 18));
  return most > used ? most - used : 0;
}

/// First pass: sums within partitions; what partitions share goes to `partials`.
template <class Form>
void sum_partitions(Cuda& exec, const BlockData<Device>& block, const Form& form, const Target& target,
                    const Index* row_of, double* partials, bool add) {
  const Partitions<Device>& p = block.partitions;
  const kernels::PartitionsView view{p.first.data(),
                                     p.first_target.data(),
                                     p.targets.data(),
                                     p.list_first.data(),
                                     p.lists.data(),
                                     p.widths.data(),
                                     p.first_slice.data(),
                                     p.first_node.data(),
                                     p.nodes.data(),
                                     p.local.data(),
                                     static_cast<int>(p.most_nodes)};
  kernels::with_element(block, form, [&](const auto& element) {
    using Element = std::remove_cvref_t<decltype(element)>;
    const std::size_t bytes =
        besides_values(element.memory(), element.kind, p.most_nodes) + sizeof(double) * p.largest * block.view.values();
    if constexpr (forms::has_components<Form>)
      launch_with_shared(exec, kernels::sum_block_partition<Element>, p.first.size() - 1,
                         kernels::partition_block<Element>, bytes, element, view, target, block_values_of(block.view),
                         partials, add);
    else
      launch_with_shared(exec, kernels::sum_partition<Element>, p.first.size() - 1, kernels::partition_block<Element>,
                         bytes, element, view, target, row_of, partials, add, block.by_columns);
  });
}

}  // namespace tessera::assembly
