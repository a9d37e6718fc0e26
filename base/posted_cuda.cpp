#include <cuda_runtime.h>

#include "base/cuda_check.hpp"
#include "base/posted.hpp"

namespace tessera {

struct Posted<Cuda>::State {
  explicit State(Offset of) : count(of) {
    TESSERA_CUDA_CHECK(cudaEventCreateWithFlags(&there, cudaEventDisableTiming));
    try {
      TESSERA_CUDA_CHECK(
          cudaMallocHost(reinterpret_cast<void**>(&numbers), static_cast<std::size_t>(count) * sizeof(double)));
    } catch (...) {
      (void)cudaEventDestroy(there);
      throw;
    }
  }
  ~State() {
    (void)cudaFreeHost(numbers);
    (void)cudaEventDestroy(there);
  }
  State(const State&) = delete;

  Offset count;
  double* numbers = nullptr;
  cudaEvent_t there = nullptr;
};

Posted<Cuda>::Posted(Offset count) : state_(std::make_unique<State>(count)) {}
Posted<Cuda>::~Posted() = default;
Posted<Cuda>::Posted(Posted&&) noexcept = default;

View<double> Posted<Cuda>::target() { return {state_->numbers, state_->count}; }

void Posted<Cuda>::post(Cuda& exec) { TESSERA_CUDA_CHECK(cudaEventRecord(state_->there, exec.stream())); }

View<const double> Posted<Cuda>::read() const {
  TESSERA_CUDA_CHECK(cudaEventSynchronize(state_->there));
  return {state_->numbers, state_->count};
}

}  // namespace tessera
