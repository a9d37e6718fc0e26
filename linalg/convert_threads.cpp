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
  struct Widths {
    Index longest = 0;
    Offset sliced = 0;
  };
  const Widths all = parallel_reduce(
      slices > 64 ? exec.count() : 1, slices, Widths{},
      [&](Offset first, Offset last) {
        Widths of_range;
        for (Offset slice = first; slice < last; ++slice) {
          const Index width = longest_of_slice(row_ptr, {}, slice);
          of_range.longest = std::max(of_range.longest, width);
          of_range.sliced += static_cast<Offset>(width) * slice_height;
        }
        return of_range;
      },
      [](const Widths& a, const Widths& b) {
        return Widths{std::max(a.longest, b.longest), a.sliced + b.sliced};
      });
  return {static_cast<Index>(rows), cols, row_ptr[rows], all.longest, all.sliced};
}

template <>
Array<Index, Host> sort_rows(Threads& exec, View<const Offset> row_ptr, Offset window) {
  const Offset rows = row_ptr.size() - 1;
  Array<Index> row_of(rows);
  const View<Index> order = row_of;
  for_each(exec, rows, [=](Offset i) { order[i] = static_cast<Index>(i); });
  auto longer = [=](Index a, Index b) { return row_ptr[a + 1] - row_ptr[a] > row_ptr[b + 1] - row_ptr[b]; };
  parallel_for(rows > 1024 ? exec.count() : 1, (rows + window - 1) / window, [=](Offset k) {
    std::stable_sort(order.data() + k * window, order.data() + std::min(rows, (k + 1) * window), longer);
  });
  return row_of;
}

}  // namespace tessera::linalg
