#include "physics/run/chosen_on_the_way.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/log.hpp"
#include "physics/run/plan.hpp"
#include "physics/time_scheme.hpp"
#include "solvers/method.hpp"

namespace tessera::physics {

bool may_choose_on_the_way(const CommonParams& params, const Discretisation& space) {
  const solvers::SolverParams& solver = params.solver;
  const bool takes_amg = solver.type == "cg" || solver.type == "bicgstab" || solver.type == "gmres";
  return takes_amg && !solver.given.contains("preconditioner") && space.components == 1 &&
         solver.preconditioner == solvers::jacobi_of(1) && (!params.time || is_implicit(*params.time)) &&
         (params.matrix.format == "auto" || params.matrix.format == "crs");
}

double digits_of(const solvers::Report& report) {
  constexpr double most = 16;
  const double before = report.history.empty() ? 1 : report.history.front(), after = report.relative_residual;
  if (!(before > 0)) return 0;
  return after > 0 ? std::clamp(std::log10(before / after), 0.0, most) : most;
}

ChosenOnTheWay::ChosenOnTheWay(const CommonParams& params, const Discretisation& space, output::Summary& summary)
    : params_(params),
      space_(space),
      summary_(summary),
      open_(may_choose_on_the_way(params, space)),
      symmetric_(solvers::find_solver(params.solver.type)->needs.symmetric) {
  if (open_) system_.size = room_of(params, space).size;
}

void ChosenOnTheWay::count(int iterations, double digits) {
  counted_.iterations += iterations;
  counted_.digits += digits;
  counted_.with_amg += solvers::iterations_of_amg(digits, symmetric_);
}

bool ChosenOnTheWay::decide(double steps, const std::string& name, const char* unit) {
  Counted& last = counted_;
  const auto forget = [&] { last.iterations = last.with_amg = last.digits = last.matrices = 0; };
  if (!open_ || last.now == Now::jacobi_for_good || !(last.iterations > 0)) {
    forget();
    return false;
  }
  if (last.now == Now::amg) {
    const bool gives_up = serves_no_more();
    if (gives_up)
      fall_back(fmt::format("{:.0f} of its iterations in the last {} take longer than those of jacobi did",
                            last.iterations, unit),
                false);
    forget();
    return gives_up;
  }
  solvers::Following following{.iterations = last.iterations,
                               .with_amg = last.with_amg,
                               .matrices = last.matrices,
                               .steps = steps,
                               .step = unit};
  following.lost = last.lost = std::max(0.0, last.lost + solvers::lost_without_amg(params_.solver, system_, following));
  if (last.digits > 0) last.of_digit = last.iterations / last.digits;
  forget();
  solvers::Automatic choice = solvers::choose_on_the_way(params_.solver, system_, following, 0);
  if (choice.preconditioner == "amg")
    choice = solvers::choose_on_the_way(params_.solver, system_, following, room_of(params_, space_).free);
  const bool changes = choice.preconditioner == "amg";
  if (changes) {
    take(Now::amg);
    log_info(fmt::format("{}: amg from here on ({})", name, choice.why));
    summary_.set("solver.why", fmt::format("from {} on amg: {}", name, choice.why));
  } else if (!has_said_why_) {
    summary_.set("solver.why", choice.why);
  }
  has_said_why_ = true;
  return changes;
}

/// It takes twice the iterations that were expected of it, and they cost more than those of jacobi, whose last step
/// says how many it takes for a digit.
bool ChosenOnTheWay::serves_no_more() const {
  const double of_jacobi = counted_.of_digit * counted_.digits,
               costs = solvers::amg_worth(system_, symmetric_).iteration * counted_.iterations;
  return counted_.iterations > 2 * counted_.with_amg && costs > of_jacobi;
}

void ChosenOnTheWay::fall_back(const FirstAttempt& attempt) {
  if (!attempt.lacked_memory) summarise_first_attempt(params_.solver.preconditioner, attempt.report, summary_);
  fall_back(attempt.why_not.empty() ? "it did not converge" : attempt.why_not, attempt.lacked_memory);
}

void ChosenOnTheWay::fall_back(const std::string& why_not, bool lacked_memory) {
  const std::string name = params_.solver.preconditioner;
  take(Now::jacobi_for_good);
  say_fallen_back(name, params_.solver.preconditioner, why_not, lacked_memory, summary_);
}

void ChosenOnTheWay::take(Now now) {
  counted_.now = now;
  params_.solver.preconditioner = now == Now::amg ? "amg" : solvers::jacobi_of(space_.components);
  params_.solver.preconditioning = {};
}

ChosenOnTheWay::Kept ChosenOnTheWay::kept() const {
  const Counted& c = counted_;
  return {static_cast<double>(c.now), c.iterations, c.with_amg, c.digits, c.matrices, c.lost, c.of_digit};
}

void ChosenOnTheWay::restore(std::span<const double> kept) {
  if (!open_ || kept.size() < std::tuple_size_v<Kept>) return;
  take(kept[0] == 1 ? Now::amg : kept[0] == 2 ? Now::jacobi_for_good : Now::jacobi);
  counted_ = {counted_.now, kept[1], kept[2], kept[3], kept[4], kept[5], kept[6]};
  if (counted_.now == Now::jacobi) return;
  has_said_why_ = true;
  summary_.set("solver.why", is_multigrid() ? "amg was chosen before the checkpoint"
                                            : "amg did not do before the checkpoint, and jacobi is taken");
}

}  // namespace tessera::physics
