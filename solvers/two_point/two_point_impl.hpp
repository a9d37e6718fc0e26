#pragma once
// make_two_point, written once for both backends.
#include <fmt/format.h>

#include <type_traits>

#include "base/error.hpp"
#include "solvers/method.hpp"
#include "solvers/two_point/two_point.hpp"

namespace tessera::solvers {

template <class Exec, class T, class R>
std::unique_ptr<TwoPointSolver<Exec, T>> make_two_point(Exec& exec, Offset n, SolverParams params) {
  constexpr bool mixed = !std::is_same_v<T, R>;
  params.precision = mixed ? "mixed" : std::is_same_v<T, double> ? "double" : "float";
  check(params, Exec::name);
  const MethodEntry& method = *find_solver(params.type);
  if (!method.two_point)
    throw Error(ExitCode::usage, fmt::format("the solver '{}' is none of two-point problems", params.type),
                "choose type = \"scan\"", place(params, "type"));
  if (n < 1)
    throw Error(ExitCode::usage, fmt::format("a two-point problem of {} unknowns was asked for", n),
                "it needs at least 1", params.where);
  const TwoPointPrecisions<Exec>* makers;
  if constexpr (std::is_same_v<Exec, Threads>)
    makers = &method.two_point->threads;
  else
    makers = &method.two_point->cuda;
  MakeTwoPoint<Exec, T> make;
  if constexpr (std::is_same_v<T, double>)
    make = makers->in_double;
  else
    make = mixed ? makers->mixed : makers->in_float;
  return make(exec, n, params);
}

}  // namespace tessera::solvers
