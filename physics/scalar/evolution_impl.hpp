#pragma once
// make_evolution, written once: evolution.cpp and evolution_cuda.cpp instantiate it.
#include <fmt/format.h>

#include <utility>

#include "assembly/cells/assembler.hpp"
#include "base/profile.hpp"
#include "forms/robin.hpp"
#include "linalg/lump.hpp"
#include "linalg/vector_ops.hpp"
#include "physics/run/plan.hpp"
#include "physics/scalar/contact.hpp"
#include "physics/scalar/evolution.hpp"
#include "physics/scalar/system.hpp"

namespace tessera::physics::scalar {

/// Throws where the sums of rows are not positive at so many nodes.
[[noreturn]] void refuse_lumped(const Storage& storage, const mesh::Mesh& mesh, double nodes, const deck::Where& where);

/// Throws at the material where the coefficient of du/dt is not positive.
[[noreturn]] void refuse_storage(const Storage& storage, const MaterialParams& material, double value,
                                 const double* xyz);

template <class Exec>
class ScalarEvolution final : public Evolution<Exec> {
 public:
  using Space = typename Exec::Space;

  ScalarEvolution(Exec& exec, const Problem& problem, const Params& deck, const Storage& storage, const Storage& now,
                  output::Summary& summary)
      : exec_(exec), problem_(problem), deck_(deck), storage_(storage), now_(now), contacts_(problem, deck) {
    Scope scope(exec, "assemble.setup");
    const assembly::AssemblyOptions options{.strategy = deck.assembly.strategy,
                                            .partition_size = deck.assembly.partition_size,
                                            .couplings = &problem.couplings};
    assembler_ =
        std::make_unique<assembly::Assembler<Exec, forms::Diffusion>>(exec, problem.mesh, problem.dofs, options);
    summarise_assembly(assembler_->report(), summary);
  }

  linalg::Crs<Space> make_matrix() override {
    Scope scope(exec_, "assemble.setup");
    return assembler_->make_matrix();
  }

  void fill_mass(double t, std::span<const double> u, linalg::Crs<Space>& M) override {
    {
      Scope scope(exec_, "coefficients");
      set_storage(t, u);
    }
    {
      Scope scope(exec_, "assemble", assembler_->refill_bytes(M));
      if (no_loads_.empty()) no_loads_ = Array<double, Space>(M.rows);
      assembler_->refill(M, no_loads_.view());
      if (storage_.lumped) linalg::lump(exec_, M);
    }
    if (storage_.lumped) check_lumped(M);
  }

  void fill(double t, linalg::Crs<Space>& A, View<double> b) override {
    {
      Scope scope(exec_, "coefficients");
      set_coefficients(t);
    }
    {
      Scope scope(exec_, "assemble", assembler_->refill_bytes(A));
      assembler_->refill(A, b);
    }
    Scope scope(exec_, "boundary");
    for (const assembly::FacetIntegral& term : facet_integrals(problem_, problem_.space.threads))
      assembler_->add_facets(forms::Robin{}, *term.group, {term.alpha, term.g}, A, b);
    contacts_.take_time();
    if (const assembly::MatrixEntries& contacts = contacts_.at(); !contacts.rows.empty())
      assembly::add_entries(exec_, contacts, A);
  }

  void fill_loads(double t, linalg::Crs<Space>& A, View<double> b) override {
    {
      Scope scope(exec_, "coefficients");
      set_coefficients(t);
    }
    {
      Scope scope(exec_, "assemble");
      assembler_->refill_vector(b);
    }
    Scope scope(exec_, "boundary");
    for (const assembly::FacetIntegral& term : facet_integrals(problem_, problem_.space.threads))
      assembler_->add_facets(forms::Robin{}, *term.group, {{}, term.g}, A, b);
  }

 private:
  /// Whose expressions the assembler has, where the backend evaluates them.
  enum class Held { nothing, mass, coefficients };

  /// Row sums of order 2 and more are those of a quadrature at the nodes, of which a coefficient with jumps in a cell
  /// may make negative ones.
  void check_lumped(const linalg::Crs<Space>& M) {
    const Index rows = problem_.space.index_map.owned();
    Array<double, Space> diagonal(M.rows), bad(1);
    linalg::extract_diagonal(exec_, M.view(), diagonal.view());
    linalg::invert_diagonal(exec_, diagonal.view().part(0, rows), bad.data());
    if (to_vector(bad)[0] == 0) return;
    refuse_lumped(storage_, problem_.mesh, to_vector(bad)[0], deck_.physics.where);
  }

  void set_storage(double t, std::span<const double> u) {
    if (!evaluates_coefficients<Exec>(problem_.mesh)) {
      assembler_->set_data(storage_data(now_, problem_.params.materials, problem_.material, problem_.mesh,
                                        problem_.dofs, problem_.space.threads, u));
      return;
    }
    if (storage_.depends_on_solution()) state_ = to_space<Space>(u);
    if (held_ == Held::mass) return assembler_->set_time(t, state_.data());
    held_ = Held::nothing;
    assembly::ExpressionData expressions;
    expressions.t = t;
    expressions.u = state_.data();
    expressions.members.resize(2);
    for (const deck::Expression& e : storage_.coefficients) expressions.members[1].push_back({e});
    const auto refuse = [this](std::size_t, Index region, const double* value, const double* xyz) {
      refuse_storage(storage_, deck_.materials[static_cast<std::size_t>(region)], *value, xyz);
    };
    for (std::size_t m = 0; m < storage_.coefficients.size(); ++m)
      if (const deck::Expression& e = storage_.coefficients[m]; e.is_constant() && !(e.constant() > 0))
        refuse_storage(storage_, deck_.materials[m], e.constant(), nullptr);
    if (assembly::varies(expressions.members[1])) expressions.definite = {{1}, refuse};
    assembler_->set_data(regions(), expressions);
    held_ = Held::mass;
  }

  /// k, c and f; where the assembler has their expressions, these are evaluated again.
  void set_coefficients(double t) {
    const bool holds = std::exchange(held_, Held::coefficients) == Held::coefficients;
    if (!evaluates_coefficients<Exec>(problem_.mesh)) {
      assembler_->set_data(diffusion_data(problem_.params.materials, problem_.material, problem_.mesh, problem_.dofs,
                                          problem_.space.threads));
      return;
    }
    if (holds) return assembler_->set_time(t);
    assembly::ExpressionData expressions = diffusion_expressions(deck_.materials, 0, problem_.mesh.dim);
    expressions.t = t;
    assembler_->set_data(regions(), expressions);
  }

  forms::DiffusionData regions() const {
    forms::DiffusionData data;
    if (deck_.materials.size() > 1) data.region = problem_.material;
    return data;
  }

  Exec& exec_;
  const Problem& problem_;
  const Params& deck_;
  const Storage& storage_;
  const Storage& now_;
  ContactEntries contacts_;
  std::unique_ptr<assembly::Assembler<Exec, forms::Diffusion>> assembler_;
  Held held_ = Held::nothing;
  Array<double, Space> state_;     ///< [dofs] that the mass is evaluated at, where it depends on u
  Array<double, Space> no_loads_;  ///< what an assembly of M has beside it
};

template <class Exec>
std::unique_ptr<Evolution<Exec>> make_evolution(Exec& exec, const Problem& problem, const Params& deck,
                                                const Storage& storage, const Storage& now, output::Summary& summary) {
  return std::make_unique<ScalarEvolution<Exec>>(exec, problem, deck, storage, now, summary);
}

}  // namespace tessera::physics::scalar
