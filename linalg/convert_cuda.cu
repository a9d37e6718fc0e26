#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>

#include "base/parallel.hpp"
#include "linalg/convert.hpp"

namespace tessera::linalg {
namespace {

/// Calls a CUB algorithm twice: for the bytes it needs, and to run.
template <class Algorithm>
void with_workspace(Algorithm algorithm) {
  std::size_t bytes = 0;
  TESSERA_CUDA_CHECK(algorithm(nullptr, bytes));
  Array<unsigned char, Device> workspace(static_cast<Offset>(bytes) + 1);
  TESSERA_CUDA_CHECK(algorithm(workspace.data(), bytes));
}

}  // namespace

template <>
Offset counts_to_offsets(Cuda& exec, View<Offset> counts) {
  with_workspace([&](void* workspace, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(workspace, bytes, counts.data(), counts.data(), counts.size(), exec.stream());
  });
  Offset sum = 0;
  copy_bytes(Device{}, counts.data() + counts.size() - 1, Host{}, &sum, sizeof sum);
  return sum;
}

template <>
RowLengths row_lengths(Cuda& exec, Index cols, View<const Offset> row_ptr) {
  const Offset rows = row_ptr.size() - 1, slices = slices_of(rows);
  Array<Index, Device> widths(slices + 1);
  Array<Offset, Device> sums(2);
  const View<Index> width = widths;
  const View<Offset> sum = sums;
  for_each(exec, slices + 1, [=] TESSERA_HD(Offset slice) {
    width[slice] = slice < slices ? longest_of_slice(row_ptr, {}, slice) : 0;
    if (slice == slices) sum[1] = row_ptr[rows];
  });
  reduce(
      exec, slices, [=] TESSERA_HD(Offset slice) { return static_cast<Offset>(width[slice]) * slice_height; },
      sum.data());
  Array<Index, Device> longest(1);
  with_workspace([&](void* workspace, std::size_t& bytes) {
    return cub::DeviceReduce::Max(workspace, bytes, width.data(), longest.data(), slices + 1, exec.stream());
  });
  const auto found = to_vector(sums);
  return {static_cast<Index>(rows), cols, found[1], to_vector(longest)[0], found[0]};
}

template <>
Array<Index, Device> sort_rows(Cuda& exec, View<const Offset> row_ptr, Offset window) {
  using Key = unsigned long long;
  const Offset rows = row_ptr.size() - 1;
  Array<Key, Device> keys(rows), sorted_keys(rows);
  Array<Index, Device> order(rows), row_of(rows);
  const View<Key> key = keys;
  const View<Index> row = order;
  for_each(exec, rows, [=] TESSERA_HD(Offset i) {
    // The window above, the length below, longest first; the sort is stable.
    key[i] = static_cast<Key>(i / window) << 32 | (0xffffffffull - static_cast<Key>(row_ptr[i + 1] - row_ptr[i]));
    row[i] = static_cast<Index>(i);
  });
  if (rows > 0)
    with_workspace([&](void* workspace, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(workspace, bytes, key.data(), sorted_keys.data(), row.data(),
                                             row_of.data(), rows, 0, 64, exec.stream());
    });
  return row_of;
}

}  // namespace tessera::linalg
