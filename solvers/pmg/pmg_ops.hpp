#pragma once
#include "base/array.hpp"
#include "base/backend.hpp"

namespace tessera::solvers::pmg {

/// One step of the smoother.
struct Step {
  double a, c, weight;
  bool starts = false;  ///< x and z are 0 and not read; r stays what `from` is, and is not written
  bool ends = false;    ///< nobody needs r and z any more: they are not written
};

/// r = from - q ; z = a z + c D^-1 r ; x += weight z. An empty q is 0. Where a = 0 z is not read. In float 32 B a row,
/// 16 where it starts and 24 where it ends. `from` may be r.
template <class Exec, class T>
void step(Exec& exec, const Step& step, View<const T> inverse, View<const T> from, View<const T> q, View<T> r,
          View<T> z, View<T> x);

/// scales = (s, 1 / s), s the power of 2 that brings a vector whose square is *square to about 1; 1 where that is no
/// number or 0. So no cycle in single precision leaves its range.
template <class Exec>
void find_scales(Exec& exec, const double* square, double* scales);
/// to = *scale from.
template <class Exec, class From, class To>
void convert_scaled(Exec& exec, const double* scale, View<const From> from, View<To> to);

}  // namespace tessera::solvers::pmg
