#pragma once
// run_stationary: A u = b, R(u) = 0 by Newton's method, or with [time] M u' = b - A u, from the deck to the files, for
// any Model.
#include <memory>

#include "physics/model.hpp"
#include "physics/run/backend.hpp"
#include "physics/run/changing_orders.hpp"
#include "physics/run/checkpoints.hpp"
#include "physics/run/flow_loop.hpp"
#include "physics/run/frames.hpp"
#include "physics/run/in_common.hpp"
#include "physics/run/linear_system.hpp"
#include "physics/run/modes.hpp"
#include "physics/run/motion_loop.hpp"
#include "physics/run/newton.hpp"
#include "physics/run/over_ranks.hpp"
#include "physics/run/plan.hpp"
#include "physics/run/probes.hpp"
#include "physics/run/rank_run.hpp"
#include "physics/run/solve_linear_system.hpp"
#include "physics/run/sourced.hpp"
#include "physics/run/transient.hpp"

namespace tessera::physics {

/// The driver, without what depends on the type of the model. Phases: of the mesh, dofs, of the assembly, convert,
/// solve, of the model's results, post, output.
class StationaryRun : public Module {
 public:
  deck::Schema schema() const override;
  deck::Schema schema_for(const deck::Deck& deck) override;
  ExitCode run(Context& context) override;
  void check(Context& context) override;
  LinearSystem assemble(Context& context, bool full) override;

 protected:
  /// A solution on the host, [rows], of those that this rank owns.
  struct Solved {
    std::vector<double> u;
    std::vector<double> rate = {};  ///< du/dt, of a run through time
    Offset nnz = 0;
    solvers::Report report;  ///< of the last system of a nonlinear problem
    std::optional<NewtonReport> newton;
    std::optional<TimeReport> time;
    std::optional<Modes> modes;  ///< in the place of u
  };
  virtual Model& model() const = 0;
  /// Assembles and solves on the backend of the deck.
  virtual Solved solve(const Discretisation& space, Context& context) = 0;
  /// Assembles on threads; its matrix stays in CRS. Of a nonlinear problem the system of Newton's first iterate, u
  /// [rows] the start.
  virtual void fill(Threads& exec, const Discretisation& space, std::span<const double> u, System<Threads>& system,
                    output::Summary& summary) = 0;

  /// Of the rows that this rank owns.
  Start start_of(const Discretisation& space, double level) const;
  std::vector<double> initial(const Discretisation& space, double level, bool rate = false) const;
  Plan plan_of(const Discretisation& space) const;
  /// Where Newton's method starts, [rows]: [[initial]], or else the level of the Dirichlet values. Empty of a linear
  /// problem.
  std::vector<double> nonlinear_start(const Discretisation& space) const;
  /// The state at the beginning of [time]: [[initial]], or else 0.
  State first_state(const Discretisation& space) const;
  const Sources& sources() const { return sources_; }
  /// Writes a state as a member of the series. `may_take`: u may be another of its length afterwards, of any values.
  /// Collective where ranks share it.
  void write_state(const Discretisation& space, State& state, bool may_take, Frames& frames, Context& context,
                   bool converged = true);

 private:
  void read(const Context& context);
  std::vector<Index> discretise(const Context& context, Discretisation& space);
  std::vector<Index> make_checked_space(const Context& context, Discretisation& space);
  void settle(const Discretisation& space, int planned_ranks, output::Summary& summary);
  void set_up(Discretisation& space);
  void make_sources(const Discretisation& space);
  std::unique_ptr<GridMethod> grid_method(const Context& context);
  ExitCode run_over_ranks(Context& context);
  bool makes_parts(const deck::Deck& deck, int ranks) const;
  mesh::Mesh outline() const;
  mesh::RankMesh part_of_outlined(int ranks, int rank) const;
  mesh::RankMesh make_own_part(Communicator& ranks, int threads) const;
  void check_values_of(const Discretisation& space);
  void check_in_parts(Context& context);
  ExitCode report(Discretisation& space, Solved& solved, Context& context);
  ExitCode report_modes(const Discretisation& space, Modes& modes, Context& context);
  /// Calls visit(solution, results) for u and, of a run through time, its time t and its rate, [rows].
  void with_solution(const Discretisation& space, double t, const std::vector<double>& u,
                     const std::vector<double>& rate, const std::function<void(const NodalSolution&, Results&)>& visit);

