#pragma once
// Conjugate gradients, written once. It only calls declared functions: cg.cpp and cg_cuda.cpp instantiate it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "linalg/spmv.hpp"
#include "linalg/vector_ops.hpp"
#include "solvers/krylov/cg.hpp"
#include "solvers/krylov/replay.hpp"
#include "solvers/precondition/table.hpp"

namespace tessera::solvers {

/// One solve. Scalars stay with the vectors; the host fetches them after every block of iterations.
template <class Exec>
class Cg {
  using Space = typename Exec::Space;

 public:
  Cg(Exec& exec, const linalg::Crs<Space>& A, View<const double> b, View<double> x, const SolverParams& params,
     Preconditioner<Exec>& preconditioner, const Monitor& monitor)
      : exec_(exec), A_(A.view()), b_(b), x_(x), params_(params), M_(preconditioner), monitor_(monitor),
        block_(std::is_same_v<Exec, Threads> ? 1 : params.check_every),
        r_(A.rows), p_(A.rows), q_(A.rows), scalars_(3 * block_ + 1), host_(static_cast<std::size_t>(3 * block_ + 1)) {}

  Report run() {
    linalg::dot(exec_, b_, b_, rz(0));
    fetch();
    norm_b_ = std::sqrt(host_[0]);
    if (!(norm_b_ > 0) || !std::isfinite(norm_b_)) return finish_special_right_hand_side();
    target_ = std::max(params_.tolerance * norm_b_, params_.absolute_tolerance);

    double norm = true_residual();
    double norm_before = std::numeric_limits<double>::infinity();
    report_.history.push_back(norm / norm_b_);
    if (!std::isfinite(norm)) report_.failure = "the matrix or the initial guess holds a value that is not finite";
    while (norm > target_ && report_.failure.empty()) {
      if (norm > 0.9 * norm_before) {
        report_.failure = stagnation(norm);
      } else {
        norm_before = norm;
        start();
        iterate_until_small(norm);
        norm = true_residual();  // the recurrence of r drifts away from b - A x; only the latter counts
      }
    }
    report_.converged = norm <= target_;
    if (report_.converged && !report_.interrupted) report_.failure.clear();
    report_.relative_residual = norm / norm_b_;
    return report_;
  }

 private:
  // Scalars of one block: rz[0 .. block], pq[0 .. block), rr[0 .. block).
  double* rz(int i) { return scalars_.data() + i; }
  double* pq(int i) { return scalars_.data() + block_ + 1 + i; }
  double* rr(int i) { return scalars_.data() + 2 * block_ + 1 + i; }
  double host_rz(int i) const { return host_[static_cast<std::size_t>(i)]; }
  double host_pq(int i) const { return host_[static_cast<std::size_t>(block_ + 1 + i)]; }
  double host_rr(int i) const { return host_[static_cast<std::size_t>(2 * block_ + 1 + i)]; }
  void fetch() { copy_bytes(Space{}, scalars_.data(), Host{}, host_.data(), scalars_.bytes()); }

  /// r = b - A x; returns its norm.
  double true_residual() {
    linalg::residual(exec_, A_, x_, b_, r_.view(), rr(0));
    fetch();
    return std::sqrt(host_rr(0));
  }

  /// p = z = M^-1 r ; rz = (r, z)
  void start() {
    M_.apply(exec_, r_, p_);
    linalg::dot(exec_, r_.view(), p_, rz(0));
    best_ = std::numeric_limits<double>::infinity();
    best_iteration_ = report_.iterations;
  }

  void iterate(int count) {
    for (int i = 0; i < count; ++i) {
      const linalg::Quotient alpha{rz(i), pq(i)}, beta{rz(i + 1), rz(i)};
      // q = A p ; alpha = (r, z) / (p, q)
      linalg::spmv_dot(exec_, A_, p_, q_.view(), pq(i));
      // r -= alpha q ; z = M^-1 r ; rr = (r, r) ; beta = (r, z) / (r, z) before
      M_.update_r_dot(exec_, alpha, q_, r_, rr(i), rz(i + 1));
      // x += alpha p ; p = z + beta p
      M_.update_x_p(exec_, alpha, beta, r_, x_, p_);
    }
    linalg::copy(exec_, View<const double>(rz(count), 1), View<double>(rz(0), 1));
  }

