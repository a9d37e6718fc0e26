#pragma once
// LOBPCG, with its vectors, for one eigenproblem. It only calls declared functions, so any compiler instantiates it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/link.hpp"
#include "linalg/multivector.hpp"
#include "linalg/shift_ops.hpp"
#include "solvers/eigen/eigen.hpp"
#include "solvers/eigen/small_problem.hpp"
#include "solvers/precondition/table.hpp"

namespace tessera::solvers::eigen {

/// Iterations without less of the largest residual after which there is no use in more.
inline constexpr int longest_stagnation = 300;

/// The basis S has X, the vectors of the eigenpairs, P, what the last step has added to them, and W, the preconditioned
/// residuals of those that have not converged: one behind the other, with A S and M S beside them. S is orthonormal in
/// M, so that a step is a dense eigenproblem that rounding does not spoil however close the vectors come.
template <class Exec>
class Lobpcg {
 public:
  using Space = typename Exec::Space;

  Lobpcg(Exec& exec, const EigenProblem<Exec>& problem, const SolverParams& params, Index block)
      : exec_(exec),
        problem_(problem),
        params_(params),
        rows_(problem.A.rows()),
        modes_(params.method.as<EigenParams>().modes),
        block_(block),
        M_(make_preconditioner<Exec, double>(params)),
        S_(3 * size()),
        AS_(3 * size()),
        MS_(3 * size()),
        T_(2 * size()),
        products_(9 * Offset{block} * block),
        sums_(2 * Offset{block}),
        active_(static_cast<std::size_t>(block), 1) {}

  EigenReport run(Array<double, Space>& vectors, const Monitor& monitor);

 private:
  Offset size() const { return Offset{block_} * rows_; }
  linalg::Basis<double> part(Array<double, Space>& array, Index first) {
    return {array.view().part(first * Offset{rows_}, array.size() - first * Offset{rows_}), rows_};
  }
  static linalg::Basis<const double> read(const linalg::Basis<double>& basis) { return {basis.data, basis.rows}; }
  View<double> vector(Array<double, Space>& array, Index k) { return array.view().part(k * Offset{rows_}, rows_); }

  void multiply_mass(Index first, Index count);
  void multiply_operator(Index first, Index count);
  std::vector<double> products(const linalg::Basis<double>& X, Index nx, const linalg::Basis<double>& Y, Index ny,
                               bool symmetric);
  void combine(Array<double, Space>& array, Index first, Index n, const std::vector<double>& c, Index count);
  Index orthogonalise(Index first, Index count);
  bool rotate(Index n);
  std::string start();
  void find_residuals();
  bool expand_and_step();
  bool converged() const;
  void judge(EigenReport& report, const Monitor& monitor);

  Exec& exec_;
  const EigenProblem<Exec>& problem_;
  const SolverParams& params_;
  const Index rows_, modes_, block_;
  std::unique_ptr<Preconditioner<Exec, double>> M_;
  Array<double, Space> S_, AS_, MS_;  ///< [3 block, rows]
  Array<double, Space> T_;            ///< [2 block, rows] of what is being made
  Array<double, Space> products_;     ///< [3 block, 3 block]
  Array<double, Space> sums_;         ///< [2 block]
  Index directions_ = 0;              ///< vectors of P
  std::vector<double> theta_;         ///< [block]
  std::vector<double> residuals_;     ///< [block], relative
  std::vector<char> active_;          ///< [block] whose residuals are not small enough
};

/// M S of some vectors, 0 in fixed rows.
template <class Exec>
void Lobpcg<Exec>::multiply_mass(Index first, Index count) {
  for (Index k = first; k < first + count; ++k) {
    problem_.M.apply(exec_, vector(S_, k), vector(MS_, k));
    linalg::set_entries(exec_, problem_.fixed, 0.0, vector(MS_, k));
  }
}
template <class Exec>
void Lobpcg<Exec>::multiply_operator(Index first, Index count) {
  for (Index k = first; k < first + count; ++k) problem_.A.apply(exec_, vector(S_, k), vector(AS_, k));
}

/// X^T Y of all ranks on the host, [nx, ny].
template <class Exec>
std::vector<double> Lobpcg<Exec>::products(const linalg::Basis<double>& X, Index nx, const linalg::Basis<double>& Y,
                                           Index ny, bool symmetric) {
  // Of symmetric ones half are left out, and added up over ranks all the same.
  if (symmetric) products_.set_zero();
  linalg::inner_products(exec_, read(X), nx, read(Y), ny, symmetric, products_.data());
  sum_over_ranks(exec_, {{products_.data(), static_cast<int>(nx * ny)}});
  std::vector<double> result(static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny));
  copy_bytes(Space{}, products_.data(), Host{}, result.data(), result.size() * sizeof(double));
  return result;
}

