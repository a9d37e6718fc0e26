#pragma once
// Type lists of backends and floating-point numbers, for typed tests.
#include <string>

#include "support/backends.hpp"

namespace tessera::testing {

/// A backend with numbers of type T and, where a method has two, sums or recurrences in R.
template <class ExecType, class Number, class Inner = Number>
struct On {
  using Exec = ExecType;
  using T = Number;
  using R = Inner;
};

namespace detail {
template <class List>
struct WithPrecisions;
template <class... Execs>
struct WithPrecisions<::testing::Types<Execs...>> {
  using DoubleAndFloat = ::testing::Types<On<Execs, double>..., On<Execs, float>...>;
  using All = ::testing::Types<On<Execs, double>..., On<Execs, float>..., On<Execs, float, double>...>;
};
}  // namespace detail

/// Every backend in double, then every one in float.
using DoubleAndFloat = detail::WithPrecisions<Backends>::DoubleAndFloat;
/// And then in mixed precision: float with double inside.
using AllPrecisions = detail::WithPrecisions<Backends>::All;

/// "threads_double", "cuda_mixed": for TYPED_TEST_SUITE.
struct PrecisionNames {
  template <class C>
  static std::string GetName(int) {
    const bool mixed = sizeof(typename C::T) != sizeof(typename C::R);
    return std::string(C::Exec::name) + (mixed ? "_mixed" : sizeof(typename C::T) == 8 ? "_double" : "_float");
  }
};

}  // namespace tessera::testing
