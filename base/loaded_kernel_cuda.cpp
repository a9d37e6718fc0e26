#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "base/cuda_check.hpp"
#include "base/loaded_kernel.hpp"

namespace tessera {

struct LoadedKernel::State {
  std::string cubin;  ///< stays, since the library may look at it later
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  ~State() {
    if (!library) return;
    (void)cudaDeviceSynchronize();  // the kernel may still run
    (void)cudaLibraryUnload(library);
  }
};

LoadedKernel::LoadedKernel(std::unique_ptr<State> state) : state_(std::move(state)) {}
LoadedKernel::~LoadedKernel() = default;
LoadedKernel::LoadedKernel(LoadedKernel&&) noexcept = default;
LoadedKernel& LoadedKernel::operator=(LoadedKernel&&) noexcept = default;

std::optional<LoadedKernel> LoadedKernel::load(const std::string& cubin, const char* name, std::string& problem) {
  if (!cubin.starts_with("\x7f"
                         "ELF")) {
    problem = "the kernel is no cubin";
    return {};
  }
  auto state = std::make_unique<State>();
  state->cubin = cubin;
  cudaError_t status =
      cudaLibraryLoadData(&state->library, state->cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (status == cudaSuccess) status = cudaLibraryGetKernel(&state->kernel, state->library, name);
  // Libraries may be loaded when a kernel is first used: now, while another way can be taken.
  cudaFuncAttributes attributes{};
  if (status == cudaSuccess) status = cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(state->kernel));
  if (status != cudaSuccess) {
    (void)cudaGetLastError();
    problem = fmt::format("the device does not take the kernel ({})", cudaGetErrorString(status));
    return {};
  }
  return LoadedKernel(std::move(state));
}

void LoadedKernel::launch_with(Cuda& exec, Offset blocks, int threads, void** arguments) const {
  if (blocks <= 0) return;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.stream = exec.stream();
  TESSERA_CUDA_CHECK(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(state_->kernel), arguments));
#ifndef NDEBUG
  exec.synchronize();
#endif
}

std::string LoadedKernel::architecture() {
  int device = 0, major = 0, minor = 0;
  TESSERA_CUDA_CHECK(cudaGetDevice(&device));
  TESSERA_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  TESSERA_CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  return fmt::format("sm_{}{}", major, minor);
}

}  // namespace tessera
