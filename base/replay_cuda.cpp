#include <cuda_runtime.h>

#include "base/cuda_check.hpp"
#include "base/memory_device.hpp"
#include "base/replay.hpp"

namespace tessera {

struct Replay<Cuda>::State {
  int runs = 0;
  cudaGraphExec_t graph = nullptr;
  const void* scratch = nullptr;  ///< where it was when the graph was recorded
};

Replay<Cuda>::Replay() : state_(std::make_unique<State>()) {}
Replay<Cuda>::~Replay() { forget(); }

void Replay<Cuda>::forget() {
  if (state_->graph) (void)cudaGraphExecDestroy(state_->graph);
  *state_ = {};
}

namespace {

// Debug builds wait after every launch, which a recording forbids.
#ifdef NDEBUG
constexpr bool recording = true;
#else
constexpr bool recording = false;
#endif

cudaGraphExec_t record(Cuda& exec, const std::function<void()>& work) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  const NoReusedMemory none;
  TESSERA_CUDA_CHECK(cudaStreamBeginCapture(exec.stream(), cudaStreamCaptureModeThreadLocal));
  try {
    work();
  } catch (...) {  // leave the stream usable
    if (cudaStreamEndCapture(exec.stream(), &graph) == cudaSuccess)
      (void)cudaGraphDestroy(graph);
    else
      (void)cudaGetLastError();
    throw;
  }
  TESSERA_CUDA_CHECK(cudaStreamEndCapture(exec.stream(), &graph));
  // What an urgent stream (urgent.hpp) has recorded stays urgent.
  const cudaError_t status = cudaGraphInstantiate(&executable, graph, cudaGraphInstantiateFlagUseNodePriority);
  (void)cudaGraphDestroy(graph);
  TESSERA_CUDA_CHECK(status);
  return executable;
}

}  // namespace

void Replay<Cuda>::run(Cuda& exec, const std::function<void()>& work) {
  if (state_->graph && state_->scratch != exec.scratch(0)) forget();
  if (recording && ++state_->runs == 2) {
    state_->graph = record(exec, work);
    state_->scratch = exec.scratch(0);
  }
  if (state_->graph) {
    TESSERA_CUDA_CHECK(cudaGraphLaunch(state_->graph, exec.stream()));
    return;
  }
  work();
}

}  // namespace tessera
