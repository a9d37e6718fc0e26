#include <algorithm>
#include <numeric>

#include "base/parallel.hpp"
#include "linalg/convert.hpp"

namespace tessera::linalg {

template <>
Offset counts_to_offsets(Threads&, View<Offset> counts) {
  std::exclusive_scan(counts.begin(), counts.end(), counts.begin(), Offset{0});
  return counts[counts.size() - 1];
}

template <>
RowLengths row_lengths(Threads& exec, Index cols, View<const Offset> row_ptr) {
  const Offset rows = row_ptr.size() - 1, slices = slices_of(rows);
  Index longest = 0;
  Offset sliced = 0;
#pragma omp parallel for schedule(static) num_threads(exec.count()) reduction(max : longest) reduction(+ : sliced) \
    if (slices > 64)
  for (Offset slice = 0; slice < slices; ++slice) {
    const Index width = longest_of_slice(row_ptr, {}, slice);
    longest = std::max(longest, width);
    sliced += static_cast<Offset>(width) * slice_height;
  }
  return {static_cast<Index>(rows), cols, row_ptr[rows], longest, sliced};
}

template <>
Array<Index, Host> sort_rows(Threads& exec, View<const Offset> row_ptr, Offset window) {
  const Offset rows = row_ptr.size() - 1;
  Array<Index> row_of(rows);
  const View<Index> order = row_of;
  for_each(exec, rows, [=](Offset i) { order[i] = static_cast<Index>(i); });
  auto longer = [=](Index a, Index b) { return row_ptr[a + 1] - row_ptr[a] > row_ptr[b + 1] - row_ptr[b]; };
#pragma omp parallel for schedule(static) num_threads(exec.count()) if (rows > 1024)
  for (Offset first = 0; first < rows; first += window)
    std::stable_sort(order.data() + first, order.data() + std::min(rows, first + window), longer);
  return row_of;
}

}  // namespace tessera::linalg
