#include <cuda_runtime.h>
#include <fmt/format.h>

#include <atomic>

#include "base/cuda_check.hpp"
#include "base/error.hpp"
#include "base/memory_device.hpp"

namespace tessera {

namespace {

std::atomic<std::size_t> device_now{0}, device_peak{0};

void copy_checked(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (bytes > 0) TESSERA_CUDA_CHECK(cudaMemcpy(to, from, bytes, kind));
}

}  // namespace

void check_cuda(cudaError_t status, const char* call, const char* file, int line) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();
  const bool memory = status == cudaErrorMemoryAllocation;
  throw Error(
      memory ? ExitCode::memory : ExitCode::internal,
      fmt::format("CUDA: {} ({}) in {} at {}:{}", cudaGetErrorString(status), cudaGetErrorName(status), call, file,
                  line),
      memory
          ? "use a coarser mesh or a lower order, or --backend threads; `tessera check DECK` estimates what a run needs"
          : "run `tessera doctor`; if the device is well, this is a defect of Tessera");
}

void* allocate(Device, std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, bytes);
  if (status == cudaErrorMemoryAllocation) {
    (void)cudaGetLastError();
    std::size_t free = 0, total = 0;
    (void)cudaMemGetInfo(&free, &total);
    throw Error(
        ExitCode::memory,
        fmt::format("out of GPU memory: {} asked, {} free of {}", human_bytes(static_cast<double>(bytes)),
                    human_bytes(static_cast<double>(free)), human_bytes(static_cast<double>(total))),
        "use a coarser mesh or a lower order, or --backend threads; `tessera check DECK` estimates what a run needs");
  }
  check_cuda(status, "cudaMalloc", __FILE__, __LINE__);
  const std::size_t now = device_now += bytes;
  std::size_t peak = device_peak;
  while (now > peak && !device_peak.compare_exchange_weak(peak, now)) {
  }
  return memory;
}

void release(Device, void* memory, std::size_t bytes) noexcept {
  (void)cudaFree(memory);
  device_now -= bytes;
}

void copy_bytes(Host, const void* from, Device, void* to, std::size_t bytes) {
  copy_checked(to, from, bytes, cudaMemcpyHostToDevice);
}
void copy_bytes(Device, const void* from, Host, void* to, std::size_t bytes) {
  copy_checked(to, from, bytes, cudaMemcpyDeviceToHost);
}
void copy_bytes(Device, const void* from, Device, void* to, std::size_t bytes) {
  copy_checked(to, from, bytes, cudaMemcpyDeviceToDevice);
}
void fill_bytes(Device, void* memory, unsigned char value, std::size_t bytes) {
  if (bytes > 0) TESSERA_CUDA_CHECK(cudaMemset(memory, value, bytes));
}

MemoryUse device_memory_use() { return {0, device_peak, device_now}; }

}  // namespace tessera
