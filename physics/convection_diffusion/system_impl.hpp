#pragma once
// make_system, written once. It only calls declared functions: system.cpp and system_cuda.cpp instantiate it.
#include "assembly/cells/assembler.hpp"
#include "assembly/space/dirichlet.hpp"
#include "linalg/discrete_upwinding.hpp"
#include "physics/convection_diffusion/problem.hpp"
#include "physics/scalar/store.hpp"

namespace tessera::physics::convection_diffusion {

template <class Exec>
void make_system(Exec& exec, const Problem& problem, scalar::System<Exec>& system, output::Summary& summary) {
  const scalar::Problem& diffusion = problem.diffusion;
  const int threads = Threads(diffusion.params.run.threads).count();
  system.b = Array<double, typename Exec::Space>(diffusion.dofs.dofs);
  system.level = scalar::level_of(diffusion.dirichlet);
  std::unique_ptr<assembly::Assembler<Exec, forms::Convection>> assembler;
  {
    Scope scope(exec, "assemble.setup");
    assembler = std::make_unique<assembly::Assembler<Exec, forms::Convection>>(
        exec, diffusion.mesh, diffusion.dofs,
        assembly::AssemblyOptions{
            .strategy = diffusion.params.assembly.strategy,
            .vector_at_points = velocity_varies(problem.params) || diffusion.mesh.measure.weighs(),
            .partition_size = diffusion.params.assembly.partition_size},
        forms::Convection{.supg = problem.params.supg()});
    system.matrix = assembler->make_matrix();
  }
  assembly::BoundaryData boundary;
  {
    Scope scope(exec, "coefficients");
    forms::ConvectionData data = convection_data(problem, threads);
    data.diffusion = scalar::below(std::move(data.diffusion), system.level, diffusion.mesh, diffusion.dofs);
    report_peclet(problem, data, threads, summary);
    assembler->set_data(data);
    boundary = scalar::below(scalar::boundary_data(diffusion, threads), system.level);
  }
  {
    Scope scope(exec, "assemble", assembler->refill_bytes(system.matrix));
    assembler->refill(system.matrix, system.b.view());
  }
  summary.set("assembly.strategy", assembler->report().strategy);
  summary.set("assembly.why", assembler->report().why);
  if (!assembler->report().deterministic) summary.set("backend.deterministic", false);
  {
    Scope scope(exec, "boundary");
    for (const assembly::FacetIntegral& term : boundary.facets)
      assembler->add_facets(forms::Robin{}, *term.group, {term.alpha, term.g}, system.matrix, system.b.view());
    if (problem.params.upwind()) linalg::add_discrete_upwinding(exec, system.matrix);
    assembly::eliminate_dirichlet(exec, system.matrix, system.b.view(), boundary.fixed, boundary.values);
  }
  system.nnz = system.matrix.nnz();
  scalar::store(exec, diffusion.params, system, summary);
}

}  // namespace tessera::physics::convection_diffusion