  /// Iterates until the residual of the recurrence meets the tolerance, or something ends it (then `failure` is set).
  void iterate_until_small(double norm) {
    while (norm > target_ && report_.failure.empty()) {
      const int count = std::min(block_, params_.max_iterations - report_.iterations);
      if (count <= 0) {
        report_.failure = too_many(norm);
        return;
      }
      if (count == block_)
        replay_.run(exec_, [this] { iterate(block_); });
      else
        iterate(count);
      fetch();
      norm = judge(count, norm);
      if (monitor_.progress) monitor_.progress(report_.iterations, norm / norm_b_);
      if (monitor_.stop && monitor_.stop()) {
        report_.interrupted = true;
        report_.failure = fmt::format("interrupted in iteration {}", report_.iterations);
      }
    }
  }

  /// Looks at the scalars of `count` iterations; returns the residual's norm after the last.
  double judge(int count, double norm) {
    for (int i = 0; i < count; ++i) {
      const int iteration = ++report_.iterations;
      if (!std::isfinite(host_pq(i)) || !std::isfinite(host_rr(i)) || !std::isfinite(host_rz(i + 1))) {
        report_.failure = fmt::format("a value that is not finite appeared in iteration {}", iteration);
        return norm;
      }
      if (host_pq(i) <= 0) {
        if (norm > target_) report_.failure = not_positive_definite(host_pq(i), iteration);
        return norm;
      }
      norm = std::sqrt(host_rr(i));
      report_.history.push_back(norm / norm_b_);
      if (norm < best_) {
        best_ = norm;
        best_iteration_ = iteration;
      } else if (iteration - best_iteration_ > std::max(stagnation_window, best_iteration_) && norm > target_) {
        report_.failure = stagnation(best_);
        return norm;
      }
    }
    return norm;
  }

  /// b is zero (x = 0 solves), or so small or large that its square is not a number to work with.
  Report finish_special_right_hand_side() {
    std::vector<double> b(static_cast<std::size_t>(b_.size()));
    copy_bytes(Space{}, b_.data(), Host{}, b.data(), b.size() * sizeof(double));
    const auto bad = std::find_if(b.begin(), b.end(), [](double value) { return !std::isfinite(value); });
    const bool zero = std::all_of(b.begin(), b.end(), [](double value) { return value == 0; });
    if (zero) {
      linalg::fill(exec_, x_, 0.0);
      report_.converged = true;
      report_.history.push_back(0);
      return report_;
    }
    report_.relative_residual = std::numeric_limits<double>::quiet_NaN();
    if (bad != b.end())
      report_.failure = fmt::format("entry {} of the right-hand side is {}", bad - b.begin(), *bad);
    else
      report_.failure = "the square of the right-hand side leaves the range of double; choose units that scale the problem";
    return report_;
  }

  std::string stagnation(double norm) const {
    return fmt::format(
        "the residual stays at {:.3g} and does not reach the tolerance {:.3g}: rounding forbids less, or the matrix is "
        "singular; raise the tolerance, or look for a missing Dirichlet condition",
        norm / norm_b_, target_ / norm_b_);
  }
  std::string too_many(double norm) const {
    return fmt::format("the residual is {:.3g} after {} iterations, asked for {:.3g}; raise max_iterations or choose "
                       "another preconditioner",
                       norm / norm_b_, report_.iterations, target_ / norm_b_);
  }
  static std::string not_positive_definite(double pq, int iteration) {
    return fmt::format("the matrix is not positive definite: (p, A p) = {:.3g} in iteration {}; look for a missing "
                       "Dirichlet condition or a negative coefficient",
                       pq, iteration);
  }

  /// Iterations without a new least residual after which to give up (or as many as led to it, if more): badly scaled
  /// systems stay level for hundreds of iterations and then converge.
  static constexpr int stagnation_window = 2000;

  Exec& exec_;
  linalg::CrsView<const double> A_;
  View<const double> b_;
  View<double> x_;
  const SolverParams& params_;
  Preconditioner<Exec>& M_;
  const Monitor& monitor_;
  int block_;  ///< iterations between two looks of the host
  Array<double, Space> r_, p_, q_, scalars_;
  std::vector<double> host_;
  Replay<Exec> replay_;
  Report report_;
  double norm_b_ = 0, target_ = 0;
  double best_ = 0;
  int best_iteration_ = 0;
};

template <class Exec>
Report solve_cg(Exec& exec, const linalg::Crs<typename Exec::Space>& A, View<const double> b, View<double> x,
                const SolverParams& params, const Monitor& monitor) {
  std::string failure;
  const auto preconditioner = make_preconditioner(exec, A, params, failure);
  if (!preconditioner) {
    Report report;
    report.failure = failure;
    report.relative_residual = std::numeric_limits<double>::quiet_NaN();
    return report;
  }
  return Cg<Exec>(exec, A, b, x, params, *preconditioner, monitor).run();
}

}  // namespace tessera::solvers
