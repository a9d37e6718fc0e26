#pragma once
// Newton's method, for any model that has a Nonlinear.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/counted.hpp"
#include "base/log.hpp"
#include "physics/run/tangent_solver.hpp"

namespace tessera::physics {

/// An iteration of Newton's method.
struct NewtonStep {
  double residual = 0;    ///< ||R|| after it
  double correction = 0;  ///< largest entry of the correction, before it was shortened
  double damping = 1;     ///< the part of it that was taken
  int linear_iterations = 0;
};

struct NewtonReport {
  bool converged = false;
  bool interrupted = false;
  int load_steps = 0;  ///< done
  double start = 0;    ///< ||R|| at the start of the last load step
  std::vector<NewtonStep> history;
  std::string failure;     ///< empty, or why it did not converge
  std::string help;        ///< and what may
  solvers::Report linear;  ///< of the last system

  /// Of all systems.
  int linear_iterations() const {
    int sum = 0;
    for (const NewtonStep& step : history) sum += step.linear_iterations;
    return sum;
  }
};

/// Fills "newton" of the summary.
void summarise_newton(const NewtonReport& report, output::Summary& summary);

/// A solution of R(u) = 0 by Newton's method with a line search that wants ||R|| to fall:
///   A_k d = R(u_k),   u_k+1 = u_k + t d,   t = 1 or, by quadratic interpolation of ||R||^2, less
/// until the correction d is small beside the range of u, or R is what rounding leaves of it. Dirichlet values go from
/// the start to their own with the loads, by the first correction of a load step: the tangent carries them into the
/// domain. Nocedal & Wright, Numerical Optimization, 2nd ed., sections 11.2 and 3.5. Systems are solved as well as the
/// next residual is worth: S. C. Eisenstat, H. F. Walker, Choosing the forcing terms in an inexact Newton method, SIAM
/// J. Sci. Comput. 17 (1996) 16-32, choice 2. One TangentSolver takes the systems of all solutions.
template <class Exec>
class Newton {
 public:
  /// `fixed`: what is prescribed, whose values may change between solutions. `solve` is collective.
  Newton(Exec& exec, Nonlinear<Exec>& problem, const CommonParams& params, const DirichletData& fixed,
         const OverRanks<Exec>& ranks, Context& context)
      : exec_(exec),
        problem_(problem),
        params_(params),
        fixed_(fixed),
        ranks_(ranks),
        context_(context),
        tangent_(exec, problem, params, fixed, ranks, context) {}

  /// u [rows], those of ghosts among them, is the start and becomes the last iterate. Throws what Nonlinear::move_to
  /// throws at the start.
  NewtonReport solve(std::vector<double>& u) {
    const std::vector<double> start = u;
    NewtonReport report;
    largest_range_ = 0;
    for (int step = 1; step <= params_.newton.load_steps; ++step) {
      load_ = static_cast<double>(step) / params_.newton.load_steps;
      std::vector<double> values = fixed_.values;
      for (std::size_t i = 0; i < values.size() && load_ < 1; ++i) {
        const double from = start[static_cast<std::size_t>(fixed_.dofs[i])];
        values[i] = from + load_ * (values[i] - from);
      }
      iterate(u, values, report);
      if (!report.converged) {
        if (params_.newton.load_steps > 1 && !report.failure.empty())
          report.failure += fmt::format(" in load step {} of {}", step, params_.newton.load_steps);
        return report;
      }
      report.load_steps = step;
    }
    return report;
  }

  /// What solves its systems, and the set-up of that.
  const TangentSolver<Exec>& tangent() const { return tangent_; }
  TangentSolver<Exec>& tangent() { return tangent_; }
  /// Makes the set-up of a run that goes on here: of the tangent at u [rows]. Collective.
  void make_set_up(const std::vector<double>& u, const KeptSetUp& life) {
    load_ = 1;
    move_problem(u);
    tangent_.make_set_up(u, life);
  }
  /// There are many solutions: iterations are not said one by one, and whoever asks for solutions chooses the
  /// preconditioner between them.
  void be_quiet() { quiet_ = true; }