  Sources sources_;
};

/// Whether a model may be nonlinear.
template <class M, class Exec>
concept HasNonlinear = requires(M& model, Exec& exec, const Discretisation& space, output::Summary& summary) {
  model.nonlinear(exec, space, summary);
};

/// Whether a model may change in time.
template <class M, class Exec>
concept HasEvolution = requires(M& model, Exec& exec, const Discretisation& space, output::Summary& summary) {
  model.evolution(exec, space, summary);
};

/// Whether a model accelerates.
template <class M, class Exec>
concept HasMotion = requires(M& model, Exec& exec, const Discretisation& space, output::Summary& summary) {
  model.motion(exec, space, summary);
};

/// Whether a model makes its steps itself.
template <class M, class Exec>
concept HasFlow = requires(M& model, Exec& exec, const Discretisation& space, output::Summary& summary) {
  model.flow(exec, space, summary);
};

/// Whether beside that its nodes do something by themselves.
template <class M, class Exec>
concept HasNodeSystems = requires(M& model, Exec& exec, const Discretisation& space) {
  model.node_systems(exec, space);
};

/// The module of a model M.
template <class M>
class Stationary final : public StationaryRun {
 public:
  Stationary() : model_(std::make_unique<M>()) {}

 private:
  Model& model() const override { return *model_; }

  void fill(Threads& exec, const Discretisation& space, std::span<const double> u, System<Threads>& system,
            output::Summary& summary) override {
    if constexpr (HasNonlinear<M, Threads>) {
      if (model_->is_nonlinear()) {
        const auto problem = nonlinear_with_sources(exec, space, summary);
        problem->move_to(u, 1);
        std::vector<double> away = space.dirichlet.values;
        for (std::size_t i = 0; i < away.size(); ++i) away[i] -= u[static_cast<std::size_t>(space.dirichlet.dofs[i])];
        problem->tangent(system);
        assembly::eliminate_dirichlet(exec, system.matrix, system.b.view(), space.dirichlet.dofs, away);
        Array<double> product(system.b.size());
        linalg::spmv(exec, std::as_const(system.matrix).view(), to_space<Host>(u).view(), product.view());
        linalg::axpy(exec, 1, product.view(), system.b.view());
        return;
      }
    }
    model_->assemble(exec, space, system, summary);
    add_sources(exec, space, system);
  }

  /// b of a linear stationary problem has the sources, but where u is prescribed.
  template <class Exec>
  void add_sources(Exec& exec, const Discretisation& space, System<Exec>& system) {
    if (sources()) SourceLoads<Exec>(exec, sources(), space.dirichlet.dofs).add(0, 1, system.b.view());
  }

  template <class Exec>
  std::unique_ptr<Nonlinear<Exec>> nonlinear_with_sources(Exec& exec, const Discretisation& space,
                                                          output::Summary& summary) {
    std::unique_ptr<Nonlinear<Exec>> problem = model_->nonlinear(exec, space, summary);
    if (!sources()) return problem;
    return std::make_unique<SourcedNonlinear<Exec>>(exec, std::move(problem), sources(), space.dirichlet.dofs);
  }

  template <class Exec>
  std::unique_ptr<Evolution<Exec>> evolution_with_sources(Exec& exec, const Discretisation& space,
                                                          output::Summary& summary) {
    std::unique_ptr<Evolution<Exec>> evolution = model_->evolution(exec, space, summary);
    if (!sources()) return evolution;
    return std::make_unique<SourcedEvolution<Exec>>(exec, std::move(evolution), sources(), model_->varying());
  }

  Solved solve(const Discretisation& space, Context& context) override {
    const CommonParams& params = model_->params();
    return on_backend(params.run, context.summary, [&](auto& exec) {
      using Exec = std::remove_reference_t<decltype(exec)>;
      if constexpr (HasMass<M, Exec>)
        if (solvers::wants_modes(params.solver)) return solve_for_modes(exec, space, context);
      if constexpr (HasNonlinear<M, Exec>)
        if (model_->is_nonlinear() && !params.time) return solve_nonlinear(exec, space, context);
      if constexpr (HasEvolution<M, Exec>)
        if (params.time) return go_through_time(exec, space, context);
      if constexpr (HasMotion<M, Exec>) return move(exec, space, context);
      if constexpr (HasFlow<M, Exec>) return flow(exec, space, context);
      const OverRanks<Exec> ranks(exec, space, context.summary);
      LinearSystemOf<Exec> assembled;
      assemble_linear_system(exec, *model_, ranks, assembled, context.summary);
      System<Exec>& system = assembled.system;
      add_sources(exec, space, system);
      Array<double, typename Exec::Space> x;
      Solved result;
      const Linked linked(exec, ranks.link());
      result.report = solve_linear_system(exec, *system.A, system.b.view(), params.solver, context, x,
                                          start_of(space, system.level), [&] { assembled.let_go_of_orders(); });
      result.nnz = system.nnz;
      result.u = to_vector(x);
      for (double& value : result.u) value += system.level;
      return result;
    });
  }

