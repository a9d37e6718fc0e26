#include "physics/euler/euler.hpp"

#include "assembly/space/estimated_entries.hpp"
#include "base/counted.hpp"
#include "physics/conservation/sides.hpp"
#include "physics/conservation/stages.hpp"
#include "physics/conservation/step_bytes.hpp"
#include "physics/euler/gas_flow.hpp"
#include "physics/euler/results.hpp"
#include "physics/groups.hpp"
#include "physics/rest.hpp"
#include "physics/run/backend.hpp"
#include "physics/run/stationary.hpp"
#include "physics/time_scheme.hpp"
#include "solvers/solve.hpp"

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
    traits.sections = {physics_description(),        gas_description(),
                       euler::initial_description(), boundary_description(),
                       steady_description(),         newton_description(),
                       reference_description(),      surface_description(derived_fields())};
    traits.transient = true;
    traits.own_start = true;
    traits.systems = false;
    traits.quantities_of_rates = false;
    traits.schemes = conservation::time_schemes();
    traits.scheme = traits.schemes.front();
    traits.precisions = all_precisions;
    for (const std::string& name : implicit_schemes()) traits.schemes.push_back(name);
    traits.solver.symmetric = false;
    traits.solver.why_not_symmetric = "which the Jacobian of fluxes is not";
    traits.solver.type = "gmres";
    traits.solver.block = 3;
    traits.quantities = {"force_x", "force_y", "force_z", "drag_coefficient", "lift_coefficient", "moment_coefficient"};
    traits.matrix_free = true;
    traits.solver.grid = false;
    return traits;
  }

  Params& params() override { return params_; }
  void read(const deck::Deck& deck) override {
    euler::read(deck, params_);
    params_.surfaces = read_surfaces(deck, derived_fields());
  }
  void check(const deck::Deck& deck) override {
    if (!params_.time)
      throw Error(ExitCode::usage, "the deck has no [time]: gases flow", "add [time] with end, and cfl = 0.5",
                  params_.physics.where);
    conservation::check_scheme(deck, *params_.time, params_.limiter);
    if (is_implicit(*params_.time))  // what is left out depends on the backend, but not whether it fits together
      solvers::check(solver_of_steps(params_, Threads::name));
    if (params_.steady && params_.time->step)
      throw Error(ExitCode::usage, "[steady] chooses the steps of each node, and [time] has a step",
                  "give time.cfl, and in time.end how many steps there may be", params_.steady->where);
    for (const QuantityParams& quantity : params_.quantities) check_force(quantity);
    check_surfaces(params_.surfaces, params_.lines);
    check_reference(params_.reference, asked(), params_.gas.covolume);
    check_limiter_field();
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
    check_axes_of_forces(space.mesh);
    if (!space.ranks)
      for (const SurfaceParams& surface : params_.surfaces)
        (void)united_groups(space.mesh, surface.on, space.mesh.dim - 1, surface.where);
    problem_ = std::make_unique<const Problem>(make_problem(params_, space));
    return {};
  }

  /// States at the start, for their checks.
  AtPoints evaluate(const Discretisation& space, std::span<const double>, output::Summary&) override {
    (void)first_state(*problem_);
    for (const BoundaryList& list : problem_->boundaries) (void)values_at(*problem_, list, params_.time->start);
    return {.steps = bytes_of_steps(space)};
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
  StepBytes bytes_of_steps(const Discretisation& space) const {
    const std::string backend = resolve_backend(params_.run.backend);
    StepBytes bytes =
        conservation::step_bytes(space, conservation::limiter_named(params_.limiter), params_.time->scheme, backend,
                                 params_.run.precision == "float" && !is_implicit(*params_.time));
    if (!is_implicit(*params_.time)) return bytes;
    const double n = space.components, nodes = space.dofs.dofs, blocks = assembly::estimated_entries(space.dofs);
    double bounded = 0;
    for (const BoundaryList& list : problem_->boundaries)
      if (list.kind != BoundaryKind::outflow) bounded += static_cast<double>(list.nodes.size());
    // Block rows, vectors beside those of explicit steps, where boundary nodes stand and what boundaries make of
    // changes there, and the solver.
    bytes.kept += blocks * (8 * n * n + 4) + nodes * (8 + 8 * 7 * n + 4) + bounded * (4 + 8 * n * n) +
                  solvers::solver_bytes(solver_of_steps(params_, backend), {.rows = n * nodes,
                                                                            .entries = n * n * blocks,
                                                                            .on_cuda = backend == "cuda",
                                                                            .block = n,
                                                                            .copies_entries = true,
                                                                            .dim = space.mesh.dim});
    return bytes;
  }
  static bool is_force(const QuantityParams& quantity) {
    return quantity.kind.starts_with("force_") || needs_reference(quantity.kind);
  }
  /// Fields and kinds of quantities that the deck asks for.
  std::vector<Asked> asked() const {
    std::vector<Asked> all;
    for (const QuantityParams& quantity : params_.quantities) {
      all.push_back({quantity.kind, quantity.where});
      all.push_back({quantity.of, quantity.where});
    }
    for (const std::string& field : params_.output.fields) all.push_back({field, params_.output.where});
    for (const LineParams& line : params_.lines)
      for (const std::string& field : line.of) all.push_back({field, line.where});
    for (const SurfaceParams& surface : params_.surfaces)
      for (const std::string& field : surface.of) all.push_back({field, surface.where});
    return all;
  }
  void check_limiter_field() const {
    if (params_.limiter == "convex" || params_.limiter == "monolithic") return;
    for (const Asked& field : asked())
      if (field.what == "limiter")
        throw Error(ExitCode::usage,
                    fmt::format("the field 'limiter' is of limiter = \"convex\" or \"monolithic\", and the deck has "
                                "limiter = \"{}\"",
                                params_.limiter),
                    "choose one of these, or leave the field out", field.where);
  }
  void check_axes_of_forces(const mesh::Mesh& mesh) const {
    for (const QuantityParams& quantity : params_.quantities) {
      const bool beyond = quantity.kind.starts_with("force_") && quantity.kind.back() - 'x' >= mesh.dim;
      if (beyond || (needs_reference(quantity.kind) && mesh.dim == 1))
        throw Error(ExitCode::usage,
                    fmt::format("quantity '{}' is {}, and the mesh has {} dimension{}", quantity.name, quantity.kind,
                                mesh.dim, mesh.dim == 1 ? "" : "s"),
                    beyond ? "a force has one component an axis of the mesh"
                           : "coefficients of forces are those of two or three dimensions",
                    quantity.where);
    }
    if (!params_.reference) return;
    const ReferenceParams& reference = *params_.reference;
    if (!reference.centre.empty() && static_cast<int>(reference.centre.size()) != mesh.dim)
      throw Error(ExitCode::usage,
                  fmt::format("reference.centre has {}, and the mesh {}", counted(reference.centre.size(), "number"),
                              counted(mesh.dim, "dimension")),
                  "give one number an axis", reference.where);
    if (reference.area && mesh.dim != 3)
      throw Error(ExitCode::usage, "reference.area is of three dimensions, and the mesh has fewer",
                  "leave it out: forces in the plane are divided by reference.length", reference.where);
  }
  void check_force(const QuantityParams& quantity) const {
    if (!is_force(quantity)) return;
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
