#include "physics/poisson/poisson.hpp"

#include "physics/poisson/grid.hpp"
#include "physics/poisson/system.hpp"
#include "physics/run/stationary.hpp"
#include "physics/scalar/model.hpp"
#include "physics/scalar/system.hpp"

namespace tessera::physics {

namespace {

using namespace poisson;

class Poisson final : public ScalarModel {
 public:
  Traits traits() const override {
    Traits traits = traits_with(physics_description(), material_description());
    traits.solver.grid = true;
    traits.matrix_free = true;
    return traits;
  }

  Params& params() override { return params_; }
  void read(const deck::Deck& deck) override { poisson::read(deck, params_); }

  void check(const deck::Deck& deck) override {
    ScalarModel::check(deck);
    check_not_singular(params_.materials, params_.boundaries, params_.physics.where);
  }

  std::unique_ptr<GridMethod> grid_method(const deck::Deck& deck) override {
    if (!needs_grid(params_)) return nullptr;
    name_rest(params_);
    return make_grid_method(deck, params_);
  }

  AtPoints evaluate(const Discretisation& space, output::Summary&) override {
    const AtPoints coefficients = at_points(
        {diffusion_data(params_.materials, problem().material, space.mesh, space.dofs, space.threads), {}, {}});
    boundary_data(problem(), space.threads);
    return coefficients;
  }

  template <class Exec>
  void assemble(Exec& exec, const Discretisation&, System<Exec>& system, output::Summary& summary) {
    make_system(exec, problem(), system, summary);
  }

 private:
  WeakForm weak_form() override { return poisson::weak_form(); }

  Params params_;
};

}  // namespace

std::unique_ptr<Module> make_poisson() { return run_stationary<Poisson>(); }

}  // namespace tessera::physics