  template <class Exec>
  Solved solve_for_modes(Exec& exec, const Discretisation& space, Context& context) {
    const OverRanks<Exec> ranks(exec, space, context.summary);
    BorrowedCells cells;
    Solved result;
    const std::function<void(System<Exec>&)> assemble = [&](System<Exec>& system) {
      if (ranks && plan_of(space).matrix_free)
        assemble_cells(exec, *model_, ranks, cells, system, context.summary, [](bool) {});
      else
        ranks.each([&] { model_->assemble(exec, space, system, context.summary); });
    };
    result.modes = find_modes(exec, *model_, space, ranks, assemble, context);
    result.report = result.modes->report.solver;
    result.nnz = result.modes->nnz;
    return result;
  }

  template <class Exec>
  Solved solve_nonlinear(Exec& exec, const Discretisation& space, Context& context) {
    std::unique_ptr<Nonlinear<Exec>> problem;
    in_common::each(space.shared(), [&] { problem = nonlinear_with_sources(exec, space, context.summary); });
    const OverRanks<Exec> ranks(exec, space, context.summary);
    if (solvers::wants_lower_orders(model_->params().solver))
      problem = std::make_unique<OrderedNonlinear<Exec>>(std::move(problem), changing_orders(exec, ranks));
    Newton<Exec> newton(exec, *problem, model_->params(), space.dirichlet, ranks, context);
    Solved result;
    result.u = nonlinear_start(space);
    result.newton = newton.solve(result.u);
    result.u.resize(static_cast<std::size_t>(space.owned_rows()));
    result.report = result.newton->linear;
    if (result.newton->history.empty() && result.newton->converged) {  // the start solves the problem
      result.report.type = model_->params().solver.type;
      result.report.preconditioner = model_->params().solver.preconditioner;
      result.report.converged = true;
    }
    result.report.iterations = result.newton->linear_iterations();
    result.report.energy_error = result.report.relative_energy_error = 0;  // of the last correction alone
    result.nnz = newton.tangent().nnz();
    return result;
  }

  /// The lower orders of what changes: sources are loads, which they have none of.
  template <class Exec>
  std::unique_ptr<ChangingOrders<Exec>> changing_orders(Exec& exec, const OverRanks<Exec>& ranks) {
    return std::make_unique<ChangingOrders<Exec>>(
        exec, model_->params(), model_->varying(), ranks,
        [&](const Discretisation& of_order, output::Summary& summary) {
          LowerEquations<Exec> equations;
          if constexpr (HasEvolution<M, Exec>)
            if (model_->params().time) equations.evolution = model_->evolution(exec, of_order, summary);
          if constexpr (HasNonlinear<M, Exec>)
            if (model_->is_nonlinear()) equations.nonlinear = model_->nonlinear(exec, of_order, summary);
          return equations;
        });
  }

  /// What a loop through time has done, and the non-zeros of its matrix.
  struct Walked {
    TimeReport report;
    Offset nnz = 0;
  };
  /// Of its steps, where [time] says one: what it says, or that at most.
  enum class Lengths { equal, shorter };

  template <class Exec>
  Solved move(Exec& exec, const Discretisation& space, Context& context) {
    std::unique_ptr<Motion<Exec>> motion;
    in_common::each(space.shared(), [&] { motion = model_->motion(exec, space, context.summary); });
    return follow(exec, space, context, Lengths::equal, [&](State& state, const StateVisitor& visitor) {
      return Walked{MotionLoop<Exec>(exec, model_->params(), *motion, space, context).run(state, visitor)};
    });
  }

  template <class Exec>
  Solved flow(Exec& exec, const Discretisation& space, Context& context) {
    std::unique_ptr<Flow<Exec>> flow;
    in_common::each(space.shared(), [&] { flow = model_->flow(exec, space, context.summary); });
    return follow(exec, space, context, Lengths::shorter, [&](State& state, const StateVisitor& visitor) {
      return Walked{FlowLoop<Exec>(exec, model_->params(), *flow, space, context).run(state, visitor)};
    });
  }