/// The `count` vectors from `first` on become the combinations C [n, count] of the n that begin there.
template <class Exec>
void Lobpcg<Exec>::combine(Array<double, Space>& array, Index first, Index n, const std::vector<double>& c,
                           Index count) {
  const auto on_backend = to_space<Space>(c);
  linalg::combine_vectors(exec_, read(part(array, first)), n, on_backend.data(), count, 0, part(T_, 0));
  linalg::copy(exec_, T_.view().part(0, count * Offset{rows_}),
               array.view().part(first * Offset{rows_}, count * Offset{rows_}));
}

/// Makes vectors from `first` on orthonormal in M, and orthogonal to those before; returns how many are left.
template <class Exec>
Index Lobpcg<Exec>::orthogonalise(Index first, Index count) {
  for (int pass = 0; pass < 2 && count > 0; ++pass) {
    // Twice is enough, if M W is that of the W of the first time.
    multiply_mass(first, count);
    if (first > 0) {
      // W -= V (V^T M W) ; M W -= M V (V^T M W)
      std::vector<double> h = products(part(S_, 0), first, part(MS_, first), count, false);
      for (double& value : h) value = -value;
      const auto on_backend = to_space<Space>(h);
      for (Array<double, Space>* array : {&S_, &MS_})
        linalg::combine_vectors(exec_, read(part(*array, 0)), first, on_backend.data(), count, 1, part(*array, first));
    }
    // W = W U with (W U)^T M (W U) = 1
    Index kept = 0;
    const std::vector<double> U =
        orthonormal_combinations(count, products(part(S_, first), count, part(MS_, first), count, true), kept);
    if (kept > 0)
      for (Array<double, Space>* array : {&S_, &MS_}) combine(*array, first, count, U, kept);
    count = kept;
  }
  return count;
}

/// A step of Rayleigh and Ritz with the first n vectors of S.
template <class Exec>
bool Lobpcg<Exec>::rotate(Index n) {
  const std::vector<double> A = products(part(S_, 0), n, part(AS_, 0), n, true);
  const std::vector<double> B = products(part(S_, 0), n, part(MS_, 0), n, true);
  const Ritz ritz = rayleigh_ritz(n, block_, A, B, active_);
  if (!ritz.finite) return false;
  theta_ = ritz.values;
  for (Array<double, Space>* array : {&S_, &AS_, &MS_})
    combine(*array, 0, n, ritz.coefficients, block_ + ritz.directions);
  if (n > block_) directions_ = ritz.directions;
  return true;
}

/// X = M^-1 of random vectors, which is smoother than they are.
template <class Exec>
std::string Lobpcg<Exec>::start() {
  const std::string failure =
      on_any_rank(exec_, M_->set_up(exec_, problem_.A, problem_.A, linalg::Sign::positive, Reuse::nothing));
  if (!failure.empty()) return failure;
  for (Index k = 0; k < block_; ++k) {
    const View<double> random = vector(T_, 0), x = vector(S_, k);
    linalg::fill_random(exec_, random, static_cast<unsigned>(k) + 1, problem_.A.first_row());
    linalg::set_entries(exec_, problem_.fixed, 0.0, random);
    M_->apply(exec_, random, x);
    linalg::set_entries(exec_, problem_.fixed, 0.0, x);
  }
  const Index found = orthogonalise(0, block_);
  multiply_operator(0, found);
  if (found < block_ || !rotate(block_))
    return "the first vectors depend on each other, or hold values that are not finite; look for a mass that is 0";
  return {};
}

