#pragma once
#include "solvers/method.hpp"
#include "solvers/two_point/two_point.hpp"

namespace tessera::solvers::two_point {

/// Unknowns of a tile on threads: 16 KiB of doubles, half of the smallest first-level cache.
inline constexpr int threads_tile = 2048;

/// The steps of divide and conquer with columns short enough to stay on the chip: f is read twice, u is written once,
/// 3 sizeof(T) bytes an unknown, and nothing else is moved.
///
/// A tile (a column of s unknowns with indices p .. q-1) enters the rest of the solution only through the sum of its d
/// and their first moment, S = sum d_i and M = sum (q - i) d_i = sum of its own y:
///   pass 1   S, M of every tile                                        (1A)
///   between  Y = sum of the S before it ; U = sum of the y after it    (1B, 2B), in R
///   pass 2   u_i = U + (q - i) Y + sum_{k=i}^{q-1} y_k, with y the tile's own prefix sums of d   (1A, 1C, 2A, 2C)
/// The first tile may be short, as if zeros stood in front of d.
template <class Exec, class T, class R>
std::unique_ptr<TwoPointSolver<Exec, T>> make_scan(Exec& exec, Offset n);

MethodEntry scan_entry();

}  // namespace tessera::solvers::two_point
