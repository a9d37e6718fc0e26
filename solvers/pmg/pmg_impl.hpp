#pragma once
// The preconditioner of multigrid over orders for one backend; only calls declared functions, so any compiler
// instantiates it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <initializer_list>
#include <limits>
#include <utility>

#include "base/link.hpp"
#include "base/reused_memory.hpp"
#include "linalg/lower_orders.hpp"
#include "linalg/vector_ops.hpp"
#include "solvers/amg/amg.hpp"
#include "solvers/amg/cycle_clock.hpp"
#include "solvers/pmg/pmg.hpp"
#include "solvers/pmg/pmg_ops.hpp"
#include "solvers/precondition/chebyshev_impl.hpp"

namespace tessera::solvers {
namespace pmg {

/// Of the steps of the smoother, before and after each lower order: what weighs their directions best in a V-cycle
/// (Lottes 2023, optimised iteration of the fourth kind).
inline constexpr std::array<double, 3> weights{1.00842544782028, 1.08867839208730, 1.33753125909618};

/// For the largest eigenvalue of D^-1 A. On 17 M dofs of Q4 hexes 8 steps find 0.970 of what 15 do, 10 find 0.985; 15
/// took 16.3 ms on one H200, 10 took 11.9 and 8 took 9.4 (2026-11-26).
inline constexpr int lanczos_steps = 10;

/// Vectors of so many rows; those that are stay.
template <class T, class Space>
void make_room(Offset rows, std::initializer_list<Array<T, Space>*> vectors) {
  for (Array<T, Space>* vector : vectors)
    if (vector->size() != rows) *vector = Array<T, Space>(rows);
}

/// An order above 1 in single precision: what smooths its operator. 4 vectors, and what its transfer needs.
template <class Exec>
struct Smoothed {
  using Space = typename Exec::Space;
  std::unique_ptr<linalg::Operator<Exec, float>> copy;  ///< where nobody else has A in single precision
  const linalg::Operator<Exec, float>* A = nullptr;
  double largest = 1;                    ///< eigenvalue of D^-1 A
  Array<float, Space> inverse, q, r, z;  ///< [rows]
  Array<float, Space> values;            ///< of the transfer to the next lower order

