#pragma once
// Modes of a model: K x = lambda M x in the place of A u = b.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "assembly/space/dirichlet.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "linalg/component_operator.hpp"
#include "linalg/shift_ops.hpp"
#include "physics/run/report.hpp"
#include "physics/run/solve.hpp"
#include "solvers/eigen/eigen.hpp"

namespace tessera::physics {

/// Whether a model has a mass matrix beside its stiffness.
template <class M, class Exec>
concept HasMass = requires(M& model, Exec& exec, const Discretisation& space) {
  model.mass(exec, space);
};

/// What a run for modes has found.
struct Modes {
  solvers::EigenReport report;
  std::vector<std::vector<double>> u;  ///< [modes][rows], x^T M x = 1
  Offset nnz = 0;
};

/// Throws Error(usage) for what of the deck has no meaning beside modes.
void check_modes(const CommonParams& params, bool nonlinear);
/// Warns where the deck has loads or prescribed values: modes are those without them.
void warn_of_loads(bool loads);
/// Of each mode the entry that is largest becomes positive, the first of those that are so but for rounding.
void settle_signs(std::vector<std::vector<double>>& modes);
/// Fills "modes" of the summary, and prints the table on standard output. `oscillates`: the roots of eigenvalues are
/// angular frequencies.
void summarise_modes(const solvers::EigenReport& report, bool oscillates, const Context& context);

/// K += shift M where both have one pattern; rows and columns that are fixed keep their diagonal alone.
template <class Exec, class Matrix>
void add_shift(Exec& exec, double shift, const linalg::Crs<typename Exec::Space>& M, Index block,
               const DirichletData& fixed, Matrix& K, View<double> b) {
  if (K.values.size() != M.nnz() * block * block)
    throw Error(ExitCode::internal, "stiffness and mass differ in their patterns");
  linalg::add_to_diagonals(exec, shift, M.view(), block, K.values.view());
  assembly::eliminate_dirichlet(exec, K, b, fixed.dofs, std::vector<double>(fixed.dofs.size(), 0.0));
}

template <class Exec, class M>
Modes find_modes(Exec& exec, M& model, const Discretisation& space, Context& context) {
  using Space = typename Exec::Space;
  const CommonParams& params = model.params();
  const auto is_zero = [](double value) { return value == 0; };
  System<Exec> system;
  model.assemble(exec, space, system, context.summary);
  const std::vector<double>& values = space.dirichlet.values;
  warn_of_loads(linalg::sums(exec, View<const double>(system.b.view())).absolute > 0 ||
                !std::all_of(values.begin(), values.end(), is_zero));
  const Index block = space.components;
  linalg::Crs<Space> of_nodes = model.mass(exec, space);
  if (const double shift = solvers::shift_of(params.solver); shift > 0) {
    Scope scope(exec, "boundary");
    if (system.blocks.rows > 0)
      add_shift(exec, shift, of_nodes, block, space.dirichlet, system.blocks, system.b.view());
    else
      add_shift(exec, shift, of_nodes, block, space.dirichlet, system.matrix, system.b.view());
  }
  const linalg::ComponentOperator<Exec> mass(std::move(of_nodes), block);
  complete(exec, params, system, context.summary);
  const auto fixed = to_space<Space>(space.dirichlet.dofs);
  Modes modes;
  modes.nnz = system.nnz;
  Array<double, Space> vectors;
  {
    Scope scope(exec, "solve");
    modes.report = solvers::lowest_eigenpairs(exec, solvers::EigenProblem<Exec>{*system.A, mass, fixed.view()},
                                              params.solver, vectors, monitor_of(context, params.solver.tolerance));
  }
  const std::vector<double> all = to_vector(vectors);
  const auto rows = static_cast<std::ptrdiff_t>(space.rows());
  for (auto first = all.begin(); first != all.end(); first += rows) modes.u.emplace_back(first, first + rows);
  settle_signs(modes.u);
  return modes;
}

}  // namespace tessera::physics
