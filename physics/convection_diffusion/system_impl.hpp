#pragma once
// make_system, written once. It only calls declared functions: system.cpp and system_cuda.cpp instantiate it.
#include "assembly/cells/assembler.hpp"
#include "assembly/space/dirichlet.hpp"
#include "base/profile.hpp"
#include "linalg/discrete_upwinding.hpp"
#include "physics/convection_diffusion/problem.hpp"
#include "physics/run/plan.hpp"
#include "physics/scalar/system.hpp"

namespace tessera::physics::convection_diffusion {

template <class Exec>
void make_system(Exec& exec, const Params& params, const Problem& problem, System<Exec>& system,
                 output::Summary& summary) {
  const int threads = problem.space.threads;
  system.b = Array<double, typename Exec::Space>(problem.dofs.dofs);
  system.level = level_of(problem.dirichlet);
  std::unique_ptr<assembly::Assembler<Exec, forms::Convection>> assembler;
  {
    Scope scope(exec, "assemble.setup");
    assembler = std::make_unique<assembly::Assembler<Exec, forms::Convection>>(
        exec, problem.mesh, problem.dofs,
        assembly::AssemblyOptions{.strategy = params.assembly.strategy,
                                  .vector_at_points = velocity_varies(params) || problem.mesh.measure.weighs(),
                                  .partition_size = params.assembly.partition_size,
                                  .couplings = &problem.couplings},
        forms::Convection{.supg = params.supg()});
    system.matrix = assembler->make_matrix();
  }
  assembly::BoundaryData boundary;
  {
    Scope scope(exec, "coefficients");
    // The Peclet number wants velocity and diffusivity on the host.
    const bool evaluates = evaluates_coefficients<Exec>(problem.mesh);
    forms::ConvectionData data = convection_data(params, problem, !evaluates);
    if (!problem.space.ranks) report_peclet(params, largest_peclet(problem, data), summary);
    if (evaluates) {
      assembly::ExpressionData expressions = diffusion_expressions(params.materials, system.level, problem.mesh.dim);
      expressions.members[0].clear();
      assembler->set_data(data, expressions);
    } else {
      data.diffusion = below(std::move(data.diffusion), system.level, problem.mesh, problem.dofs);
      assembler->set_data(std::move(data));
    }
    boundary = below(boundary_data(problem, threads), system.level);
  }
  {
    Scope scope(exec, "assemble", assembler->refill_bytes(system.matrix));
    assembler->refill(system.matrix, system.b.view());
  }
  summarise_assembly(assembler->report(), summary);
  {
    Scope scope(exec, "boundary");
    for (const assembly::FacetIntegral& term : boundary.facets)
      assembler->add_facets(forms::Robin{}, *term.group, {term.alpha, term.g}, system.matrix, system.b.view());
    if (params.upwind()) linalg::add_discrete_upwinding(exec, system.matrix);
    add_contacts(exec, boundary, system.matrix);  // nothing is upwind of them
    assembly::eliminate_dirichlet(exec, system.matrix, system.b.view(), boundary.fixed, boundary.values);
  }
}

}  // namespace tessera::physics::convection_diffusion
