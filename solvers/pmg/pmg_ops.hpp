#pragma once
#include "base/array.hpp"
#include "base/backend.hpp"

namespace tessera::solvers::pmg {

/// z = a z + c D^-1 r ; x += z. `starts`: from x = z = 0, which are not read. 48 B a row in double, 40 at the start.
template <class Exec, class T>
void step(Exec& exec, double a, double c, View<const T> inverse, View<const T> r, bool starts, View<T> z, View<T> x);

}  // namespace tessera::solvers::pmg
