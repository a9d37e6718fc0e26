#include "solvers/params.hpp"

#include <fmt/format.h>

#include <algorithm>

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
           {.help = "omega of ssor and multicolour_ssor, between 0 and 2, both excluded.",
            .min = 0,
            .max = 2,
            .open_min = true})
      .key("degree", &SolverParams::degree,
           {.help = "Products with the matrix in each application of the preconditioner chebyshev.",
            .min = 1,
            .max = 50})
      .key("variant", &SolverParams::variant,
           {.help = "Form of cg: single_reduction needs the sums of an iteration at one point only.",
            .choices = {"standard", "single_reduction"}})
      .key("radix", &SolverParams::radix,
           {.help = "Radix of bcr, 2 or 4: rows of a block that one step of the reduction eliminates, and one more.",
            .min = 2,
            .max = 4})
      .key("restart", &SolverParams::restart,
           {.help = "Vectors that gmres keeps before it starts again; each costs 8 bytes an unknown.",
            .min = 1,
            .max = 500})
      .key("residual_every", &SolverParams::residual_every,
           {.help = "Iterations between two recomputations of b - A x; 0: only before a solution is accepted.",
            .min = 0})
      .key("check_every", &SolverParams::check_every,
           {.help = "Iterations between two looks at the residual on CUDA; threads look at every one.",
            .min = 1,
            .max = 1000})
      .position(&SolverParams::where);
}

namespace {

/// Names that are fine alone and do not fit together.
void check_combination(const SolverParams& params) {
  auto refuse = [&](const std::string& what, const std::string& help) {
    throw Error(ExitCode::usage, what, help, params.where);
  };
  if (params.variant != "standard" && params.type != "cg")
    refuse(fmt::format("solver.variant = \"{}\" is a form of cg, not of {}", params.variant, params.type),
           "choose type = \"cg\", or leave variant out");
  if (params.precision != "double" && is_direct(params))
    refuse(fmt::format("run.precision = \"{}\" is for iterative solvers; {} factors in double", params.precision,
                       params.type),
           fmt::format("choose run.precision = \"double\", or type = \"{}\"", params.type == "lu" ? "gmres" : "cg"));
  if (params.preconditioner == "chebyshev" && params.type != "cg" && !is_direct(params) && !is_grid_solver(params))
    refuse(
        fmt::format("the preconditioner chebyshev takes the matrix for symmetric positive definite, which {} does not",
                    params.type),
        "choose type = \"cg\", or preconditioner = \"jacobi\"");
  if (params.precision == "float" && params.absolute_tolerance == 0 && params.tolerance < 2e-7)
    refuse(fmt::format("solver.tolerance = {} is finer than single precision resolves", params.tolerance),
           "choose run.precision = \"mixed\", which reaches the accuracy of double, or a tolerance of 1e-6 or more");
}

}  // namespace

void check(const SolverParams& params) {
  find(solver_table(), params.type, "solver", params.where);
  find(preconditioner_table(), params.preconditioner, "preconditioner", params.where);
  auto require = [&](bool good, const char* key, double value, const char* range) {
    if (!good)
      throw Error(ExitCode::usage, fmt::format("solver.{} is {}", key, value), fmt::format("choose {}", range),
                  params.where);
  };
  auto require_name = [&](const char* key, const std::string& value, const std::vector<std::string>& valid) {
    if (std::find(valid.begin(), valid.end(), value) == valid.end())
      throw Error(ExitCode::usage, fmt::format("{} is '{}'", key, value), suggest(value, valid), params.where);
  };
  require(params.tolerance > 0 && params.tolerance < 1, "tolerance", params.tolerance,
          "a number between 0 and 1, both excluded");
  require(params.absolute_tolerance >= 0, "absolute_tolerance", params.absolute_tolerance, "0 or a positive number");
  require(params.max_iterations >= 1, "max_iterations", params.max_iterations, "at least 1");
  require(params.relaxation > 0 && params.relaxation < 2, "relaxation", params.relaxation,
          "a number between 0 and 2, both excluded");
  require(params.check_every >= 1 && params.check_every <= 1000, "check_every", params.check_every, "1 to 1000");
  require(params.restart >= 1 && params.restart <= 500, "restart", params.restart, "1 to 500");
  require(params.radix == 2 || params.radix == 4, "radix", params.radix, "2 or 4");
  require(params.degree >= 1 && params.degree <= 50, "degree", params.degree, "1 to 50");
  require(params.residual_every >= 0, "residual_every", params.residual_every, "0 or a positive number");
  require_name("solver.variant", params.variant, {"standard", "single_reduction"});
  require_name("run.precision", params.precision, {"double", "float", "mixed"});
  check_combination(params);
}

}  // namespace tessera::solvers
