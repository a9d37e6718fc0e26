#pragma once
// Launches with shared memory that they ask for.
#include "assembly/cells/shared_memory.hpp"
#include "base/backend.hpp"
#include "base/cuda_check.hpp"

namespace tessera::assembly {

/// launch() with `shared` bytes of dynamic shared memory. Throws Error(memory) where the device has less.
template <class... Params, class... Args>
void launch_with_shared(Cuda& exec, void (*kernel)(Params...), Offset blocks, int threads, std::size_t shared,
                        Args&&... args) {
  if (blocks <= 0) return;
  if (shared > 48 * 1024) {
    check_shared_memory("a block of threads", shared, shared_of_block());
    TESSERA_CUDA_CHECK(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
  }
  kernel<<<static_cast<unsigned>(blocks), threads, shared, exec.stream()>>>(std::forward<Args>(args)...);
  TESSERA_CUDA_CHECK(cudaGetLastError());
#ifndef NDEBUG
  exec.synchronize();
#endif
}

}  // namespace tessera::assembly
