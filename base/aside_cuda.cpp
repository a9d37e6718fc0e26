#include <cuda_runtime.h>

#include "base/aside.hpp"
#include "base/cuda_check.hpp"
#include "base/urgent.hpp"

namespace tessera {

struct Aside<Cuda>::State {
  State()
      : exec([] {
          const Urgent urgent;
          return Cuda();
        }()) {
    for (cudaEvent_t* event : {&begins, &ends})
      TESSERA_CUDA_CHECK(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
  }
  ~State() {
    (void)cudaEventDestroy(begins);
    (void)cudaEventDestroy(ends);
  }
  Cuda exec;
  cudaEvent_t begins = nullptr, ends = nullptr;
};

Aside<Cuda>::Aside() : state_(std::make_unique<State>()) {}
Aside<Cuda>::~Aside() = default;
Aside<Cuda>::Aside(Aside&&) noexcept = default;

Cuda& Aside<Cuda>::begin(Cuda& exec) {
  TESSERA_CUDA_CHECK(cudaEventRecord(state_->begins, exec.stream()));
  TESSERA_CUDA_CHECK(cudaStreamWaitEvent(state_->exec.stream(), state_->begins, 0));
  return state_->exec;
}

void Aside<Cuda>::end(Cuda& exec) {
  TESSERA_CUDA_CHECK(cudaEventRecord(state_->ends, state_->exec.stream()));
  TESSERA_CUDA_CHECK(cudaStreamWaitEvent(exec.stream(), state_->ends, 0));
}

}  // namespace tessera
