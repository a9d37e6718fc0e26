#pragma once
// solve_linear_system, written once: solve_linear_system.cpp and solve_linear_system_cuda.cpp instantiate it.
#include <new>
#include <string>

#include "base/memory.hpp"
#include "physics/run/fallen_back.hpp"
#include "physics/run/solve_linear_system.hpp"
#include "solvers/automatic.hpp"

namespace tessera::physics {

template <class Exec>
solvers::Report solve_linear_system(Exec& exec, const linalg::Operator<Exec>& A, View<const double> b,
                                    const solvers::SolverParams& params, const Context& context,
                                    Array<double, typename Exec::Space>& x, const Start& start,
                                    const std::function<void()>& let_go) {
  using Space = typename Exec::Space;
  const auto set_start = [&] { x = start.u.empty() ? Array<double, Space>(b.size()) : to_space<Space>(start.u); };
  set_start();
  bool has_start = !start.u.empty();
  const auto rows = to_space<Space>(start.fixed.dofs);
  const auto values = to_space<Space>(start.fixed.values);
  Scope scope(exec, "solve");
  const auto solve = [&](const solvers::SolverParams& with, const solvers::Monitor& monitor) {
    return solvers::solve(exec, A, b, x.view(), with, monitor, {rows.view(), values.view(), has_start});
  };
  const solvers::Monitor monitor = monitor_of(context, params.tolerance);
  solvers::Report report;
  int products = 0;
  if (solvers::is_automatic(params)) {
    FirstAttempt first = attempt(solve, params, monitor, exec.link() == nullptr);
    report = std::move(first.report);
    if (!first.why_not.empty()) {
      solvers::SolverParams other = params;
      other.preconditioner = solvers::jacobi_of(A.block_size());
      if (!first.lacked_memory) summarise_first_attempt(params.preconditioner, report, context.summary);
      say_fallen_back(params.preconditioner, other.preconditioner, first.why_not, first.lacked_memory, context.summary);
      if (let_go) let_go();
      products = report.iterations + report.residuals;
      has_start |= first.went_nearer;
      if (!first.went_nearer) set_start();
      report = solve(other, monitor);
    }
  } else {
    report = solve(params, monitor);
  }
  products += report.iterations + report.residuals;
  // The least that an iterative method moves: its products with A.
  if (report.method.empty() && !solvers::is_direct(params)) scope.add_bytes(static_cast<double>(products) * A.bytes());
  return report;
}

#define TESSERA_INSTANTIATE_SOLVE_LINEAR_SYSTEM(Exec)                                                         \
  template solvers::Report solve_linear_system(                                                               \
      Exec&, const linalg::Operator<Exec>&, View<const double>, const solvers::SolverParams&, const Context&, \
      Array<double, Exec::Space>&, const Start&, const std::function<void()>&)

}  // namespace tessera::physics
