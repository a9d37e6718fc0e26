#include "physics/elasticity/elasticity.hpp"

#include <list>

#include "physics/elasticity/results.hpp"
#include "physics/elasticity/system.hpp"
#include "physics/rest.hpp"
#include "physics/run/modes_loads.hpp"
#include "physics/run/stationary.hpp"
#include "physics/scalar/mass.hpp"

namespace tessera::physics {

namespace {

using namespace elasticity;

class Elasticity final : public Model {
 public:
  Traits traits() const override {
    const std::vector<std::string> tensor{"xx", "yy", "zz", "xy", "yz", "xz"};
    Traits traits;
    traits.fields = {{.name = "u", .unit = "m", .vector = true, .measured = true},
                     {.name = "stress", .unit = "Pa", .components = tensor, .measured = true},
                     {.name = "von_mises", .unit = "Pa", .measured = true},
                     {.name = "strain", .components = tensor, .measured = true, .written = false},
                     {.name = "reaction", .unit = "N", .vector = true, .measured = true, .written = false}};
    traits.sections = {physics_description(), material_description(), boundary_description()};
    traits.precisions = all_precisions;
    traits.axis = true;
    traits.quantities = {"reaction"};
    traits.matrix_free = true;
    traits.solver.block = 3;
    traits.solver.grid = false;
    traits.solver.lower_orders = traits.solver.mass = traits.oscillates = true;
    traits.natural = "no traction";
    return traits;
  }

  Params& params() override { return params_; }
  void read(const deck::Deck& deck) override { elasticity::read(deck, params_); }
  void check(const deck::Deck&) override {
    if (solvers::wants_modes(params_.solver)) check_densities(params_);
  }
  std::vector<deck::Expression> expressions() override { return expressions_of(params_); }

  void add_groups(mesh::Mesh& mesh) override {
    add_rest({.materials = places(params_.materials),
              .boundaries = places(params_.boundaries),
              .quantities = params_.quantities},
             mesh);
  }

  DirichletData set_up(const Discretisation& space) override {
    lower_.clear();
    problem_ = std::make_unique<const Problem>(make_problem(params_, space));
    return problem_->dirichlet;
  }

  AtPoints evaluate(const Discretisation&, std::span<const double>, output::Summary&) override {
    const forms::ElasticityData data = elasticity_data(*problem_);
    std::vector<TractionValues> tractions;
    for (const FacetTerm& term : problem_->facets) tractions.push_back(traction_values(*problem_, term));
    if (solvers::wants_modes(params_.solver)) mass_data(*problem_);
    std::vector<std::span<const double>> loads = {data.force.values, data.initial.values};
    for (const TractionValues& values : tractions) loads.push_back(values.traction);
    warn_of_loads(params_.solver, problem_->dirichlet, loads);
    AtPoints coefficients{.tangent = data.stiffness.per_point,
                          .varies = data.stiffness.per_point,
                          .form = assembly::traits_of(problem_->form(), problem_->space.mesh.dim)};
    for (const forms::Coefficient* c : {&data.stiffness, &data.force, &data.initial, &data.radius})
      if (c->per_point) coefficients.bytes += 8.0 * static_cast<double>(c->values.size());
    return coefficients;
  }

  template <class Exec>
  void assemble(Exec& exec, const Discretisation& space, System<Exec>& system, output::Summary& summary) {
    make_system(exec, problem_in(space), system, summary);
  }

  template <class Exec>
  linalg::Crs<typename Exec::Space> mass(Exec& exec, const Discretisation& space) {
    return scalar::mass_matrix(exec, space, mass_data(*problem_));
  }

  std::unique_ptr<Results> results(const NodalSolution& solution) override {
    return std::make_unique<ElasticityResults>(*problem_, solution);
  }

 private:
  /// That of set_up, or the same in a space of a lower order on its mesh.
  const Problem& problem_in(const Discretisation& space) {
    if (&space == &problem_->space) return *problem_;
    for (const Problem& known : lower_)
      if (&known.space == &space) return known;
    return lower_.emplace_back(Problem{params_, space, problem_->body, problem_->material, problem_->facets,
                                       space.dirichlet, problem_->axis_rounding});
  }

  Params params_;
  std::unique_ptr<const Problem> problem_;
  std::list<Problem> lower_;
};

}  // namespace

std::unique_ptr<Module> make_elasticity() { return run_stationary<Elasticity>(); }

}  // namespace tessera::physics
