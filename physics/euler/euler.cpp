#include "physics/euler/euler.hpp"

#include "physics/conservation/sides.hpp"
#include "physics/euler/gas_flow.hpp"
#include "physics/euler/results.hpp"
#include "physics/rest.hpp"
#include "physics/run/stationary.hpp"

namespace tessera::physics {

namespace {

using namespace euler;

class Euler final : public Model {
 public:
  Traits traits() const override {
    Traits traits;
    traits.fields = {{.name = "state",
                      .components = {"density", "energy"},
                      .measured = true,
                      .written = false,
                      .own_names = true,
                      .axes = "momentum"}};
    for (FieldInfo& field : derived_fields()) traits.fields.push_back(std::move(field));
    traits.sections = {physics_description(), gas_description(), euler::initial_description(), boundary_description()};
    traits.transient = true;
    traits.own_start = true;
    traits.systems = false;
    traits.quantities_of_rates = false;
    traits.scheme = "ssp_rk3";
    traits.schemes = {"ssp_rk3", "ssp_rk2", "euler"};
    traits.quantities = {"force_x", "force_y", "force_z"};
    traits.matrix_free = true;
    traits.solver.grid = false;
    return traits;
  }

  Params& params() override { return params_; }
  void read(const deck::Deck& deck) override { euler::read(deck, params_); }
  void check(const deck::Deck&) override {
    if (!params_.time)
      throw Error(ExitCode::usage, "the deck has no [time]: gases flow", "add [time] with end, and cfl = 0.5",
                  params_.physics.where);
    for (const QuantityParams& quantity : params_.quantities) check_force(quantity);
    // There is no u: what is looked at where the deck names nothing is the density.
    const std::string none = QuantityParams().of;
    for (QuantityParams& quantity : params_.quantities)
      if (quantity.of == none) quantity.of = "density";
    for (ProbeParams& probe : params_.probes)
      if (probe.of == none) probe.of = "density";
  }
  std::vector<deck::Expression> expressions() override { return expressions_of(params_); }

  void add_groups(mesh::Mesh& mesh) override {
    add_rest({.materials = {},
              .boundaries = places(params_.boundaries),
              .periodic = places(params_.periodic),
              .quantities = params_.quantities},
             mesh);
  }

  std::vector<Index> joined_vertices(const deck::Deck& deck, const mesh::Mesh& mesh) override {
    return conservation::joined_vertices(deck, params_, conservation::sides(params_.boundaries),
                                         conservation::sides(params_.periodic), mesh);
  }

  DirichletData set_up(const Discretisation& space) override {
    for (const QuantityParams& quantity : params_.quantities)
      if (quantity.kind.starts_with("force_") && quantity.kind.back() - 'x' >= space.mesh.dim)
        throw Error(ExitCode::usage,
                    fmt::format("quantity '{}' is {}, and the mesh has {} dimension{}", quantity.name, quantity.kind,
                                space.mesh.dim, space.mesh.dim == 1 ? "" : "s"),
                    "a force has one component an axis of the mesh", quantity.where);
    problem_ = std::make_unique<const Problem>(make_problem(params_, space));
    return {};
  }

  /// States at the start, for their checks.
  AtPoints evaluate(const Discretisation&, std::span<const double>, output::Summary&) override {
    (void)first_state(*problem_);
    for (const BoundaryList& list : problem_->boundaries) (void)values_at(*problem_, list, params_.time->start);
    return {};
  }

  std::vector<double> start(const Discretisation&) override { return constrained(*problem_, first_state(*problem_)); }
  void starts_from(const Discretisation& space, const std::vector<double>& u) override {
    const std::vector<Index> fixed;
    start_ = totals_of({.mesh = space.mesh,
                        .space = space,
                        .dof_points = space.dof_points,
                        .fixed = fixed,
                        .u = u,
                        .threads = space.threads,
                        .share = space.shared()});
  }

  template <class Exec>
  void assemble(Exec&, const Discretisation&, System<Exec>&, output::Summary&) {
    throw Error(ExitCode::usage, "gases have no stationary system", "use `tessera run`", params_.physics.where);
  }

  template <class Exec>
  std::unique_ptr<Flow<Exec>> flow(Exec& exec, const Discretisation&, output::Summary& summary) {
    return make_flow(exec, *problem_, summary);
  }

  std::unique_ptr<Results> results(const NodalSolution& solution) override {
    return std::make_unique<FlowResults>(*problem_, solution, start_);
  }

 private:
  void check_force(const QuantityParams& quantity) const {
    if (!quantity.kind.starts_with("force_")) return;
    if (quantity.on.empty())
      throw Error(ExitCode::usage, fmt::format("quantity '{}' is a force on nothing", quantity.name),
                  "name groups of facets: on = [\"...\"]", quantity.where);
    if (quantity.of != QuantityParams().of)
      throw Error(ExitCode::usage,
                  fmt::format("quantity '{}' is a force, and of = \"{}\" has no effect", quantity.name, quantity.of),
                  "leave of out: forces are those of the pressure", quantity.where);
  }

  Params params_;
  std::unique_ptr<const Problem> problem_;
  std::vector<double> start_;  ///< totals of the first state; empty where a run goes on
};

}  // namespace

std::unique_ptr<Module> make_euler() { return run_stationary<Euler>(); }

}  // namespace tessera::physics
