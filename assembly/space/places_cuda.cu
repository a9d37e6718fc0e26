#include <cub/device/device_scan.cuh>
#include <limits>

#include "assembly/space/places.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly {
namespace {

constexpr int list_block = 256;

__global__ void __launch_bounds__(list_block) find_first(View<const Index> list, Index* first) {
  const Offset k = blockIdx.x * Offset{list_block} + threadIdx.x;
  if (k < list.size() && list[k] >= 0) atomicMin(first + list[k], static_cast<Index>(k));
}

__global__ void __launch_bounds__(list_block) count_places(View<const Index> list, Index* counts) {
  const Offset k = blockIdx.x * Offset{list_block} + threadIdx.x;
  if (k < list.size() && list[k] >= 0) atomicAdd(counts + list[k], 1);
}

__global__ void __launch_bounds__(list_block) write_places(View<const Index> list, Index* next, Index* places) {
  const Offset k = blockIdx.x * Offset{list_block} + threadIdx.x;
  if (k < list.size() && list[k] >= 0) places[atomicAdd(next + list[k], 1)] = static_cast<Index>(k);
}

Offset blocks_of(View<const Index> list) { return (list.size() + list_block - 1) / list_block; }

}  // namespace

Array<Index, Device> first_places(Cuda& exec, View<const Index> list, Index rows) {
  Array<Index, Device> result(rows);
  Index* first = result.data();
  for_each(exec, rows, [=] TESSERA_HD(Offset row) { first[row] = std::numeric_limits<Index>::max(); });
  launch(exec, find_first, blocks_of(list), list_block, list, first);
  exec.synchronize();
  return result;
}

Places<Device> places_of_rows(Cuda& exec, View<const Index> list, Index rows) {
  Places<Device> result{Array<Index, Device>(Offset{rows} + 1), {}};
  result.ptr.set_zero();
  Index* ptr = result.ptr.data();
  launch(exec, count_places, blocks_of(list), list_block, list, ptr);
  sum_before(exec, result.ptr.view());
  Array<Index, Device> next(result.ptr.size());
  Index* to = next.data();
  for_each(exec, next.size(), [=] TESSERA_HD(Offset row) { to[row] = ptr[row]; });
  result.places = Array<Index, Device>(list.size());
  Index* places = result.places.data();
  launch(exec, write_places, blocks_of(list), list_block, list, to, places);
  // The atomics above write a row's places in any order; sorted, they are the same in every run.
  for_each(exec, rows, [=] TESSERA_HD(Offset row) {
    for (Index k = ptr[row] + 1; k < ptr[row + 1]; ++k) {
      const Index place = places[k];
      Index at = k;
      for (; at > ptr[row] && places[at - 1] > place; --at) places[at] = places[at - 1];
      places[at] = place;
    }
  });
  exec.synchronize();
  return result;
}

void sum_before(Cuda& exec, View<Index> numbers) {
  std::size_t bytes = 0;
  Index* of = numbers.data();
  TESSERA_CUDA_CHECK(cub::DeviceScan::ExclusiveSum(nullptr, bytes, of, of, numbers.size(), exec.stream()));
  Array<char, Device> scratch(static_cast<Offset>(bytes));
  TESSERA_CUDA_CHECK(cub::DeviceScan::ExclusiveSum(scratch.data(), bytes, of, of, numbers.size(), exec.stream()));
  exec.synchronize();
}

}  // namespace tessera::assembly
