#pragma once
// The preconditioner of multigrid over orders for one backend; only calls declared functions, so any compiler
// instantiates it.
#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "linalg/lower_orders.hpp"
#include "linalg/vector_ops.hpp"
#include "solvers/amg/amg.hpp"
#include "solvers/amg/cycle_clock.hpp"
#include "solvers/amg/cycle_ops.hpp"
#include "solvers/pmg/pmg.hpp"
#include "solvers/pmg/pmg_ops.hpp"
#include "solvers/precondition/chebyshev_impl.hpp"

namespace tessera::solvers {
namespace pmg {

/// Steps of the smoother before and after each lower order.
inline constexpr int smoothing_steps = 3;

/// What smooths an operator in vectors of type U. 4 vectors with those that the cycle has.
template <class Exec, class U>
struct Smoothed {
  using Space = typename Exec::Space;
  const linalg::Operator<Exec, U>* A = nullptr;
  double largest = 1;             ///< eigenvalue of D^-1 A
  Array<U, Space> inverse, r, z;  ///< [rows]
  Array<float, Space> rounded;    ///< [rows], what goes to and comes from the lower order

  /// `of`: A in double.
  std::string set_up(Exec& exec, const linalg::Operator<Exec>& of, const linalg::Operator<Exec, U>& in_type,
                     linalg::Sign sign) {
    A = &in_type;
    Array<double, Space> wide;
    if (std::string failure = invert_diagonal_of(exec, of, sign, wide); !failure.empty()) return failure;
    largest = 1.1 * largest_ritz_value(exec, of, wide);
    if (!(largest > 0) || !std::isfinite(largest))
      return "the matrix is not positive definite, which the preconditioner pmg needs; look for a negative "
             "coefficient, or choose preconditioner = \"jacobi\", with solver.type = \"minres\" for what is meant to "
             "be "
             "indefinite";
    inverse = Array<U, Space>(wide.size());
    linalg::convert(exec, wide.view(), inverse.view());
    for (auto* vector : {&r, &z}) *vector = Array<U, Space>(wide.size());
    rounded = Array<float, Space>(wide.size());
    return {};
  }
  /// x = what the steps make of x, or of 0 where it `starts`.
  void smooth(Exec& exec, View<const U> b, bool starts, View<U> x, double* scalar) {
    for (int k = 1; k <= smoothing_steps; ++k) {
      const bool first = starts && k == 1;
      if (!first) A->residual(exec, View<const U>(x), b, r.view(), scalar);
      const double a = k == 1 ? 0 : (2.0 * k - 3) / (2 * k + 1), c = (8.0 * k - 4) / (2 * k + 1) / largest;
      if (k == 1 && !starts) linalg::fill(exec, z.view(), 0);
      step(exec, a, c, std::as_const(inverse).view(), first ? b : std::as_const(r).view(), first, z.view(), x);
    }
  }
  /// to = R (b - A x).
  void restrict_residual(Exec& exec, const amg::LevelMatrixView<float>& R, View<const U> x, View<const U> b,
                         View<double> to, double* scalar) {
    A->residual(exec, x, b, r.view(), scalar);
    linalg::convert(exec, std::as_const(r).view(), rounded.view());
    product(exec, R, std::as_const(rounded).view(), to);
  }
  /// x += P y ; y in float.
  void prolong(Exec& exec, const amg::LevelMatrixView<float>& P, View<const float> y, View<U> x) {
    product(exec, P, y, z.view());
    linalg::axpy(exec, 1, z, x);
  }
};

/// A lower order: vectors in double.
template <class Exec>
struct Level {
  using Space = typename Exec::Space;
  Smoothed<Exec, double> smoothed;  ///< but of order 1
  Array<double, Space> b, x;
  Array<float, Space> rounded;  ///< x
};

template <class Space>
amg::LevelMatrixView<float> in_cycle(const linalg::Crs<Space, float>& A) {
  return {A.rows, A.cols, 1, A.row_ptr.view(), A.col_ind.view(), A.values.view()};
}

}  // namespace pmg

template <class Exec, class T>
class Pmg final : public Preconditioner<Exec, T> {
  using Space = typename Exec::Space;

