#include "physics/two_point_bvp/two_point_bvp.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/log.hpp"
#include "base/memory.hpp"
#include "base/profile.hpp"
#include "physics/two_point_bvp/report.hpp"
#include "physics/two_point_bvp/right_hand_side.hpp"

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
Params set_up(const Context& context) {
  Params params = read(context.deck);
  if (!context.backend.empty()) params.run.backend = context.backend;
  if (context.threads > 0) params.run.threads = context.threads;
  const std::string backend = resolve_backend(params.run.backend);
  solvers::find_two_point(params.grid.n, params.solver, backend, params.run.precision == "mixed");
  require_memory(params.grid.n);
  return params;
}

/// f at the unknowns; empty where the user asked to stop.
Array<double> right_hand_side(const Params& params, const Context& context) {
  const deck::Deck& deck = context.deck;
  if (!params.physics.f)
    return read_values(deck.resolve(params.physics.f_file), params.grid, deck.where("physics.f_file"));
  Array<double> f(params.grid.n);
  const auto go_on = [&](Offset done) {
    if (context.progress)
      context.progress(static_cast<double>(done) / static_cast<double>(params.grid.n), "right-hand side");
    return !(context.stop && context.stop());
  };
  const bool whole = evaluate_on_grid(*params.physics.f, params.grid, params.run.threads, go_on,
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
  if (solver->type() == "square_blocked") summary.set("solver.block", params.solver.block);
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

class TwoPointBvp final : public Module {
 public:
  deck::Schema schema() const override { return two_point_bvp::schema(); }
  ExitCode run(Context& context) override;
  void check(Context& context) override;
};

ExitCode TwoPointBvp::run(Context& context) {
  const Params params = set_up(context);
  Threads host(params.run.threads);
  const auto go_on = [&](Offset) { return !(context.stop && context.stop()); };
  Array<double> f;
  {
    Scope scope(host, "right_hand_side");
    f = right_hand_side(params, context);
  }
  if (f.empty()) return ExitCode::interrupted;
  const Array<double> u =
      on_backend(params.run, context.summary, [&](auto& exec) { return solve_on(exec, params, f, context.summary); });
  // u_1 holds all of f: where it is finite everything is.
  if (!std::isfinite(u[0]))
    throw Error(ExitCode::solver,
                fmt::format("the solution leaves the range of {} numbers",
                            params.run.precision == "double" ? "double" : "float"),
                params.run.precision == "double" ? "scale f: its second integral must be below 1e308"
                                                 : "use precision = \"double\", or scale f",
                params.physics.where);
  const double backward = solvers::two_point_backward_error(params.grid.h(), View<const double>(f),
                                                            View<const double>(u), params.run.threads);
  context.summary.set("solver.converged", true);
  context.summary.set("solver.backward_error", backward);
  log_info(fmt::format("backward error {:.3e}", backward));
  summarise_grid(params.grid, context.summary);

  const Solution solution{params.grid, u, params.run.threads};
  {
    Scope scope(host, "post");
    if (params.has_exact && !report_errors(params.exact, solution, go_on, context.summary))
      return ExitCode::interrupted;
    report_quantities(params.quantities, solution, context.summary);
  }
  Scope scope(host, "output");
  if (params.output.write) write_solution(params, solution, context.output_directory);
  write_lines(params, solution, context.output_directory);
  return ExitCode::ok;
}

void TwoPointBvp::check(Context& context) {
  const Params params = set_up(context);
  if (!params.physics.f)
    read_values(context.deck.resolve(params.physics.f_file), params.grid, context.deck.where("physics.f_file"));
  // Evaluated as a run does, for the checks.
  const auto forget = [](Offset, const std::vector<double>&) {};
  if (params.physics.f) evaluate_on_grid(*params.physics.f, params.grid, params.run.threads, {}, forget);
  if (params.has_exact) evaluate_on_grid(params.exact.u, params.grid, params.run.threads, {}, forget);
  print_check(params);
}

}  // namespace

std::unique_ptr<Module> make_two_point_bvp() { return std::make_unique<TwoPointBvp>(); }

}  // namespace tessera::physics