 private:
  using Space = typename Exec::Space;
  static constexpr double loosest = 1e-2;  ///< linear tolerance

  /// `values`: of the fixed dofs.
  void iterate(std::vector<double>& u, const std::vector<double>& values, NewtonReport& report) {
    values_ = values;
    move_problem(u);
    double residual = report.start = norm_of_residual(u.size());
    report.converged = !prescribe(u, values) && residual == 0;
    forcing_ = loosest;
    double asked = 0;
    const auto before = report.history.size();
    for (int k = 0; k < params_.newton.max_iterations && !report.converged; ++k) {
      if (const auto stop = stop_of(context_); stop && stop()) {
        report.interrupted = true;
        return;
      }
      const bool prescribes = prescribe(u, values);
      if (!quiet_)
        tangent_.choose(systems_to_come(k, report, asked), fmt::format("iteration {}", before + k + 1), "system");
      try {
        if (!correct(u, residual, prescribes, report)) return;
      } catch (const Error& error) {
        if (error.code() != ExitCode::usage) throw;
        const std::string what =
            fmt::format("the tangent of iteration {} cannot be evaluated: {}", report.history.size() + 1, error.what());
        const std::string help =
            "start by [[initial]] where derivatives of the coefficients have values, or choose newton.tangent = "
            "\"picard\", which does without";
        if (report.history.empty()) throw Error(error.code(), what, help, error.where());
        report.failure = what;
        report.help = help;
        return;
      }
      NewtonStep step{.correction = largest(correction_), .linear_iterations = report.linear.iterations};
      asked = least_correction(u);
      const bool last = step.correction <= asked;
      if (!move(u, residual, last || prescribes, step, report)) return;
      force(step.residual / residual);
      residual = step.residual;
      report.history.push_back(step);
      report.converged = last && step.damping == 1 && is_solved(report.linear);
      const std::string what =
          fmt::format("newton {}: residual {:.3e}, correction {:.3e}, damping {:.3g}, {}", report.history.size(),
                      residual, step.correction, step.damping, counted(step.linear_iterations, "iteration"));
      if (quiet_) continue;
      log_info(what);
      if (context_.progress) context_.progress(-1, what);
    }
    if (report.converged) return;
    report.failure =
        fmt::format("the correction is {:.3e} after {} iteration{}, asked {:.3e}", report.history.back().correction,
                    params_.newton.max_iterations, params_.newton.max_iterations == 1 ? "" : "s", asked);
    report.help =
        "start nearer to the solution by [[initial]], raise newton.load_steps, or raise newton.max_iterations";
  }

  /// Nobody knows. Of a load step in which so many were solved as many again, three at least, but no more than take the
  /// correction to what is asked if it goes on falling as it last did; and as many of each load step to come.
  double systems_to_come(int solved, const NewtonReport& report, double asked) const {
    constexpr int least = 3;
    const double of_step = std::max(solved, least);
    double rest = of_step;
    if (solved >= 2) {
      const double before = report.history.rbegin()[1].correction, last = report.history.back().correction;
      if (last < before) rest = std::min(rest, std::ceil(std::log(last / asked) / std::log(before / last)));
    }
    return std::max(rest, 1.0) + of_step * (params_.newton.load_steps - report.load_steps - 1);
  }

  void move_problem(const std::vector<double>& u) {
    ranks_.each([&] { problem_.move_to(u, load_); });
  }

  /// ||R|| at the state that the problem was moved to.
  double norm_of_residual(std::size_t rows) {
    if (residual_.empty()) residual_ = Array<double, Space>(static_cast<Offset>(rows));
    problem_.residual(residual_.view());
    const View<const double> own = std::as_const(residual_).view().part(0, ranks_.rows());
    Array<double, Space> square(1);
    const Linked linked(exec_, ranks_.link());
    linalg::dot(exec_, own, own, square.data());
    return std::sqrt(to_vector(square)[0]);
  }

  /// The tolerance of the next system, of how the residual has fallen.
  void force(double ratio) {
    constexpr double gamma = 0.9;
    forcing_ = std::isfinite(ratio) ? std::min(loosest, gamma * ratio * ratio) : loosest;
  }

