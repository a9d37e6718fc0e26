#pragma once
#include "base/array.hpp"
#include "base/backend.hpp"

namespace tessera::solvers::pmg {

/// z = a z + c D^-1 (b - q) ; x += z. `q` is A x, empty where x = 0. Where `starts`, x and z are 0 and not read, and
/// where a = 0 z is not read. 56 B a row in double, 32 at the start.
template <class Exec, class T>
void step(Exec& exec, double a, double c, View<const T> inverse, View<const T> b, View<const T> q, bool starts,
          View<T> z, View<T> x);

}  // namespace tessera::solvers::pmg
