#pragma once
// The stages of implicit schemes, solved.
#include <memory>

#include "assembly/space/dirichlet.hpp"
#include "physics/run/evolving.hpp"
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
    Offset systems = 0, iterations = 0, matrices = 0, nnz = 0;
  };
  const Work& work() const { return work_; }

 protected:
  Work work_;
};

/// (sigma M + A) U = b + M w. The matrix is made anew where sigma, M or A change; prescribed values are taken to the
/// right-hand side by the columns that it has lost.
template <class Exec>
class ImplicitStages final : public Stages<Exec> {
 public:
  using Space = typename Exec::Space;

  ImplicitStages(Exec& exec, Evolving<Exec>& problem, const CommonParams& params, Context& context)
      : exec_(exec), problem_(problem), params_(params), context_(context) {
    system_.matrix = problem.make_matrix();
    system_.b = Array<double, Space>(problem.space().rows());
  }

  bool solve(double t, double sigma, View<const double> w, View<const double>, View<double> U) override {
    if (problem_.move_to(t)) sigma_ = 0;
    const OverRanks<Exec>& ranks = problem_.ranks();
    const Linked linked(exec_, ranks.link());
    if (sigma != sigma_) make_matrix(sigma);
    Scope scope(exec_, "solve");
    // b + M w, and what prescribed values add
    linalg::spmv(exec_, std::as_const(problem_.mass()).view(), w, system_.b.view());
    linalg::combine(exec_, system_.b.view(), {1.0}, {{1.0}, problem_.loads()});
    assembly::prescribe(exec_, removed_, problem_.prescribed_values(), system_.b.view());
    const Index rows = ranks.rows();
    work_.linear = solver_->solve(std::as_const(system_.b).view().part(0, rows), U.part(0, rows),
                                  {.progress = {}, .stop = stop_of(context_)},
                                  {problem_.own_fixed(), problem_.own_values(), true});
    ++work_.systems;
    work_.iterations += work_.linear.iterations;
    if (ranks) ranks.update_ghosts(U);
    return work_.linear.converged;
  }

 private:
  using Stages<Exec>::work_;

  /// sigma M + A, without the rows and columns of what is prescribed.
  void make_matrix(double sigma) {
    {
      Scope scope(exec_, "assemble");
      linalg::combine(exec_, system_.matrix.values.view(), {}, {{1.0}, problem_.stiffness().values.view()},
                      {{sigma}, problem_.mass().values.view()});
      if (work_.matrices == 0)
        removed_ = assembly::remove_columns(exec_, system_.matrix, problem_.prescribed().dofs);
      else
        assembly::remove_again(exec_, system_.matrix, removed_);
    }
    const OverRanks<Exec>& ranks = problem_.ranks();
    if (ranks)
      ranks.take(params_, system_, own_, context_.summary);
    else
      convert(exec_, params_, system_, context_.summary);
    if (!solver_) solver_ = std::make_unique<solvers::LinearSolver<Exec>>(exec_, params_.solver);
    solver_->set_operator(ranks ? *own_.A : *system_.A);
    work_.nnz = ranks ? own_.nnz : system_.matrix.nnz();
    sigma_ = sigma;
    ++work_.matrices;
  }

  Exec& exec_;
  Evolving<Exec>& problem_;
  const CommonParams& params_;
  Context& context_;
  System<Exec> system_, own_;  ///< of all rows that are seen, and over ranks of those that this one owns
  assembly::RemovedColumns<Space> removed_;
  std::unique_ptr<solvers::LinearSolver<Exec>> solver_;
  double sigma_ = 0;  ///< of the matrix; 0: there is none
};

}  // namespace tessera::physics
