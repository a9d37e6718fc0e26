#pragma once
// The direct methods of grids, written once: it only calls declared functions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/log.hpp"
#include "solvers/grid/grid_operator.hpp"
#include "solvers/grid/solve_grid.hpp"
#include "solvers/reference_norm.hpp"

namespace tessera::solvers::grid {

/// Backward error that counts as round-off, in units of the precision's last digit; the solvers keep to 4.
inline constexpr double accepted_digits = 16;
/// Brings values whose squares leave the range of double back into it.
inline constexpr double rescue = 0x1p500;

template <class Exec, class T>
class GridRefinement {
 public:
  using Space = typename Exec::Space;

  GridRefinement(Exec& exec, const linalg::Operator<Exec>& A, const SolverParams& params)
      : exec_(exec),
        A_(&A),
        params_(params),
        problem_(*A.grid()),
        norm_(largest_row_sum(problem_)),
        solver_(exec, problem_, {params.type, params.method.as<BcrParams>().radix}),
        r_(A.rows()),
        scalars_(2) {
    if constexpr (std::is_same_v<T, float>) {
      single_r_ = Array<float, Space>(A.rows());
      single_d_ = Array<float, Space>(A.rows());
    } else {
      d_ = Array<double, Space>(A.rows());
    }
  }

  /// Whether all that it holds serves A too; from now on A then.
  bool takes(const linalg::Operator<Exec>& A) {
    A_ = &A;
    return *A.grid() == problem_;
  }

  Report run(View<const double> b, View<double> x, const Monitor& monitor, View<const double> row_sums) {
    row_sums_ = row_sums;
    const double size = norm(b);
    if (size > 0 && std::isfinite(size)) return refine(b, size, 1, x, monitor);
    const double factor = size == 0 ? rescue : 1 / rescue;
    Array<double, Space> scaled(b.size());
    linalg::copy(exec_, b, scaled.view());
    linalg::scale(exec_, factor, scaled.view());
    const double scaled_size = norm(scaled);
    if (!std::isfinite(scaled_size)) require_finite(exec_, problem_, b);
    Report report = refine(scaled, scaled_size, factor, x, monitor);
    linalg::scale(exec_, 1 / factor, x);
    return report;
  }

 private:
  /// Solves for b, of norm `norm_b`, which is `factor` times the caller's.
  Report refine(View<const double> b, double norm_b, double factor, View<double> x, const Monitor& monitor) {
    Report report;
    report.method = solver_.describe();
    report.precision = params_.precision;
    linalg::fill(exec_, x, 0.0);
    report.converged = norm_b == 0;
    if (report.converged) return report;
    const auto target = [&](double reference) {
      return std::max(params_.tolerance * reference, params_.absolute_tolerance * factor);
    };
    double residual = norm_b, reference = norm_b;
    report.relative_residual = 1;
    report.history.push_back(norm_b);
    View<const double> r = b;
    while (!report.converged && report.iterations < most_solves()) {
      if (monitor.stop && monitor.stop()) {
        report.interrupted = true;
        return report;
      }
      // x += A^-1 r ; r = b - A x
      const double before = residual;
      solve(r, before);
      correct(before, x);
      residual = residual_of(b, x);
      r = r_;
      ++report.iterations;
      report.history.push_back(residual);
      if (monitor.progress) monitor.progress(report.iterations, residual / reference);
      const bool refined = report.iterations > 1;
      if (refined && !(residual <= before)) {
        correct(-before, x);
        residual = residual_of(b, x);
      }
      report.backward_error = residual / (norm_ * norm(x) + norm_b);
      if (std::isfinite(residual))
        reference =
            reference_norm(exec_, b, row_sums_, View<const double>(x), norm_b, params_.tolerance, scalars_.data());
      report.converged = std::isfinite(residual) && residual <= target(reference);
      const bool stalls = refined && residual > 0.5 * before;
      if (!std::isfinite(residual) || stalls || report.backward_error <= std::numeric_limits<double>::epsilon()) break;
    }
    report.relative_residual = residual / reference;
    report.reference = reference / factor;
    for (double& value : report.history) value /= reference;
    if (!report.converged) judge(report);
    return report;
  }

