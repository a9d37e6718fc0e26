#pragma once
// make_nonlinear, written once: nonlinear.cpp and nonlinear_cuda.cpp instantiate it.
#include "assembly/cells/assembler.hpp"
#include "base/profile.hpp"
#include "forms/robin.hpp"
#include "linalg/shift_ops.hpp"
#include "physics/run/backend.hpp"
#include "physics/run/plan.hpp"
#include "physics/scalar/nonlinear.hpp"

namespace tessera::physics::scalar {

template <class Exec>
class NonlinearScalar final : public Nonlinear<Exec> {
 public:
  using Space = typename Exec::Space;

  NonlinearScalar(Exec& exec, const Problem& problem, output::Summary& summary)
      : exec_(exec), problem_(problem), coefficients_(problem, problem.params.newton.picard()) {
    Scope scope(exec, "assemble.setup");
    const assembly::AssemblyOptions options{.strategy = problem.params.assembly.strategy,
                                            .partition_size = problem.params.assembly.partition_size};
    assembler_ =
        std::make_unique<assembly::Assembler<Exec, forms::Linearised>>(exec, problem.mesh, problem.dofs, options);
    summarise_assembly(assembler_->report(), summary);
  }

  void take_data(double) override { coefficients_.take_data(); }

  void move_to(std::span<const double> u, double load) override {
    Scope scope(exec_, "coefficients");
    assembler_->set_data(coefficients_.residual(u, load));
    std::vector<double> of_facets(u.size(), 0.0);
    coefficients_.add_facet_residuals(u, load, of_facets);
    of_facets_ = to_space<Space>(of_facets);
    u_.assign(u.begin(), u.end());
    load_ = load;
  }

  void residual(View<double> r) override {
    Scope scope(exec_, "assemble");
    assembler_->refill_vector(r);
    complete(r);
  }

  void tangent(System<Exec>& system) override {
    if (system.matrix.rows == 0) {
      Scope scope(exec_, "assemble.setup");
      system.matrix = assembler_->make_matrix();
      system.b = Array<double, Space>(problem_.dofs.dofs);
    }
    std::vector<assembly::FacetIntegral> facets;
    {
      Scope scope(exec_, "coefficients");
      assembler_->set_data(coefficients_.tangent(u_, load_));
      facets = coefficients_.facet_tangents(u_, load_);
    }
    {
      Scope scope(exec_, "assemble", assembler_->refill_bytes(system.matrix));
      assembler_->refill(system.matrix, system.b.view());
    }
    Scope scope(exec_, "boundary");
    for (const assembly::FacetIntegral& term : facets)
      assembler_->add_facets(forms::Robin{}, *term.group, {term.alpha, term.g}, system.matrix, system.b.view());
    complete(system.b.view());
  }

 private:
  /// Adds what flows through facets to what the cells say, and leaves 0 where u is fixed.
  void complete(View<double> r) {
    linalg::axpy(exec_, 1, View<const double>(of_facets_.view()), r);
    if (fixed_.size() != static_cast<Offset>(problem_.dirichlet.dofs.size()))
      fixed_ = to_space<Space>(problem_.dirichlet.dofs);
    linalg::set_entries(exec_, View<const Index>(fixed_.view()), 0.0, r);
  }

  Exec& exec_;
  const Problem& problem_;
  Linearisation coefficients_;
  std::unique_ptr<assembly::Assembler<Exec, forms::Linearised>> assembler_;
  Array<double, Space> of_facets_;  ///< [dofs], of the state
  Array<Index, Space> fixed_;
  std::vector<double> u_;
  double load_ = 1;
};

template <class Exec>
std::unique_ptr<Nonlinear<Exec>> make_nonlinear(Exec& exec, const Problem& problem, output::Summary& summary) {
  return std::make_unique<NonlinearScalar<Exec>>(exec, problem, summary);
}

}  // namespace tessera::physics::scalar
