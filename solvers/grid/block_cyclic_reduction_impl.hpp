#pragma once
#include <fmt/format.h>

#include "base/error.hpp"
#include "solvers/grid/block_cyclic_reduction.hpp"
#include "solvers/grid/nested_solver.hpp"

namespace tessera::solvers::grid {
namespace bcr {

/// Solver of problems over axes 0 .. axis of the grid, `systems` at once.
template <class Exec, class T>
std::unique_ptr<BatchSolver<Exec, T>> make_solver(Exec& exec, const GridProblem& problem, int axis, int radix,
                                                  Index systems) {
  const Line line{problem.n[0], problem.h[0], problem.stencil};
  const bool fits = PlaneSolver<Exec, T>::fits(exec, line.n), whole = axis == problem.dim - 1;
  if (axis == 0) {
    if (fits) return std::make_unique<PlaneSolver<Exec, T>>(exec, make_trivial_plan(), line, 1, systems, whole);
    return std::make_unique<LineSolver<Exec, T>>(line, systems);
  }
  const double h = problem.h[axis];
  const HostPlan plan = make_plan(problem.n[axis], h, problem.stencil, radix);
  if (axis == 1 && fits) return std::make_unique<PlaneSolver<Exec, T>>(exec, plan, line, h, systems, whole);
  const bool plane = axis == 2;
  return std::make_unique<NestedSolver<Exec, T>>(
      plan, Across{line.n, plane ? problem.n[1] : 1, line.h, problem.h[1], plane, problem.stencil}, h, systems,
      make_solver<Exec, T>(exec, problem, axis - 1, radix, systems * plan.most_problems()));
}

inline bool is_power_of_two(Offset value) { return (value & (value - 1)) == 0; }

inline std::string describe(const GridProblem& problem, int radix) {
  bool regular = true;
  for (int axis = 1; axis < problem.dim; ++axis) regular = regular && is_power_of_two(Offset{problem.n[axis]} + 1);
  if (problem.dim == 1) return "cyclic reduction";
  if (regular && problem.stencil == Stencil::star) return fmt::format("block cyclic reduction, radix {}", radix);
  return fmt::format("partial solution variant of cyclic reduction, radix {}", radix);
}

}  // namespace bcr

template <class Exec, class T>
BlockCyclicReduction<Exec, T>::BlockCyclicReduction(Exec& exec, const GridProblem& problem, int radix)
    : name_(bcr::describe(problem, radix)), shift_(to_space<Space>(std::vector<double>{problem.shift})) {
  if (radix != 2 && radix != 4)
    throw Error(ExitCode::usage, fmt::format("the radix of block cyclic reduction is {}", radix), "it is 2 or 4");
  root_ = bcr::make_solver<Exec, T>(exec, problem, problem.dim - 1, radix, 1);
}

template <class Exec, class T>
void BlockCyclicReduction<Exec, T>::solve(Exec& exec, View<const T> f, View<T> u) {
  if (!replay_ || f.data() != f_ || u.data() != u_) {
    replay_ = std::make_unique<Replay<Exec>>();
    f_ = f.data();
    u_ = u.data();
  }
  replay_->run(exec, [&] { root_->solve(exec, 1, shift_.data(), f_, u_); });
}

template <class Exec, class T>
std::unique_ptr<GridSolver<Exec, T>> make_block_cyclic_reduction(Exec& exec, const GridProblem& problem,
                                                                 const FastPoissonOptions& options) {
  return std::make_unique<BlockCyclicReduction<Exec, T>>(exec, problem, options.radix);
}

}  // namespace tessera::solvers::grid
