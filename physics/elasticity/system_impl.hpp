#pragma once
// make_system, written once. It only calls declared functions: system.cpp and system_cuda.cpp instantiate it.
#include <fmt/format.h>

#include "assembly/cells/assembler.hpp"
#include "assembly/matrix_free/operator.hpp"
#include "assembly/space/dirichlet.hpp"
#include "base/profile.hpp"
#include "physics/elasticity/system.hpp"
#include "physics/run/near_kernel.hpp"
#include "physics/run/plan.hpp"
#include "physics/scalar/system.hpp"

namespace tessera::physics::elasticity {

/// Data of the host, and beside them forces that the backend evaluates by itself.
struct Coefficients {
  forms::ElasticityData data;
  assembly::ExpressionData expressions;
};

template <class Exec>
Coefficients coefficients_of(const Problem& problem, bool with_forces) {
  if (!with_forces || !scalar::evaluates_coefficients<Exec>(problem.space.mesh))
    return {elasticity_data(problem, with_forces), {}};
  Coefficients result{elasticity_data(problem, false), {}};
  assembly::RegionExpressions forces = body_forces(problem.params, problem.space.mesh.dim);
  if (!forces.empty()) result.expressions.members = {{}, std::move(forces)};
  return result;
}

template <class Exec>
void apply_without_matrix(Exec& exec, const Problem& problem, System<Exec>& system, output::Summary& summary) {
  using Operator = assembly::MatrixFree<Exec, forms::Elasticity>;
  const Discretisation& space = problem.space;
  std::unique_ptr<Operator> A;
  {
    Scope scope(exec, "assemble.setup");
    A = std::make_unique<Operator>(exec, space.mesh, space.dofs, assembly::MatrixFreeOptions{}, problem.form());
  }
  Coefficients coefficients;
  assembly::BoundaryData boundary;
  {
    Scope scope(exec, "coefficients");
    coefficients = coefficients_of<Exec>(problem, system.with_loads);
    for (const FacetTerm& term : problem.facets)
      assembly::add_facet_terms(space.mesh, space.dofs, term.group, forms::Traction{},
                                traction_values(problem, term).data(), boundary.terms);
    boundary.fixed = space.dirichlet.dofs;
    boundary.values = space.dirichlet.values;
  }
  Scope scope(exec, "assemble");
  A->assemble(exec, coefficients.data, boundary, system.b.view(), coefficients.expressions);
  summary.set("assembly.operator", A->describe());
  system.A = std::move(A);
}

template <class Exec>
void assemble_matrix(Exec& exec, const Problem& problem, System<Exec>& system, output::Summary& summary) {
  const Discretisation& space = problem.space;
  const assembly::AssemblyOptions options{.strategy = problem.params.assembly.strategy,
                                          .partition_size = problem.params.assembly.partition_size};
  std::unique_ptr<assembly::Assembler<Exec, forms::Elasticity>> assembler;
  {
    Scope scope(exec, "assemble.setup");
    assembler = std::make_unique<assembly::Assembler<Exec, forms::Elasticity>>(exec, space.mesh, space.dofs, options,
                                                                               problem.form());
    system.blocks = assembler->make_block_matrix();
  }
  std::vector<TractionValues> loads;
  {
    Scope scope(exec, "coefficients");
    Coefficients coefficients = coefficients_of<Exec>(problem, system.with_loads);
    if (coefficients.expressions.members.empty())
      assembler->set_data(std::move(coefficients.data));
    else
      assembler->set_data(coefficients.data, coefficients.expressions);
    for (const FacetTerm& term : problem.facets) loads.push_back(traction_values(problem, term));
  }
  {
    Scope scope(exec, "assemble", assembler->refill_bytes(system.blocks));
    assembler->refill(system.blocks, system.b.view());
  }
  summarise_assembly(assembler->report(), summary);
  Scope scope(exec, "boundary");
  for (std::size_t k = 0; k < loads.size(); ++k)
    assembler->add_facets(forms::Traction{}, problem.facets[k].group, loads[k].data(), system.blocks, system.b.view());
  assembly::eliminate_dirichlet(exec, system.blocks, system.b.view(), space.dirichlet.dofs, space.dirichlet.values);
  if (solvers::wants_near_kernel(problem.params.solver))
    system.near_kernel = near_kernel_of<typename Exec::Space, forms::Elasticity>(space);
  system.nnz = system.blocks.nnz();
}

template <class Exec>
void make_system(Exec& exec, const Problem& problem, System<Exec>& system, output::Summary& summary) {
  const Plan chosen = plan_operator(problem.params, problem.space);
  if (system.with_loads || !chosen.matrix_free) system.b = Array<double, typename Exec::Space>(problem.space.rows());
  if (!chosen.matrix_free) return assemble_matrix(exec, problem, system, summary);
  summarise_assembly(chosen, summary);
  apply_without_matrix(exec, problem, system, summary);
}

}  // namespace tessera::physics::elasticity
