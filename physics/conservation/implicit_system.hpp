#pragma once
// The linear systems of implicit steps.
#include <memory>
#include <utility>
#include <vector>

#include "base/profile.hpp"
#include "physics/conservation/scheme.hpp"
#include "physics/run/over_ranks.hpp"
#include "solvers/linear_solver.hpp"

namespace tessera::physics::conservation {

/// The matrix of a step, of implicit_step.hpp, for one state after the other, and what solves with it: pattern and
/// vectors of the solver stay. Each rank has the block rows of its own nodes.
template <class Exec>
class ImplicitSystem {
 public:
  using Space = typename Exec::Space;
  /// Borrows all; `ranks` may be null: there is one.
  ImplicitSystem(Exec& exec, Scheme<Exec>& scheme, solvers::SolverParams params, const OverRanks<Exec>* ranks)
      : exec_(exec), scheme_(scheme), solver_(exec, std::move(params)), ranks_(ranks && *ranks ? ranks : nullptr) {}

  /// x [own nodes, numbers] = A^-1 b, A that of a step at u, which was taken and advanced. Collective. Phases: matrix,
  /// solve.
  solvers::Report solve(View<const double> u, const ImplicitStep& step, View<const double> b, View<double> x) {
    const bool is_new = !operator_;
    {
      Scope scope(exec_, "matrix");
      if (is_new) make_operator();
      scheme_.implicit_matrix(u, step, A_);
    }
    solver_.set_operator(*operator_, is_new ? solvers::Reuse::nothing : solvers::Reuse::pattern);
    linalg::fill(exec_, x, 0);
    Scope scope(exec_, "solve");
    return solver_.solve(b, x);
  }

 private:
  using Blocks = linalg::BlockCrsOperator<Exec>;

  void make_operator() {
    if (!ranks_) {
      A_ = scheme_.implicit_pattern({});
      operator_ = std::make_unique<Blocks>(A_.own);
      return;
    }
    const Discretisation& space = ranks_->space();
    const int numbers = scheme_.numbers();
    auto halo = std::make_shared<linalg::Halo<Exec>>(*ranks_->link(), space.index_map, numbers);
    ranks_->each([&] {
      std::vector<Index> boundary;  // of its rows the first of each node
      for (const Index row : to_vector(halo->boundary()))
        if (row % numbers == 0) boundary.push_back(row / numbers);
      A_ = scheme_.implicit_pattern(boundary);
    });
    operator_ = std::make_unique<linalg::RankOperator<Exec>>(std::move(halo), std::make_unique<Blocks>(A_.own),
                                                             std::make_unique<Blocks>(A_.ghost), space.first_row(),
                                                             space.index_map.global_size() * numbers);
  }

  Exec& exec_;
  Scheme<Exec>& scheme_;
  solvers::LinearSolver<Exec> solver_;
  const OverRanks<Exec>* ranks_;
  ImplicitMatrix<Space> A_;
  std::unique_ptr<linalg::Operator<Exec>> operator_;  ///< of A_
};

}  // namespace tessera::physics::conservation
