#pragma once
// What direct solvers share once a factor is there: the solution, refined until the residual meets the tolerance.
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "linalg/spmv.hpp"
#include "linalg/vector_ops.hpp"
#include "solvers/params.hpp"
#include "solvers/report.hpp"

namespace tessera::solvers {

/// x = factor.solve(b), refined twice at most; `history` has the relative residual after the solution and after each refinement,
/// `iterations` counts refinements.
template <class Factor>
void solve_and_refine(Threads& exec, const Factor& factor, const linalg::Crs<Host>& A, View<const double> b,
                      View<double> x, const SolverParams& params, const Monitor& monitor, Report& report) {
  double bb = 0, rr = 0;
  linalg::dot(exec, b, b, &bb);
  const double norm_b = std::sqrt(bb);
  const double target = std::max(params.tolerance * norm_b, params.absolute_tolerance);
  Eigen::VectorXd r = Eigen::Map<const Eigen::VectorXd>(b.data(), b.size());
  Eigen::Map<Eigen::VectorXd> solution(x.data(), x.size());
  solution.setZero();
  double norm = 0;
  for (report.iterations = 0;; ++report.iterations) {
    // x += A^-1 r ; r = b - A x
    solution += factor.solve(r);
    linalg::residual(exec, A.view(), x, b, View<double>(r.data(), r.size()), &rr);
    norm = std::sqrt(rr);
    report.relative_residual = norm_b > 0 ? norm / norm_b : norm;
    report.history.push_back(report.relative_residual);
    if (monitor.progress) monitor.progress(report.iterations, report.relative_residual);
    if (norm <= target || report.iterations == 2 || !std::isfinite(norm)) break;
  }
  report.converged = norm <= target;
  if (!report.converged)
    report.failure = fmt::format(
        "the residual of the factorisation is {:.3g}, asked for {:.3g}: the matrix is singular to "
        "rounding or holds a value that is not finite, or the tolerance is below reach",
        report.relative_residual, params.tolerance);
}

}  // namespace tessera::solvers
