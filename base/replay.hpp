#pragma once
#include <functional>
#include <memory>

#include "base/backend.hpp"

namespace tessera {

/// Runs the same work again and again. On CUDA the second run records it into a graph, which the runs after that launch
/// as one: an iteration of small systems costs its kernels and not their launches. The work must only queue kernels,
/// with the same arguments every time: `forget` says that they have changed. The first run is a plain one, so that
/// scratch memory has its size before recording; where that memory has moved since, the work is recorded again.
template <class Exec>
class Replay;

template <>
class Replay<Threads> {
 public:
  void run(Threads&, const std::function<void()>& work) { work(); }
  void forget() {}
};

template <>
class Replay<Cuda> {
 public:
  Replay();
  ~Replay();
  void run(Cuda& exec, const std::function<void()>& work);
  void forget();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera
