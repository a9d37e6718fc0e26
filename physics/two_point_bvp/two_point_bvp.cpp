#include "physics/two_point_bvp/two_point_bvp.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/log.hpp"
#include "base/memory.hpp"
#include "base/profile.hpp"
#include "physics/run/backend.hpp"
#include "physics/run/on_grid.hpp"
#include "physics/two_point_bvp/report.hpp"
#include "physics/two_point_bvp/right_hand_side.hpp"
#include "solvers/solve.hpp"
#include "solvers/two_point/square_blocked.hpp"
#include "solvers/two_point/two_point.hpp"

namespace tessera::physics {

namespace {

using namespace two_point_bvp;

/// f and u: the system promises more memory than it has and kills later.
void require_memory(Offset unknowns) {
  const double bytes = 16.0 * static_cast<double>(unknowns), available = static_cast<double>(host_bytes_available());
  if (bytes > available)
    throw Error(ExitCode::memory,
                fmt::format("out of host memory: {} unknowns take more than {}, {} are free", unknowns,
                            human_bytes(bytes), human_bytes(available)),
                "use fewer cells; `tessera check DECK` estimates what a run needs");
}

/// The deck with what the command line says over it, with every check that evaluates no expression.
Params read_params(const Context& context) {
  Params params = read(context.deck);
  if (!context.backend.empty()) params.run.backend = context.backend;
  if (context.threads > 0) params.run.threads = context.threads;
  const std::string backend = resolve_backend(params.run.backend);
  solvers::check(params.solver, backend);
  require_memory(params.grid.n);
  return params;
}

/// f at the unknowns; empty where the user asked to stop.
Array<double> right_hand_side(const Params& params, const Context& context) {
  const deck::Deck& deck = context.deck;
  if (!params.equation.f)
    return read_values(deck.resolve(params.equation.f_file), params.grid, deck.where("physics.f_file"));
  Array<double> f(params.grid.n);
  const auto go_on = [&](Offset done) {
    if (context.progress)
      context.progress(static_cast<double>(done) / static_cast<double>(params.grid.n), "right-hand side");
    return !(context.stop && context.stop());
  };
  const bool whole = evaluate_on_grid(*params.equation.f, params.grid, params.run.threads, go_on,
                                      [&](Offset first, const std::vector<double>& values) {
                                        std::copy(values.begin(), values.end(), f.data() + first);
                                      });
  return whole ? std::move(f) : Array<double>();
}

/// Solves in T with recurrences in R; u comes back on the host.
template <class T, class R, class Exec>
Array<double> solve_in(Exec& exec, const Params& params, const Array<double>& f, output::Summary& summary) {
  using Space = typename Exec::Space;
  const auto solver = solvers::make_two_point<Exec, T, R>(exec, f.size(), params.solver);
  Array<T, Space> values;  // f, then u
  {
    Scope scope(exec, "transfer");
    values = to_space<Space>(std::vector<T>(f.begin(), f.end()));
  }
  {
    Scope scope(exec, "solve", solver->bytes());
    solver->solve(exec, params.grid.h(), values.view(), values.view());
  }
  log_info(fmt::format("{} of {} unknowns in {} precision", solver->type(), f.size(), params.run.precision));
  summary.set("solver.type", solver->type());
  summary.set("solver.rows", solver->rows());
  summary.set("solver.columns", solver->columns());
  if (solver->type() == "square_blocked")
    summary.set("solver.block", params.solver.method.as<solvers::two_point::SquareBlockedParams>().block);
  Scope scope(exec, "transfer");
  const std::vector<T> result = to_vector(values);
  Array<double> u(f.size());
  std::copy(result.begin(), result.end(), u.begin());
  return u;
}

template <class Exec>
Array<double> solve_on(Exec& exec, const Params& params, const Array<double>& f, output::Summary& summary) {
  if (params.run.precision == "float") return solve_in<float, float>(exec, params, f, summary);
  if (params.run.precision == "mixed") return solve_in<float, double>(exec, params, f, summary);
  return solve_in<double, double>(exec, params, f, summary);
}

/// A uniform grid of an interval: the mesh is never made, and results are read off the nodes.
class IntervalMethod final : public GridMethod {
 public:
  explicit IntervalMethod(const Context& context) : params_(read_params(context)) {}

  const CommonParams& params() const override { return params_; }
  const char* phase() const override { return "right_hand_side"; }
  bool evaluate(const Context& context) override {
    f_ = right_hand_side(params_, context);
    return !f_.empty();
  }
  std::string describe() const override { return {}; }
  void summarise(output::Summary& summary) const override;
  solvers::Report solve(Context& context) override;
  bool report(const solvers::Report& report, Context& context) override;

  void check_values(const Context& context) override;
  void print_grid() const override;
  Forecast forecast() const override;
  void print_output() const override { fmt::print("output     every {} nodes\n", nodes_between_output(params_)); }

 private:
  Params params_;
  Array<double> f_, u_;  ///< at the unknowns
};

void IntervalMethod::summarise(output::Summary& summary) const {
  const Offset n = params_.grid.n;
  summary.set("mesh.nodes", n + 1);
  summary.set("mesh.cells", n);
  summary.set("mesh.facets", 2);
  summary.set_in("mesh.groups", "left", 1);
  summary.set_in("mesh.groups", "right", 1);
  summary.set_in("mesh.groups", "domain", n);
  summary.set("space.order", 1);
  summary.set("space.dofs", n);
}

solvers::Report IntervalMethod::solve(Context& context) {
  u_ = on_backend(params_.run, context.summary,
                  [&](auto& exec) { return solve_on(exec, params_, f_, context.summary); });
  // u_1 holds all of f: where it is finite everything is.
  const bool in_double = params_.run.precision == "double";
  if (!std::isfinite(u_[0]))
    throw Error(
        ExitCode::solver, fmt::format("the solution leaves the range of {} numbers", in_double ? "double" : "float"),
        in_double ? "scale f: its second integral must be below 1e308" : "use precision = \"double\", or scale f",
        params_.equation.where);
  const double backward = solvers::two_point_backward_error(params_.grid.h(), View<const double>(f_),
                                                            View<const double>(u_), params_.run.threads);
  context.summary.set("solver.converged", true);
  context.summary.set("solver.backward_error", backward);
  log_info(fmt::format("backward error {:.3e}", backward));
  solvers::Report report;
  report.type = params_.solver.type;
  report.converged = true;
  return report;
}

bool IntervalMethod::report(const solvers::Report&, Context& context) {
  Threads host(params_.run.threads);
  const Solution solution{params_.grid, u_, params_.run.threads};
  const auto go_on = [&](Offset) { return !(context.stop && context.stop()); };
  {
    Scope scope(host, "post");
    if (params_.exact && !report_errors(*params_.exact, solution, go_on, context.summary)) return false;
    report_quantities(params_.quantities, solution, context.summary);
  }
  Scope scope(host, "output");
  if (params_.output.write) write_solution(params_, solution, context.output_directory);
  write_lines(params_, solution, context.output_directory);
  return true;
}

/// Evaluated as a run does, for the checks; nothing is kept.
void IntervalMethod::check_values(const Context& context) {
  const auto forget = [](Offset, const std::vector<double>&) {};
  const auto evaluate = [&](const deck::Expression& expression) {
    evaluate_on_grid(expression, params_.grid, params_.run.threads, {}, forget);
  };
  if (params_.equation.f)
    evaluate(*params_.equation.f);
  else
    right_hand_side(params_, context);
  if (params_.exact) evaluate(params_.exact->u.front());
}

void IntervalMethod::print_grid() const {
  const Grid& grid = params_.grid;
  fmt::print("grid       {} cells on [{}, {}], h = {}; {} unknowns, u = 0 at x = {}\n", grid.n, grid.min, grid.max,
             grid.h(), grid.n, grid.max);
}

GridMethod::Forecast IntervalMethod::forecast() const {
  const double n = static_cast<double>(params_.grid.n), width = params_.run.precision == "double" ? 8 : 4;
  solvers::ProblemSize size{.rows = n, .dim = 1};
  const double on_host = solvers::solver_bytes(params_.solver, size);
  size.on_cuda = true;
  return {.host = (16 + width) * n + on_host,
          .device = width * n + solvers::solver_bytes(params_.solver, size),
          .way_out = "use fewer cells"};
}

class TwoPointBvp final : public Module {
 public:
  deck::Schema schema() const override { return two_point_bvp::schema(); }
  ExitCode run(Context& context) override {
    IntervalMethod method(context);
    return run_on_grid(method, context);
  }
  void check(Context& context) override {
    IntervalMethod method(context);
    check_on_grid(method, context);
  }
};

}  // namespace

std::unique_ptr<Module> make_two_point_bvp() { return std::make_unique<TwoPointBvp>(); }

}  // namespace tessera::physics
