#pragma once
#include <vector>

#include "base/reduce_pair.hpp"

namespace tessera {

/// Both the lesser ones; b where one of them is NaN.
TESSERA_HD inline Pair lesser(const Pair& a, const Pair& b) {
  return {a.first < b.first ? a.first : b.first, a.second < b.second ? a.second : b.second};
}

/// result[0], result[1] = the least of the two members of f(i), i in [0, count), and of `most`, in one pass. `result`
/// lives where the vectors live, so nothing waits. No number that f gives may be NaN.
template <class F>
void reduce_least(Threads& exec, Offset count, F f, Pair most, double* result) {
  const Offset chunks = (count + reduce_chunk - 1) / reduce_chunk;
  std::vector<Pair> all(static_cast<std::size_t>(chunks));
  parallel_for(exec.count(), chunks, [&](Offset chunk) {
    const Offset last = std::min(count, (chunk + 1) * reduce_chunk);
    Pair least = most;
    for (Offset i = chunk * reduce_chunk; i < last; ++i) least = lesser(least, f(i));
    all[static_cast<std::size_t>(chunk)] = least;
  });
  Pair least = most;
  for (const Pair& one : all) least = lesser(least, one);
  result[0] = least.first;
  result[1] = least.second;
}

#ifdef __CUDACC__
namespace kernels {

/// The least over a block; every thread calls, thread 0 has the result.
template <int block>
__device__ Pair block_least(Pair least) {
  constexpr int warps = block / 32;
  __shared__ double firsts[warps], seconds[warps];  // of warps
  const auto over_warp = [&](int from) {
    for (int step = from; step > 0; step /= 2)
      least = lesser(
          least, {__shfl_down_sync(0xffffffffu, least.first, step), __shfl_down_sync(0xffffffffu, least.second, step)});
  };
  over_warp(16);
  if (threadIdx.x % 32 == 0) {
    firsts[threadIdx.x / 32] = least.first;
    seconds[threadIdx.x / 32] = least.second;
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    least = {firsts[threadIdx.x % warps], seconds[threadIdx.x % warps]};
    over_warp(warps / 2);
  }
  __syncthreads();
  return least;
}

/// The last block to finish looks at the numbers of all, so that one launch suffices.
template <class F>
__global__ void __launch_bounds__(reduce_block)
    reduce_least(Offset count, F f, Pair most, unsigned* ticket, Pair* partial, double* result) {
  __shared__ bool last;
  Pair least = most;
  const Offset stride = static_cast<Offset>(gridDim.x) * reduce_block;
  for (Offset i = blockIdx.x * static_cast<Offset>(reduce_block) + threadIdx.x; i < count; i += stride)
    least = lesser(least, f(i));
  least = block_least<reduce_block>(least);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = least;
    __threadfence();
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  least = most;
  for (unsigned block = threadIdx.x; block < gridDim.x; block += reduce_block)
    least = lesser(least, {__ldcg(&partial[block].first), __ldcg(&partial[block].second)});
  least = block_least<reduce_block>(least);
  if (threadIdx.x != 0) return;
  *ticket = 0;
  result[0] = least.first;
  result[1] = least.second;
}

}  // namespace kernels

template <class F>
void reduce_least(Cuda& exec, Offset count, F f, Pair most, double* result) {
  const ReduceScratch<Pair> scratch(exec, count);
  launch(exec, kernels::reduce_least<F>, scratch.blocks, reduce_block, count, f, most, scratch.ticket, scratch.partial,
         result);
}
#endif

}  // namespace tessera
