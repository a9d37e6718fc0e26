#pragma once
// make_system, written once. It only calls declared functions: system.cpp and system_cuda.cpp instantiate it.
#include "assembly/cells/assembler.hpp"
#include "assembly/space/dirichlet.hpp"
#include "base/profile.hpp"
#include "physics/elasticity/system.hpp"

namespace tessera::physics::elasticity {

template <class Exec>
void make_system(Exec& exec, const Problem& problem, System<Exec>& system, output::Summary& summary) {
  const Discretisation& space = problem.space;
  const assembly::AssemblyOptions options{.strategy = problem.params.assembly.strategy,
                                          .partition_size = problem.params.assembly.partition_size};
  forms::Elasticity form;
  form.radial = std::max(0, problem.radial());
  std::unique_ptr<assembly::Assembler<Exec, forms::Elasticity>> assembler;
  system.b = Array<double, typename Exec::Space>(space.rows());
  {
    Scope scope(exec, "assemble.setup");
    assembler =
        std::make_unique<assembly::Assembler<Exec, forms::Elasticity>>(exec, space.mesh, space.dofs, options, form);
    system.blocks = assembler->make_block_matrix();
  }
  std::vector<TractionValues> loads;
  {
    Scope scope(exec, "coefficients");
    assembler->set_data(elasticity_data(problem));
    for (const FacetTerm& term : problem.facets) loads.push_back(traction_values(problem, term));
  }
  {
    Scope scope(exec, "assemble", assembler->refill_bytes(system.blocks));
    assembler->refill(system.blocks, system.b.view());
  }
  summary.set("assembly.strategy", assembler->report().strategy);
  summary.set("assembly.why", assembler->report().why);
  if (!assembler->report().deterministic) summary.set("backend.deterministic", false);
  Scope scope(exec, "boundary");
  for (std::size_t k = 0; k < loads.size(); ++k)
    assembler->add_facets(forms::Traction{}, problem.facets[k].group, loads[k].data(), system.blocks, system.b.view());
  assembly::eliminate_dirichlet(exec, system.blocks, system.b.view(), space.dirichlet.dofs, space.dirichlet.values);
  system.nnz = system.blocks.nnz();
}

}  // namespace tessera::physics::elasticity
