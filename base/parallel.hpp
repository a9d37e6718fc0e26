#pragma once
#include <algorithm>

#include "base/backend.hpp"
#include "base/team.hpp"

#ifdef __CUDACC__
#include "base/parallel_cuda.cuh"
#endif

namespace tessera {

/// Calls f(i) for i in [0, count), in parallel; the calls must be independent. On CUDA `f` is a host-device lambda
/// (TESSERA_HD) that captures views and numbers by value.
template <class F>
void for_each(Threads& exec, Offset count, F f) {
  parallel_for(count > 1024 ? exec.count() : 1, count, f);
}

/// *result = sum of f(i), i in [0, count). `result` lives where the vectors live, so nothing waits. Bitwise repeatable,
/// and on threads independent of their number: chunks of `reduce_chunk` items are summed, then their sums in order.
template <class T, class F>
void reduce(Threads& exec, Offset count, F f, T* result) {
  const Offset chunks = (count + reduce_chunk - 1) / reduce_chunk;
  auto sum_chunk = [&](Offset chunk) {
    const Offset last = std::min(count, (chunk + 1) * reduce_chunk);
    T sum{};
#pragma omp simd reduction(+ : sum)
    for (Offset i = chunk * reduce_chunk; i < last; ++i) sum += f(i);
    return sum;
  };
  if (chunks <= 1) {
    *result = chunks == 1 ? sum_chunk(0) : T{};
    return;
  }
  std::vector<T> sums(static_cast<std::size_t>(chunks));
  parallel_for(exec.count(), chunks, [&](Offset chunk) { sums[static_cast<std::size_t>(chunk)] = sum_chunk(chunk); });
  T sum{};
  for (const T& part : sums) sum += part;
  *result = sum;
}

}  // namespace tessera