  /// Infinite where one of them is not finite.
  double largest(const std::vector<double>& values) const {
    double most = 0;
    for (const double value : values)
      most = std::isfinite(value) ? std::max(most, std::abs(value)) : std::numeric_limits<double>::infinity();
    return ranks_ ? maximum(ranks_.ranks(), most) : most;
  }

  /// What corrections are small beside. A solution of 0 has no range: there it is what iterates had before.
  double range(const std::vector<double>& u) {
    double least = std::numeric_limits<double>::infinity(), most = -least, size = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      const double value = u[i] + (correction_.empty() ? 0.0 : correction_[i]);
      least = std::min(least, value), most = std::max(most, value), size = std::max(size, std::abs(value));
    }
    if (ranks_) {
      least = minimum(ranks_.ranks(), least);
      most = maximum(ranks_.ranks(), most);
      size = maximum(ranks_.ranks(), size);
    }
    const double of_u = std::max(most - least, 1e-3 * size);
    largest_range_ = std::max(largest_range_, of_u);
    return std::max(of_u, 1e-6 * largest_range_);
  }

  /// A correction of this size is the last. Where R is rounding already, so is what corrections are beyond the square
  /// root: a step of Newton's method squares the error.
  double least_correction(const std::vector<double>& u) {
    const double tolerance = params_.newton.tolerance;
    return (at_rounding_ && !params_.newton.picard() ? std::sqrt(tolerance) : tolerance) * range(u);
  }

  /// Whether a correction says how far u is from the solution: one of a system that is solved loosely may lack a part
  /// that changes the residual little.
  bool is_solved(const solvers::Report& linear) const {
    return linear.converged || linear.relative_residual <= 10 * params_.solver.tolerance;
  }

  /// What rounding makes of R: a digit of the largest terms of each row.
  double rounding(const std::vector<double>& u) {
    const Offset rows = ranks_.rows();
    Array<double, Space> terms(rows), square(1);
    const auto there = to_space<Space>(std::span(u).first(static_cast<std::size_t>(rows)));
    const Linked linked(exec_, ranks_.link());
    tangent_.system().A->diagonal(exec_, terms.view());
    linalg::multiply(exec_, View<const double>(terms.view()), View<const double>(there.view()), terms.view());
    linalg::dot(exec_, terms.view(), View<const double>(terms.view()), square.data());
    return std::numeric_limits<double>::epsilon() * std::sqrt(to_vector(square)[0]);
  }

