#pragma once
// The stages of implicit schemes, solved.
#include <memory>
#include <utility>
#include <vector>

#include "assembly/space/dirichlet.hpp"
#include "physics/run/chosen_on_the_way.hpp"
#include "physics/run/evolving.hpp"
#include "physics/run/kept_set_up.hpp"
#include "physics/run/state.hpp"
#include "solvers/time/implicit.hpp"

namespace tessera::physics {

/// What the log calls it.
inline std::string step_name(Offset step) { return "step " + std::to_string(step); }

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

  /// That step is tried: where it is interrupted, `kept` is that of its beginning. `to_come`: steps, it among them, if
  /// they are of its length. Collective.
  virtual void begin_step(Offset step, double to_come) = 0;
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
/// from the time and sigma that it had. Where the deck leaves the preconditioner to the run, see ChosenOnTheWay.
template <class Exec>
class ImplicitStages final : public Stages<Exec> {
 public:
  using Space = typename Exec::Space;

  ImplicitStages(Exec& exec, Evolving<Exec>& problem, const CommonParams& params, Context& context)
      : exec_(exec), problem_(problem), context_(context), choice_(params, problem.space(), context.summary) {
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
    const auto solve_again = [&] {
      make_matrix(t, sigma);
      linalg::copy(exec_, before, U);
      return solve_from(U);
    };
    bool solved = solve_from(U);
    if (!solved && set_up_.is_refilled() && !work_.linear.interrupted) {
      // It may be the old set-up that is at fault.
      begin_anew();
      solved = solve_again();
    }
    if (!solved && choice_.is_multigrid() && !work_.linear.interrupted) {
      choice_.fall_back(attempt_);
      let_go();
      solve_again();
    }
    if (!work_.linear.converged && !work_.linear.interrupted) begin_anew();
    if (ranks) ranks.update_ghosts(U);
    return work_.linear.converged;
  }

  void begin_step(Offset step, double to_come) override {
    before_ = {first_, set_up_, choice_.kept(), sigma_};
    if (choice_.decide(to_come, step_name(step), "step")) let_go();
  }

  State::Kept kept() const override {
    const Left left = work_.linear.interrupted ? before_ : Left{first_, set_up_, choice_.kept(), sigma_};
    State::Kept result{{}, {left.first.t, left.first.sigma, left.set_up.first(), left.set_up.is_worn() ? 1.0 : 0.0}};
    result.numbers.insert(result.numbers.end(), left.choice.begin(), left.choice.end());
    result.numbers.push_back(left.sigma);
    return result;
  }
  void restore(const State::Kept& kept) override {
    const std::vector<double>& numbers = kept.numbers;
    if (numbers.size() < 4) return;
    choice_.restore(std::span(numbers).subspan(4));
    if (numbers[1] == 0) return;
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
    choice_.restore(std::span(numbers).subspan(4));
    counted_sigma_ = numbers.size() > 4 ? numbers.back() : 0;
    set_up_ = {numbers[2], numbers[3] != 0};
    problem_.move_to(t);
  }

 private:
  using Stages<Exec>::work_;

  /// The matrix that the set-up was made of.
  struct First {
    double t = 0, sigma = 0;  ///< 0: there is none
  };
  /// What a run is left with.
  struct Left {
    First first;
    KeptSetUp set_up;
    ChosenOnTheWay::Kept choice = {};
    double sigma = 0;  ///< of the last matrix
  };

  bool solve_from(View<double> U) {
    const Index rows = problem_.ranks().rows();
    const auto solve = [&](const solvers::SolverParams&, const solvers::Monitor& monitor) {
      return solver_->solve(std::as_const(system_.b).view().part(0, rows), U.part(0, rows), monitor,
                            {problem_.own_fixed(), problem_.own_values(), true});
    };
    const solvers::Monitor monitor{.progress = {}, .stop = stop_of(context_)};
    const solvers::SolverParams& params = choice_.params().solver;
    if (choice_.is_multigrid()) {
      attempt_ = attempt(solve, params, monitor, problem_.ranks().link() == nullptr);
      work_.linear = attempt_.report;
      if (!attempt_.why_not.empty()) work_.linear.interrupted = false;
    } else {
      work_.linear = solve(params, monitor);
    }
    ++work_.systems;
    work_.iterations += work_.linear.iterations;
    set_up_.judge(work_.linear.iterations);
    if (work_.linear.converged) choice_.count(work_.linear.iterations, digits_of(work_.linear));
    if (is_excused(work_.linear, params)) first_ = {}, set_up_ = {};
    return work_.linear.converged;
  }

  /// Nothing that was made for a preconditioner stays, nor the form of the matrix that it reads.
  void let_go() {
    begin_anew();
    solver_.reset();
    system_.A.reset();
    own_.A.reset();
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
      if (!has_removed_)
        removed_ = assembly::remove_columns(exec_, system_.matrix, problem_.prescribed().dofs);
      else
        assembly::remove_again(exec_, system_.matrix, removed_);
      has_removed_ = true;
    }
    const OverRanks<Exec>& ranks = problem_.ranks();
    ranks.store(choice_.params(), system_, own_, context_.summary);
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
    // A first one has no successors where nothing changes, and the last one before a restart was counted.
    const bool varies = problem_.varying().mass || problem_.varying().stiffness;
    if (varies || (set_up_.is_refilled() && sigma != counted_sigma_)) choice_.count_matrix();
    counted_sigma_ = 0;
    if (!solver_) solver_ = std::make_unique<solvers::LinearSolver<Exec>>(exec_, choice_.params().solver);
    solver_->set_operator(ranks ? *own_.A : *system_.A, reuse);
    work_.nnz = ranks ? own_.nnz : system_.matrix.nnz();
    sigma_ = sigma;
    matrices_ = problem_.matrices();
    ++work_.matrices;
  }

  Exec& exec_;
  Evolving<Exec>& problem_;
  Context& context_;
  ChosenOnTheWay choice_;
  FirstAttempt attempt_;       ///< the last of multigrid that was chosen on the way
  System<Exec> system_, own_;  ///< of all rows that are seen, and over ranks of those that this one owns
  assembly::RemovedColumns<Space> removed_;
  bool has_removed_ = false;
  std::unique_ptr<solvers::LinearSolver<Exec>> solver_;
  double sigma_ = 0;          ///< of the matrix; 0: there is none
  long matrices_ = 0;         ///< mass and stiffness that it was made of
  double counted_sigma_ = 0;  ///< of the last matrix before a restart
  First first_;
  KeptSetUp set_up_;
  Left before_;  ///< at the beginning of the step
};

}  // namespace tessera::physics
