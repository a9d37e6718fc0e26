#pragma once
// Loops whose calls keep many numbers: on CUDA how many of them a multiprocessor works at at once is said, which bounds
// the registers of each. On threads the plain ones.
#include "base/parallel.hpp"

namespace tessera {

/// Calls of a block on CUDA.
inline constexpr int resident_block = 128;

#ifdef __CUDACC__
namespace kernels {

template <int blocks, class F>
__global__ void __launch_bounds__(resident_block, blocks) for_each_resident(Offset count, F f) {
  const Offset i = blockIdx.x * static_cast<Offset>(resident_block) + threadIdx.x;
  if (i < count) f(i);
}

}  // namespace kernels

/// for_each() with at least `blocks` blocks of 128 calls on a multiprocessor: 65536 / (128 blocks) registers a call.
template <int blocks, class F>
void for_each_resident(Cuda& exec, Offset count, F f) {
  launch(exec, kernels::for_each_resident<blocks, F>, (count + resident_block - 1) / resident_block, resident_block,
         count, f);
}
#endif

template <int blocks, class F>
void for_each_resident(Threads& exec, Offset count, F f) {
  for_each(exec, count, f);
}

}  // namespace tessera
