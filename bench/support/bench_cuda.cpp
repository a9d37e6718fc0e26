#include <cuda_runtime.h>

#include "base/cuda_check.hpp"
#include "bench/support/bench.hpp"

namespace tessera::bench {

Timing summarise(std::vector<double> samples);

Timing measure(Cuda& exec, const std::function<void()>& work, int samples) {
  cudaEvent_t start, stop;
  TESSERA_CUDA_CHECK(cudaEventCreate(&start));
  TESSERA_CUDA_CHECK(cudaEventCreate(&stop));
  auto run = [&](int calls) {
    TESSERA_CUDA_CHECK(cudaEventRecord(start, exec.stream()));
    for (int i = 0; i < calls; ++i) work();
    TESSERA_CUDA_CHECK(cudaEventRecord(stop, exec.stream()));
    TESSERA_CUDA_CHECK(cudaEventSynchronize(stop));
    float ms = 0;
    TESSERA_CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
    return static_cast<double>(ms) / calls;
  };
  run(1);
  const int calls = std::clamp(static_cast<int>(20 / std::max(run(1), 1e-3)), 1, 1000);
  std::vector<double> times;
  for (int i = 0; i < samples; ++i) times.push_back(run(calls));
  (void)cudaEventDestroy(start);
  (void)cudaEventDestroy(stop);
  return summarise(times);
}

double copy_bandwidth(Cuda& exec) {
  const Offset n = Offset{1} << 28;
  Array<double, Device> b(n);
  const auto a = to_space<Device>(random_values(n));  // zeros can move faster than real data
  const Timing timing = measure(exec, [&] {
    TESSERA_CUDA_CHECK(cudaMemcpyAsync(b.data(), a.data(), a.bytes(), cudaMemcpyDeviceToDevice, exec.stream()));
  });
  return 16.0 * static_cast<double>(n) / timing.median_ms / 1e6;
}

}  // namespace tessera::bench
