#pragma once
#include <vector>

#include "base/parallel.hpp"

namespace tessera {

struct Pair {
  double first = 0, second = 0;
};

/// *first, *second = sums of the two members of f(i), i in [0, count), in one pass; repeatable as `reduce` is.
template <class F>
void reduce_pair(Threads& exec, Offset count, F f, double* first, double* second) {
  const Offset chunks = (count + reduce_chunk - 1) / reduce_chunk;
  std::vector<Pair> sums(static_cast<std::size_t>(chunks));
#pragma omp parallel for schedule(static) num_threads(exec.count()) if (chunks > 1)
  for (Offset chunk = 0; chunk < chunks; ++chunk) {
    const Offset last = std::min(count, (chunk + 1) * reduce_chunk);
    double a = 0, b = 0;
#pragma omp simd reduction(+ : a, b)
    for (Offset i = chunk * reduce_chunk; i < last; ++i) {
      const Pair pair = f(i);
      a += pair.first;
      b += pair.second;
    }
    sums[static_cast<std::size_t>(chunk)] = {a, b};
  }
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

template <class F>
__global__ void __launch_bounds__(reduce_block)
    reduce_pair(Offset count, F f, unsigned* ticket, double* partial, double* first, double* second) {
  Pair sum;
  const Offset stride = static_cast<Offset>(gridDim.x) * reduce_block;
  for (Offset i = blockIdx.x * static_cast<Offset>(reduce_block) + threadIdx.x; i < count; i += stride) {
    const Pair pair = f(i);
    sum.first += pair.first;
    sum.second += pair.second;
  }
  kernels::finish_reduce(kernels::block_sum<double, reduce_block>(sum.first), ticket, partial, first);
  __syncthreads();  // finish_reduce keeps a flag in shared memory
  kernels::finish_reduce(kernels::block_sum<double, reduce_block>(sum.second), ticket + 1,
                                  partial + gridDim.x, second);
}

}  // namespace kernels

template <class F>
void reduce_pair(Cuda& exec, Offset count, F f, double* first, double* second) {
  const ReduceScratch<Pair> scratch(exec, count);  // room for two sums a block
  launch(exec, kernels::reduce_pair<F>, scratch.blocks, reduce_block, count, f, scratch.ticket,
         reinterpret_cast<double*>(scratch.partial), first, second);
}
#endif

}  // namespace tessera
