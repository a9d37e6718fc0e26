#include "solvers/params.hpp"

#include <fmt/format.h>

#include "solvers/registry.hpp"
#include "solvers/solve.hpp"

namespace tessera::solvers {

deck::Section<SolverParams> solver_section() {
  return deck::Section<SolverParams>("solver", "Linear solver")
      .key("type", &SolverParams::type, {.help = "Method.", .choices = names(solver_table())})
      .key("preconditioner", &SolverParams::preconditioner,
           {.help = "Preconditioner of an iterative solver.", .choices = names(preconditioner_table())})
      .key("tolerance", &SolverParams::tolerance,
           {.help = "Largest ||b - A x|| / ||b||, checked against the true residual at the end; below 1.",
            .min = 0,
            .max = 1,
            .open_min = true})
      .key("absolute_tolerance", &SolverParams::absolute_tolerance,
           {.help = "Largest ||b - A x|| that is accepted whatever b is; 0: none.", .min = 0})
      .key("max_iterations", &SolverParams::max_iterations, {.help = "Iterations before giving up.", .min = 1})
      .key("relaxation", &SolverParams::relaxation,
           {.help = "omega of ssor, between 0 and 2, both excluded.", .min = 0, .max = 2, .open_min = true})
      .key("check_every", &SolverParams::check_every,
           {.help = "Iterations between two looks at the residual on CUDA; threads look at every one.", .min = 1, .max = 1000})
      .position(&SolverParams::where);
}

void check(const SolverParams& params) {
  find(solver_table(), params.type, "solver", params.where);
  find(preconditioner_table(), params.preconditioner, "preconditioner", params.where);
  auto require = [&](bool good, const char* key, double value, const char* range) {
    if (!good) throw Error(ExitCode::usage, fmt::format("solver.{} is {}", key, value), fmt::format("choose {}", range), params.where);
  };
  require(params.tolerance > 0 && params.tolerance < 1, "tolerance", params.tolerance, "a number between 0 and 1, both excluded");
  require(params.absolute_tolerance >= 0, "absolute_tolerance", params.absolute_tolerance, "0 or a positive number");
  require(params.max_iterations >= 1, "max_iterations", params.max_iterations, "at least 1");
  require(params.relaxation > 0 && params.relaxation < 2, "relaxation", params.relaxation,
          "a number between 0 and 2, both excluded");
  require(params.check_every >= 1 && params.check_every <= 1000, "check_every", params.check_every, "1 to 1000");
}

}  // namespace tessera::solvers
