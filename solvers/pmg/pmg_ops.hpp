#pragma once
#include "base/array.hpp"
#include "base/backend.hpp"

namespace tessera::solvers::pmg {

/// r = from - q ; z = a z + c D^-1 r ; x += weight z. An empty q is 0. Where `starts`, x and z are 0 and not read;
/// where a = 0 z is not read. 64 B a row in double. `from` may be r.
template <class Exec, class T>
void step(Exec& exec, double a, double c, double weight, View<const T> inverse, View<const T> from, View<const T> q,
          bool starts, View<T> r, View<T> z, View<T> x);

}  // namespace tessera::solvers::pmg
