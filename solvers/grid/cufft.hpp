#pragma once
#include <memory>
#include <string>

#include "base/backend.hpp"
#include "base/view.hpp"

namespace tessera::solvers::grid {

/// Real-to-complex transforms of many lines by NVIDIA's cuFFT, in place. The library is loaded when first asked for, so that the
/// program runs without it.
template <class T>
class RealTransforms {
 public:
  /// A sentence when the library cannot be used, empty when it can.
  static std::string why_not();

  /// `count` lines of `length` numbers, `length + 2` from one to the next; `length` is even. A line becomes length/2 + 1 complex
  /// numbers. Throws Error(usage) where the library cannot be used, Error(memory) where its work space does not fit.
  RealTransforms(Cuda& exec, Index length, Index count);
  ~RealTransforms();
  RealTransforms(RealTransforms&&) noexcept;

  void apply(Cuda& exec, View<T> lines);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::solvers::grid
