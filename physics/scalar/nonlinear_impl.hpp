#pragma once
// make_nonlinear, written once: nonlinear.cpp and nonlinear_cuda.cpp instantiate it.
#include "assembly/cells/assembler.hpp"
#include "base/profile.hpp"
#include "forms/robin.hpp"
#include "linalg/shift_ops.hpp"
#include "physics/run/backend.hpp"
#include "physics/run/plan.hpp"
#include "physics/scalar/contact.hpp"
#include "physics/scalar/nonlinear.hpp"
#include "physics/scalar/system.hpp"
#include "physics/time_scheme.hpp"

namespace tessera::physics::scalar {

template <class Exec>
class NonlinearScalar final : public Nonlinear<Exec> {
 public:
  using Space = typename Exec::Space;

  NonlinearScalar(Exec& exec, const Problem& problem, const Params& deck, output::Summary& summary)
      : exec_(exec),
        problem_(problem),
        deck_(deck),
        coefficients_(problem, deck.newton.picard()),
        evaluates_(evaluates_coefficients<Exec>(problem.mesh) && !deck.newton.picard() && deck.newton.load_steps == 1),
        iterates_(!deck.time || is_implicit(*deck.time)),
        contacts_(problem, deck) {
    Scope scope(exec, "assemble.setup");
    const assembly::AssemblyOptions options{.strategy = problem.params.assembly.strategy,
                                            .partition_size = problem.params.assembly.partition_size,
                                            .couplings = &problem.couplings};
    assembler_ =
        std::make_unique<assembly::Assembler<Exec, forms::Linearised>>(exec, problem.mesh, problem.dofs, options);
    summarise_assembly(assembler_->report(), summary);
  }

  void take_data(double t) override {
    t_ = t;
    coefficients_.take_data();
    contacts_.take_time();
  }

  void move_to(std::span<const double> u, double load) override {
    Scope scope(exec_, "coefficients");
    if (evaluates_) {
      state_ = to_space<Space>(u);
      evaluate_for_residual();
    } else {
      assembler_->set_data(coefficients_.residual(u, load));
    }
    if (!problem_.facets.empty() || !problem_.contacts.empty()) {
      flows_.assign(u.size(), 0.0);
      coefficients_.add_facet_residuals(u, load, flows_);
      assembly::add_product(contacts_.at(u), -1, u, flows_);
      if (of_facets_.empty()) of_facets_ = Array<double, Space>(static_cast<Offset>(u.size()));
      copy_bytes(Host{}, flows_.data(), Space{}, of_facets_.data(), of_facets_.bytes());
    }
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
      if (!evaluates_)
        assembler_->set_data(coefficients_.tangent(u_, load_));
      else if (held_ != Held::tangent)
        evaluate(true);
      facets = coefficients_.facet_tangents(u_, load_);
    }
    {
      Scope scope(exec_, "assemble", assembler_->refill_bytes(system.matrix));
      assembler_->refill(system.matrix, system.b.view());
    }
    Scope scope(exec_, "boundary");
    for (const assembly::FacetIntegral& term : facets)
      assembler_->add_facets(forms::Robin{}, *term.group, {term.alpha, term.g}, system.matrix, system.b.view());
    if (!problem_.contacts.empty()) {
      const auto slopes = deck_.newton.picard() ? ContactSlopes::none : ContactSlopes::all;
      assembly::add_entries(exec_, contacts_.at(u_, slopes), system.matrix);
    }
    complete(system.b.view());
  }

 private:
  /// Whose expressions the assembler has.
  enum class Held { nothing, residual, tangent };

  /// The coefficients at state_, on the backend.
  void evaluate(bool with_tangent) {
    const Held wanted = with_tangent ? Held::tangent : Held::residual;
    if (held_ == wanted) return assembler_->set_time(t_, state_.data());
    held_ = Held::nothing;
    assembly::ExpressionData expressions = linearised_expressions(deck_.materials, problem_.mesh.dim, with_tangent);
    expressions.t = t_;
    expressions.u = state_.data();
    forms::LinearisedData regions;
    if (deck_.materials.size() > 1) regions.region = problem_.material;
    assembler_->set_data(regions, expressions);
    held_ = wanted;
  }

  /// Newton's method asks for the tangent after the residual; where that has no values, residuals may.
  void evaluate_for_residual() {
    if (iterates_) {
      try {
        return evaluate(true);
      } catch (const Error& error) {
        if (error.code() != ExitCode::usage) throw;
      }
    }
    evaluate(false);
  }

  /// Adds what flows through facets to what the cells say, and leaves 0 where u is fixed.
  void complete(View<double> r) {
    if (!of_facets_.empty()) linalg::axpy(exec_, 1, View<const double>(of_facets_.view()), r);
    if (fixed_.size() != static_cast<Offset>(problem_.dirichlet.dofs.size()))
      fixed_ = to_space<Space>(problem_.dirichlet.dofs);
    linalg::set_entries(exec_, View<const Index>(fixed_.view()), 0.0, r);
  }

  Exec& exec_;
  const Problem& problem_;
  const Params& deck_;
  Linearisation coefficients_;
  const bool evaluates_;  ///< coefficients of cells on the backend
  const bool iterates_;   ///< by Newton's method
  Held held_ = Held::nothing;
  Array<double, Space> state_;  ///< [dofs], where they are evaluated
  double t_ = 0;
  std::unique_ptr<assembly::Assembler<Exec, forms::Linearised>> assembler_;
  std::vector<double> flows_;       ///< [dofs] through facets and contacts, on the host
  Array<double, Space> of_facets_;  ///< these of the state; empty: there are none
  Array<Index, Space> fixed_;
  ContactEntries contacts_;
  std::vector<double> u_;
  double load_ = 1;
};

template <class Exec>
std::unique_ptr<Nonlinear<Exec>> make_nonlinear(Exec& exec, const Problem& problem, const Params& deck,
                                                output::Summary& summary) {
  return std::make_unique<NonlinearScalar<Exec>>(exec, problem, deck, summary);
}

}  // namespace tessera::physics::scalar
