#pragma once
// Where a preconditioner that was chosen automatically makes way for another one.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "output/summary.hpp"
#include "solvers/params.hpp"
#include "solvers/report.hpp"

namespace tessera::physics {

/// Whether a residual still falls: from `patience` iterations on its least value must halve in every `stretch` of them,
/// so that what takes some thousand iterations is left to do so.
class FallingResidual {
 public:
  static constexpr int stretch = 100, patience = 200;

  void look(int iteration, double residual) {
    if (residual < least_) least_ = residual;  // not NaN
    if (iteration < next_) return;
    has_ceased_ |= iteration >= patience && !(2 * least_ < before_);
    before_ = least_;
    next_ = iteration + stretch;
  }
  bool has_ceased() const { return has_ceased_; }

 private:
  double least_ = std::numeric_limits<double>::infinity(), before_ = least_;
  int next_ = stretch;
  bool has_ceased_ = false;
};

/// What a preconditioner that was chosen automatically has done.
struct FirstAttempt {
  solvers::Report report;
  std::string why_not;       ///< another takes its place; empty: none does
  bool went_nearer = false;  ///< the residual of what it leaves is smaller than that of the start
  bool lacked_memory = false;
};

/// `alone`: no other rank waits for what one that lacks memory does not do.
template <class Solve>
FirstAttempt attempt(const Solve& solve, const solvers::SolverParams& params, const solvers::Monitor& monitor,
                     bool alone) {
  FirstAttempt result;
  FallingResidual residual;
  const solvers::Monitor watches{.progress =
                                     [&](int iteration, double norm) {
                                       residual.look(iteration, norm);
                                       if (monitor.progress) monitor.progress(iteration, norm);
                                     },
                                 .stop = [&] { return residual.has_ceased() || (monitor.stop && monitor.stop()); },
                                 .tolerance = monitor.tolerance};
  const auto lacks = [&](const Error& error) {
    result.lacked_memory = true;
    result.why_not = error.what();
  };
  try {
    result.report = solve(params, watches);
  } catch (const Error& error) {
    if (!alone || error.code() != ExitCode::memory) throw;
    lacks(error);
  } catch (const std::bad_alloc&) {
    if (!alone) throw;
    lacks(out_of_host_memory());
  }
  const solvers::Report& report = result.report;
  if (result.lacked_memory || report.converged) return result;
  if (residual.has_ceased())
    result.why_not = fmt::format("its residual had ceased to fall after {} iterations", report.iterations);
  else if (!report.interrupted && report.iterations < params.max_iterations)
    result.why_not = report.failure;
  result.went_nearer = !report.history.empty() && report.relative_residual < report.history.front();
  return result;
}

/// Warns that `other` takes the place of `name`, and adds to solver.why of the summary that it does, and why.
void say_fallen_back(const std::string& name, const std::string& other, const std::string& why_not, bool lacked_memory,
                     output::Summary& summary);
/// solver.first_attempt of the summary.
void summarise_first_attempt(const std::string& name, const solvers::Report& report, output::Summary& summary);

}  // namespace tessera::physics
