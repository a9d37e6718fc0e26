#include "physics/poisson/poisson.hpp"

#include <fmt/format.h>

#include "physics/poisson/grid.hpp"
#include "physics/run/modes_loads.hpp"
#include "physics/run/stationary.hpp"
#include "physics/scalar/diffusion_system.hpp"
#include "physics/scalar/evolution.hpp"
#include "physics/scalar/mass.hpp"
#include "physics/scalar/model.hpp"
#include "physics/scalar/nonlinear.hpp"
#include "physics/scalar/system.hpp"

namespace tessera::physics {

namespace {

using namespace poisson;

class Poisson final : public ScalarModel {
 public:
  Traits traits() const override {
    Traits traits = traits_with(physics_description(), material_description(), deck::Knows::solution);
    traits.solver.grid = traits.solver.lower_orders = traits.matrix_free = true;
    traits.sources = traits.solver.mass = true;
    allow_for_tangent(params_, traits);
    return traits;
  }

  Params& params() override { return params_; }
  void read(const deck::Deck& deck) override { poisson::read(deck, params_); }

  void check(const deck::Deck& deck) override {
    ScalarModel::check(deck);
    if (solvers::shift_of(params_.solver) == 0)
      check_not_singular(params_.materials, params_.boundaries, params_.physics.where,
                         solvers::wants_modes(params_.solver));
    if (is_nonlinear() && params_.physics.discretisation != "galerkin")
      throw Error(ExitCode::usage,
                  fmt::format("coefficients depend on u: physics.discretisation = \"{}\" has no tangents",
                              params_.physics.discretisation),
                  "choose discretisation = \"galerkin\"", params_.physics.where);
  }

  bool is_nonlinear() override { return scalar::is_nonlinear(params_); }

  DirichletData set_up(const Discretisation& space) override {
    DirichletData dirichlet = ScalarModel::set_up(space);
    check_tangent(params_, space.mesh.dim);
    return dirichlet;
  }

  std::unique_ptr<GridMethod> grid_method(const deck::Deck& deck) override {
    if (!needs_grid(params_)) return nullptr;
    name_rest(params_);
    return make_grid_method(deck, params_);
  }

  AtPoints evaluate(const Discretisation& space, std::span<const double> u, output::Summary&) override {
    if (is_nonlinear()) return evaluate_tangent(problem(), u);
    const forms::ConvectionData data{
        diffusion_data(params_.materials, problem().material, space.mesh, space.dofs, space.threads), {}, {}};
    const assembly::BoundaryData boundary = boundary_data(problem(), space.threads);
    std::vector<std::span<const double>> loads = {data.diffusion.f.values};
    for (const assembly::FacetIntegral& facets : boundary.facets) loads.push_back(facets.g);
    warn_of_loads(params_.solver, space.dirichlet, loads);
    AtPoints coefficients = at_points(data);
    coefficients.form = assembly::traits_of(forms::Diffusion(), space.mesh.dim);
    return coefficients;
  }

  template <class Exec>
  void assemble(Exec& exec, const Discretisation& space, System<Exec>& system, output::Summary& summary) {
    const std::optional<forms::CellSums> sums = make_diffusion_system(exec, problem_in(space), system, summary);
    if (!system.with_loads) return;
    sums_ = sums;
    if (space.ranks) sums_.reset();  // of a part
  }

  template <class Exec>
  linalg::Crs<typename Exec::Space> mass(Exec& exec, const Discretisation& space) {
    const Storage one{.coefficients = {deck::Expression("1")}};
    return mass_matrix(exec, space,
                       storage_data(one, params_.materials, problem().material, space.mesh, space.dofs, space.threads),
                       &problem().couplings);
  }

  template <class Exec>
  std::unique_ptr<Nonlinear<Exec>> nonlinear(Exec& exec, const Discretisation& space, output::Summary& summary) {
    return make_nonlinear(exec, problem_in(space), params_, summary);
  }

 private:
  WeakForm weak_form() override {
    WeakForm form = scalar::diffusion_form();
    form.sums = sums_;
    return form;
  }

  Params params_;
  std::optional<forms::CellSums> sums_;  ///< of the assembly
};

}  // namespace

std::unique_ptr<Module> make_poisson() { return run_stationary<Poisson>(); }

}  // namespace tessera::physics
