#pragma once
// The linear systems of Newton's method.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "assembly/space/dirichlet.hpp"
#include "physics/run/chosen_on_the_way.hpp"
#include "physics/run/kept_set_up.hpp"
#include "physics/run/over_ranks.hpp"

namespace tessera::physics {

/// Solves A d = R, A the tangent of a nonlinear problem without the rows and columns of what is prescribed, for one
/// state after the other: matrix, format, vectors and, as long as it serves, the set-up of the solver stay, and values
/// are filled anew. Collective.
template <class Exec>
class TangentSolver {
 public:
  using Space = typename Exec::Space;
  /// How long the solver's set-up has served, and the state [rows] at whose tangent it was made; none: no state.
  struct SetUp {
    KeptSetUp life = {};
    std::shared_ptr<const std::vector<double>> state = {};
  };

  TangentSolver(Exec& exec, Nonlinear<Exec>& problem, const CommonParams& params, const DirichletData& fixed,
                const OverRanks<Exec>& ranks, Context& context)
      : exec_(exec),
        problem_(problem),
        params_(params),
        fixed_(fixed),
        ranks_(ranks),
        context_(context),
        choice_(params, ranks.space(), context.summary) {}

  /// See ChosenOnTheWay::decide. Collective.
  void choose(double to_come, const std::string& name, const char* unit) {
    if (choice_.decide(to_come, name, unit)) let_go();
  }
  ChosenOnTheWay::Kept choice() const { return choice_.kept(); }
  void restore_choice(std::span<const double> kept) { choice_.restore(kept); }

  /// The system at u, where the problem is; `away`: d of the fixed dofs.
  void make(const std::vector<double>& u, const std::vector<double>& away) {
    fill(away);
    set_operator(u);
  }
  /// d = A^-1 R to the tolerance, of all rows that are seen.
  solvers::Report begin(double tolerance, bool prescribes, const std::vector<double>& away, std::vector<double>& d) {
    linalg::fill(exec_, d_.view(), 0);
    digits_ = 0;
    return go_on(tolerance, prescribes, away, d);
  }
  /// The same from the last d.
  solvers::Report go_on(double tolerance, bool prescribes, const std::vector<double>& away, std::vector<double>& d) {
    const solvers::Report report = solve(tolerance, prescribes, away);
    digits_ += digits_of(report);
    d = to_vector(d_);
    if (ranks_) {
      const Discretisation& space = ranks_.space();
      d.resize(static_cast<std::size_t>(space.rows()));
      linalg::update_ghosts(ranks_.ranks(), space.index_map, space.components, d);
    }
    for (std::size_t i = 0; i < away.size(); ++i) d[static_cast<std::size_t>(fixed_.dofs[i])] = away[i];
    return report;
  }
  /// After the last solve of a system, with the iterations of all.
  void judge(const solvers::Report& report) {
    if (digits_ > 0) choice_.count(report.iterations, digits_);
    if (!report.converged) return;
    set_up_.life.judge(report.iterations, digits_);
    if (is_excused(report, params_.solver)) set_up_ = {};
  }
  /// After a solve that failed, where it may be the old set-up that is at fault, or the preconditioner that was chosen
  /// on the way: it is made anew for the same system, or jacobi in its place.
  bool makes_anew(const std::vector<double>& u, const solvers::Report& report) {
    const bool falls_back = choice_.is_multigrid() && !set_up_.life.is_refilled() && !report.interrupted;
    const bool again = falls_back || (set_up_.life.is_refilled() && !report.interrupted);
    set_up_ = {};  // a solver that has failed has given back what it kept
    if (falls_back) {
      choice_.fall_back(attempt_);
      let_go();
      ranks_.store(choice_.params(), system_, own_, context_.summary);
    }
    if (again) set_operator(u);
    return again;
  }

  /// The system of the rows that this rank owns.
  const System<Exec>& system() const { return ranks_ ? own_ : system_; }
  Offset nnz() const { return nnz_; }

