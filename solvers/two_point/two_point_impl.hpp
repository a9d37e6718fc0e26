#pragma once
// The registry of the methods, written once for both backends.
#include "solvers/two_point/divide_and_conquer.hpp"
#include "solvers/two_point/scan.hpp"
#include "solvers/two_point/sequential.hpp"
#include "solvers/two_point/square_blocked.hpp"
#include "solvers/two_point/two_point.hpp"

namespace tessera::solvers {

template <class Exec, class T, class R>
std::unique_ptr<TwoPointSolver<Exec, T>> make_two_point(Exec& exec, Offset n, const TwoPointParams& params) {
  constexpr bool mixed = !std::is_same_v<T, R>;
  const std::string& name = find_two_point(n, params, Exec::name, mixed).name;
  if (name == "divide_and_conquer")
    return two_point::make_divide_and_conquer<Exec, T, R>(exec, two_point::make_columns(n, params.rows));
  if constexpr (std::is_same_v<Exec, Threads>) {
    if (name == "square_blocked")
      return two_point::make_square_blocked<T, R>(two_point::make_columns(n, params.rows), params.block);
    if constexpr (!mixed)
      if (name == "sequential") return two_point::make_sequential<T>(n);
  }
  return two_point::make_scan<Exec, T, R>(exec, n);
}

}  // namespace tessera::solvers
