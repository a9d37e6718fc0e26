#pragma once
// What direct solvers share once a factor is there: the solution, refined until the residual meets the tolerance.
#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "linalg/spmv.hpp"
#include "linalg/vector_ops.hpp"
#include "solvers/params.hpp"
#include "solvers/reference_norm.hpp"
#include "solvers/report.hpp"

namespace tessera::solvers {

/// x = factor.solve(b), refined twice at most; `history` has the relative residual after the solution and after each
/// refinement, `iterations` counts refinements.
template <class Factor>
void solve_and_refine(Threads& exec, const Factor& factor, const linalg::CrsView<const double>& A, View<const double> b,
                      View<double> x, const SolverParams& params, const Monitor& monitor, View<const double> row_sums,
                      Report& report) {
  double bb = 0, rr = 0, sums[2];
  linalg::dot(exec, b, b, &bb);
  const double norm_b = std::sqrt(bb);
  Eigen::VectorXd r = Eigen::Map<const Eigen::VectorXd>(b.data(), b.size());
  Eigen::Map<Eigen::VectorXd> solution(x.data(), x.size());
  solution.setZero();
  double norm = 0, target = 0;
  report.reference = norm_b > 0 ? norm_b : 1;
  for (report.iterations = 0;; ++report.iterations) {
    // x += A^-1 r ; r = b - A x
    solution += factor.solve(r);
    linalg::residual(exec, A, x, b, View<double>(r.data(), r.size()), &rr);
    norm = std::sqrt(rr);
    if (norm_b > 0 && std::isfinite(norm))
      report.reference = reference_norm(exec, b, row_sums, View<const double>(x), norm_b, params.tolerance, sums);
    target = std::max(params.tolerance * report.reference, params.absolute_tolerance);
    report.relative_residual = norm / report.reference;
    report.history.push_back(norm);
    if (monitor.progress) monitor.progress(report.iterations, report.relative_residual);
    if (norm <= target || report.iterations == 2 || !std::isfinite(norm)) break;
  }
  for (double& value : report.history) value /= report.reference;
  report.converged = norm <= target;
  if (report.converged) return;
  const Apart apart(report.relative_residual, params.tolerance);
  report.failure = fmt::format(
      "the residual of the factorisation is {}, asked for {}: the matrix is singular to "
      "rounding or holds a value that is not finite",
      apart.first, apart.second);
}

}  // namespace tessera::solvers
