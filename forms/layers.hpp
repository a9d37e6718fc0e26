#pragma once
// Laws in perfectly matched layers.
#include "base/types.hpp"

namespace tessera::forms {

/// A law of media of which some cells are perfectly matched layers: what SpectralOperator is of Law, LayeredOperator is
/// of this.
template <class Law>
struct InLayers : Law {};

template <class Law>
inline constexpr bool has_layers = false;
template <class Law>
inline constexpr bool has_layers<InLayers<Law>> = true;

/// The law without its layers.
template <class Law>
struct Inside {
  using Type = Law;
};
template <class Law>
struct Inside<InLayers<Law>> {
  using Type = Law;
};

/// A number that follows another one, m' = -rate m + gain x, by the trapezoidal rule: of every frequency it is what the
/// equation gives for 2 / dt tan(omega dt / 2), so that what gives no energy does not do so in steps. It is kept as z =
/// m - now x, in which nothing of its own time is left, for the step to the next time. V is a number, or a vector of
/// numbers of several cells.
template <class V>
struct Follower {
  V now, kept, taken;

  /// Between a step of `before` and one of `next`.
  template <class T>
  TESSERA_HD_INLINE Follower(V rate, V gain, T before, T next) {
    const V one = V{} + T(1);
    now = gain * (before / 2) / (one + rate * (before / 2));
    const V inverse = one / (one + rate * (next / 2));
    kept = (one - rate * (next / 2)) * inverse;
    taken = gain * (next / 2) * inverse;
  }
  TESSERA_HD_INLINE V at(V z, V x) const { return z + now * x; }
  TESSERA_HD_INLINE V next(V m, V x) const { return kept * m + taken * x; }
  /// z of m = 0.
  TESSERA_HD_INLINE V without(V x) const { return -(now * x); }
};

}  // namespace tessera::forms
