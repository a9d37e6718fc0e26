#include <limits>

#include "solvers/grid/fast_poisson_impl.hpp"

namespace tessera::solvers::grid {

void check_grid_problem(const GridProblem& problem) {
  if (problem.dim < 1 || problem.dim > 3)
    throw Error(ExitCode::usage, fmt::format("a grid of {} dimensions", problem.dim),
                "fast Poisson solvers take 1, 2 or 3");
  constexpr Index most_nodes = Index{1} << 28;  // products of an axis with small numbers stay an Index
  constexpr const char* axes = "xyz";
  double unknowns = 1;
  for (int axis = 0; axis < problem.dim; ++axis) {
    if (problem.n[axis] < 1)
      throw Error(ExitCode::usage, fmt::format("the grid has {} interior nodes along {}", problem.n[axis], axes[axis]),
                  "an axis needs two cells or more, so that a node lies between the boundaries");
    if (!(problem.h[axis] > 0) || !std::isfinite(problem.h[axis]))
      throw Error(ExitCode::usage, fmt::format("the spacing along {} is {}", axes[axis], problem.h[axis]),
                  "it has to be positive");
    if (problem.n[axis] > most_nodes)
      throw Error(ExitCode::usage, fmt::format("the grid has {} interior nodes along {}", problem.n[axis], axes[axis]),
                  fmt::format("{} are the most along an axis", most_nodes));
    unknowns *= problem.n[axis];
  }
  if (unknowns > std::numeric_limits<Index>::max())
    throw Error(ExitCode::usage, fmt::format("a grid of {:.3g} unknowns", unknowns), "2^31 - 1 are the most");
  if (!(problem.shift >= 0) || !std::isfinite(problem.shift))
    throw Error(ExitCode::usage,
                fmt::format("the reaction coefficient c of a fast Poisson solver is {}", problem.shift),
                "c >= 0, for below a sub-problem may be singular although the whole is not; take minres, gmres or lu");
}

template class FastPoisson<Threads, double>;
template class FastPoisson<Threads, float>;
template void require_finite(Threads&, const GridProblem&, View<const double>);
template void require_finite(Threads&, const GridProblem&, View<const float>);

}  // namespace tessera::solvers::grid
