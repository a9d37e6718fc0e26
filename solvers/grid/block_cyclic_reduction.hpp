#pragma once
#include <memory>

#include "base/replay.hpp"
#include "solvers/grid/fast_poisson.hpp"
#include "solvers/grid/plane_solver.hpp"

namespace tessera::solvers::grid {

/// Block cyclic reduction of radix 2 or 4 over the slower axes, simplified cyclic reduction of lines along x. Rows
/// whose number is not 2^k - 1 are split by partial solutions, see partial_solution.hpp.
template <class Exec, class T>
class BlockCyclicReduction final : public GridSolver<Exec, T> {
 public:
  using Space = typename Exec::Space;
  /// Throws Error(usage) for a radix that is neither 2 nor 4.
  BlockCyclicReduction(Exec& exec, const GridProblem& problem, int radix);
  void solve(Exec& exec, View<const T> f, View<T> u) override;
  double bytes() const override { return root_->bytes(1); }
  std::string describe() const override { return name_; }

 private:
  std::string name_;
  Array<double, Space> shift_;
  std::unique_ptr<BatchSolver<Exec, T>> root_;
  std::unique_ptr<Replay<Exec>> replay_;  ///< of the last f and u
  const T* f_ = nullptr;
  T* u_ = nullptr;
};

}  // namespace tessera::solvers::grid
