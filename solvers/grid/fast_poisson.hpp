#pragma once
#include <memory>
#include <string>

#include "base/backend.hpp"
#include "linalg/grid_problem.hpp"

namespace tessera::solvers::grid {

using linalg::GridProblem;
using linalg::Stencil;

struct FastPoissonOptions {
  std::string method = "bcr";  ///< bcr | fft
  int radix = 4;               ///< of bcr: 2 | 4
};

/// Throws Error(usage) for a problem that no method takes: no nodes, more unknowns than memory addresses, h <= 0, c <
/// 0, not finite.
void check_grid_problem(const GridProblem& problem);

/// One method with its tables and work space, made for one grid. Behind FastPoisson.
template <class Exec, class T>
class GridSolver {
 public:
  virtual ~GridSolver() = default;
  virtual void solve(Exec& exec, View<const T> f, View<T> u) = 0;
  virtual double bytes() const = 0;
  virtual std::string describe() const = 0;
};

/// The methods by name: "bcr" (block_cyclic_reduction_*) and "fft" (sine_transform_*). Explicitly instantiated for
/// Threads and Cuda, double and float.
template <class Exec, class T>
std::unique_ptr<GridSolver<Exec, T>> make_block_cyclic_reduction(Exec& exec, const GridProblem& problem,
                                                                 const FastPoissonOptions& options);
template <class Exec, class T>
std::unique_ptr<GridSolver<Exec, T>> make_sine_transform(Exec& exec, const GridProblem& problem,
                                                         const FastPoissonOptions& options);

/// A direct solution in O(N log N). Setting up computes tables and takes memory; after the first solve(), which may
/// take more work space, solve() only queues work. T is double or float.
template <class Exec, class T>
class FastPoisson {
 public:
  /// Throws Error(usage) for what check_grid_problem refuses, an unknown method or radix; Error(memory).
  FastPoisson(Exec& exec, const GridProblem& problem, const FastPoissonOptions& options = {});

  /// f, u: [unknowns], distinct. Repeatable bitwise; on threads independent of their number. A value of f that is not
  /// finite spreads to its neighbourhood at least; see require_finite.
  void solve(View<const T> f, View<T> u);

  /// Least bytes that one solve moves between memory and chip.
  double bytes() const { return solver_->bytes(); }
  /// "block cyclic reduction, radix 4", ...
  std::string describe() const { return solver_->describe(); }

 private:
  Exec& exec_;
  Offset unknowns_;
  std::unique_ptr<GridSolver<Exec, T>> solver_;
};

/// Throws Error(solver) that names the first node with a value that is not finite. Waits for the device.
template <class Exec, class T>
void require_finite(Exec& exec, const GridProblem& problem, View<const T> f);

}  // namespace tessera::solvers::grid
