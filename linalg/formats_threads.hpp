#pragma once
// How products of the formats go over the threads.
#include <algorithm>
#include <vector>

#include "base/backend.hpp"
#include "base/team.hpp"

namespace tessera::linalg::detail {

/// Sums f(first, last) over chunks [first, last) of `items`, `chunk` items each, and returns the sum, added in the
/// order of the chunks: independent of the number of threads. `work_before(i)` grows with i; threads get whole chunks
/// of about equal work.
template <class Work, class F>
double for_chunks(Threads& exec, Offset items, Offset chunk, bool sums_wanted, Work work_before, F f) {
  const Offset chunks = (items + chunk - 1) / chunk;
  if (chunks == 0) return 0;
  std::vector<double> sums(sums_wanted ? static_cast<std::size_t>(chunks) : 0);
  const Offset all = work_before(items);
  auto first_chunk_of = [&](int thread, int threads) {
    if (thread == 0) return Offset{0};
    if (thread == threads) return chunks;
    const Offset share = all / threads * thread;
    Offset low = 0, high = chunks;
    while (low < high) {
      const Offset middle = (low + high) / 2;
      if (work_before(middle * chunk) < share)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  const int threads = static_cast<int>(std::min<Offset>(exec.count(), chunks));
  parallel(threads, [&, f](int part) {
    const Offset end = first_chunk_of(part + 1, threads);
    for (Offset i = first_chunk_of(part, threads); i < end; ++i) {
      const double sum = f(i * chunk, std::min(items, (i + 1) * chunk));
      if (sums_wanted) sums[static_cast<std::size_t>(i)] = sum;
    }
  });
  double sum = 0;
  for (double part : sums) sum += part;
  return sum;
}

/// Hands `count` row sums of slots from `slot` on to `use` and adds up what it returns.
template <class A, class Use>
double use_slots(const A& a, Offset slot, int count, const typename A::Scalar* sums, const Use& use) {
  double total = 0;
  for (int lane = 0; lane < count; ++lane) {
    const Index row = a.row(slot + lane);
    if (row >= 0) total += use(row, sums[lane]);
  }
  return total;
}

}  // namespace tessera::linalg::detail
