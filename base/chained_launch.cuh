#pragma once
// Kernels in a chain, of which the next starts while the last blocks of the one before still run: "programmatic
// dependent launch" of compute capability 9.0, elsewhere plain launches. What a launch costs, and what a kernel reads
// that no kernel writes, hides behind the end of the kernel before.
#include <cuda_runtime.h>

#include <utility>

#include "base/backend.hpp"
#include "base/cuda_check.hpp"
#include "base/parallel_cuda.cuh"

namespace tessera {

/// In a kernel of launch_chained: waits until all kernels before have ended and their writes can be seen. Every thread
/// calls it before it reads what an earlier kernel wrote and before it writes anything.
__device__ inline void await_kernels_before() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// In a kernel of launch_chained: the next kernel may start once all blocks have called this or ended. At the top of a
/// kernel it costs nothing: the last blocks are on the chip then.
__device__ inline void let_next_kernel_start() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

/// launch() for kernels that call await_kernels_before(), with `shared` bytes of dynamic shared memory.
template <class... Params, class... Args>
void launch_chained(Cuda& exec, void (*kernel)(Params...), Offset blocks, int threads, int shared, Args&&... args) {
  if (blocks <= 0) return;
  int device = 0, major = 0;
  TESSERA_CUDA_CHECK(cudaGetDevice(&device));
  TESSERA_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  cudaLaunchAttribute overlap{};
  overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  overlap.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(shared);
  config.stream = exec.stream();
  config.attrs = &overlap;
  config.numAttrs = major >= 9 ? 1 : 0;
  TESSERA_CUDA_CHECK(cudaLaunchKernelEx(&config, kernel, std::forward<Args>(args)...));
#ifndef NDEBUG
  exec.synchronize();
#endif
}

namespace kernels {

template <class F>
__global__ void __launch_bounds__(for_each_block) for_each_chained(Offset count, F f) {
  let_next_kernel_start();
  await_kernels_before();
  const Offset i = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  if (i < count) f(i);
}

}  // namespace kernels

/// for_each() in a chain of short kernels.
template <class F>
void for_each_chained(Cuda& exec, Offset count, F f) {
  launch_chained(exec, kernels::for_each_chained<F>, (count + for_each_block - 1) / for_each_block, for_each_block, 0,
                 count, f);
}

}  // namespace tessera
