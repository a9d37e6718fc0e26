#pragma once
#include <memory>

#include "solvers/grid/plane_solver.hpp"
#include "solvers/tridiagonal/toeplitz.hpp"

namespace tessera::solvers::grid {

/// What lies across the rows of a nested solution: planes nx x ny, or lines (ny = 1, hy unused).
struct Across {
  Index nx, ny;
  double hx, hy;
  bool plane;
  Stencil stencil;
  Offset size() const { return static_cast<Offset>(nx) * ny; }
};

/// Partial solution over rows that do not fit on a chip: the right-hand sides of a step's sub-problems are written
/// down, all solved at once by `inner`, and summed up.
template <class Exec, class T>
class NestedSolver final : public BatchSolver<Exec, T> {
 public:
  using Space = typename Exec::Space;
  /// `inner` takes most_systems * plan.most_problems() systems.
  NestedSolver(const HostPlan& plan, const Across& across, double row_spacing, Index most_systems,
               std::unique_ptr<BatchSolver<Exec, T>> inner);
  void solve(Exec& exec, Index systems, const double* shifts, const T* f, T* u) override;
  double bytes(Index systems) const override;

 private:
  Plan<Space> plan_;
  Across across_;
  double row_spacing_;
  std::unique_ptr<BatchSolver<Exec, T>> inner_;
  Array<double, Space> shifts_;
  Array<T, Space> updated_, rhs_, solution_;
};

/// Lines of any length, by the batched solver of Toeplitz systems.
template <class Exec, class T>
class LineSolver final : public BatchSolver<Exec, T> {
 public:
  using Space = typename Exec::Space;
  LineSolver(const Line& line, Index most_systems) : line_(line), delta_(most_systems) {}
  void solve(Exec& exec, Index systems, const double* shifts, const T* f, T* u) override;
  double bytes(Index systems) const override { return 4.0 * sizeof(T) * line_.n * systems; }

 private:
  Line line_;
  Array<double, Space> delta_;
  ToeplitzSolver<Exec, T> solver_;
};

}  // namespace tessera::solvers::grid