 public:
  Pmg() : amg_(make_amg<Exec, double>({.preconditioner = "amg"})), scalar_(1) {}

  /// A.lower_orders() is there, and those of the operator that A takes the place of for Reuse::all.
  std::string set_up(Exec& exec, const linalg::Operator<Exec>& A, const linalg::Operator<Exec, T>& A_in_type,
                     linalg::Sign sign, Reuse reuse) override {
    finest_.A = &A_in_type;
    if (reuse == Reuse::all) return {};
    exec.synchronize();
    const auto start = std::chrono::steady_clock::now();
    orders_ = A.lower_orders();
    if (std::string failure = finest_.set_up(exec, A, A_in_type, sign); !failure.empty()) return failure;
    sizes_ = {{A.rows(), 0}};
    levels_.clear();
    for (const linalg::LowerOrder<Exec>& lower : orders_->levels) {
      pmg::Level<Exec>& level = levels_.emplace_back();
      level.b = Array<double, Space>(lower.A->rows());
      level.x = Array<double, Space>(lower.A->rows());
      level.rounded = Array<float, Space>(lower.A->rows());
      const bool last = &lower == &orders_->levels.back();
      const std::string failure = last ? amg_->set_up(exec, *lower.A, *lower.A, sign, Reuse::nothing)
                                       : level.smoothed.set_up(exec, *lower.A, *lower.A, sign);
      if (!failure.empty()) return fmt::format("in order {}: {}", lower.order, failure);
      if (!last) sizes_.push_back({lower.A->rows(), 0});
    }
    exec.synchronize();
    set_up_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    clock_ = {};
    return {};
  }
  void apply(Exec& exec, View<const T> r, View<T> z) override {
    clock_.start(exec);
    go_through(exec, finest_, 0, r, z);
    clock_.stop(exec);
  }
  bool set_up_takes_room() const override { return true; }
  void describe(Report& report) const override {
    Report of_amg;
    amg_->describe(of_amg);
    report.multigrid = {sizes_, set_up_seconds_, clock_.seconds()};
    for (const MultigridLevel& level : of_amg.multigrid.levels) report.multigrid.levels.push_back(level);
  }

 private:
  /// x = a V-cycle for b, from the order whose next lower one is level l.
  template <class U>
  void go_through(Exec& exec, pmg::Smoothed<Exec, U>& here, std::size_t l, View<const U> b, View<U> x) {
    const linalg::LowerOrder<Exec>& lower = orders_->levels[l];
    pmg::Level<Exec>& level = levels_[l];
    here.smooth(exec, b, true, x, scalar_.data());
    here.restrict_residual(exec, pmg::in_cycle(lower.R), View<const U>(x), b, level.b.view(), scalar_.data());
    if (l + 1 == levels_.size())
      amg_->apply(exec, level.b, level.x.view());
    else
      go_through(exec, level.smoothed, l + 1, std::as_const(level.b).view(), level.x.view());
    linalg::convert(exec, std::as_const(level.x).view(), level.rounded.view());
    here.prolong(exec, pmg::in_cycle(lower.P), std::as_const(level.rounded).view(), x);
    here.smooth(exec, b, false, x, scalar_.data());
  }

  const linalg::LowerOrders<Exec>* orders_ = nullptr;
  pmg::Smoothed<Exec, T> finest_;
  std::vector<pmg::Level<Exec>> levels_;  ///< of orders_
  std::unique_ptr<Preconditioner<Exec, double>> amg_;
  Array<double, Space> scalar_;
  std::vector<MultigridLevel> sizes_;  ///< of the orders above 1
  amg::CycleClock<Exec> clock_;
  double set_up_seconds_ = 0;
};

template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_pmg(const SolverParams&) {
  return std::make_unique<Pmg<Exec, T>>();
}

}  // namespace tessera::solvers