  /// `of`: A in double; `rounded` its copy, null: there is none. `scratch`: [rows], overwritten.
  std::string set_up(Exec& exec, const linalg::Operator<Exec>& of, const linalg::Operator<Exec, float>* rounded,
                     const linalg::OrderTransfer<Exec>& transfer, linalg::Sign sign, View<float> scratch) {
    take(exec, of, rounded);
    if (std::string failure = invert_diagonal_of(exec, of, sign, inverse); !failure.empty()) return failure;
    make_room(of.rows(), {&q, &r, &z});
    make_room(transfer.values(), {&values});
    if (!diagonal_is_in_range(exec))
      return "entries of the matrix leave the range of single precision, 1e-38 to 3e38, which the preconditioner pmg "
             "works in; choose units in which the coefficients are nearer to 1, or preconditioner = \"jacobi\"";
    largest = 1.1 * largest_ritz_value(exec, *A, std::as_const(inverse).view(),
                                       LanczosVectors<float>{scratch, r.view(), z.view(), q.view()}, lanczos_steps);
    if (!(largest > 0) || !std::isfinite(largest))
      return "the matrix is not positive definite, which the preconditioner pmg needs; look for a negative "
             "coefficient, or choose preconditioner = \"jacobi\", with solver.type = \"minres\" for what is meant to "
             "be indefinite";
    return {};
  }
  /// A, whose numbers are those of the set-up.
  void take(Exec& exec, const linalg::Operator<Exec>& of, const linalg::Operator<Exec, float>* rounded) {
    copy.reset();  // before there is another one
    if (!rounded) copy = of.to_float(exec);
    A = rounded ? rounded : copy.get();
    if (!A)
      throw Error(ExitCode::usage,
                  fmt::format("the preconditioner pmg needs a copy in single precision, and the format '{}' has none",
                              of.format()),
                  "choose preconditioner = \"jacobi\", or another matrix.format");
  }
  /// Whether all of D^-1, and D with it, are numbers of single precision. Overwrites q.
  bool diagonal_is_in_range(Exec& exec) {
    Array<double, Space> bad(1);
    linalg::copy(exec, std::as_const(inverse).view(), q.view());
    linalg::invert_diagonal(exec, q.view(), bad.data(), linalg::Sign::any);
    return to_vector(bad)[0] == 0;
  }
  /// x = what the steps make of x, or of 0 where it `starts`.
  void smooth(Exec& exec, View<const float> b, bool starts, View<float> x) {
    View<const float> rest = b;  // r, before it is written
    for (int k = 1; k <= static_cast<int>(weights.size()); ++k) {
      const bool first = k == 1, from_zero = starts && first, last = k == static_cast<int>(weights.size());
      // r = b - A x, then r -= A z ; z = a z + c D^-1 r ; x += weight z
      if (!from_zero) A->apply(exec, first ? View<const float>(x) : std::as_const(z).view(), q.view());
      const double a = first ? 0 : (2.0 * k - 3) / (2 * k + 1), c = (8.0 * k - 4) / (2 * k + 1) / largest;
      step(exec, {a, c, weights[static_cast<std::size_t>(k - 1)], from_zero, last}, std::as_const(inverse).view(), rest,
           from_zero ? View<const float>() : std::as_const(q).view(), r.view(), z.view(), x);
      if (!from_zero) rest = std::as_const(r).view();
    }
  }
  /// to = P^T (b - A x).
  void restrict_residual(Exec& exec, const linalg::OrderTransfer<Exec>& transfer, View<const float> x,
                         View<const float> b, View<float> to, double* scalar) {
    {
      const Linked alone(exec, nullptr);  // nobody asks for the sum
      A->residual(exec, x, b, q.view(), scalar);
    }
    transfer.restrict_to(exec, std::as_const(q).view(), values.view(), to);
  }
};

/// A lower order.
template <class Exec>
struct Level {
  using Space = typename Exec::Space;
  Smoothed<Exec> smoothed;  ///< but of order 1
  Array<float, Space> b, x;
};

}  // namespace pmg

/// The cycle is in single precision, whatever the type of the outer iteration; amg at order 1 has vectors in double.
template <class Exec, class T>
class Pmg final : public Preconditioner<Exec, T> {
  using Space = typename Exec::Space;

 public:
  Pmg() : amg_(make_amg<Exec, double>({.preconditioner = "amg"})), scalars_(4) {}

