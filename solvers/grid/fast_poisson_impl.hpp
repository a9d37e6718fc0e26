#pragma once
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "solvers/grid/fast_poisson.hpp"

namespace tessera::solvers::grid {

template <class Exec, class T>
struct FastPoissonMethod {
  std::string name;
  std::unique_ptr<GridSolver<Exec, T>> (*make)(Exec&, const GridProblem&, const FastPoissonOptions&);
};

template <class Exec, class T>
const std::vector<FastPoissonMethod<Exec, T>>& fast_poisson_methods() {
  static const std::vector<FastPoissonMethod<Exec, T>> table{{"bcr", make_block_cyclic_reduction<Exec, T>},
                                                             {"fft", make_sine_transform<Exec, T>}};
  return table;
}

template <class Exec, class T>
FastPoisson<Exec, T>::FastPoisson(Exec& exec, const GridProblem& problem, const FastPoissonOptions& options)
    : exec_(exec), unknowns_(0) {
  check_grid_problem(problem);
  unknowns_ = problem.unknowns();
  std::vector<std::string> names;
  for (const auto& method : fast_poisson_methods<Exec, T>()) {
    if (method.name == options.method) solver_ = method.make(exec, problem, options);
    names.push_back(method.name);
  }
  if (!solver_)
    throw Error(ExitCode::usage, fmt::format("unknown fast Poisson method '{}'", options.method),
                suggest(options.method, names));
}

template <class Exec, class T>
void FastPoisson<Exec, T>::solve(View<const T> f, View<T> u) {
  if (f.size() != unknowns_ || u.size() != unknowns_)
    throw Error(ExitCode::usage,
                fmt::format("a grid of {} unknowns: the right-hand side has {} entries, the solution {}", unknowns_,
                            f.size(), u.size()),
                "both have one entry an unknown");
  if (f.data() == u.data())
    throw Error(ExitCode::usage, "the right-hand side and the solution of a fast Poisson solver are the same array",
                "they have to be distinct");
  solver_->solve(exec_, f, u);
}

template <class Exec, class T>
void require_finite(Exec& exec, const GridProblem& problem, View<const T> f) {
  using Space = typename Exec::Space;
  exec.synchronize();
  std::vector<T> values(static_cast<std::size_t>(f.size()));
  copy_bytes(Space{}, f.data(), Host{}, values.data(), values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    const Offset node = static_cast<Offset>(i);
    const Offset nx = problem.n[0], ny = problem.dim > 1 ? problem.n[1] : 1;
    throw Error(ExitCode::solver,
                fmt::format("the right-hand side is {} at node ({}, {}, {}) of the grid, counted from 1", values[i],
                            node % nx + 1, node / nx % ny + 1, node / nx / ny + 1),
                "look at the source term and the boundary values there");
  }
}

}  // namespace tessera::solvers::grid
