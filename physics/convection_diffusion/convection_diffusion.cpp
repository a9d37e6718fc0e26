#include "physics/convection_diffusion/convection_diffusion.hpp"

#include "physics/convection_diffusion/grid.hpp"
#include "physics/convection_diffusion/problem.hpp"
#include "physics/run/stationary.hpp"
#include "physics/scalar/model.hpp"
#include "physics/scalar/results.hpp"
#include "physics/scalar/system.hpp"

namespace tessera::physics {

namespace {

using namespace convection_diffusion;
using Params = convection_diffusion::Params;

/// On one rank the assembly says the Peclet number; of several each saw a part of the mesh.
class ResultsOverRanks final : public scalar::ScalarResults {
 public:
  ResultsOverRanks(const scalar::Solution& solution, const Params& params, double peclet)
      : ScalarResults(solution), params_(params), peclet_(peclet) {}

  Totals totals() const override {
    Totals totals = ScalarResults::totals();
    totals.largest = {peclet_};
    return totals;
  }
  void report(const Totals& totals, output::Summary& summary) const override {
    report_peclet(params_, totals.largest.front(), summary);
    ScalarResults::report(totals, summary);
  }

 private:
  const Params& params_;
  double peclet_;
};

class ConvectionDiffusion final : public scalar::ScalarModel {
 public:
  Traits traits() const override {
    Traits traits = traits_with(physics_description(), material_description());
    traits.solver = offers_of(params_.on_grid());
    traits.solver_help =
        "bicgstab: little memory; gmres: never breaks down, keeps `restart` vectors; lu: direct, on threads; "
        "lsor, lmsor, msor, sor: red-black relaxation of finite_difference, whose default is lsor";
    return traits;
  }

  Params& params() override { return params_; }
  void read(const deck::Deck& deck) override { convection_diffusion::read(deck, params_); }

  void check(const deck::Deck& deck) override {
    convection_diffusion::check_choices(params_, deck);
    ScalarModel::check(deck);
    if (!params_.on_grid()) check_not_singular(params_.materials, params_.boundaries, params_.physics.where);
  }

  std::vector<deck::Expression> expressions() override {
    std::vector<deck::Expression> all = ScalarModel::expressions();
    for (const auto& velocity : params_.velocity) all.insert(all.end(), velocity.begin(), velocity.end());
    return all;
  }

  std::unique_ptr<GridMethod> grid_method(const deck::Deck& deck) override {
    if (!params_.on_grid()) return nullptr;
    name_rest(params_);
    return make_grid_method(deck, params_);
  }

  DirichletData set_up(const Discretisation& space) override {
    DirichletData dirichlet = ScalarModel::set_up(space);
    check_velocity(params_.velocity, params_.materials, space.mesh.dim);
    return dirichlet;
  }

  AtPoints evaluate(const Discretisation& space, std::span<const double>, output::Summary& summary) override {
    AtPoints coefficients;
    {
      const forms::ConvectionData data = convection_data(params_, problem());
      report_peclet(params_, largest_peclet(problem(), data), summary);
      coefficients = at_points(data);
    }
    coefficients.form = assembly::traits_of(forms::Convection{.supg = params_.supg()}, space.mesh.dim);
    boundary_data(problem(), space.threads);
    return coefficients;
  }

  std::unique_ptr<Results> results(const NodalSolution& solution) override {
    if (!solution.share) return ScalarModel::results(solution);
    return std::make_unique<ResultsOverRanks>(of(solution), params_,
                                              largest_peclet(problem(), convection_data(params_, problem(), false)));
  }

  template <class Exec>
  void assemble(Exec& exec, const Discretisation&, System<Exec>& system, output::Summary& summary) {
    summary.set("space.discretisation", params_.physics.discretisation);
    make_system(exec, params_, problem(), system, summary);
  }

 private:
  std::vector<std::vector<deck::Expression>> velocity() const override { return params_.velocity; }
  WeakForm weak_form() override {
    const std::optional<Unfolded>& unfolded = problem().space.unfolded;
    return convection_diffusion::weak_form(params_, unfolded ? unfolded->became : std::span<const Index>());
  }

  Params params_;
};

}  // namespace

std::unique_ptr<Module> make_convection_diffusion() { return run_stationary<ConvectionDiffusion>(); }

}  // namespace tessera::physics