  /// What fixed dofs are away from their values. Whether any is.
  bool prescribe(const std::vector<double>& u, const std::vector<double>& values) {
    away_.resize(values.size());
    bool any = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
      away_[i] = values[i] - u[static_cast<std::size_t>(fixed_.dofs[i])];
      any |= away_[i] != 0;
    }
    return ranks_ ? tessera::any(ranks_.ranks(), any) : any;
  }

  /// correction_ = A^-1 R, as exactly as it is needed, and to solver.tolerance where it may be the last. False where
  /// that cannot be had.
  bool correct(const std::vector<double>& u, double residual, bool prescribes, NewtonReport& report) {
    tangent_.make(u, away_);
    at_rounding_ = residual <= rounding(u);
    int before = 0;
    while (!solve_tangent(u, prescribes, report.linear) && tangent_.makes_anew(u, report.linear))
      before += report.linear.iterations;
    report.linear.iterations += before;
    report.interrupted = report.linear.interrupted;
    // A poor correction is one all the same, if it is one.
    constexpr double poor = 0.1;
    if (report.interrupted) return false;
    if (std::isfinite(largest(correction_)) && (report.linear.converged || report.linear.relative_residual <= poor))
      return true;
    report.failure =
        fmt::format("the system of iteration {} was not solved: {}", report.history.size() + 1,
                    report.linear.failure.empty()
                        ? fmt::format("relative residual {:.3e} after {} of {}", report.linear.relative_residual,
                                      counted(report.linear.iterations, "iteration"), report.linear.type)
                        : report.linear.failure);
    report.help =
        params_.newton.picard()
            ? "the matrix of picard leaves out how sources and flows through boundaries grow with u, and is singular "
              "where nothing else fixes u: choose newton.tangent = \"newton\", or another solver"
            : "the tangent may be singular there, where solutions turn back or branch: start nearer to the solution by "
              "[[initial]], raise newton.load_steps, try newton.tangent = \"picard\"; or it is the solver: try "
              "preconditioner = \"ssor\", solver.type = \"gmres\" or \"lu\", raise solver.max_iterations";
    return false;
  }

  /// correction_ = A^-1 R, and whether it is as exact as it was asked to be.
  bool solve_tangent(const std::vector<double>& u, bool prescribes, solvers::Report& report) {
    const double asked = params_.solver.tolerance;
    const bool adapts = params_.newton.linear_tolerance == "adaptive";
    const double tolerance = adapts ? std::max(asked, forcing_) : asked;
    report = tangent_.begin(tolerance, prescribes, away_, correction_);
    if (tolerance > asked && report.relative_residual > asked && !report.interrupted &&
        largest(correction_) <= least_correction(u)) {
      const int before = report.iterations;
      report = tangent_.go_on(asked, prescribes, away_, correction_);
      report.iterations += before;
    }
    tangent_.judge(report);
    return report.converged;
  }

  /// u += t correction_ with the first t that does; false where none does. `any`: the residual need not fall, where
  /// rounding may rule or Dirichlet values move.
  bool move(std::vector<double>& u, double residual, bool any, NewtonStep& step, NewtonReport& report) {
    constexpr double least_damping = 1e-4, decrease = 1e-4;
    const bool searches = params_.newton.line_search == "backtracking" && !params_.newton.picard();
    const std::vector<double> from = u;
    std::string refused;
    for (double t = 1;;) {
      for (std::size_t i = 0; i < u.size(); ++i) u[i] = from[i] + t * correction_[i];
      for (std::size_t i = 0; t == 1 && i < values_.size(); ++i)  // to the last digit, so that they are there
        u[static_cast<std::size_t>(fixed_.dofs[i])] = values_[i];
      double there = std::numeric_limits<double>::infinity();
      try {
        move_problem(u);
        there = norm_of_residual(u.size());
        refused.clear();
      } catch (const Error& error) {
        if (error.code() != ExitCode::usage) throw;
        refused = error.what();
      }
      if (std::isfinite(there) && (any || !searches || there <= (1 - decrease * t) * residual)) {
        step.residual = there, step.damping = t;
        return true;
      }
      // The parabola of ||R||^2 through its value and slope at 0 and its value at t.
      const double growth = there * there / (residual * residual);
      const double least = std::isfinite(growth) ? t * t / (growth - 1 + 2 * t) : 0;
      t = std::clamp(least, 0.1 * t, 0.5 * t);
      if (t >= least_damping) continue;
      u = from;
      report.failure = refused.empty()
                           ? fmt::format("the residual {:.3e} does not fall along the correction of iteration {}",
                                         residual, report.history.size() + 1)
                           : fmt::format("coefficients cannot be evaluated along the correction of iteration {}: {}",
                                         report.history.size() + 1, refused);
      report.help =
          "start nearer to the solution by [[initial]], or raise newton.load_steps; there may be no solution, or "
          "coefficients that have jumps";
      return false;
    }
  }

  Exec& exec_;
  Nonlinear<Exec>& problem_;
  const CommonParams& params_;
  const DirichletData& fixed_;
  const OverRanks<Exec>& ranks_;
  Context& context_;
  TangentSolver<Exec> tangent_;
  Array<double, Space> residual_;
  std::vector<double> correction_;
  std::vector<double> values_;  ///< [fixed] of the load step
  std::vector<double> away_;    ///< [fixed] what they are ahead of u
  double load_ = 1, forcing_ = loosest, largest_range_ = 0;
  bool at_rounding_ = false;  ///< R at the state at hand
  bool quiet_ = false;
};

}  // namespace tessera::physics
