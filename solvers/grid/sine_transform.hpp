#pragma once
#include <memory>
#include <type_traits>
#include <vector>

#include "base/array.hpp"
#include "base/backend.hpp"

namespace tessera::solvers::grid {

/// Factors of the rows of an array [rows, length], one a row. A row with a negative factor alternates: |f|, -|f|, |f|
/// ... Empty: all 1.
template <class T>
struct RowFactors {
  View<const T> factor;
  Index length = 1;

  TESSERA_HD T at(Offset i) const {
    if (factor.empty()) return T(1);
    const unsigned place = static_cast<unsigned>(i), row = place / static_cast<unsigned>(length);  // i < 2^31
    const T f = factor[row];
    if (f >= T(0)) return f;
    return (place - row * static_cast<unsigned>(length)) % 2 == 0 ? -f : f;
  }
};

/// y_i = factors_i x_i; y may be x.
template <class Exec, class T>
void multiply_rows(Exec& exec, RowFactors<T> factors, std::type_identity_t<View<const T>> x, View<T> y);

/// Extended lines that CUDA works on at a time, a bound of the memory they take; cuFFT may need as much again. Slices
/// that stay in the L2 cache are slower, as cuFFT fills the device badly: 24 instead of 512 MiB take 0.96 instead of
/// 0.82 ms for a solve of 4095 x 4095; real transforms of the whole extension, in two passes of cuFFT, take 1.37 ms
/// (H200, 2026-11-21).
inline constexpr Offset sine_slice_bytes = Offset{512} << 20;

/// Sine transforms of all lines along the middle axis of an array [outer, length, inner], inner fastest:
///   y_k = sum_j x_j sin(j k pi / (length + 1)),  j, k = 1 .. length,
/// the DST-I, which is its own inverse but for the factor 2 / (length + 1). Any length; fast where length + 1 has small
/// primes. Threads: FFTW; lines are gathered so that cache lines and pages are used whole. Cuda: cuFFT; the odd
/// extension of a line, 2N numbers with N = length + 1, is transformed as N complex ones, in slices of `slice_bytes`.
/// Throws Error(usage) where cuFFT cannot be loaded. Least bytes an entry in double: 16 on threads, 80 on CUDA.
template <class Exec, class T>
class SineTransform {
 public:
  /// Vectors that one application reads and writes.
  static constexpr double passes = std::is_same_v<Exec, Threads> ? 2 : 10;

  /// `slice_bytes` bounds the extended lines (Cuda).
  SineTransform(Exec& exec, Index inner, Index length, Index outer, Offset slice_bytes = sine_slice_bytes);
  ~SineTransform();
  SineTransform(SineTransform&&) noexcept;

  /// y = after * transform(before * x); y may be x. At most 2^31 - 1 entries.
  void apply(Exec& exec, RowFactors<T> before, View<const T> x, RowFactors<T> after, View<T> y);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::solvers::grid
