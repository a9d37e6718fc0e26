#pragma once
#include <memory>
#include <type_traits>
#include <vector>

#include "base/array.hpp"
#include "base/backend.hpp"

namespace tessera::solvers::grid {

/// Factors of the rows of an array [rows, length], one a row. A row with a negative factor alternates: |f|, -|f|, |f| ...
/// Empty: all 1.
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

/// Sine transforms of all lines along the middle axis of an array [outer, length, inner], inner fastest:
///   y_k = sum_j x_j sin(j k pi / (length + 1)),  j, k = 1 .. length,
/// the DST-I, which is its own inverse but for the factor 2 / (length + 1). Any length; fast where length + 1 has small primes.
/// Threads: FFTW; lines are gathered so that cache lines and pages are used whole. Cuda: cuFFT; the odd extension of a line, 2N
/// numbers with N = length + 1, is transformed as N complex ones, in slices of at most 512 MiB. Throws Error(usage) where
/// cuFFT cannot be loaded. Least bytes an entry in double: 16 on threads, 80 on CUDA.
template <class Exec, class T>
class SineTransform {
 public:
  SineTransform(Exec& exec, Index inner, Index length, Index outer);
  ~SineTransform();
  SineTransform(SineTransform&&) noexcept;

  /// y = after * transform(before * x); y may be x. At most 2^31 - 1 entries.
  void apply(Exec& exec, RowFactors<T> before, View<const T> x, RowFactors<T> after, View<T> y);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::solvers::grid
