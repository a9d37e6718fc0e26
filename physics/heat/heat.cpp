#include "physics/heat/heat.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "physics/at_time.hpp"
#include "physics/entry.hpp"
#include "physics/heat/params.hpp"
#include "physics/run/stationary.hpp"
#include "physics/scalar/at_time.hpp"
#include "physics/scalar/diffusion_system.hpp"
#include "physics/scalar/evolution.hpp"
#include "physics/scalar/lumped.hpp"
#include "physics/scalar/model.hpp"
#include "physics/scalar/nonlinear.hpp"
#include "physics/scalar/system.hpp"
#include "physics/time_scheme.hpp"

namespace tessera::physics {

namespace {

using namespace heat;

/// One component an axis.
void check_velocity(const Params& params, int dim) {
  for (std::size_t m = 0; m < params.velocity.size(); ++m)
    if (const std::size_t given = params.velocity[m].size(); given > 0 && given != static_cast<std::size_t>(dim))
      throw Error(ExitCode::usage,
                  fmt::format("the velocity has {} component{}; in {} dimensions it has {}", given,
                              given == 1 ? "" : "s", dim, dim),
                  fmt::format("write a list of {} expressions", dim), params.materials[m].where);
}

class Heat final : public scalar::ScalarModel {
 public:
  Traits traits() const override {
    Traits traits = traits_with(physics_description(), material_description());
    traits.sections.back() = boundary_description();
    traits.transient = true;
    traits.sources = true;
    traits.matrix_free = !params_.time;
    traits.solver.lower_orders = true;
    Params whole = params_;
    if (!carried_) carry(whole);
    scalar::allow_for_tangent(whole, traits);
    return traits;
  }

  Params& params() override { return params_; }
  void read(const deck::Deck& deck) override { heat::read(deck, params_); }

  void check(const deck::Deck& deck) override {
    ScalarModel::check(deck);
    add_storage_to_derived();
    carry(params_);
    carried_ = true;
    if (params_.time) check_explicit(params_, params_.lumped, "bdf2");
    if (params_.time && !is_implicit(*params_.time))
      for (std::size_t m = 0; m < params_.velocity.size(); ++m)
        if (!params_.velocity[m].empty())
          throw Error(
              ExitCode::usage,
              fmt::format("time.scheme = \"{}\" is explicit, and there is a velocity: how long its steps may be "
                          "is known for conduction alone",
                          params_.time->scheme),
              "choose an implicit scheme such as \"bdf2\"", params_.materials[m].where);
    if (!params_.time) check_not_singular(params_.materials, params_.boundaries, params_.physics.where);
    storage_ = {params_.capacity, params_.lumped, "density * heat_capacity"};
    storage_now_ = storage_;
  }

  std::vector<deck::Expression> expressions() override {
    std::vector<deck::Expression> all = ScalarModel::expressions();
    all.insert(all.end(), params_.capacity.begin(), params_.capacity.end());
    for (const std::vector<deck::Expression>& v : params_.velocity) all.insert(all.end(), v.begin(), v.end());
    return all;
  }

  bool is_nonlinear() override {
    return scalar::is_nonlinear(params_) || (params_.time && storage_.depends_on_solution());
  }

  DirichletData set_up(const Discretisation& space) override {
    scalar::check_lumped(params_.physics, params_.lumped, space.mesh);
    check_velocity(params_, space.mesh.dim);
    DirichletData dirichlet = ScalarModel::set_up(space);
    scalar::check_tangent(params_, space.mesh.dim);
    take_storage();
    return dirichlet;
  }

  AtPoints evaluate(const Discretisation& space, std::span<const double> u, output::Summary&) override {
    if (params_.time) storage_of(space.mesh, space.dofs, problem().material, u, space.threads);
    if (is_nonlinear()) return scalar::evaluate_tangent(problem(), u);
    AtPoints coefficients = scalar::at_points(
        {diffusion_data(now().materials, problem().material, space.mesh, space.dofs, space.threads), {}, {}});
    boundary_data(problem(), space.threads);
    coefficients.form = assembly::traits_of(forms::Diffusion(), space.mesh.dim);
    return coefficients;
  }

