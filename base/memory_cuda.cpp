#include <cuda_runtime.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>

#include "base/cuda_check.hpp"
#include "base/error.hpp"
#include "base/memory_device.hpp"
#include "base/reused_memory.hpp"
#include "base/team.hpp"

namespace tessera {

namespace {

/// What Arrays hold, and with what is kept to be used again.
std::atomic<std::size_t> device_now{0}, device_peak{0}, held_now{0}, held_peak{0};

void add(std::size_t bytes, std::atomic<std::size_t>& to, std::atomic<std::size_t>& most) {
  const std::size_t now = to += bytes;
  std::size_t peak = most;
  while (now > peak && !most.compare_exchange_weak(peak, now)) {
  }
}

void copy_checked(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  if (bytes > 0) TESSERA_CUDA_CHECK(cudaMemcpy(to, from, bytes, kind));
}

/// Memory that the device reads by itself, through which large copies pass in pieces: one is on its way while all
/// threads fill the next. cudaMemcpy does the same by one thread, which reaches a fraction of what the bus can do.
class Staging {
 public:
  /// Smaller copies are not worth it.
  static constexpr std::size_t least_bytes = std::size_t{4} << 20, least_bytes_to_host = std::size_t{8} << 20;

  /// H200, 2026-11-26, into memory that was there: 23 MB in 0.66 ms, 92 MB in 2.6 ms; cudaMemcpy takes 1.75 and 7.9 ms.
  bool to_host(const void* from, void* to, std::size_t bytes) {
    const std::unique_lock lock(busy_, std::try_to_lock);
    if (!lock || !ready()) return false;
    constexpr std::size_t piece_bytes = slot_bytes / 2;
    const std::size_t pieces = (bytes + piece_bytes - 1) / piece_bytes;
    const auto size = [&](std::size_t piece) { return std::min(piece_bytes, bytes - piece * piece_bytes); };
    const auto send = [&](std::size_t piece) {
      if (piece >= pieces) return;
      const std::size_t slot = piece % slots;
      TESSERA_CUDA_CHECK(cudaMemcpyAsync(memory_ + slot * slot_bytes,
                                         static_cast<const char*>(from) + piece * piece_bytes, size(piece),
                                         cudaMemcpyDeviceToHost, nullptr));
      TESSERA_CUDA_CHECK(cudaEventRecord(sent_[slot], nullptr));
    };
    for (std::size_t piece = 0; piece < slots; ++piece) send(piece);
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      TESSERA_CUDA_CHECK(cudaEventSynchronize(sent_[piece % slots]));
      const char* const in = memory_ + piece % slots * slot_bytes;
      char* const out = static_cast<char*>(to) + piece * piece_bytes;
      parallel_ranges(default_threads(), static_cast<Offset>(size(piece)), [&](Offset first, Offset last, int) {
        std::memcpy(out + first, in + first, static_cast<std::size_t>(last - first));
      });
      send(piece + slots);
    }
    return true;
  }

  /// Whether it has copied: not while another thread does, nor where there is no such memory.
  bool to_device(const void* from, void* to, std::size_t bytes) {
    const std::unique_lock lock(busy_, std::try_to_lock);
    if (!lock || !ready()) return false;
    const char* next = static_cast<const char*>(from);
    char* out = static_cast<char*>(to);
    // Of a small copy the first piece is on its way early, too.
    const std::size_t piece_bytes = std::clamp(bytes / slots, least_bytes / slots, slot_bytes);
    for (std::size_t slot = 0; bytes > 0; slot = (slot + 1) % slots) {
      const std::size_t count = std::min(bytes, piece_bytes);
      char* const piece = memory_ + slot * slot_bytes;
      TESSERA_CUDA_CHECK(cudaEventSynchronize(sent_[slot]));
      parallel_ranges(default_threads(), static_cast<Offset>(count), [&](Offset first, Offset last, int) {
        std::memcpy(piece + first, next + first, static_cast<std::size_t>(last - first));
      });
      TESSERA_CUDA_CHECK(cudaMemcpyAsync(out, piece, count, cudaMemcpyHostToDevice, nullptr));
      TESSERA_CUDA_CHECK(cudaEventRecord(sent_[slot], nullptr));
      next += count, out += count, bytes -= count;
    }
    TESSERA_CUDA_CHECK(cudaStreamSynchronize(nullptr));
    return true;
  }

 private:
  static constexpr std::size_t slots = 4, slot_bytes = std::size_t{8} << 20;

  bool ready() {
    if (memory_ || refused_) return !refused_;
    refused_ = cudaMallocHost(reinterpret_cast<void**>(&memory_), slots * slot_bytes) != cudaSuccess;
    for (cudaEvent_t& event : sent_)
      refused_ = refused_ || cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess;
    if (refused_) (void)cudaGetLastError();
    return !refused_;
  }

  std::mutex busy_;
  char* memory_ = nullptr;  // until the process ends, as the device's context
  std::array<cudaEvent_t, slots> sent_{};
  bool refused_ = false;
};

Staging staging;

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

thread_local ReusedMemory<Device>* reused_device_memory = nullptr;

namespace {

cudaError_t take_new_memory(void** memory, std::size_t bytes) {
  const cudaError_t status = cudaMalloc(memory, bytes);
  if (status == cudaSuccess) add(bytes, held_now, held_peak);
  return status;
}

/// From what was freed before, where there is such a thing, or else from the device.
cudaError_t take_memory(void** memory, std::size_t bytes) {
  if (!reused_device_memory) return take_new_memory(memory, bytes);
  if ((*memory = reused_device_memory->take(bytes))) return cudaSuccess;
  const cudaError_t status = take_new_memory(memory, bytes);
  if (status != cudaErrorMemoryAllocation) return status;
  (void)cudaGetLastError();
  reused_device_memory->flush();
  return take_new_memory(memory, bytes);
}

}  // namespace

void* allocate(Device, std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t status = take_memory(&memory, bytes);
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
  add(bytes, device_now, device_peak);
  return memory;
}

void release(Device, void* memory, std::size_t bytes) noexcept {
  if (reused_device_memory)
    reused_device_memory->keep(memory, bytes);
  else
    give_back(memory, bytes);
  device_now -= bytes;
}

void give_to_device(void* memory, std::size_t bytes) noexcept {
  held_now -= bytes;  // before another thread may have the same address
  (void)cudaFree(memory);
}

void copy_bytes(Host, const void* from, Device, void* to, std::size_t bytes) {
  if (bytes < Staging::least_bytes || !staging.to_device(from, to, bytes))
    copy_checked(to, from, bytes, cudaMemcpyHostToDevice);
}
void copy_bytes(Device, const void* from, Host, void* to, std::size_t bytes) {
  if (bytes < Staging::least_bytes_to_host || !staging.to_host(from, to, bytes))
    copy_checked(to, from, bytes, cudaMemcpyDeviceToHost);
}
void copy_bytes(Device, const void* from, Device, void* to, std::size_t bytes) {
  copy_checked(to, from, bytes, cudaMemcpyDeviceToDevice);
}
void fill_bytes(Device, void* memory, unsigned char value, std::size_t bytes) {
  if (bytes > 0) TESSERA_CUDA_CHECK(cudaMemset(memory, value, bytes));
}

MemoryUse device_memory_use() { return {0, device_peak, device_now}; }
std::size_t device_held_peak() { return held_peak; }

}  // namespace tessera