  /// A.lower_orders() is there, and those of the operator that A takes the place of for Reuse::all, whose copy in
  /// single precision stays. Reuse::pattern redoes copies, diagonals, eigenvalues and the numbers of amg; aggregates
  /// and vectors stay.
  std::string set_up(Exec& exec, const linalg::Operator<Exec>& A, const linalg::Operator<Exec, T>& A_in_type,
                     linalg::Sign sign, Reuse reuse) override {
    const linalg::Operator<Exec, float>* rounded = nullptr;
    if constexpr (std::is_same_v<T, float>) rounded = &A_in_type;
    if (reuse == Reuse::all) {
      if (rounded) finest_.A = rounded;
      return {};
    }
    exec.synchronize();
    const auto start = std::chrono::steady_clock::now();
    const ReusedMemory<Space> reused;
    orders_ = A.lower_orders();
    const auto& lower = orders_->levels;
    if constexpr (std::is_same_v<T, double>) pmg::make_room(A.rows(), {&r_});
    pmg::make_room(A.rows(), {&z_});
    if (std::string failure = finest_.set_up(exec, A, rounded, *lower.front().transfer, sign, z_.view());
        !failure.empty())
      return failure;
    if constexpr (!std::is_same_v<T, double>) z_ = {};
    sizes_ = {level_of(A)};
    if (reuse == Reuse::nothing || levels_.size() != lower.size())
      levels_ = std::vector<pmg::Level<Exec>>(lower.size());
    for (std::size_t l = 0; l < lower.size(); ++l) {
      const linalg::Operator<Exec>& of = *lower[l].A;
      pmg::Level<Exec>& level = levels_[l];
      pmg::make_room(of.rows(), {&level.b, &level.x});
      const bool last = l + 1 == lower.size();
      const std::string failure =
          last ? amg_->set_up(exec, of, of, sign, reuse)
               : level.smoothed.set_up(exec, of, nullptr, *lower[l + 1].transfer, sign, level.x.view());
      if (!failure.empty()) return fmt::format("in order {}: {}", lower[l].order, failure);
      if (last)
        pmg::make_room(of.rows(), {&last_b_, &last_x_});
      else
        sizes_.push_back(level_of(of));
    }
    exec.synchronize();
    set_up_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    clock_ = {};
    return {};
  }
  void apply(Exec& exec, View<const T> r, View<T> z) override {
    clock_.start(exec);
    if constexpr (std::is_same_v<T, double>) {
      double *square = scalars_.data() + 1, *scales = square + 1;
      linalg::dot(exec, r, r, square);
      if (exec.link()) exec.link()->flush();  // others may have told it to wait with theirs
      pmg::find_scales(exec, square, scales);
      pmg::convert_scaled(exec, scales, r, r_.view());
      go_through(exec, finest_, 0, std::as_const(r_).view(), z_.view());
      pmg::convert_scaled(exec, scales + 1, std::as_const(z_).view(), z);
    } else {
      go_through(exec, finest_, 0, r, z);
    }
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
  /// Of all ranks.
  static MultigridLevel level_of(const linalg::Operator<Exec>& A) {
    constexpr Offset most = std::numeric_limits<Index>::max();  // which a level has to hold
    return {static_cast<Index>(std::min<Offset>(A.global_rows(), most)), 0};
  }
  /// x = a V-cycle for b, from the order whose next lower one is level l.
  void go_through(Exec& exec, pmg::Smoothed<Exec>& here, std::size_t l, View<const float> b, View<float> x) {
    const linalg::OrderTransfer<Exec>& transfer = *orders_->levels[l].transfer;
    pmg::Level<Exec>& level = levels_[l];
    here.smooth(exec, b, true, x);
    here.restrict_residual(exec, transfer, View<const float>(x), b, level.b.view(), scalars_.data());
    if (l + 1 == levels_.size()) {
      linalg::convert(exec, std::as_const(level.b).view(), last_b_.view());
      amg_->apply(exec, last_b_, last_x_.view());
      linalg::convert(exec, std::as_const(last_x_).view(), level.x.view());
    } else {
      go_through(exec, level.smoothed, l + 1, std::as_const(level.b).view(), level.x.view());
    }
    transfer.prolong(exec, std::as_const(level.x).view(), x);
    here.smooth(exec, b, false, x);
  }

  const linalg::LowerOrders<Exec>* orders_ = nullptr;
  pmg::Smoothed<Exec> finest_;
  std::vector<pmg::Level<Exec>> levels_;  ///< of orders_
  std::unique_ptr<Preconditioner<Exec, double>> amg_;
  Array<float, Space> r_, z_;             ///< of the finest order, where T is double
  Array<double, Space> last_b_, last_x_;  ///< of order 1
  Array<double, Space> scalars_;          ///< of a residual; the square of r, and its scales
  std::vector<MultigridLevel> sizes_;     ///< of the orders above 1
  amg::CycleClock<Exec> clock_;
  double set_up_seconds_ = 0;
};

template <class Exec, class T>
std::unique_ptr<Preconditioner<Exec, T>> make_pmg(const SolverParams&) {
  return std::make_unique<Pmg<Exec, T>>();
}

}  // namespace tessera::solvers
