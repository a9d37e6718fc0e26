#include <cuda_runtime.h>

#include "base/cuda_check.hpp"
#include "solvers/amg/cycle_clock.hpp"

namespace tessera::solvers::amg {

struct CycleClock<Cuda>::Events {
  cudaEvent_t start = nullptr, stop = nullptr;
  bool running = false, timed = false;

  ~Events() {
    if (start) (void)cudaEventDestroy(start);
    if (stop) (void)cudaEventDestroy(stop);
  }
};

CycleClock<Cuda>::CycleClock() : events_(std::make_unique<Events>()) {}
CycleClock<Cuda>::~CycleClock() = default;
CycleClock<Cuda>::CycleClock(CycleClock&&) noexcept = default;
CycleClock<Cuda>& CycleClock<Cuda>::operator=(CycleClock&&) noexcept = default;

void CycleClock<Cuda>::start(Cuda& exec) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  TESSERA_CUDA_CHECK(cudaStreamIsCapturing(exec.stream(), &status));
  events_->running = status == cudaStreamCaptureStatusNone;
  if (!events_->running) return;
  if (!events_->start) {
    TESSERA_CUDA_CHECK(cudaEventCreate(&events_->start));
    TESSERA_CUDA_CHECK(cudaEventCreate(&events_->stop));
  }
  TESSERA_CUDA_CHECK(cudaEventRecord(events_->start, exec.stream()));
}

void CycleClock<Cuda>::stop(Cuda& exec) {
  if (!events_->running) return;
  TESSERA_CUDA_CHECK(cudaEventRecord(events_->stop, exec.stream()));
  events_->timed = true;
}

double CycleClock<Cuda>::seconds() const {
  if (!events_->timed) return 0;
  float ms = 0;
  TESSERA_CUDA_CHECK(cudaEventSynchronize(events_->stop));
  TESSERA_CUDA_CHECK(cudaEventElapsedTime(&ms, events_->start, events_->stop));
  return 1e-3 * ms;
}

}  // namespace tessera::solvers::amg
