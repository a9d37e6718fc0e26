#include "physics/advection/advection.hpp"

#include <nlohmann/json.hpp>

#include "assembly/fields/quantities.hpp"
#include "physics/advection/flux_program.hpp"
#include "physics/advection/scalar_flow.hpp"
#include "physics/conservation/sides.hpp"
#include "physics/conservation/stages.hpp"
#include "physics/conservation/step_bytes.hpp"
#include "physics/rest.hpp"
#include "physics/run/initial.hpp"
#include "physics/run/stationary.hpp"

namespace tessera::physics {

namespace {

using namespace advection;

/// The integral of u at the start and at the end.
class Balance final : public Results {
 public:
  Balance(const NodalSolution& solution, const FirstIntegral& start) : s_(solution), start_(start) {}

  Totals totals() const override {
    const mesh::Group own = s_.own(nullptr);
    const assembly::FieldView u{s_.u, assembly::FieldLayout::by_nodes(1)};
    const assembly::Moments of = assembly::moments(s_.mesh, s_.space.dofs, u.component(0), &own, s_.threads);
    return {.sums = {of.measure, of.integral}};
  }
  void report(const Totals& totals, output::Summary& summary) const override {
    nlohmann::ordered_json all{{"volume", totals.sums[0]}, {"end", totals.sums[1]}};
    if (start_) all["start"] = *start_;
    summary.set_json("balance", all);
  }

 private:
  const NodalSolution& s_;
  const FirstIntegral& start_;
};

class Advection final : public Model {
 public:
  Traits traits() const override {
    Traits traits;
    traits.fields = {{.name = "u", .measured = true}};
    traits.sections = {physics_description(), flux_description(), boundary_description()};
    traits.transient = true;
    traits.systems = false;
    traits.schemes = conservation::time_schemes();
    traits.scheme = traits.schemes.front();
    traits.matrix_free = true;
    traits.solver.grid = false;
    return traits;
  }

  Params& params() override { return params_; }
  void read(const deck::Deck& deck) override { advection::read(deck, params_); }
  void check(const deck::Deck& deck) override {
    if (!params_.time)
      throw Error(ExitCode::usage, "the deck has no [time]: what is carried moves",
                  "add [time] with end, and cfl = 0.5", params_.physics.where);
    conservation::check_scheme(deck, *params_.time, params_.limiter);
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
    std::vector<Index> joined = conservation::joined_vertices(deck, params_, conservation::sides(params_.boundaries),
                                                              conservation::sides(params_.periodic), mesh);
    check_joined_velocities(params_, mesh, joined);
    return joined;
  }
  DirichletData set_up(const Discretisation& space) override {
    problem_ = std::make_unique<const Problem>(make_problem(params_, space));
    return {};
  }
  /// Data at the start, for their checks.
  AtPoints evaluate(const Discretisation& space, std::span<const double>, output::Summary&) override {
    const double t = params_.time->start;
    (void)velocity_at(*problem_, t);
    for (const InflowList& list : problem_->inflows) (void)values_at(*problem_, list, t);
    if (!params_.flux.function.empty()) {
      (void)programs_of(params_.flux);
      const FieldInfo field = traits().fields.front();
      check_jumps(
          *problem_,
          initial_values(params_.initial, params_.time, space, field, 0, initial_grids(params_.initial, space, field)),
          t);
    }
    return {.steps = conservation::step_bytes(space, conservation::limiter_named(params_.limiter), params_.time->scheme,
                                              resolve_backend(params_.run.backend))};
  }

  template <class Exec>
  void assemble(Exec&, const Discretisation&, System<Exec>&, output::Summary&) {
    throw Error(ExitCode::usage, "conservation laws have no stationary system", "use `tessera run`",
                params_.physics.where);
  }
  template <class Exec>
  std::unique_ptr<Flow<Exec>> flow(Exec& exec, const Discretisation&, output::Summary& summary) {
    return make_flow(exec, *problem_, start_, summary);
  }
  std::unique_ptr<Results> results(const NodalSolution& solution) override {
    return std::make_unique<Balance>(solution, start_);
  }

 private:
  Params params_;
  std::unique_ptr<const Problem> problem_;
  FirstIntegral start_;
};

}  // namespace

std::unique_ptr<Module> make_advection() { return run_stationary<Advection>(); }

}  // namespace tessera::physics
