// Cells around rows and reduction lists on CUDA.
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#include "assembly/cells/lists_impl.hpp"
#include "base/lower_bound.hpp"

namespace tessera::assembly {
namespace kernels {

constexpr int list_block = 128;

__global__ void __launch_bounds__(list_block)
    count_around(BlockView block, Offset entries, unsigned long long* counts) {
  const Offset k = blockIdx.x * static_cast<Offset>(list_block) + threadIdx.x;
  if (k < entries) atomicAdd(counts + block.dof(k / block.nodes, static_cast<int>(k % block.nodes)), 1ull);
}

__global__ void __launch_bounds__(list_block)
    place_around(BlockView block, Offset entries, unsigned long long* next, Index* items) {
  const Offset k = blockIdx.x * static_cast<Offset>(list_block) + threadIdx.x;
  if (k < entries)
    items[atomicAdd(next + block.dof(k / block.nodes, static_cast<int>(k % block.nodes)), 1ull)] =
        static_cast<Index>(k);
}

}  // namespace kernels

Lists<Device> cells_around(Cuda& exec, const BlockData<Device>& block, Index rows) {
  const Offset entries = Offset{block.cells} * block.view.nodes;
  check_reduction(0, entries);
  Lists<Device> result{Array<Offset, Device>(Offset{rows} + 1), Array<Index, Device>(entries)};
  result.ptr.set_zero();
  auto* counts = reinterpret_cast<unsigned long long*>(result.ptr.data());
  const Offset blocks = (entries + kernels::list_block - 1) / kernels::list_block;
  launch(exec, kernels::count_around, blocks, kernels::list_block, block.view, entries, counts);
  std::size_t bytes = 0;
  TESSERA_CUDA_CHECK(cub::DeviceScan::ExclusiveSum(nullptr, bytes, counts, counts, result.ptr.size(), exec.stream()));
  Array<char, Device> scratch(static_cast<Offset>(bytes));
  TESSERA_CUDA_CHECK(
      cub::DeviceScan::ExclusiveSum(scratch.data(), bytes, counts, counts, result.ptr.size(), exec.stream()));
  Array<Offset, Device> cursor(result.ptr.size());
  exec.synchronize();
  copy(result.ptr, cursor);
  launch(exec, kernels::place_around, blocks, kernels::list_block, block.view, entries,
         reinterpret_cast<unsigned long long*>(cursor.data()), result.items.data());
  // The atomics above place a row's cells in any order; sorted, they are the same in every run.
  const View<const Offset> ptr = result.ptr.view();
  const View<Index> items = result.items.view();
  for_each(exec, rows, [=] TESSERA_HD(Offset row) {
    for (Offset k = ptr[row] + 1; k < ptr[row + 1]; ++k) {
      const Index item = items[k];
      Offset to = k;
      for (; to > ptr[row] && items[to - 1] > item; --to) items[to] = items[to - 1];
      items[to] = item;
    }
  });
  exec.synchronize();
  return result;
}

Array<Index, Device> sort_by_class(Cuda& exec, const Array<unsigned char, Device>& keys, std::vector<Offset>& counts) {
  const Offset size = keys.size();
  Array<Index, Device> targets(size), sorted(size);
  Array<unsigned char, Device> sorted_keys(size);
  const View<Index> target = targets.view();
  for_each(exec, size, [=] TESSERA_HD(Offset t) { target[t] = static_cast<Index>(t); });
  std::size_t bytes = 0;
  constexpr int key_bits = 6;
  TESSERA_CUDA_CHECK(cub::DeviceRadixSort::SortPairs(nullptr, bytes, keys.data(), sorted_keys.data(), targets.data(),
                                                     sorted.data(), size, 0, key_bits, exec.stream()));
  Array<char, Device> scratch(static_cast<Offset>(bytes));
  TESSERA_CUDA_CHECK(cub::DeviceRadixSort::SortPairs(scratch.data(), bytes, keys.data(), sorted_keys.data(),
                                                     targets.data(), sorted.data(), size, 0, key_bits, exec.stream()));
  // Where each class begins: the first key that is no less.
  Array<Offset, Device> begins(class_count + 1);
  const View<Offset> begin = begins.view();
  const View<const unsigned char> key = sorted_keys.view();
  for_each(exec, class_count + 1, [=] TESSERA_HD(Offset c) { begin[c] = lower_bound(key.data(), 0, size, c); });
  exec.synchronize();
  const std::vector<Offset> first = to_vector(begins);
  counts.assign(class_count, 0);
  for (int c = 0; c < class_count; ++c) counts[c] = first[c + 1] - first[c];
  return sorted;
}

Reduction<Device> make_reduction(Cuda& exec, const BlockData<Device>& block,
                                 const linalg::CrsView<const double>& pattern, Index first, Index count) {
  return make_reduction_of(exec, block, pattern, first, count);
}

Reduction<Device> make_partial_reduction(Cuda& exec, const std::vector<Index>& target_of_partial, Offset targets) {
  return make_partial_reduction_of(exec, target_of_partial, targets);
}

void reduce_values(Cuda& exec, const Reduction<Device>& reduction, const double* buffer, const Target& target,
                   const Index* row_of, bool add) {
  reduce_values_of(exec, reduction, buffer, target, row_of, add);
}

void reduce_blocks(Cuda& exec, const Reduction<Device>& reduction, const double* buffer, const BlockValues& values,
                   const Target& target, bool add) {
  reduce_blocks_of(exec, reduction, buffer, values, target, add);
}

}  // namespace tessera::assembly