/// R = A X - M X theta, in T.
template <class Exec>
void Lobpcg<Exec>::find_residuals() {
  for (Index k = 0; k < block_; ++k) {
    const View<double> r = vector(T_, k), Mx = vector(MS_, k);
    linalg::combine(exec_, r, {}, {{1}, vector(AS_, k)}, {{-theta_[static_cast<std::size_t>(k)]}, Mx});
    linalg::dot_pair(exec_, r, r, Mx, Mx, sums_.data() + 2 * k, sums_.data() + 2 * k + 1);
  }
  const std::vector<double> sums = to_vector(sums_);
  residuals_.resize(static_cast<std::size_t>(block_));
  for (std::size_t k = 0; k < residuals_.size(); ++k) {
    residuals_[k] = std::sqrt(sums[2 * k] / sums[2 * k + 1]) / std::abs(theta_[k]);
    active_[k] = !(residuals_[k] <= params_.tolerance);
  }
}

template <class Exec>
bool Lobpcg<Exec>::converged() const {
  return std::none_of(active_.begin(), active_.begin() + modes_, [](char active) { return active != 0; });
}

/// The residuals are in T. False where nothing is left to be added.
template <class Exec>
bool Lobpcg<Exec>::expand_and_step() {
  const Index before = block_ + directions_;
  Index count = 0;
  for (Index k = 0; k < block_; ++k) {
    if (!active_[static_cast<std::size_t>(k)]) continue;
    // w = M^-1 r
    const View<double> w = vector(S_, before + count++);
    M_->apply(exec_, vector(T_, k), w);
    linalg::set_entries(exec_, problem_.fixed, 0.0, w);
  }
  count = orthogonalise(before, count);
  multiply_operator(before, count);
  return (count > 0 || directions_ > 0) && rotate(before + count);
}

/// Fills the report with what there is.
template <class Exec>
void Lobpcg<Exec>::judge(EigenReport& report, const Monitor& monitor) {
  const double shift = params_.method.as<EigenParams>().shift;
  report.values.clear();
  for (Index k = 0; k < modes_; ++k) report.values.push_back(theta_[static_cast<std::size_t>(k)] - shift);
  report.residuals.assign(residuals_.begin(), residuals_.begin() + modes_);
  Report& solver = report.solver;
  solver.relative_residual = 0;
  for (const double residual : report.residuals)
    if (!(residual <= solver.relative_residual)) solver.relative_residual = residual;
  solver.history.push_back(solver.relative_residual);
  if (monitor.progress) monitor.progress(solver.iterations, solver.relative_residual);
}

template <class Exec>
EigenReport Lobpcg<Exec>::run(Array<double, Space>& vectors, const Monitor& monitor) {
  EigenReport report;
  Report& solver = report.solver;
  solver.type = params_.type;
  solver.preconditioner = params_.preconditioner;
  solver.relative_residual = std::numeric_limits<double>::quiet_NaN();
  solver.failure = start();
  if (!solver.failure.empty()) return report;
  double least = std::numeric_limits<double>::infinity();
  int least_at = 0;
  for (bool fresh = false;;) {
    find_residuals();
    judge(report, monitor);
    if (solver.relative_residual < 0.99 * least) least = solver.relative_residual, least_at = solver.iterations;
    if (converged() && fresh) break;
    if (converged()) {
      // A X and M X were recurred: what is accepted is what they are.
      orthogonalise(0, block_);
      multiply_operator(0, block_);
      fresh = rotate(block_);
      solver.history.pop_back();
      if (fresh) continue;
    }
    fresh = false;
    solver.interrupted = monitor.stop && monitor.stop();
    if (solver.interrupted) break;
    if (solver.iterations - least_at >= longest_stagnation)
      solver.failure = fmt::format(
          "the residuals have not become less than {:.3g} for {} iterations; raise "
          "solver.tolerance or solver.block",
          least, longest_stagnation);
    if (solver.iterations >= params_.max_iterations)
      solver.failure = fmt::format(
          "the largest residual is {:.3g} after {} iterations; raise solver.max_iterations or "
          "solver.block",
          solver.relative_residual, solver.iterations);
    if (!solver.failure.empty()) break;
    if (!expand_and_step()) solver.failure = "a value that is not finite appeared, or no direction is left";
    if (!solver.failure.empty()) break;
    ++solver.iterations;
  }
  solver.converged = solver.failure.empty() && !solver.interrupted;
  M_->describe(solver);
  vectors = Array<double, Space>(modes_ * Offset{rows_});
  linalg::copy(exec_, S_.view().part(0, vectors.size()), vectors.view());
  return report;
}

}  // namespace tessera::solvers::eigen
