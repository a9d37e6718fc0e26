#include "solvers/eigen/eigen.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "solvers/eigen/lowest_impl.hpp"
#include "solvers/fit.hpp"
#include "solvers/registry.hpp"

namespace tessera::solvers {
namespace {

constexpr int least_beside = 4;
/// Entries of a row of M where K has none: operators without a matrix are of order 2 and more.
constexpr double likely_row = 64;

/// S, A S, M S, what is being made and the modes; M, a number a node; the preconditioner.
double eigen_bytes(const SolverParams& params, const ProblemSize& size) {
  const PreconditionerEntry& preconditioner =
      find(preconditioner_table(), params.preconditioner, "preconditioner", params.where);
  double kept = preconditioner.bytes(params, size, 8);
  if (preconditioner.set_up_bytes) kept = std::max(kept, preconditioner.set_up_bytes(params, size));
  const double block = vectors_together(params.method.as<EigenParams>(), static_cast<Offset>(size.rows));
  const double entries = size.entries > 0 ? size.entries / size.block : size.rows * likely_row;
  const double mass = 12 * entries / size.block + 8 * size.rows / size.block;
  return (11 * block + params.method.as<EigenParams>().modes) * 8 * size.rows + mass + kept;
}

void check_eigen(const EigenParams& own, const SolverParams& params, const std::string&) {
  const auto refuse = [&](const char* key, const std::string& what, const std::string& help) {
    throw Error(ExitCode::usage, what, help, place(params, key));
  };
  if (own.block != 0 && own.block < own.modes)
    refuse("block", fmt::format("solver.block is {}, and there are {} modes", own.block, own.modes),
           "leave block out, or choose as many vectors as modes at least");
  if (params.precision != "double")
    refuse("type",
           fmt::format("run.precision = \"{}\" is for systems; eigenpairs are found in double", params.precision),
           "choose run.precision = \"double\"");
  if (const PreconditionerEntry* preconditioner = find_preconditioner(params);
      preconditioner && preconditioner->needs.lower_orders)
    refuse("preconditioner", fmt::format("the preconditioner \"{}\" is for systems", params.preconditioner),
           "choose preconditioner = \"amg\", or \"jacobi\" where there is no matrix");
}

}  // namespace

bool wants_modes(const SolverParams& params) {
  const MethodEntry* entry = find_solver(params.type);
  return entry && entry->kind == MethodKind::eigen;
}

double shift_of(const SolverParams& params) { return wants_modes(params) ? params.method.as<EigenParams>().shift : 0; }

Index vectors_together(const EigenParams& params, Offset free_rows) {
  const int block = params.block > 0 ? params.block : params.modes + std::max(least_beside, params.modes / 4);
  return static_cast<Index>(std::min<Offset>(block, free_rows));
}

void require_free_rows(const SolverParams& params, Offset free) {
  const int modes = params.method.as<EigenParams>().modes;
  if (modes > free)
    throw Error(ExitCode::usage, fmt::format("solver.modes = {}, and the problem has {} free unknowns", modes, free),
                "ask for fewer modes, or choose a finer mesh", place(params, "modes"));
}

MethodEntry eigen_entry() {
  return {
      .name = "eigen",
      .help = "no system: the lowest eigenpairs of K x = lambda M x by LOBPCG, modes of vibration and of Laplacians",
      .kind = MethodKind::eigen,
      .needs = {.symmetric = true, .definite = true, .mass = true},
      .bytes = eigen_bytes,
      .own = Keys<EigenParams>()
                 .key("modes", &EigenParams::modes,
                      {.help = "Eigenpairs that are looked for, the lowest ones.", .min = 1, .max = 200})
                 .key("shift", &EigenParams::shift,
                      {.help = "Added to K as so many times M and taken off the eigenvalues again: a body that "
                               "nothing holds has modes without energy, which a shift of about the first other "
                               "eigenvalue makes as soft as these.",
                       .min = 0})
                 .key("block", &EigenParams::block,
                      {.help = "Vectors that are iterated together; 0: a quarter more than modes, and 4 at least.",
                       .min = 0,
                       .max = 400})
                 .also(check_eigen)};
}

template EigenReport lowest_eigenpairs(Threads&, const EigenProblem<Threads>&, const SolverParams&, Array<double>&,
                                       const Monitor&);

}  // namespace tessera::solvers
