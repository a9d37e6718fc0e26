#pragma once
// From the precision that is asked for to a method of that type. Host code: it only calls declared functions.
#include "base/error.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/precondition/table.hpp"

namespace tessera::solvers {

/// What a method takes for granted of A.
struct Needs {
  bool symmetric = false;
  bool definite = false;  ///< positive definite: so the diagonal is positive
};

/// |(u, A v) - (v, A u)| over ||u|| ||A v|| for two random vectors: rounding for a symmetric A. 24 B a row for a moment.
template <class Exec>
double asymmetry(Exec& exec, const linalg::Operator<Exec>& A) {
  using Space = typename Exec::Space;
  Array<double, Space> u(A.rows()), v(A.rows()), w(A.rows()), sums(4);
  linalg::fill_random(exec, u.view(), 1);
  linalg::fill_random(exec, v.view(), 2);
  A.apply(exec, u, w);
  linalg::dot(exec, w.view(), v, sums.data());
  A.apply(exec, v, w);
  linalg::dot_pair(exec, w.view(), u, w, w, sums.data() + 1, sums.data() + 2);
  linalg::dot(exec, u.view(), u, sums.data() + 3);
  const auto host = to_vector(sums);
  return std::abs(host[0] - host[1]) / std::sqrt(host[2] * host[3]);
}

inline Report failed(const std::string& failure) {
  Report report;
  report.failure = failure;
  report.relative_residual = std::numeric_limits<double>::quiet_NaN();
  return report;
}

/// Makes the preconditioner and runs the method in type T.
template <template <class, class> class Method, class Exec, class T>
Report run_method(Exec& exec, const linalg::Operator<Exec>& A, const linalg::Operator<Exec, T>& A_in_type,
                  Equation<Exec, T>& equation, const SolverParams& params, const Monitor& monitor, Needs needs) {
  const linalg::Sign sign = needs.definite    ? linalg::Sign::positive
                            : needs.symmetric ? linalg::Sign::magnitude
                                              : linalg::Sign::any;
  std::string failure;
  const auto preconditioner = make_preconditioner<Exec, T>(exec, A, A_in_type, params, sign, failure);
  if (!preconditioner) return failed(failure);
  return Method<Exec, T>(exec, A_in_type, equation, params, *preconditioner, monitor).run();
}

template <class Exec>
std::unique_ptr<linalg::Operator<Exec, float>> float_copy(Exec& exec, const linalg::Operator<Exec>& A,
                                                          const SolverParams& params) {
  auto copy = A.to_float(exec);
  if (!copy)
    throw Error(
        ExitCode::usage,
        fmt::format("precision = \"{}\" needs a copy of the matrix in float, which the format '{}' does not offer",
                    params.precision, A.format()),
        "choose precision = \"double\", or matrix.format = \"crs\"", params.where);
  return copy;
}

/// All in float, from and to vectors in double. The residual that is reported is that of the double system.
template <template <class, class> class Method, class Exec>
Report run_in_float(Exec& exec, const linalg::Operator<Exec>& A, View<const double> b, View<double> x,
                    const SolverParams& params, const Monitor& monitor, View<const double> row_sums, Needs needs) {
  using Space = typename Exec::Space;
  Report report;
  {
    const auto single = float_copy(exec, A, params);
    Array<float, Space> b_single(b.size()), x_single(x.size());
    linalg::convert(exec, b, b_single.view());
    linalg::convert(exec, x, x_single.view());
    PlainEquation<Exec, float> equation(exec, *single, b_single, x_single, row_sums);
    report = run_method<Method>(exec, A, *single, equation, params, monitor, needs);
    linalg::convert(exec, x_single.view(), x);
  }
  if (report.converged && report.iterations == 0 && report.relative_residual == 0) return report;  // b = 0
  Array<double, Space> r(b.size());
  PlainEquation<Exec, double> exact(exec, A, b, x, row_sums);
  const double norm_b = exact.norm_b(), norm = exact.residual(r);
  report.reference = std::isfinite(norm) ? exact.reference(norm_b, params.tolerance) : norm_b;
  report.relative_residual = norm / report.reference;
  const bool met = norm <= std::max(params.tolerance * report.reference, params.absolute_tolerance);
  if (!met && !report.interrupted && std::isfinite(norm) && report.relative_residual < 1e-2)
    report.failure = fmt::format(
        "in single precision the residual of the double system is {:.3g}, asked for {:.3g}; choose precision = "
        "\"mixed\", "
        "which reaches the accuracy of double, or raise the tolerance",
        report.relative_residual, params.tolerance);
  report.converged = met;
  return report;
}

/// `row_sums`: those of A, for reference_norm.
template <template <class, class> class Method, class Exec>
Report in_precision(Exec& exec, const linalg::Operator<Exec>& A, View<const double> b, View<double> x,
                    const SolverParams& params, const Monitor& monitor, View<const double> row_sums, Needs needs) {
  Report report;
  if (params.precision == "float") {
    report = run_in_float<Method>(exec, A, b, x, params, monitor, row_sums, needs);
  } else if (params.precision == "mixed") {
    const auto single = float_copy(exec, A, params);
    RefinedEquation<Exec> equation(exec, A, b, x, row_sums);
    report =
        run_method<Method>(exec, A, *single, static_cast<Equation<Exec, float>&>(equation), params, monitor, needs);
  } else {
    PlainEquation<Exec, double> equation(exec, A, b, x, row_sums);
    report = run_method<Method>(exec, A, A, static_cast<Equation<Exec, double>&>(equation), params, monitor, needs);
  }
  report.precision = params.precision;
  // A solution that meets the tolerance is one, whatever the matrix; a failure deserves the closer look.
  if (!report.converged && !report.interrupted && needs.symmetric && A.rows() > 1) {
    const double measured = asymmetry(exec, A);
    if (measured > 1e-10)
      report.failure = fmt::format(
          "the matrix is not symmetric: (u, A v) and (v, A u) differ by {:.2g} of their size; choose type = \"gmres\" "
          "or "
          "\"bicgstab\" (the solver had said: {})",
          measured, report.failure);
  }
  return report;
}

}  // namespace tessera::solvers
