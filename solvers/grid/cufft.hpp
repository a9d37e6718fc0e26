#pragma once
#include <memory>
#include <string>

#include "base/backend.hpp"
#include "base/view.hpp"

namespace tessera::solvers::grid {

/// Throws Error(usage), which says what is wrong and what to do, where the shared library `file` cannot be loaded or
/// lacks a function that we call. Without a name: the library that ComplexTransforms uses, libcufft.so of the toolkit's
/// version or what the environment variable TESSERA_CUFFT names.
void require_cufft(const std::string& file = "");

/// Complex transforms of many lines by NVIDIA's cuFFT, in place: C_k = sum_m c_m exp(-2 pi i m k / length). The library
/// is loaded when first asked for, so that the program runs without it.
template <class T>
class ComplexTransforms {
 public:
  /// `count` lines of `length` complex numbers, one after the other. Throws Error(usage) where the library cannot be
  /// used, Error(memory) where its work space does not fit.
  ComplexTransforms(Cuda& exec, Index length, Index count);
  ~ComplexTransforms();
  ComplexTransforms(ComplexTransforms&&) noexcept;

  /// lines: [count, length, 2].
  void apply(View<T> lines);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::solvers::grid
