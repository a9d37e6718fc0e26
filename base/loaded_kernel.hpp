#pragma once
#include <memory>
#include <optional>
#include <string>

#include "base/backend.hpp"

namespace tessera {

/// A kernel of a cubin that was made at run time, loaded through the CUDA runtime. Of CUDA builds.
class LoadedKernel {
 public:
  /// Nothing, and why not in `problem`, where the device does not take it.
  static std::optional<LoadedKernel> load(const std::string& cubin, const char* name, std::string& problem);
  ~LoadedKernel();
  LoadedKernel(LoadedKernel&&) noexcept;
  LoadedKernel& operator=(LoadedKernel&&) noexcept;

  /// launch() of base/parallel_cuda.cuh with one argument: nothing on no blocks, checked, synchronised in debug.
  template <class Argument>
  void launch(Cuda& exec, Offset blocks, int threads, Argument argument) const {
    void* arguments[] = {&argument};
    launch_with(exec, blocks, threads, arguments);
  }

  /// What the device at hand calls itself to compilers: "sm_90".
  static std::string architecture();

 private:
  struct State;
  explicit LoadedKernel(std::unique_ptr<State> state);
  void launch_with(Cuda& exec, Offset blocks, int threads, void** arguments) const;
  std::unique_ptr<State> state_;
};

}  // namespace tessera
