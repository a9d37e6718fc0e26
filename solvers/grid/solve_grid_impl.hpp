#pragma once
// solve_grid, written once: it only calls declared functions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "solvers/grid/grid_operator.hpp"
#include "solvers/grid/solve_grid.hpp"

namespace tessera::solvers::grid {

/// Backward error that counts as round-off, in units of the precision's last digit.
inline constexpr double accepted_digits = 100;

template <class Exec, class T>
class GridRefinement {
 public:
  using Space = typename Exec::Space;

  GridRefinement(Exec& exec, const GridOperator<Exec>& A, const SolverParams& params)
      : exec_(exec),
        A_(A),
        params_(params),
        solver_(exec, A.problem(), {params.type, params.radix}),
        r_(A.rows()),
        scalars_(2) {
    if constexpr (std::is_same_v<T, float>) {
      single_r_ = Array<float, Space>(A.rows());
      single_d_ = Array<float, Space>(A.rows());
    } else {
      d_ = Array<double, Space>(A.rows());
    }
  }

  Report run(View<const double> b, View<double> x, const Monitor& monitor) {
    Report report;
    report.method = solver_.describe();
    report.precision = params_.precision;
    const double norm_b = norm(b), target = std::max(params_.tolerance * norm_b, params_.absolute_tolerance);
    double residual = norm_b;
    linalg::fill(exec_, x, 0.0);
    report.converged = norm_b == 0;
    View<const double> r = b;
    while (!report.converged && report.iterations < most_solves()) {
      if (monitor.stop && monitor.stop()) {
        report.interrupted = true;
        break;
      }
      // x += A^-1 r ; r = b - A x
      add_solution(r, residual, x);
      const double before = residual;
      A_.residual(exec_, x, b, r_, scalars_.data());
      residual = std::sqrt(to_vector(scalars_)[0]);
      r = r_;
      ++report.iterations;
      report.history.push_back(residual / norm_b);
      report.relative_residual = residual / norm_b;
      if (monitor.progress) monitor.progress(report.iterations, report.relative_residual);
      report.backward_error = residual / (A_.norm() * norm(x) + norm_b);
      report.converged = std::isfinite(residual) && residual <= target;
      const bool stalls = report.iterations > 1 && residual > 0.5 * before;
      if (!std::isfinite(residual) || stalls || report.backward_error <= std::numeric_limits<double>::epsilon()) break;
    }
    if (report.interrupted || norm_b == 0) return report;
    const double digit =
        params_.precision == "float" ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
    report.converged = report.converged || report.backward_error <= accepted_digits * digit;
    if (!report.converged) report.failure = describe_failure(report);
    return report;
  }

 private:
  int most_solves() const {
    const int most = params_.precision == "float" ? 1 : params_.precision == "mixed" ? 20 : 3;
    return std::min(most, params_.max_iterations);
  }

  double norm(View<const double> v) {
    linalg::dot(exec_, v, v, scalars_.data() + 1);
    return std::sqrt(to_vector(scalars_)[1]);
  }

  /// x += A^-1 r; in float r is scaled to one first, and the solution back.
  void add_solution(View<const double> r, double size, View<double> x) {
    if constexpr (std::is_same_v<T, float>) {
      linalg::convert_scaled(exec_, 1 / size, r, single_r_.view());
      solver_.solve(single_r_, single_d_);
      linalg::add_scaled(exec_, size, View<const float>(single_d_), x);
    } else {
      solver_.solve(r, d_);
      linalg::axpy(exec_, 1.0, d_, x);
    }
  }

  std::string describe_failure(const Report& report) const {
    if (!std::isfinite(report.relative_residual))
      return "the solution is not finite: the right-hand side or the boundary values leave the range of the precision";
    return fmt::format("relative residual {:.3g}, backward error {:.3g}, asked for {:.3g}{}", report.relative_residual,
                       report.backward_error, params_.tolerance,
                       params_.precision == "double" ? "" : "; choose run.precision = \"double\"");
  }

  Exec& exec_;
  const GridOperator<Exec>& A_;
  const SolverParams& params_;
  FastPoisson<Exec, T> solver_;
  Array<double, Space> r_, d_;
  Array<float, Space> single_r_, single_d_;
  Array<double, Space> scalars_;
};

template <class Exec>
Report solve_grid(Exec& exec, const linalg::Operator<Exec>& A, View<const double> b, View<double> x,
                  const SolverParams& params, const Monitor& monitor) {
  const auto* grid = dynamic_cast<const GridOperator<Exec>*>(&A);
  if (!grid)
    throw Error(
        ExitCode::usage,
        fmt::format("the solver '{}' needs a uniform grid with constant coefficients; this matrix is stored as '{}'",
                    params.type, A.format()),
        "choose type = \"cg\"", params.where);
  try {
    if (params.precision == "double") return GridRefinement<Exec, double>(exec, *grid, params).run(b, x, monitor);
    return GridRefinement<Exec, float>(exec, *grid, params).run(b, x, monitor);
  } catch (const Error& error) {
    throw error.where() ? error : Error(error.code(), error.what(), error.help(), params.where);
  }
}

}  // namespace tessera::solvers::grid
