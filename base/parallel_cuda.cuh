#pragma once
// The CUDA side of parallel.hpp; included by it in CUDA sources.
#include <cuda_runtime.h>

#include "base/backend.hpp"
#include "base/cuda_check.hpp"

namespace tessera {

inline constexpr int for_each_block = 256;
inline constexpr int reduce_block = 256;
/// Blocks of a reduction per multiprocessor: enough to fill it at 256 threads; the number fixes the order of the sums.
inline constexpr int reduce_blocks_per_multiprocessor = 8;

namespace kernels {

template <class F>
__global__ void __launch_bounds__(for_each_block) for_each(Offset count, F f) {
  const Offset i = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  if (i < count) f(i);
}

/// Sum over a block; every thread calls, thread 0 has the result.
template <class T, int block>
__device__ T block_sum(T value) {
  __shared__ T warp_sums[block / 32];
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
  if (threadIdx.x % 32 == 0) warp_sums[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < block / 32 ? warp_sums[threadIdx.x] : T{};
    for (int step = block / 64; step > 0; step /= 2) value += __shfl_down_sync(0xffffffffu, value, step);
  }
  __syncthreads();
  return value;
}

/// The last block to finish adds the blocks' sums in their order, so one launch suffices and the result is repeatable.
template <class T>
__device__ void finish_reduce(T sum, unsigned* ticket, T* partial, T* result) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  T total{};
  for (unsigned block = threadIdx.x; block < gridDim.x; block += reduce_block)
    total += *static_cast<volatile T*>(partial + block);
  total = block_sum<T, reduce_block>(total);
  if (threadIdx.x == 0) {
    *result = total;
    *ticket = 0;
  }
}

template <class T, class F>
__global__ void __launch_bounds__(reduce_block) reduce(Offset count, F f, unsigned* ticket, T* partial, T* result) {
  T sum{};
  const Offset stride = static_cast<Offset>(gridDim.x) * reduce_block;
  for (Offset i = blockIdx.x * static_cast<Offset>(reduce_block) + threadIdx.x; i < count; i += stride) sum += f(i);
  finish_reduce(block_sum<T, reduce_block>(sum), ticket, partial, result);
}

}  // namespace kernels

/// Launches `kernel` on `items` work items, `block` threads a block: nothing on zero items, checked, synchronised in
/// debug.
template <class... Params, class... Args>
void launch(Cuda& exec, void (*kernel)(Params...), Offset blocks, int block, Args&&... args) {
  if (blocks <= 0) return;
  kernel<<<dim3(static_cast<unsigned>(blocks)), dim3(block), 0, exec.stream()>>>(std::forward<Args>(args)...);
  TESSERA_CUDA_CHECK(cudaGetLastError());
#ifndef NDEBUG
  exec.synchronize();
#endif
}

template <class F>
void for_each(Cuda& exec, Offset count, F f) {
  launch(exec, kernels::for_each<F>, (count + for_each_block - 1) / for_each_block, for_each_block, count, f);
}

/// Ticket and partial sums of a reduction of `blocks` blocks.
template <class T>
struct ReduceScratch {
  int blocks;
  unsigned* ticket;
  T* partial;

  ReduceScratch(Cuda& exec, Offset count) {
    const Offset wanted = (count + reduce_block - 1) / reduce_block;
    const Offset most = static_cast<Offset>(exec.multiprocessors()) * reduce_blocks_per_multiprocessor;
    blocks = static_cast<int>(wanted < 1 ? 1 : (wanted < most ? wanted : most));
    auto* bytes = static_cast<char*>(exec.scratch(256 + sizeof(T) * blocks));
    ticket = reinterpret_cast<unsigned*>(bytes);
    partial = reinterpret_cast<T*>(bytes + 256);
  }
};

template <class T, class F>
void reduce(Cuda& exec, Offset count, F f, T* result) {
  ReduceScratch<T> scratch(exec, count);
  launch(exec, kernels::reduce<T, F>, scratch.blocks, reduce_block, count, f, scratch.ticket, scratch.partial, result);
}

}  // namespace tessera
