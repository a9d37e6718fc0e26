// What the CUDA names mean in a build without the toolkit.
#include "base/aside.hpp"
#include "base/backend.hpp"
#include "base/error.hpp"
#include "base/memory_device.hpp"

namespace tessera {

namespace {

[[noreturn]] void not_built() {
  throw Error(ExitCode::usage, "backend cuda was asked for, but this program was built without CUDA",
              "use --backend threads, or install the CUDA toolkit and run scripts/setup again");
}

}  // namespace

struct Cuda::State {};
Cuda::Cuda() { not_built(); }
Cuda::~Cuda() = default;
Cuda::Cuda(Cuda&&) noexcept = default;
CUstream_st* Cuda::stream() const { not_built(); }
void Cuda::synchronize() const { not_built(); }
int Cuda::multiprocessors() const { not_built(); }
const std::string& Cuda::device_name() const { not_built(); }
void* Cuda::scratch(std::size_t) { not_built(); }

struct Aside<Cuda>::State {};
Aside<Cuda>::Aside() { not_built(); }
Aside<Cuda>::~Aside() = default;
Aside<Cuda>::Aside(Aside&&) noexcept = default;
Cuda& Aside<Cuda>::begin(Cuda&) { not_built(); }
void Aside<Cuda>::end(Cuda&) { not_built(); }

CudaInfo cuda_info() {
  CudaInfo info;
  info.why_not = "this program was built without CUDA";
  return info;
}

std::size_t shared_of_block() { return 0; }

void take_cuda_device(int) {}
int cuda_device() { return 0; }

void* allocate(Device, std::size_t) { not_built(); }
void release(Device, void*, std::size_t) noexcept {}
void copy_bytes(Host, const void*, Device, void*, std::size_t) { not_built(); }
void copy_bytes(Device, const void*, Host, void*, std::size_t) { not_built(); }
void copy_bytes(Device, const void*, Device, void*, std::size_t) { not_built(); }
void fill_bytes(Device, void*, unsigned char, std::size_t) { not_built(); }
MemoryUse device_memory_use() { return {}; }
std::size_t device_held_peak() { return 0; }

}  // namespace tessera
