#pragma once
// The stages of implicit schemes, solved.
#include <memory>
#include <utility>
#include <vector>

#include "assembly/space/dirichlet.hpp"
#include "physics/run/evolving.hpp"
#include "physics/run/kept_set_up.hpp"
#include "physics/run/state.hpp"
#include "solvers/time/implicit.hpp"

namespace tessera::physics {

/// Solves stages and counts what that takes.
template <class Exec>
class Stages : public solvers::StageEquation<Exec> {
 public:
  struct Work {
    solvers::Report linear;  ///< of the last system
    std::string failure;     ///< empty: what the linear solver says of it
    std::string help;
    Offset systems = 0, iterations = 0, matrices = 0, set_ups = 0, nnz = 0;
  };
  const Work& work() const { return work_; }

  /// A step is tried: where it is interrupted, `kept` is that of its beginning.
  virtual void begin_step() = 0;
  /// What stages to come depend on beside the state: vectors [rows] and numbers, always as many.
  virtual State::Kept kept() const = 0;
  virtual void restore(const State::Kept& kept) = 0;

 protected:
  Work work_;
};

/// (sigma M + A) U = b + M w. The matrix is made anew where sigma, M or A change; prescribed values are taken to the
/// right-hand side by the columns that it has lost. Pattern, format and what a preconditioner has found of the pattern
/// (aggregates of multigrid among it) are made for the first matrix and filled anew for the others, until the solver
/// takes many more iterations than it did then. A run that goes on from a checkpoint makes that first matrix again,
/// from the time and sigma that it had.
template <class Exec>
class ImplicitStages final : public Stages<Exec> {
 public:
  using Space = typename Exec::Space;

  ImplicitStages(Exec& exec, Evolving<Exec>& problem, const CommonParams& params, Context& context)
      : exec_(exec), problem_(problem), params_(params), context_(context) {
    system_.matrix = problem.make_matrix();
    system_.b = Array<double, Space>(problem.space().rows());
  }

  bool solve(double t, double sigma, View<const double> w, View<const double> before, View<double> U) override {
    problem_.move_to(t);
    const OverRanks<Exec>& ranks = problem_.ranks();
    const Linked linked(exec_, ranks.link());
    if (sigma != sigma_ || matrices_ != problem_.matrices()) make_matrix(t, sigma);
    Scope scope(exec_, "solve");
    // b + M w, and what prescribed values add
    linalg::spmv(exec_, std::as_const(problem_.mass()).view(), w, system_.b.view());
    linalg::combine(exec_, system_.b.view(), {1.0}, {{1.0}, problem_.loads()});
    assembly::prescribe(exec_, removed_, problem_.prescribed_values(), system_.b.view());
    if (!solve_from(U) && set_up_.is_refilled() && !work_.linear.interrupted) {
      // It may be the old set-up that is at fault.
      begin_anew();
      make_matrix(t, sigma);
      linalg::copy(exec_, before, U);
      solve_from(U);
    }
    if (!work_.linear.converged && !work_.linear.interrupted) begin_anew();
    if (ranks) ranks.update_ghosts(U);
    return work_.linear.converged;
  }

  void begin_step() override { before_ = {first_, set_up_}; }

  State::Kept kept() const override {
    const auto& [first, set_up] = work_.linear.interrupted ? before_ : std::pair{first_, set_up_};
    return {{}, {first.t, first.sigma, set_up.first(), set_up.is_worn() ? 1.0 : 0.0}};
  }
  void restore(const State::Kept& kept) override {
    const std::vector<double>& numbers = kept.numbers;
    if (numbers.size() < 4 || numbers[1] == 0) return;
    const Linked linked(exec_, problem_.ranks().link());
    const double t = problem_.time();
    problem_.move_to(numbers[0]);
    make_matrix(numbers[0], numbers[1]);
    // A solve of nothing makes all that is made of a matrix.
    Array<double, Space> zero(problem_.ranks().rows());
    linalg::fill(exec_, zero.view(), 0);
    linalg::fill(exec_, system_.b.view(), 0);
    solver_->solve(std::as_const(system_.b).view().part(0, zero.size()), zero.view());
    work_.matrices = work_.set_ups = 0;  // it is none of this run
    set_up_ = {numbers[2], numbers[3] != 0};
    problem_.move_to(t);
  }

 private:
  using Stages<Exec>::work_;

  /// The matrix that the set-up was made of.
  struct First {
    double t = 0, sigma = 0;  ///< 0: there is none
  };

  bool solve_from(View<double> U) {
    const Index rows = problem_.ranks().rows();
    work_.linear = solver_->solve(std::as_const(system_.b).view().part(0, rows), U.part(0, rows),
                                  {.progress = {}, .stop = stop_of(context_)},
                                  {problem_.own_fixed(), problem_.own_values(), true});
    ++work_.systems;
    work_.iterations += work_.linear.iterations;
    set_up_.judge(work_.linear.iterations);
    if (is_excused(work_.linear, params_.solver)) first_ = {}, set_up_ = {};
    return work_.linear.converged;
  }

  /// A solver that has failed has given back what it kept.
  void begin_anew() {
    first_ = {};
    set_up_ = {};
    sigma_ = 0;
  }

  /// sigma M + A at time t, without the rows and columns of what is prescribed.
  void make_matrix(double t, double sigma) {
    {
      Scope scope(exec_, "assemble");
      linalg::combine(exec_, system_.matrix.values.view(), {}, {{1.0}, problem_.stiffness().values.view()},
                      {{sigma}, problem_.mass().values.view()});
      if (!solver_)
        removed_ = assembly::remove_columns(exec_, system_.matrix, problem_.prescribed().dofs);
      else
        assembly::remove_again(exec_, system_.matrix, removed_);
    }
    const OverRanks<Exec>& ranks = problem_.ranks();
    ranks.store(params_, system_, own_, context_.summary);
    if (ChangingOrders<Exec>* const lower = problem_.lower()) {
      lower->fill(t, sigma);
      (ranks ? own_ : system_).A->set_lower_orders(lower->orders());
    }
    // Iterations are those of all ranks, and so is what is decided of them.
    const solvers::Reuse reuse = set_up_.next();
    if (!set_up_.is_refilled()) {
      first_ = {.t = t, .sigma = sigma};
      ++work_.set_ups;
    }
    if (!solver_) solver_ = std::make_unique<solvers::LinearSolver<Exec>>(exec_, params_.solver);
    solver_->set_operator(ranks ? *own_.A : *system_.A, reuse);
    work_.nnz = ranks ? own_.nnz : system_.matrix.nnz();
    sigma_ = sigma;
    matrices_ = problem_.matrices();
    ++work_.matrices;
  }

  Exec& exec_;
  Evolving<Exec>& problem_;
  const CommonParams& params_;
  Context& context_;
  System<Exec> system_, own_;  ///< of all rows that are seen, and over ranks of those that this one owns
  assembly::RemovedColumns<Space> removed_;
  std::unique_ptr<solvers::LinearSolver<Exec>> solver_;
  double sigma_ = 0;   ///< of the matrix; 0: there is none
  long matrices_ = 0;  ///< mass and stiffness that it was made of
  First first_;
  KeptSetUp set_up_;
  std::pair<First, KeptSetUp> before_;  ///< at the beginning of the step
};

}  // namespace tessera::physics