  const SetUp& set_up() const { return set_up_; }
  /// How many were made.
  Offset set_ups() const { return set_ups_; }
  /// Makes that of the tangent at u, where the problem is; it is none of those.
  void make_set_up(const std::vector<double>& u, const KeptSetUp& life) {
    make(u, std::vector<double>(fixed_.dofs.size()));
    // A solve of nothing makes all that is made of a matrix.
    const Linked linked(exec_, ranks_.link());
    System<Exec>& nothing = ranks_ ? own_ : system_;
    linalg::fill(exec_, nothing.b.view(), 0);
    linalg::fill(exec_, d_.view(), 0);
    solver_->solve(nothing.b.view(), d_.view());
    set_up_.life = life;
    --set_ups_;
  }

 private:
  /// Nothing that was made for a preconditioner stays, nor the form of the matrix that it reads.
  void let_go() {
    set_up_ = {};
    solver_.reset();
    system_.A.reset();
    own_.A.reset();
  }

  /// The operator of the first tangent takes the values of the others: they have its pattern.
  void fill(const std::vector<double>& away) {
    ranks_.each([&] {
      problem_.tangent(system_);
      assembly::eliminate_dirichlet(exec_, system_.matrix, system_.b.view(), fixed_.dofs, away);
    });
    ranks_.store(choice_.params(), system_, own_, context_.summary);
    if (auto lower = problem_.lower_orders()) (ranks_ ? own_ : system_).A->set_lower_orders(std::move(lower));
    if (nnz_ == 0) nnz_ = ranks_ ? own_.nnz : system_.matrix.nnz();
  }

  void set_operator(const std::vector<double>& u) {
    if (!solver_) {
      solver_ = std::make_unique<solvers::LinearSolver<Exec>>(exec_, choice_.params().solver);
      d_ = Array<double, Space>(ranks_.rows());
    }
    // Iterations are those of all ranks, and so is what is decided of them.
    solver_->set_operator(*system().A, set_up_.life.next());
    choice_.count_matrix();
    if (set_up_.life.is_refilled()) return;
    set_up_.state = std::make_shared<const std::vector<double>>(u);
    ++set_ups_;
  }

  solvers::Report solve(double tolerance, bool prescribes, const std::vector<double>& away) {
    Scope scope(exec_, "solve");
    const Linked linked(exec_, ranks_.link());
    solvers::Monitor monitor = monitor_of(context_, tolerance);
    monitor.tolerance = tolerance;
    const View<const double> b = system().b.view();
    const auto solve = [&](const solvers::SolverParams&, const solvers::Monitor& watched) {
      if (!prescribes) return solver_->solve(b, d_.view(), watched);
      const DirichletData own = of_owned_rows({fixed_.dofs, away}, ranks_.rows());
      const auto rows = to_space<Space>(own.dofs);
      const auto values = to_space<Space>(own.values);
      return solver_->solve(b, d_.view(), watched, {rows.view(), values.view()});
    };
    solvers::Report report;
    if (choice_.is_multigrid()) {
      attempt_ = attempt(solve, choice_.params().solver, monitor, ranks_.link() == nullptr);
      report = attempt_.report;
      if (!attempt_.why_not.empty()) {
        report.interrupted = false;
        return report;
      }
    } else {
      report = solve(params_.solver, monitor);
    }
    // Direct methods refine to the tolerance of the deck.
    if (!report.interrupted && report.relative_residual <= tolerance) {
      report.converged = true;
      report.failure.clear();
    }
    if (report.method.empty() && !solvers::is_direct(params_.solver))
      scope.add_bytes(static_cast<double>(report.iterations + report.residuals) * system().A->bytes());
    return report;
  }

  Exec& exec_;
  Nonlinear<Exec>& problem_;
  const CommonParams& params_;
  const DirichletData& fixed_;
  const OverRanks<Exec>& ranks_;
  Context& context_;
  ChosenOnTheWay choice_;
  FirstAttempt attempt_;       ///< the last of multigrid that was chosen on the way
  System<Exec> system_, own_;  ///< of all rows that are seen, and over ranks of those that this one owns
  std::unique_ptr<solvers::LinearSolver<Exec>> solver_;
  Array<double, Space> d_;
  double digits_ = 0;  ///< won since `begin`
  SetUp set_up_;
  Offset set_ups_ = 0, nnz_ = 0;
};

}  // namespace tessera::physics
