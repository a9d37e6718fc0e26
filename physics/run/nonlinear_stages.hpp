#pragma once
// The stages of implicit schemes where coefficients depend on the solution, by Newton's method.
#include <fmt/format.h>

#include "linalg/shift_ops.hpp"
#include "physics/run/implicit_stages.hpp"
#include "physics/run/newton.hpp"

namespace tessera::physics {

/// R(U) - M(U) (sigma U - w) = 0 for given sigma and w. Of a mass that depends on U the tangent has none of the
/// derivative, which is of the size of the step beside the rest.
template <class Exec>
class StageProblem final : public Nonlinear<Exec> {
 public:
  using Space = typename Exec::Space;

  StageProblem(Exec& exec, Evolving<Exec>& problem)
      : exec_(exec), problem_(problem), rate_(problem.space().rows()), stored_(problem.space().rows()) {}

  /// w [rows] is borrowed.
  void begin(double sigma, View<const double> w) {
    sigma_ = sigma;
    w_ = w;
    fixed_ = to_space<Space>(problem_.prescribed().dofs);
  }

  void move_to(std::span<const double> u, double) override {
    problem_.move_to_state(u);
    u_ = to_space<Space>(u);
    if (problem_.lower()) state_.assign(u.begin(), u.end());
    linalg::combine(exec_, rate_.view(), {}, {{sigma_}, u_.view()}, {{-1.0}, w_});
  }

  void residual(View<double> r) override {
    problem_.nonlinear()->residual(r);
    take_stored(r);
  }

  void tangent(System<Exec>& system) override {
    problem_.nonlinear()->tangent(system);
    linalg::combine(exec_, system.matrix.values.view(), {1.0}, {{sigma_}, problem_.mass().values.view()});
    take_stored(system.b.view());
  }
  /// Filled at the state of the last tangent. Collective.
  std::shared_ptr<const linalg::LowerOrders<Exec>> lower_orders() const override {
    ChangingOrders<Exec>* const lower = problem_.lower();
    if (!lower) return nullptr;
    lower->fill(problem_.time(), sigma_, 1, state_);
    return lower->orders();
  }

 private:
  /// r -= M rate, but where u is prescribed.
  void take_stored(View<double> r) {
    const Linked alone(exec_, nullptr);
    linalg::spmv(exec_, std::as_const(problem_.mass()).view(), rate_.view(), stored_.view());
    linalg::axpy(exec_, -1, View<const double>(stored_.view()), r);
    linalg::set_entries(exec_, View<const Index>(fixed_.view()), 0.0, r);
  }

  Exec& exec_;
  Evolving<Exec>& problem_;
  Array<double, Space> u_, rate_, stored_;
  Array<Index, Space> fixed_;
  std::vector<double> state_;  ///< u, where lower orders ask for it
  View<const double> w_;
  double sigma_ = 0;
};

template <class Exec>
class NonlinearStages final : public Stages<Exec> {
 public:
  NonlinearStages(Exec& exec, Evolving<Exec>& problem, const CommonParams& params, Context& context)
      : problem_(problem),
        stage_(exec, problem),
        newton_(exec, stage_, params, problem.prescribed(), problem.ranks(), context) {
    newton_.be_quiet();
  }

  bool solve(double t, double sigma, View<const double> w, View<const double> before, View<double> U) override {
    problem_.move_to(t);
    stage_.begin(sigma, w);
    // A guess goes on from steps before, and may be where coefficients have no values.
    const bool converged = solve_from(U, U) || (!work_.linear.interrupted && solve_from(before, U));
    if (newton_.tangent().set_ups() != work_.set_ups) first_ = {t, sigma};
    work_.set_ups = newton_.tangent().set_ups();
    work_.nnz = newton_.tangent().nnz();
    return converged;
  }

  void begin_step(Offset step, double to_come) override {
    before_ = left();
    newton_.tangent().choose(to_come, step_name(step), "step");
  }

  State::Kept kept() const override {
    const auto& [first, set_up, choice] = work_.linear.interrupted ? before_ : left();
    const auto rows = static_cast<std::size_t>(problem_.space().rows());
    State::Kept result{
        {set_up.state ? *set_up.state : std::vector<double>(rows)},
        {first.t, set_up.life.is_there() ? first.sigma : 0, set_up.life.first(), set_up.life.is_worn() ? 1.0 : 0.0}};
    result.numbers.insert(result.numbers.end(), choice.begin(), choice.end());
    return result;
  }
  /// Makes the set-up again of the tangent that it was made of.
  void restore(const State::Kept& kept) override {
    const std::vector<double>& numbers = kept.numbers;
    if (numbers.size() < 4) return;
    newton_.tangent().restore_choice(std::span(numbers).subspan(4));
    if (kept.vectors.empty() || numbers[1] == 0) return;
    const double t = problem_.time();
    first_ = {numbers[0], numbers[1]};
    problem_.move_to(first_.t);
    Array<double, Space> w(problem_.space().rows());
    w.set_zero();
    stage_.begin(first_.sigma, w.view());
    newton_.make_set_up(kept.vectors.front(), {numbers[2], numbers[3] != 0});
    newton_.tangent().restore_choice(std::span(numbers).subspan(4));  // which counted that matrix
    problem_.move_to(t);
  }

 private:
  using Stages<Exec>::work_;
  using Space = typename Exec::Space;

  /// Of the tangent that the set-up was made of.
  struct First {
    double t = 0, sigma = 0;
  };
  /// What a run is left with.
  struct Left {
    First first;
    typename TangentSolver<Exec>::SetUp set_up;
    ChosenOnTheWay::Kept choice = {};
  };
  Left left() const { return {first_, newton_.tangent().set_up(), newton_.tangent().choice()}; }

  bool solve_from(View<const double> guess, View<double> U) {
    std::vector<double> u(static_cast<std::size_t>(U.size()));
    const std::size_t bytes = u.size() * sizeof(double);
    copy_bytes(Space{}, guess.data(), Host{}, u.data(), bytes);
    NewtonReport report;
    try {
      report = newton_.solve(u);
    } catch (const Error& error) {
      if (error.code() != ExitCode::usage) throw;
      report.failure = error.what();
    }
    copy_bytes(Host{}, u.data(), Space{}, U.data(), bytes);
    const auto made = static_cast<Offset>(report.history.size());
    work_.linear = report.linear;
    work_.linear.interrupted = report.interrupted;
    work_.failure = report.failure;
    work_.help = "choose shorter steps, or data whose coefficients have values at the states on the way";
    work_.systems += made;
    work_.matrices += made;
    work_.iterations += report.linear_iterations();
    return report.converged;
  }

  Evolving<Exec>& problem_;
  StageProblem<Exec> stage_;
  Newton<Exec> newton_;
  First first_;
  Left before_;  ///< at the beginning of the step
};

}  // namespace tessera::physics
