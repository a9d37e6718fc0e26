#include <cuda_runtime.h>
#include <fmt/format.h>

#include "base/backend.hpp"
#include "base/cuda_check.hpp"
#include "base/error.hpp"
#include "base/urgent.hpp"

namespace tessera {

struct Cuda::State {
  cudaStream_t stream = nullptr;
  int multiprocessors = 0;
  std::string name;
  Array<unsigned char, Device> scratch;
};

Cuda::Cuda() : state_(std::make_unique<State>()) {
  const CudaInfo info = cuda_info();
  if (!info.usable) throw Error(ExitCode::usage, "no CUDA device: " + info.why_not, "use --backend threads");
  cudaDeviceProp properties{};
  TESSERA_CUDA_CHECK(cudaGetDeviceProperties(&properties, cuda_device()));
  state_->multiprocessors = properties.multiProcessorCount;
  state_->name = properties.name;
  int last = 0, first = 0;
  TESSERA_CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&last, &first));
  // A blocking stream: plain copies and fills of Arrays keep their order with its kernels.
  TESSERA_CUDA_CHECK(cudaStreamCreateWithPriority(&state_->stream, cudaStreamDefault, Urgent::now() ? first : last));
  scratch(std::size_t{1} << 20);
}

Cuda::~Cuda() {
  if (state_ && state_->stream) (void)cudaStreamDestroy(state_->stream);
}
Cuda::Cuda(Cuda&&) noexcept = default;

CUstream_st* Cuda::stream() const { return state_->stream; }
void Cuda::synchronize() const { TESSERA_CUDA_CHECK(cudaStreamSynchronize(state_->stream)); }
int Cuda::multiprocessors() const { return state_->multiprocessors; }
const std::string& Cuda::device_name() const { return state_->name; }

void* Cuda::scratch(std::size_t bytes) {
  if (static_cast<std::size_t>(state_->scratch.size()) < bytes) {
    synchronize();
    state_->scratch = Array<unsigned char, Device>(static_cast<Offset>(bytes));
    state_->scratch.set_zero();
  }
  return state_->scratch.data();
}

void take_cuda_device(int process_on_machine) {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0)
    TESSERA_CUDA_CHECK(cudaSetDevice(process_on_machine % count));
  (void)cudaGetLastError();  // what is wrong is for cuda_info to say
}

int cuda_device() {
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) (void)cudaGetLastError();
  return device;
}

std::size_t shared_of_block() {
  int most = 0;
  if (cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, cuda_device()) == cudaSuccess)
    return static_cast<std::size_t>(most);
  (void)cudaGetLastError();
  return 0;
}

CudaInfo cuda_info() {
  CudaInfo info;
  info.compiled = true;
  (void)cudaDriverGetVersion(&info.driver);
  (void)cudaRuntimeGetVersion(&info.runtime);
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  (void)cudaGetLastError();
  if (status != cudaSuccess || count == 0) {
    info.why_not = info.driver == 0 ? "no NVIDIA driver answers on this machine"
                                    : fmt::format("no CUDA device answers ({})", cudaGetErrorString(status));
    return info;
  }
  info.devices = count;
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, cuda_device()) == cudaSuccess) info.device = properties.name;
  const cudaError_t memory = cudaMemGetInfo(&info.free_bytes, &info.total_bytes);
  (void)cudaGetLastError();
  if (memory != cudaSuccess)
    info.why_not = fmt::format("the CUDA device does not answer ({})", cudaGetErrorString(memory));
  else
    info.usable = true;
  return info;
}

}  // namespace tessera