  Varying varying() override {
    const scalar::TimeDependence of = scalar::time_dependence(params_);
    return {.mass = std::any_of(params_.capacity.begin(), params_.capacity.end(),
                                [](const deck::Expression& e) { return e.depends_on_time(); }),
            .stiffness = of.coefficients || of.alphas,
            .loads = of.sources || of.flows,
            .prescribed = of.prescribed,
            .mass_of_solution = storage_.depends_on_solution()};
  }

  DirichletData move_to(double t) override {
    DirichletData prescribed = ScalarModel::move_to(t);
    take_storage();
    return prescribed;
  }

  template <class Exec>
  void assemble(Exec& exec, const Discretisation& space, System<Exec>& system, output::Summary& summary) {
    const std::optional<forms::CellSums> sums = make_diffusion_system(exec, problem_in(space), system, summary);
    if (!system.with_loads) return;
    sums_ = sums;
    if (space.ranks) sums_.reset();  // of a part
  }

  template <class Exec>
  std::unique_ptr<Nonlinear<Exec>> nonlinear(Exec& exec, const Discretisation& space, output::Summary& summary) {
    return scalar::make_nonlinear(exec, problem_in(space), params_, summary);
  }

  template <class Exec>
  std::unique_ptr<Evolution<Exec>> evolution(Exec& exec, const Discretisation& space, output::Summary& summary) {
    return make_evolution(exec, problem_in(space), params_, storage_, storage_now_, summary);
  }

 private:
  /// A source that makes [exact] the solution has what is stored by it, too.
  void add_storage_to_derived() {
    if (!params_.exact || !params_.exact->source || !params_.time) return;
    const deck::Expression& u = params_.exact->u.front();
    const deck::Expression rate = derivative(u, deck::Variable::t);
    if (is_zero(rate)) return;
    const std::array<deck::Replacement, 1> exact{{{deck::Variable::u, u}}};
    for (std::size_t m = 0; m < params_.materials.size(); ++m)
      params_.materials[m].source = params_.materials[m].source + substitute(params_.capacity[m], exact) * rate;
  }

  /// What a velocity carries away is a source that depends on grad u: -rho c v . grad u.
  static void carry(Params& params) {
    constexpr std::array<const char*, 3> slopes = {"ux", "uy", "uz"};
    for (std::size_t m = 0; m < params.materials.size(); ++m)
      for (std::size_t axis = 0; axis < params.velocity[m].size() && axis < slopes.size(); ++axis) {
        const deck::Expression slope(slopes[axis], {}, deck::Knows::gradient);
        params.materials[m].source =
            params.materials[m].source + deck::Expression(-1.0) * params.capacity[m] * params.velocity[m][axis] * slope;
      }
  }

  /// rho c v, for a source that makes [exact] the solution.
  std::vector<std::vector<deck::Expression>> velocity() const override {
    std::vector<std::vector<deck::Expression>> carried = params_.velocity;
    for (std::size_t m = 0; m < carried.size(); ++m)
      for (deck::Expression& v : carried[m]) v = params_.capacity[m] * v;
    return carried;
  }

  void take_storage() {
    for (std::size_t m = 0; m < storage_.coefficients.size(); ++m)
      storage_now_.coefficients[m] = at_time(storage_.coefficients[m], time());
  }

  forms::DiffusionData storage_of(const mesh::Mesh& mesh, const assembly::DofMap& dofs,
                                  const std::vector<Index>& material, std::span<const double> u, int threads) const {
    return scalar::storage_data(storage_now_, params_.materials, material, mesh, dofs, threads, u);
  }

  scalar::WeakForm weak_form() override {
    scalar::WeakForm form = scalar::diffusion_form();
    form.sums = sums_;
    form.lumped = storage_.lumped;
    form.mass = [this](const mesh::Mesh& mesh, const assembly::DofMap& dofs, const std::vector<Index>& material,
                       std::span<const double> u, int threads) { return storage_of(mesh, dofs, material, u, threads); };
    return form;
  }

  Params params_;
  bool carried_ = false;                 ///< the sources have what velocities carry
  scalar::Storage storage_;              ///< with t in its expressions
  scalar::Storage storage_now_;          ///< at the time that the model was moved to
  std::optional<forms::CellSums> sums_;  ///< of the assembly of a steady state
};

}  // namespace

std::unique_ptr<Module> make_heat() { return run_stationary<Heat>(); }

}  // namespace tessera::physics
