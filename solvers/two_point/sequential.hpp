#pragma once
#include "solvers/method.hpp"
#include "solvers/two_point/two_point.hpp"

namespace tessera::solvers::two_point {

/// A1 of [BVP10]: the recurrences (7) and (8), one after the other on one core. The plain reference of the others.
/// 3n operations; d, y and u in place: 6 sizeof(T) bytes an unknown and no workspace.
template <class T>
std::unique_ptr<TwoPointSolver<Threads, T>> make_sequential(Offset n);

MethodEntry sequential_entry();

}  // namespace tessera::solvers::two_point
