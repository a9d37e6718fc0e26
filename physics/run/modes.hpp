#pragma once
// Modes of a model: K x = lambda M x in the place of A u = b.
#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "assembly/space/dirichlet.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "linalg/halo.hpp"
#include "linalg/shift_ops.hpp"
#include "physics/run/over_ranks.hpp"
#include "physics/run/report.hpp"
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
/// Of a mode the entry that is largest becomes positive, the first of those that are so but for rounding; of ranks,
/// each with the rows that it owns, that of the first rank which has one.
void settle_sign(std::vector<double>& mode, Communicator* ranks);
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

/// `assemble` fills the system of all rows that a rank sees, or has made the operator of those that it owns.
/// Collective.
template <class Exec, class M>
Modes find_modes(Exec& exec, M& model, const Discretisation& space, const OverRanks<Exec>& ranks,
                 const std::function<void(System<Exec>&)>& assemble, Context& context) {
  using Space = typename Exec::Space;
  const CommonParams& params = model.params();
  const Index block = space.components;
  System<Exec> system;
  linalg::Crs<Space> of_nodes;
  ranks.each([&] { of_nodes = model.mass(exec, space); });
  assemble(system);
  bool loads = linalg::sums(exec, View<const double>(system.b.view())).absolute > 0;
  for (const double value : space.dirichlet.values) loads |= value != 0;
  warn_of_loads(ranks ? any(ranks.ranks(), loads) : loads);
  if (const double shift = solvers::shift_of(params.solver); shift > 0) {
    Scope scope(exec, "boundary");
    if (system.blocks.rows > 0)
      add_shift(exec, shift, of_nodes, block, space.dirichlet, system.blocks, system.b.view());
    else
      add_shift(exec, shift, of_nodes, block, space.dirichlet, system.matrix, system.b.view());
  }
  const std::unique_ptr<linalg::Operator<Exec>> mass = ranks.of_components(std::move(of_nodes));
  if (!ranks || !system.A) ranks.complete(params, system, context.summary);
  const auto fixed = to_space<Space>(of_owned_rows(space.dirichlet, ranks.rows()).dofs);
  Modes modes;
  modes.nnz = system.nnz;
  Array<double, Space> vectors;
  {
    Scope scope(exec, "solve");
    const Linked linked(exec, ranks.link());
    modes.report = solvers::lowest_eigenpairs(exec, solvers::EigenProblem<Exec>{*system.A, *mass, fixed.view()},
                                              params.solver, vectors, monitor_of(context, params.solver.tolerance));
  }
  const std::vector<double> all = to_vector(vectors);
  const auto own = static_cast<std::size_t>(ranks.rows());
  for (std::size_t k = 0; k < modes.report.values.size(); ++k) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(k * own);
    std::vector<double>& u = modes.u.emplace_back(first, first + static_cast<std::ptrdiff_t>(own));
    settle_sign(u, ranks ? &ranks.ranks() : nullptr);
    if (!ranks) continue;
    u.resize(static_cast<std::size_t>(space.rows()));
    linalg::update_ghosts(ranks.ranks(), space.index_map, block, u);
  }
  return modes;
}

}  // namespace tessera::physics