  /// The tolerance is missed: accepted with a warning where the residual is round-off, else a failure.
  void judge(Report& report) const {
    const bool single = params_.precision == "float";
    const double digit = single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
    report.converged = report.backward_error <= accepted_digits * digit;
    if (report.converged)
      warn(
          fmt::format("solver.tolerance = {:.3g} is missed: the relative residual is {:.3g}, round-off of {} on this "
                      "grid (backward "
                      "error {:.2g}){}",
                      params_.tolerance, report.relative_residual, single ? "single precision" : "double precision",
                      report.backward_error, single ? "; precision = \"mixed\" does better" : ""));
    else if (!std::isfinite(report.relative_residual))
      report.failure =
          "the solution is not finite: the right-hand side or the boundary values leave the range of the precision";
    else
      report.failure = fmt::format("relative residual {:.3g}, backward error {:.3g}, asked for {:.3g}{}",
                                   report.relative_residual, report.backward_error, params_.tolerance,
                                   params_.precision == "double" ? "" : "; choose run.precision = \"double\"");
  }

  int most_solves() const {
    const int most = params_.precision == "float" ? 1 : params_.precision == "mixed" ? 20 : 3;
    return std::min(most, params_.max_iterations);
  }

  double norm(View<const double> v) {
    linalg::dot(exec_, v, v, scalars_.data() + 1);
    return std::sqrt(to_vector(scalars_)[1]);
  }

  double residual_of(View<const double> b, View<double> x) {
    A_->residual(exec_, x, b, r_, scalars_.data());
    return std::sqrt(to_vector(scalars_)[0]);
  }

  /// d = A^-1 r; in float of r scaled to one.
  void solve(View<const double> r, double size) {
    if constexpr (std::is_same_v<T, float>) {
      linalg::convert_scaled(exec_, 1 / size, r, single_r_.view());
      solver_.solve(single_r_, single_d_);
    } else {
      solver_.solve(r, d_);
    }
  }

  /// x += d, or x -= d where `size` is negative.
  void correct(double size, View<double> x) {
    if constexpr (std::is_same_v<T, float>)
      linalg::add_scaled(exec_, size, View<const float>(single_d_), x);
    else
      linalg::axpy(exec_, size < 0 ? -1.0 : 1.0, d_, x);
  }

  Exec& exec_;
  const linalg::Operator<Exec>* A_;
  const SolverParams& params_;  ///< of the owner
  GridProblem problem_;
  double norm_;
  View<const double> row_sums_;
  FastPoisson<Exec, T> solver_;
  Array<double, Space> r_, d_;
  Array<float, Space> single_r_, single_d_;
  Array<double, Space> scalars_;
};

template <class Exec>
class GridMethod final : public Method<Exec> {
 public:
  explicit GridMethod(const SolverParams& params) : params_(params) {}

  void set_operator(const linalg::Operator<Exec>& A, Reuse) override {
    A_ = &A;
    if (double_ && !double_->takes(A)) double_.reset();
    if (float_ && !float_->takes(A)) float_.reset();
  }

  Report solve(Exec& exec, View<const double> b, View<double> x, const Monitor& monitor,
               View<const double> row_sums) override {
    try {
      return params_.precision == "double" ? run(exec, double_, b, x, monitor, row_sums)
                                           : run(exec, float_, b, x, monitor, row_sums);
    } catch (const Error& error) {
      if (error.code() != ExitCode::usage || error.where()) throw;
      throw Error(error.code(), error.what(), error.help(), params_.where);
    }
  }

 private:
  template <class T>
  Report run(Exec& exec, std::unique_ptr<GridRefinement<Exec, T>>& made, View<const double> b, View<double> x,
             const Monitor& monitor, View<const double> row_sums) {
    if (!made) made = std::make_unique<GridRefinement<Exec, T>>(exec, *A_, params_);
    return made->run(b, x, monitor, row_sums);
  }

  const SolverParams params_;
  const linalg::Operator<Exec>* A_ = nullptr;
  std::unique_ptr<GridRefinement<Exec, double>> double_;
  std::unique_ptr<GridRefinement<Exec, float>> float_;
};

template <class Exec>
std::unique_ptr<Method<Exec>> make_grid_method(const SolverParams& params) {
  return std::make_unique<GridMethod<Exec>>(params);
}

}  // namespace tessera::solvers::grid
