#include "physics/run/stationary.hpp"
#include "physics/run/lower_orders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/collective.hpp"
#include "base/thread_limit.hpp"
#include "linalg/block_ops.hpp"
#include "linalg/halo.hpp"
#include "mesh/box.hpp"
#include "mesh/groups.hpp"
#include "mesh/make_mesh.hpp"
#include "physics/at_time.hpp"
#include "physics/run/errors.hpp"
#include "physics/run/forecast.hpp"
#include "physics/run/in_common.hpp"
#include "physics/run/initial.hpp"
#include "physics/run/memory_estimate.hpp"
#include "physics/run/on_grid.hpp"
#include "physics/run/rank_run.hpp"
#include "physics/run/read_deck.hpp"
#include "physics/run/report.hpp"
#include "physics/run/results.hpp"
#include "physics/run/shown.hpp"
#include "physics/run/space.hpp"
#include "physics/run/traces.hpp"
#include "solvers/eigen/free_rows.hpp"

namespace tessera::physics {

namespace {

void prescribe(const DirichletData& dirichlet, std::vector<double>& u) {
  for (std::size_t i = 0; i < dirichlet.dofs.size(); ++i)
    u[static_cast<std::size_t>(dirichlet.dofs[i])] = dirichlet.values[i];
}

}  // namespace

deck::Schema StationaryRun::schema() const { return schema_of(model().traits()); }

/// The deck with what the command line says over it, and every check that needs no mesh.
void StationaryRun::read(const Context& context) {
  deck::check(context.deck, schema_for(context.deck));
  read_deck(context, model());
}

deck::Schema StationaryRun::schema_for(const deck::Deck& deck) {
  model().begin(deck);
  return schema();
}

/// Mesh and space. Returns Model::joined_vertices.
std::vector<Index> StationaryRun::discretise(const Context& context, Discretisation& space) {
  const CommonParams& params = model().params();
  space.threads = Threads(params.run.threads).count();
  space.mesh = mesh::make_mesh(context.deck, params.mesh, space.threads, {context.stop, context.progress},
                               model().traits().axis ? mesh::Revolution::known : mesh::Revolution::refused);
  return make_checked_space(context, space);
}

/// The space on the mesh; names, groups and points of the deck are checked.
std::vector<Index> StationaryRun::make_checked_space(const Context& context, Discretisation& space) {
  const CommonParams& params = model().params();
  const Traits traits = model().traits();
  Threads exec(space.threads);
  std::vector<Index> joined;
  model().add_groups(space.mesh);
  {
    Scope scope(exec, "dofs");
    joined = model().joined_vertices(context.deck, space.mesh);
    make_space(context.deck, params.physics, traits.fields.front().count(space.mesh.dim), joined,
               line_nodes(params.physics, space.mesh), space);
  }
  check_axes(expressions_of(model()), space.mesh.dim);
  check_quantities(params.quantities, space.mesh);
  check_shown(params.output, space.mesh);
  check_quantity_fields(params.quantities, traits, space.mesh.dim);
  check_lines(params.lines, space.mesh);
  check_probes(params.probes, traits.fields.front(), space.mesh);
  check_sources(params.sources, space.mesh);
  check_exact(params.exact, space.mesh.dim, traits.fields.front());
  return joined;
}

/// Before `set_up` of what is solved, which may ask for the plan. Collective where ranks share the space.
void StationaryRun::settle(const Discretisation& space, int planned_ranks, output::Summary& summary) {
  CommonParams& params = model().params();
  const bool one_system = !params.time && !model().is_nonlinear() && params.initial.empty();
  const std::string why = settle_preconditioner(params, model().traits(), space, one_system, planned_ranks);
  if (!why.empty()) summary.set("solver.why", why);
}

void StationaryRun::set_up(Discretisation& space) {
  space.dirichlet = model().set_up(space);
  plan_of(space);  // for its checks
  check_lower_orders(model().params());
}

/// Collective.
void StationaryRun::make_sources(const Discretisation& space) {
  sources_ = Sources(model().params(), model().traits().fields.front(), space);
}

/// The method of grids that the deck asks for, if any.
std::unique_ptr<GridMethod> StationaryRun::grid_method(const Context& context) {
  std::unique_ptr<GridMethod> method = model().grid_method(context.deck);
  if (!method) return method;
  CommonParams& params = model().params();
  if (params.solver.preconditioner == solvers::automatic) params.solver.preconditioner = "jacobi";
  refuse_initial_files(params);
  if (!params.sources.empty())
    throw Error(ExitCode::usage, "[[source]] is added to the rows of a mesh, and the deck asks for a method of grids",
                "choose a solver of `tessera list solvers` that works on meshes, as \"cg\"",
                params.sources.front().where);
  return method;
}

Plan StationaryRun::plan_of(const Discretisation& space) const {
  return model().traits().matrix_free ? plan_operator(model().params(), space) : Plan{};
}

/// What [[initial]] says. Over ranks a ghost has the value of its owner, for its own cells may not be in the group.
std::vector<double> StationaryRun::initial(const Discretisation& space, double level, bool rate) const {
  const CommonParams& params = model().params();
  const std::vector<InitialParams>& entries = rate ? params.initial_rates : params.initial;
  const FieldInfo own = model().traits().fields.front(), field = rate ? own.rate_field() : own;
  const InitialGrids grids = initial_grids(entries, space, field);
  if (!space.ranks) return initial_values(entries, params.time, space, field, level, grids);
  std::vector<double> u;
  on_each_rank(*space.ranks, [&] { u = initial_values(entries, params.time, space, field, level, grids); });
  if (!u.empty()) linalg::update_ghosts(*space.ranks, space.index_map, space.components, u);
  return u;
}

/// Where the deck has no start, u starts at the level that its Dirichlet values made.
Start StationaryRun::start_of(const Discretisation& space, double level) const {
  std::vector<double> u = initial(space, level);
  for (double& value : u) value -= level;
  const bool zero = space.ranks ? any(*space.ranks, !space.dirichlet.dofs.empty()) : !space.dirichlet.dofs.empty();
  if (u.empty() && zero) u.assign(static_cast<std::size_t>(space.rows()), 0.0);
  const Index rows = space.owned_rows();
  if (!u.empty()) u.resize(static_cast<std::size_t>(rows));
  return {std::move(u), of_owned_rows(below(space.dirichlet, level), rows)};
}

std::vector<double> StationaryRun::nonlinear_start(const Discretisation& space) const {
  if (!model().is_nonlinear()) return {};
  if (model().params().time) return first_state(space).u;
  const double level = level_of(space.dirichlet);
  std::vector<double> u = initial(space, level);
  if (u.empty()) u.assign(static_cast<std::size_t>(space.rows()), level);
  return u;
}

State StationaryRun::first_state(const Discretisation& space) const {
  const auto rows = static_cast<std::size_t>(space.rows());
  State state{.t = model().params().time->start, .step = 0, .u = {}, .rate = {}};
  if (model().traits().own_start) {
    in_common::each(space.shared(), [&] { state.u = model().start(space); });
    if (space.ranks) linalg::update_ghosts(*space.ranks, space.index_map, space.components, state.u);
    in_common::each(space.shared(), [&] { model().starts_from(space, state.u); });
    return state;
  }
  state.u = initial(space, 0);
  if (state.u.empty()) state.u.assign(rows, 0.0);
  if (model().traits().fields.front().rate.empty()) return state;
  state.rate = initial(space, 0, true);
  if (state.rate.empty()) state.rate.assign(rows, 0.0);
  std::vector<double> more;
  in_common::each(space.shared(), [&] { more = model().start(space); });
  if (more.empty()) return state;
  for (std::size_t row = 0; row < rows; ++row) state.u[row] += more[row], state.rate[row] += more[rows + row];
  for (std::vector<double>* of : {&state.u, &state.rate})
    if (space.ranks) linalg::update_ghosts(*space.ranks, space.index_map, space.components, *of);
  return state;
}

void StationaryRun::with_solution(const Discretisation& space, double t, const std::vector<double>& of_space,
                                  const std::vector<double>& rate_of_space,
                                  const std::function<void(const NodalSolution&, Results&)>& visit) {
  std::vector<double> unfolded, unfolded_rate;
  if (space.unfolded) {
    unfolded = unfold(*space.unfolded, of_space);
    if (!rate_of_space.empty()) unfolded_rate = unfold(*space.unfolded, rate_of_space);
  }
  const std::vector<double>& u = space.unfolded ? unfolded : of_space;
  const std::vector<double>& rate = space.unfolded ? unfolded_rate : rate_of_space;
  const std::vector<Index> fixed = fixed_rows(space);
  const NodalSolution solution{.mesh = space.mesh,
                               .space = space.solution_space(),
                               .dof_points = space.solution_points(),
                               .fixed = fixed,
                               .u = u,
                               .threads = space.threads,
                               .share = space.shared(),
                               .rate = rate.empty() ? nullptr : &rate,
                               .loads = sources_ ? &sources_.loads() : nullptr,
                               .strengths = sources_.strengths(t)};
  std::unique_ptr<Results> results;
  in_common::each(solution.share, [&] { results = model().results(solution); });
  visit(solution, *results);
}

void StationaryRun::write_state(const Discretisation& space, State& state, bool may_take, Frames& frames,
                                Context& context, bool converged) {
  const CommonParams& params = model().params();
  with_solution(space, state.t, state.u, state.rate, [&](const NodalSolution& solution, Results& results) {
    Threads exec(space.threads);
    const FileNames names = frames.begin(state.step, state.t);
    output::Summary numbers;
    {
      Scope scope(exec, "post");
      report_quantities(params.quantities, model().traits(), solution, results, numbers, names.when);
      const std::vector<std::string> own = model().traits().quantities;  // which have what is stored in them
      for (const QuantityParams& quantity : params.quantities)
        if (model().traits().quantities_of_rates && state.rate.empty() &&
            std::find(own.begin(), own.end(), quantity.kind) != own.end())
          numbers.set_in("quantities", quantity.name, std::numeric_limits<double>::quiet_NaN());
    }
    Scope scope(exec, "output");
    frames.has_derived_from(results);
    int pieces = 0;
    if (params.output.write)
      pieces = write_solution(params, model().traits().fields, solution, results, converged, context.output_directory,
                              names, [&](MakeSolution make, bool asks_for_u) {
                                std::vector<double> u;
                                if (asks_for_u) u = frames.spare(solution.u.size());
                                if (asks_for_u && may_take && &solution.u == &state.u)
                                  u.swap(state.u);
                                else if (asks_for_u)
                                  u.assign(solution.u.begin(), solution.u.end());
                                frames.write(state.step, state.t, names, std::move(make), std::move(u));
                              });
    const int rank = solution.share ? solution.share->ranks->rank() : 0;
    in_common::each(solution.share, [&] {
      if (pieces > 0) frames.add_pieces(state.step, state.t, rank, pieces);
      if (rank == 0) frames.add_quantities(state.step, state.t, numbers);
    });
  });
}

ExitCode StationaryRun::run(Context& context) {
  read(context);
  const ThreadLimit limit(model().params().run.threads);
  if (const auto method = grid_method(context)) return run_on_grid(*method, context);
  model().begin_on_mesh();
  if (context.ranks) return run_over_ranks(context);
  Discretisation space;
  discretise(context, space);
  settle(space, 1, context.summary);
  set_up(space);
  make_sources(space);
  Solved solved = solve(space, context);
  return report(space, solved, context);
}

/// Everything that becomes of a solution. Collective where ranks share it.
ExitCode StationaryRun::report(Discretisation& space, Solved& solved, Context& context) {
  const Share* const share = space.shared();
  const CommonParams& params = model().params();
  if (!solved.time && !solved.modes) prescribe(space.dirichlet, solved.u);
  if (share && !share->has_whole)
    summarise_parts(space, mesh::refined(*params.mesh.box, params.mesh.refine), solved.nnz, context.summary);
  else
    in_common::root(share, [&] {
      const Discretisation& whole = share ? *share->whole : space;
      summarise_mesh(whole.mesh, whole, solved.nnz, context.summary);
    });
  if (!solved.report.type.empty()) summarise_solver(solved.report, context.summary);
  if (solved.modes) return report_modes(space, *solved.modes, context);
  if (solved.newton) summarise_newton(*solved.newton, context.summary);
  if (solved.time) {
    summarise_time(*params.time, *solved.time, context.summary);
    if (!solved.time->interrupted) in_common::root(share, [&] { write_traces(params, context.output_directory); });
    if (!solved.time->has_values) return conclude(params, *solved.time, context);
    if (params.exact) model().params().exact = at_time(*params.exact, solved.time->t);
  }
  const bool converged = solved.newton ? solved.newton->converged : solved.report.converged;
  with_solution(space, solved.time ? solved.time->t : 0, solved.u, solved.rate,
                [&](const NodalSolution& solution, Results& results) {
                  if (solved.time)
                    report_numbers(params, model().traits(), solution, results, context);
                  else
                    report_solution(params, model().traits(), solution, results, converged, context);
                });
  if (solved.time) return conclude(params, *solved.time, context);
  return solved.newton ? conclude(params, *solved.newton, context) : conclude(params, solved.report, context);
}

/// The modes as a series, whose times are their numbers. Collective where ranks share them.
ExitCode StationaryRun::report_modes(const Discretisation& space, Modes& modes, Context& context) {
  const CommonParams& params = model().params();
  const solvers::Report& solver = modes.report.solver;
  summarise_modes(modes.report, model().traits().oscillates, context);
  std::optional<Frames> frames;
  in_common::each(space.shared(), [&] { frames.emplace(params, context, std::nullopt, true); });
  State state;
  for (std::vector<double>& u : modes.u) {
    state.t = static_cast<double>(++state.step);
    state.u = std::move(u);
    write_state(space, state, true, *frames, context, solver.converged);
  }
  in_common::each(space.shared(), [&] { frames->flush(); });
  frames->summarise(context.summary);
  return conclude(params, solver, context);
}

/// What is evaluated once, as a run does, for its checks.
void StationaryRun::check_values_of(const Discretisation& space) {
  const CommonParams& params = model().params();
  make_sources(space);  // for the values of those in groups
  if (!params.initial.empty()) (void)initial(space, 0);
  if (!params.initial_rates.empty()) (void)initial(space, 0, true);
  if (params.exact) check_values(*params.exact, space.mesh, space.dofs, space.threads);
}

void StationaryRun::check(Context& context) {
  read(context);
  const double before = bytes_in_use();
  const CommonParams& params = model().params();
  const ThreadLimit limit(params.run.threads);
  if (const auto method = grid_method(context)) return check_on_grid(*method, context);
  model().begin_on_mesh();
  if (context.planned_ranks > 1) {
    check_over_ranks(params, model().traits(), context.deck);
    if (makes_parts(context.deck, context.planned_ranks)) return check_in_parts(context);
  }
  Discretisation space;
  const std::vector<Index> joined = discretise(context, space);
  settle(space, context.planned_ranks, context.summary);
  set_up(space);
  if (solvers::wants_modes(params.solver))
    solvers::require_free_rows(params.solver, Offset{space.rows()} - static_cast<Offset>(space.dirichlet.dofs.size()));
  // Evaluated as a run does, for its checks: signs, finite values, numbers of components.
  const std::vector<double> u = nonlinear_start(space);
  const AtPoints coefficients = model().evaluate(space, u, context.summary);
  check_values_of(space);
  print_check(params, space, coefficients, plan_of(space).why, model().is_nonlinear(), model().traits(),
              {.count = context.planned_ranks, .joined = joined, .before = before}, context.summary);
}

LinearSystem StationaryRun::assemble(Context& context, bool full) {
  read(context);
  const ThreadLimit limit(model().params().run.threads);
  if (const auto method = grid_method(context)) return method->system(full);
  CommonParams& params = model().params();
  params.matrix.format = "crs";
  if (params.assembly.strategy == "matrix_free") params.assembly.strategy = "auto";  // the same operator, written down
  model().begin_on_mesh();
  Discretisation space;
  discretise(context, space);
  settle(space, 1, context.summary);
  set_up(space);
  make_sources(space);
  const std::vector<double> u = nonlinear_start(space);
  if (full) space.dirichlet = {};
  Threads exec(params.run.threads);
  System<Threads> system;
  fill(exec, space, u, system, context.summary);
  if (system.blocks.rows > 0) system.matrix = linalg::to_crs(exec, system.blocks);
  if (system.matrix.rows == 0)
    throw Error(ExitCode::usage, "the operator has no entries: there is no matrix to export",
                "choose an assembly.strategy that assembles a matrix", params.physics.where);
  return of_u(std::move(system.matrix), std::move(system.b), system.level);
}

}  // namespace tessera::physics