  template <class Exec>
  Solved go_through_time(Exec& exec, const Discretisation& space, Context& context) {
    std::unique_ptr<Evolution<Exec>> evolution;
    std::unique_ptr<Nonlinear<Exec>> nonlinear;
    in_common::each(space.shared(), [&] {
      evolution = evolution_with_sources(exec, space, context.summary);
      if constexpr (HasNonlinear<M, Exec>)
        if (model_->is_nonlinear()) nonlinear = nonlinear_with_sources(exec, space, context.summary);
    });
    return follow(exec, space, context, Lengths::equal, [&](State& state, const StateVisitor& visitor) {
      NodeSystems<Exec> nodes;
      if constexpr (HasNodeSystems<M, Exec>)
        in_common::each(space.shared(), [&] { nodes = model_->node_systems(exec, space); });
      const OverRanks<Exec> ranks(exec, space, context.summary);
      std::unique_ptr<ChangingOrders<Exec>> lower;
      if (solvers::wants_lower_orders(model_->params().solver) && is_implicit(*model_->params().time))
        lower = changing_orders(exec, ranks);
      TimeLoop<Exec> loop(exec, *model_, {*evolution, ranks, nonlinear.get(), sources().vary(), lower.get()}, space,
                          context, state, std::move(nodes));
      TimeReport report = loop.run(state, visitor);
      return Walked{std::move(report), loop.nnz()};
    });
  }

  /// From the first state, or that of a checkpoint, to the last one with all that looks at them; walk(state, visitor)
  /// is the loop.
  template <class Exec, class Walk>
  Solved follow(Exec& exec, const Discretisation& space, Context& context, Lengths lengths, Walk walk) {
    const CommonParams& params = model_->params();
    const bool goes_on = context.checkpoint != nullptr;
    State state = goes_on ? state_of(*context.checkpoint, space) : first_state(space);
    if (goes_on)
      in_common::each(space.shared(), [&] { check_reached(state, *params.time, lengths == Lengths::shorter); });
    Checkpoints checkpoints(params, model_->traits().fields.front(), space, context);
    const std::optional<double> from = goes_on ? std::optional(state.t) : std::nullopt;
    Probes probes(params, model_->traits().fields.front(), space, context, from,
                  [&](const mesh::PointLocator& locator, const ProbeParams& probe) {
                    return model_->receiver(space, locator, probe);
                  });
    std::optional<Frames> frames;
    in_common::each(space.shared(), [&] { frames.emplace(params, context, from, !std::is_same_v<Exec, Threads>); });
    const bool looks = params.output.write || !params.quantities.empty();
    const StateVisitor visitor{
        [&](Offset step, double t_before, double t, bool last) {
          return looks && is_shown(params.output, params.time->start, step, t_before, t, last);
        },
        [&](State& shown, bool may_take) { write_state(space, shown, may_take, *frames, context); },
        [&] { return !params.quantities.empty() || frames->may_need_rates(); },
        [&](Offset step) { return checkpoints.is_due(step); },
        [&](const State& saved) {
          in_common::each(space.shared(), [&] { frames->flush(); });  // no state that it knows is still to be written
          Scope scope(exec, "checkpoint");
          probes.flush();
          checkpoints.write(saved);
        },
        [&](Offset step) { return probes.is_due(step); },
        &probes.weights(),
        &probes.rate_weights(),
        &probes.acceleration_weights(),
        [&](Offset step, double t, std::vector<double> values) { probes.add(step, t, std::move(values)); }};
    Walked walked = walk(state, visitor);
    Solved result;
    result.time = std::move(walked.report);
    {
      const StopsBetweenSteps here(context);  // what is on its way comes to its end
      probes.flush();
      in_common::each(space.shared(), [&] { frames->flush(); });
    }
    frames->summarise(context.summary);
    result.u = std::move(state.u);
    result.rate = std::move(state.rate);
    result.report = result.time->linear;
    result.report.iterations = static_cast<int>(result.time->iterations);
    result.report.energy_error = result.report.relative_energy_error = 0;  // of the last step alone
    result.nnz = walked.nnz;
    return result;
  }

  std::unique_ptr<M> model_;
};

/// For the table of modules: the module whose stationary problem is a model M.
template <class M>
std::unique_ptr<Module> run_stationary() {
  return std::make_unique<Stationary<M>>();
}

}  // namespace tessera::physics
