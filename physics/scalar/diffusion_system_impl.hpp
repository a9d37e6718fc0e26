#pragma once
// make_diffusion_system, written once. It only calls declared functions: diffusion_system.cpp and
// diffusion_system_cuda.cpp instantiate it.
#include <fmt/format.h>

#include "assembly/cells/assembler.hpp"
#include "assembly/matrix_free/operator.hpp"
#include "assembly/space/dirichlet.hpp"
#include "base/profile.hpp"
#include "physics/entry.hpp"
#include "physics/run/plan.hpp"
#include "physics/scalar/diffusion_system.hpp"
#include "physics/scalar/system.hpp"

namespace tessera::physics::scalar {

/// Coefficients of u - level: data of the host, and beside them what the backend evaluates by itself, a source also
/// where it is not asked for and others vary: what is compiled for another order serves again.
struct Coefficients {
  forms::DiffusionData data;
  assembly::ExpressionData expressions;
};

template <class Exec>
Coefficients coefficients_of(const Problem& problem, double level, bool with_source) {
  const std::vector<MaterialParams>& materials = problem.params.materials;
  if (!evaluates_coefficients<Exec>(problem.mesh))
    return {below(diffusion_data(materials, problem.material, problem.mesh, problem.dofs, problem.space.threads, {},
                                 with_source),
                  level, problem.mesh, problem.dofs),
            {}};
  Coefficients result{{}, diffusion_expressions(materials, level, problem.mesh.dim)};
  std::vector<assembly::RegionExpressions>& members = result.expressions.members;
  if (!with_source && !assembly::varies(members[0]) && !assembly::varies(members[1])) members[2].clear();
  if (materials.size() > 1) result.data.region = problem.material;
  return result;
}

/// Sums over the cells from those of their part of b, in which each function is tested with. A reaction takes part in
/// the balance by the solution, which is not there yet.
inline std::optional<forms::CellSums> cell_sums(const Problem& problem, const linalg::VectorSums& loads) {
  for (const MaterialParams& m : problem.params.materials)
    if (!is_zero(m.reaction)) return {};
  return forms::CellSums{.source = loads.sum, .gross = loads.absolute};
}

template <class Exec>
std::optional<forms::CellSums> apply_without_matrix(Exec& exec, const Problem& problem, System<Exec>& system,
                                                    output::Summary& summary) {
  std::unique_ptr<assembly::MatrixFree<Exec, forms::Diffusion>> A;
  {
    Scope scope(exec, "assemble.setup");
    A = std::make_unique<assembly::MatrixFree<Exec, forms::Diffusion>>(exec, problem.mesh, problem.dofs);
  }
  Coefficients coefficients;
  assembly::BoundaryData boundary;
  {
    Scope scope(exec, "coefficients");
    coefficients = coefficients_of<Exec>(problem, system.level, system.with_loads);
    boundary = below(boundary_data(problem, problem.space.threads, system.with_loads), system.level);
  }
  Scope scope(exec, "assemble");
  A->assemble(exec, coefficients.data, boundary, system.b.view(), coefficients.expressions);
  summary.set("assembly.operator", A->describe());
  std::optional<forms::CellSums> sums;
  if (system.with_loads) sums = cell_sums(problem, A->load_sums());
  system.A = std::move(A);
  return sums;
}

template <class Exec>
std::optional<forms::CellSums> assemble_matrix(Exec& exec, const Problem& problem, System<Exec>& system,
                                               output::Summary& summary) {
  const assembly::AssemblyOptions options{.strategy = problem.params.assembly.strategy,
                                          .partition_size = problem.params.assembly.partition_size,
                                          .couplings = &problem.couplings};
  std::unique_ptr<assembly::Assembler<Exec, forms::Diffusion>> assembler;
  {
    Scope scope(exec, "assemble.setup");
    assembler =
        std::make_unique<assembly::Assembler<Exec, forms::Diffusion>>(exec, problem.mesh, problem.dofs, options);
    system.matrix = assembler->make_matrix();
  }
  assembly::BoundaryData boundary;
  {
    Scope scope(exec, "coefficients");
    Coefficients coefficients = coefficients_of<Exec>(problem, system.level, system.with_loads);
    if (coefficients.expressions.members.empty())
      assembler->set_data(std::move(coefficients.data));
    else
      assembler->set_data(coefficients.data, coefficients.expressions);
    boundary = below(boundary_data(problem, problem.space.threads, system.with_loads), system.level);
  }
  {
    Scope scope(exec, "assemble", assembler->refill_bytes(system.matrix));
    assembler->refill(system.matrix, system.b);
  }
  summarise_assembly(assembler->report(), summary);
  const auto sums = cell_sums(problem, linalg::sums(exec, View<const double>(system.b.view())));
  Scope scope(exec, "boundary");
  for (const assembly::FacetIntegral& term : boundary.facets)
    assembler->add_facets(forms::Robin{}, *term.group, {term.alpha, term.g}, system.matrix, system.b.view());
  add_contacts(exec, boundary, system.matrix);
  assembly::eliminate_dirichlet(exec, system.matrix, system.b.view(), boundary.fixed, boundary.values);
  return sums;
}

template <class Exec>
std::optional<forms::CellSums> make_diffusion_system(Exec& exec, const Problem& problem, System<Exec>& system,
                                                     output::Summary& summary) {
  const Plan chosen = plan_operator(problem.params, problem.space);
  system.level = level_of(problem.dirichlet);
  if (system.with_loads || !chosen.matrix_free) system.b = Array<double, typename Exec::Space>(problem.dofs.dofs);
  if (!chosen.matrix_free) return assemble_matrix(exec, problem, system, summary);
  summarise_assembly(chosen, summary);
  return apply_without_matrix(exec, problem, system, summary);
}

}  // namespace tessera::physics::scalar
