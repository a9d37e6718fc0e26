#include "physics/run/on_grid.hpp"

#include <fmt/format.h>

#include "base/backend.hpp"
#include "base/log.hpp"
#include "base/memory.hpp"
#include "base/profile.hpp"
#include "physics/run/forecast.hpp"
#include "physics/run/report.hpp"

namespace tessera::physics {

LinearSystem GridMethod::system(bool) const {
  throw Error(ExitCode::usage, "this method of grids makes no matrix: there is none to export",
              "poisson and convection_diffusion with finite elements have one", params().physics.where);
}

namespace {

void check_one_rank(const GridMethod& method, const Context& context) {
  if (!context.ranks && context.planned_ranks == 1) return;
  const CommonParams& params = method.params();
  const deck::Where where = context.deck.where("solver.type");
  throw Error(
      ExitCode::usage,
      fmt::format("solver.type = \"{}\" works on one rank only, as all methods of grids do", params.solver.type),
      "start one rank (no mpirun); of [mesh] and finite elements cg, bicgstab and gmres take any number",
      where ? where : params.physics.where);
}

}  // namespace

ExitCode run_on_grid(GridMethod& method, Context& context) {
  check_one_rank(method, context);
  method.set_up();
  Threads host(method.params().run.threads);
  {
    Scope scope(host, method.phase());
    if (!method.evaluate(context)) return ExitCode::interrupted;
  }
  if (const std::string what = method.describe(); !what.empty()) log_info("grid: " + what);
  method.summarise(context.summary);
  const solvers::Report report = method.solve(context);
  if (!method.report(report, context)) return ExitCode::interrupted;
  return conclude(method.params(), report, context);
}

void check_on_grid(GridMethod& method, Context& context) {
  check_one_rank(method, context);
  method.set_up();
  method.check_values(context);
  method.print_grid();
  fmt::print("solver     {}, precision {}\n", method.solver(), method.params().run.precision);
  const double in_use = static_cast<double>(memory_use().host_peak);  // the program itself
  const GridMethod::Forecast need = method.forecast();
  print_memory(method.params().run.backend, in_use + need.host, in_use, need.device,
               {.host = need.way_out, .gpu = usual_ways_out().gpu});
  method.print_output();
  method.summarise(context.summary);
}

}  // namespace tessera::physics
