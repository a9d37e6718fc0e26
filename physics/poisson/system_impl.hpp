#pragma once
// make_system, written once. It only calls declared functions: system.cpp and system_cuda.cpp instantiate it.
#include <fmt/format.h>

#include "assembly/cells/assembler.hpp"
#include "assembly/matrix_free/operator.hpp"
#include "assembly/space/dirichlet.hpp"
#include "base/profile.hpp"
#include "physics/poisson/system.hpp"
#include "physics/run/plan.hpp"
#include "physics/scalar/system.hpp"

namespace tessera::physics::poisson {

template <class Exec>
void apply_without_matrix(Exec& exec, const Problem& problem, int threads, System<Exec>& system,
                          output::Summary& summary) {
  std::unique_ptr<assembly::MatrixFree<Exec, forms::Diffusion>> A;
  {
    Scope scope(exec, "assemble.setup");
    A = std::make_unique<assembly::MatrixFree<Exec, forms::Diffusion>>(exec, problem.mesh, problem.dofs);
  }
  forms::DiffusionData data;
  assembly::BoundaryData boundary;
  {
    Scope scope(exec, "coefficients");
    data = below(diffusion_data(problem.params.materials, problem.material, problem.mesh, problem.dofs, threads),
                 system.level, problem.mesh, problem.dofs);
    boundary = below(boundary_data(problem, threads), system.level);
  }
  Scope scope(exec, "assemble");
  A->assemble(exec, data, boundary, system.b.view());
  summary.set("assembly.operator", A->describe());
  system.A = std::move(A);
}

template <class Exec>
void assemble_matrix(Exec& exec, const Problem& problem, int threads, System<Exec>& system, output::Summary& summary) {
  const assembly::AssemblyOptions options{.strategy = problem.params.assembly.strategy,
                                          .partition_size = problem.params.assembly.partition_size};
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
    assembler->set_data(
        below(diffusion_data(problem.params.materials, problem.material, problem.mesh, problem.dofs, threads),
              system.level, problem.mesh, problem.dofs));
    boundary = below(boundary_data(problem, threads), system.level);
  }
  {
    Scope scope(exec, "assemble", assembler->refill_bytes(system.matrix));
    assembler->refill(system.matrix, system.b);
  }
  summarise_assembly(assembler->report(), summary);
  Scope scope(exec, "boundary");
  for (const assembly::FacetIntegral& term : boundary.facets)
    assembler->add_facets(forms::Robin{}, *term.group, {term.alpha, term.g}, system.matrix, system.b.view());
  assembly::eliminate_dirichlet(exec, system.matrix, system.b.view(), boundary.fixed, boundary.values);
}

template <class Exec>
void make_system(Exec& exec, const Problem& problem, System<Exec>& system, output::Summary& summary) {
  const int threads = problem.space.threads;
  const Plan chosen = plan_operator(problem.params, problem.space);
  system.level = level_of(problem.dirichlet);
  system.b = Array<double, typename Exec::Space>(problem.dofs.dofs);
  if (chosen.matrix_free) {
    summarise_assembly(chosen, summary);
    apply_without_matrix(exec, problem, threads, system, summary);
    return;
  }
  assemble_matrix(exec, problem, threads, system, summary);
}

}  // namespace tessera::physics::poisson
