#pragma once
#include <vector>

#include "base/parallel.hpp"

namespace tessera {

/// Some sums that are formed in one pass.
template <int n>
struct Sums {
  double value[n] = {};
  TESSERA_HD Sums& operator+=(const Sums& other) {
    for (int k = 0; k < n; ++k) value[k] += other.value[k];
    return *this;
  }
};

/// The same places for the sums of a pass; they live where the vectors live.
template <int n>
struct SumTargets {
  double* value[n] = {};
};

/// *targets.value[k] = sum of f(i).value[k], i in [0, count), in one pass; repeatable as `reduce` is.
template <int n, class F>
void reduce_sums(Threads& exec, Offset count, F f, SumTargets<n> targets) {
  const Offset chunks = (count + reduce_chunk - 1) / reduce_chunk;
  std::vector<Sums<n>> sums(static_cast<std::size_t>(chunks));
  parallel_for(exec.count(), chunks, [&](Offset chunk) {
    const Offset last = std::min(count, (chunk + 1) * reduce_chunk);
    Sums<n> sum;
    for (Offset i = chunk * reduce_chunk; i < last; ++i) sum += f(i);
    sums[static_cast<std::size_t>(chunk)] = sum;
  });
  Sums<n> sum;
  for (const Sums<n>& part : sums) sum += part;
  for (int k = 0; k < n; ++k) *targets.value[k] = sum.value[k];
}

struct Pair {
  double first = 0, second = 0;
};

/// *first, *second = sums of the two members of f(i), i in [0, count), in one pass; repeatable as `reduce` is.
template <class F>
void reduce_pair(Threads& exec, Offset count, F f, double* first, double* second) {
  const Offset chunks = (count + reduce_chunk - 1) / reduce_chunk;
  std::vector<Pair> sums(static_cast<std::size_t>(chunks));
  parallel_for(exec.count(), chunks, [&](Offset chunk) {
    const Offset last = std::min(count, (chunk + 1) * reduce_chunk);
    double a = 0, b = 0;
#pragma omp simd reduction(+ : a, b)  // plain scalars: a loop over Sums does not vectorise
    for (Offset i = chunk * reduce_chunk; i < last; ++i) {
      const Pair pair = f(i);
      a += pair.first;
      b += pair.second;
    }
    sums[static_cast<std::size_t>(chunk)] = {a, b};
  });
  Pair sum;
  for (const Pair& part : sums) {
    sum.first += part.first;
    sum.second += part.second;
  }
  *first = sum.first;
  *second = sum.second;
}

#ifdef __CUDACC__
namespace kernels {

/// Sums over a block; every thread calls, thread 0 has the result.
template <int n, int block>
__device__ Sums<n> block_sums(Sums<n> sums) {
  constexpr int warps = block / 32;
  __shared__ double warp_sums[n][warps];
#pragma unroll
  for (int k = 0; k < n; ++k) {
    for (int step = 16; step > 0; step /= 2) sums.value[k] += __shfl_down_sync(0xffffffffu, sums.value[k], step);
    if (threadIdx.x % 32 == 0) warp_sums[k][threadIdx.x / 32] = sums.value[k];
  }
  __syncthreads();
  if (threadIdx.x < 32) {
#pragma unroll
    for (int k = 0; k < n; ++k) {
      double value = threadIdx.x < warps ? warp_sums[k][threadIdx.x] : 0.0;
      for (int step = warps / 2; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
      sums.value[k] = value;
    }
  }
  __syncthreads();
  return sums;
}

/// The last block to finish adds the blocks' sums in their order; its thread 0 has them, and true.
template <int n>
__device__ bool sum_of_blocks(Sums<n>& sums, unsigned* ticket, Sums<n>* partial) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sums;
    __threadfence();
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return false;
  __threadfence();
  sums = {};
  for (unsigned block = threadIdx.x; block < gridDim.x; block += reduce_block)
#pragma unroll
    for (int k = 0; k < n; ++k) sums.value[k] += __ldcg(&partial[block].value[k]);
  sums = block_sums<n, reduce_block>(sums);
  if (threadIdx.x == 0) *ticket = 0;
  return threadIdx.x == 0;
}

template <int n, class F>
__global__ void __launch_bounds__(reduce_block)
    reduce_sums(Offset count, F f, unsigned* ticket, Sums<n>* partial, SumTargets<n> targets) {
  Sums<n> sums;
  const Offset stride = static_cast<Offset>(gridDim.x) * reduce_block;
  for (Offset i = blockIdx.x * static_cast<Offset>(reduce_block) + threadIdx.x; i < count; i += stride) sums += f(i);
  sums = block_sums<n, reduce_block>(sums);
  if (!sum_of_blocks(sums, ticket, partial)) return;
#pragma unroll
  for (int k = 0; k < n; ++k) *targets.value[k] = sums.value[k];
}

}  // namespace kernels

template <int n, class F>
void reduce_sums(Cuda& exec, Offset count, F f, SumTargets<n> targets) {
  const ReduceScratch<Sums<n>> scratch(exec, count);
  launch(exec, kernels::reduce_sums<n, F>, scratch.blocks, reduce_block, count, f, scratch.ticket, scratch.partial,
         targets);
}

namespace detail {
template <class F>
struct PairAsSums {
  F f;
  __device__ Sums<2> operator()(Offset i) const {
    const Pair pair = f(i);
    return {{pair.first, pair.second}};
  }
};
}  // namespace detail

template <class F>
void reduce_pair(Cuda& exec, Offset count, F f, double* first, double* second) {
  reduce_sums<2>(exec, count, detail::PairAsSums<F>{f}, SumTargets<2>{{first, second}});
}
#endif

}  // namespace tessera
