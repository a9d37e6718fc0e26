#include <algorithm>
#include <atomic>
#include <limits>
#include <vector>

#include "assembly/space/places.hpp"
#include "base/atomic_min.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly {

Array<Index, Host> first_places(Threads& exec, View<const Index> list, Index rows) {
  Array<Index, Host> result(rows);
  const View<Index> first = result.view();
  for_each(exec, rows, [=](Offset row) { first[row] = std::numeric_limits<Index>::max(); });
  parallel_for(exec.count(), list.size(), [=](Offset k) {
    if (list[k] >= 0) lower_to(first[list[k]], static_cast<Index>(k));
  });
  return result;
}

Places<Host> places_of_rows(Threads& exec, View<const Index> list, Index rows) {
  Places<Host> result{Array<Index, Host>(Offset{rows} + 1), {}};
  const View<Index> ptr = result.ptr.view();
  for_each(exec, ptr.size(), [=](Offset row) { ptr[row] = 0; });
  parallel_for(exec.count(), list.size(), [=](Offset k) {
    if (list[k] >= 0) std::atomic_ref(ptr[list[k]]).fetch_add(1, std::memory_order_relaxed);
  });
  sum_before(exec, ptr);
  Array<Index, Host> next(rows);
  const View<Index> to = next.view();
  for_each(exec, rows, [=](Offset row) { to[row] = ptr[row]; });
  result.places = Array<Index, Host>(ptr[rows]);
  const View<Index> places = result.places.view();
  parallel_for(exec.count(), list.size(), [=](Offset k) {
    if (list[k] >= 0)
      places[std::atomic_ref(to[list[k]]).fetch_add(1, std::memory_order_relaxed)] = static_cast<Index>(k);
  });
  // Threads come as they come; sorted, a row's places are the same in every run.
  for_each(exec, rows, [=](Offset row) { std::sort(places.data() + ptr[row], places.data() + ptr[row + 1]); });
  return result;
}

/// Each thread sums up its range, then adds what the ranges before it have.
void sum_before(Threads& exec, View<Index> numbers) {
  const int threads = exec.count();
  std::vector<Index> before(static_cast<std::size_t>(threads) + 1, 0);
  parallel_ranges(threads, numbers.size(), [&](Offset begin, Offset end, int part) {
    Index sum = 0;
    for (Offset i = begin; i < end; ++i) sum += numbers[i];
    before[part + 1] = sum;
  });
  for (int part = 0; part < threads; ++part) before[part + 1] += before[part];
  parallel_ranges(threads, numbers.size(), [&](Offset begin, Offset end, int part) {
    Index sum = before[part];
    for (Offset i = begin; i < end; ++i) {
      const Index own = numbers[i];
      numbers[i] = sum;
      sum += own;
    }
  });
}

}  // namespace tessera::assembly
