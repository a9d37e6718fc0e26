#pragma once
// A Krylov method as the table knows it: in the precision that is asked for, with all that it keeps between solves.
// Host code: it only calls declared functions.
#include <memory>

#include "base/error.hpp"
#include "solvers/krylov/krylov.hpp"
#include "solvers/krylov/krylov_bytes.hpp"
#include "solvers/method.hpp"
#include "solvers/precondition/table.hpp"

namespace tessera::solvers {

/// |(u, A v) - (v, A u)| over ||u|| ||A v|| for two random vectors: rounding for a symmetric A. 24 B a row for a
/// moment.
template <class Exec>
double asymmetry(Exec& exec, const linalg::Operator<Exec>& A) {
  using Space = typename Exec::Space;
  Array<double, Space> u(A.rows()), v(A.rows()), w(A.rows()), sums(4);
  linalg::fill_random(exec, u.view(), 1, A.first_row());
  linalg::fill_random(exec, v.view(), 2, A.first_row());
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

/// Iteration<Exec, T>::make, where it chooses between classes, or else one of its own.
template <template <class, class> class Iteration, class Exec, class T>
std::unique_ptr<Krylov<Exec, T>> make_iteration(Exec& exec, const linalg::Operator<Exec, T>& A,
                                                Preconditioner<Exec, T>& M, const SolverParams& params) {
  if constexpr (requires { Iteration<Exec, T>::make(exec, A, M, params); })
    return Iteration<Exec, T>::make(exec, A, M, params);
  else
    return std::make_unique<Iteration<Exec, T>>(exec, A, M, params);
}

template <template <class, class> class Iteration, class Exec>
class KrylovMethod final : public Method<Exec> {
  using Space = typename Exec::Space;

 public:
  KrylovMethod(const SolverParams& params, Needs needs) : params_(params), needs_(needs) {}

  void set_operator(const linalg::Operator<Exec>& A, Reuse reuse) override {
    A_ = &A;
    valid_ = std::min(valid_, reuse);
    prepared_ = false;
  }

  Report solve(Exec& exec, View<const double> b, View<double> x, const Monitor& monitor,
               View<const double> row_sums) override {
    if (!prepared_) prepare(exec);
    Report report;
    if (!failure_.empty())
      report = failed(failure_);
    else if (params_.precision == "float")
      report = solve_in_float(exec, b, x, monitor, row_sums);
    else if (params_.precision == "mixed")
      report = solve_mixed(exec, b, x, monitor, row_sums);
    else
      report = solve_in_double(exec, b, x, monitor, row_sums);
    report.precision = params_.precision;
    if (double_.M) double_.M->describe(report);
    if (float_.M) float_.M->describe(report);
    if (report.converged || report.interrupted) return report;
    // A solution that meets the tolerance is one, whatever the matrix; a failure deserves the closer look, and the room
    // for it.
    release();
    if (needs_.symmetric && A_->global_rows() > 1) look_for_asymmetry(exec, report);
    return report;
  }

 private:
  /// What is made of an operator for an iteration in type T.
  template <class T>
  struct Kept {
    std::unique_ptr<Preconditioner<Exec, T>> M;
    std::unique_ptr<Krylov<Exec, T>> iteration;
  };

  /// Gives back all that was made.
  void release() {
    double_ = {};
    float_ = {};
    plain_.reset();
    plain_float_.reset();
    refined_.reset();
    single_.reset();
    float_vectors_ = {};
    valid_ = Reuse::nothing;
    prepared_ = false;
    failure_.clear();
  }

  void prepare(Exec& exec) {
    if (valid_ == Reuse::nothing) release();
    if (!plain_) plain_ = std::make_unique<PlainEquation<Exec, double>>(exec);
    if (params_.precision == "double") {
      set_up(exec, *A_, double_);
    } else {
      if (valid_ != Reuse::all) make_single(exec);
      if (params_.precision == "mixed" && !refined_)
        refined_ = std::make_unique<RefinedEquation<Exec>>(exec, A_->rows());
      if (params_.precision == "float" && !plain_float_) {
        plain_float_ = std::make_unique<PlainEquation<Exec, float>>(exec);
        float_vectors_ = Array<unsigned char, Space>(2 * float_vector_bytes(A_->rows()));
      }
      set_up(exec, *single_, float_);
    }
    prepared_ = true;
    valid_ = failure_.empty() ? Reuse::all : Reuse::nothing;
  }

  template <class T>
  void set_up(Exec& exec, const linalg::Operator<Exec, T>& A, Kept<T>& kept) {
    if (!kept.M) kept.M = make_preconditioner<Exec, T>(params_);
    if (valid_ != Reuse::all && kept.M->set_up_takes_room()) kept.iteration.reset();
    const linalg::Sign sign = needs_.definite    ? linalg::Sign::positive
                              : needs_.symmetric ? linalg::Sign::magnitude
                                                 : linalg::Sign::any;
    failure_ = on_any_rank(exec, kept.M->set_up(exec, *A_, A, sign, valid_));
    if (!failure_.empty()) return;
    if (!kept.iteration)
      kept.iteration = make_iteration<Iteration>(exec, A, *kept.M, params_);
    else
      kept.iteration->bind(A, *kept.M);
  }

  void make_single(Exec& exec) {
    single_.reset();
    single_ = A_->to_float(exec);
    if (!single_)
      throw Error(
          ExitCode::usage,
          fmt::format("precision = \"{}\" needs a copy of the matrix in float, which the format '{}' does not offer",
                      params_.precision, A_->format()),
          "choose precision = \"double\", or matrix.format = \"crs\"", params_.where);
  }

  Report solve_in_double(Exec&, View<const double> b, View<double> x, const Monitor& monitor,
                         View<const double> row_sums) {
    plain_->set(*A_, b, x, row_sums);
    return double_.iteration->run(*plain_, monitor);
  }

  Report solve_mixed(Exec&, View<const double> b, View<double> x, const Monitor& monitor, View<const double> row_sums) {
    refined_->set(*A_, b, x, row_sums);
    return float_.iteration->run(*refined_, monitor);
  }

  /// All in float, from and to vectors in double. The residual that is reported is that of the double system.
  Report solve_in_float(Exec& exec, View<const double> b, View<double> x, const Monitor& monitor,
                        View<const double> row_sums) {
    // b and x in float; when they have served, r in double takes their place.
    unsigned char* memory = float_vectors_.data();
    const View<float> b_single(reinterpret_cast<float*>(memory), b.size());
    const View<float> x_single(reinterpret_cast<float*>(memory + float_vector_bytes(b.size())), x.size());
    const View<double> r(reinterpret_cast<double*>(memory), b.size());
    linalg::convert(exec, b, b_single);
    linalg::convert(exec, View<const double>(x), x_single);
    plain_float_->set(*single_, b_single, x_single, row_sums);
    Report report = float_.iteration->run(*plain_float_, monitor);
    linalg::convert(exec, View<const float>(x_single), x);
    if (report.converged && report.iterations == 0 && report.relative_residual == 0) return report;  // b = 0
    PlainEquation<Exec, double>& exact = *plain_;
    exact.set(*A_, b, x, row_sums);
    const double norm_b = exact.norm_b(), norm = exact.residual(r);
    const double tolerance = std::max(params_.tolerance, monitor.tolerance);
    report.reference = std::isfinite(norm) ? exact.reference(norm_b, tolerance) : norm_b;
    report.relative_residual = norm / report.reference;
    const bool met = norm <= std::max(tolerance * report.reference, params_.absolute_tolerance);
    if (!met && !report.interrupted && std::isfinite(norm) && report.relative_residual < 1e-2)
      report.failure = fmt::format(
          "in single precision the residual of the double system is {:.3g}, asked for {:.3g}; choose precision = "
          "\"mixed\", "
          "which reaches the accuracy of double, or raise the tolerance",
          report.relative_residual, tolerance);
    report.converged = met;
    return report;
  }

  void look_for_asymmetry(Exec& exec, Report& report) const {
    const double measured = asymmetry(exec, *A_);
    if (measured > 1e-10)
      report.failure = fmt::format(
          "the matrix is not symmetric: (u, A v) and (v, A u) differ by {:.2g} of their size; choose type = \"gmres\" "
          "or "
          "\"bicgstab\" (the solver had said: {})",
          measured, report.failure);
  }

  const SolverParams params_;
  const Needs needs_;
  const linalg::Operator<Exec>* A_ = nullptr;
  Reuse valid_ = Reuse::nothing;  ///< of what was made, for A_
  bool prepared_ = false;
  std::string failure_;                                    ///< why there is no preconditioner of A_
  std::unique_ptr<linalg::Operator<Exec, float>> single_;  ///< A_ in float
  std::unique_ptr<PlainEquation<Exec, double>> plain_;     ///< of the double system
  std::unique_ptr<PlainEquation<Exec, float>> plain_float_;
  std::unique_ptr<RefinedEquation<Exec>> refined_;
  Array<unsigned char, Space> float_vectors_;
  Kept<double> double_;
  Kept<float> float_;
};

}  // namespace tessera::solvers
