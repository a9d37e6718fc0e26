#pragma once
#include <memory>

#include "solvers/method.hpp"

namespace tessera::solvers {

/// What a discretised problem knows of its solution beside the system.
struct Known {
  View<const Index> rows = {};     ///< fixed: A has nothing but the diagonal in these rows and columns; distinct
  View<const double> values = {};  ///< [rows]; b is not read there
  bool start = false;              ///< x holds one; false: the constant nearest to the data
};

/// Solves A x = b by the method that [solver] names, for one A and b after the other: vectors, preconditioner or
/// factor, copies in float and CUDA graphs are made by the first solve and kept. cg takes A for symmetric positive
/// definite, minres for symmetric, bicgstab and gmres for anything that is not singular. `params.precision` says in
/// what the iteration runs: double; float, matrix and vectors, for tolerances above 2e-7; or mixed, a float iteration
/// whose residual is that of the double system, which reaches the tolerances of double. A solution whose residual is
/// rounding of the terms that it is the sum of (`backward_error` of 16 units of the last digit at most) is accepted
/// with a warning though it misses the tolerance: double has no better. A solver that does not converge returns a
/// Report with converged = false and `failure` set, and gives back what it has kept, unless it was interrupted.
template <class Exec>
class LinearSolver {
 public:
  /// Throws Error(usage) at the key of the deck for unknown names, names that do not fit together, or a method that the
  /// backend lacks. `exec` must outlive it.
  LinearSolver(Exec& exec, SolverParams params);
  ~LinearSolver();
  LinearSolver(LinearSolver&&) noexcept;

  /// From now on A, which must outlive the solves. `reuse` says what of the last operator holds for it; for all but
  /// Reuse::nothing it has its size, and the arrays of its pattern stand where they stood. Throws Error(usage)
  /// where A is not square or lacks what method and preconditioner need of it (entries, a grid).
  void set_operator(const linalg::Operator<Exec>& A, Reuse reuse = Reuse::nothing);

  /// x holds the initial guess and receives the solution. Residuals are relative to ||b||. Throws Error(usage) for
  /// sizes that do not fit.
  Report solve(View<const double> b, View<double> x, const Monitor& monitor = {});
  /// The system of a discretised problem, whose constants are vectors of ones. The unknown is y = x - c on the free
  /// rows, c the constant for which ||b - c A 1|| is least: adding a constant to all data of the problem changes c and
  /// nothing else. Residuals are those of A y = b - c A 1 on the free rows, relative to reference_norm; a right-hand
  /// side that is that of a constant to rounding is solved by it. Costs one product and some passes a solve, and 24 B a
  /// row (`shift_bytes`).
  Report solve(View<const double> b, View<double> x, const Monitor& monitor, const Known& known);

  const SolverParams& params() const { return params_; }

 private:
  using Space = typename Exec::Space;
  struct ShiftedSystem;

  void check_sizes(View<const double> b, View<double> x) const;
  void shift(View<const double> b, const Known& known);
  double norm_of(View<const double> b);
  double backward_error_of(View<const double> y, double residual, double norm_b);
  void accept_rounding(View<const double> y, double norm_b, Report& report);
  void relate_energy_error(View<const double> b, View<const double> y, Report& report);
  void name(Report& report) const;

  Exec& exec_;
  SolverParams params_;
  std::unique_ptr<Method<Exec>> method_;
  const linalg::Operator<Exec>* A_ = nullptr;
  Index rows_ = -1;  ///< of the last operator, which may be gone
  std::unique_ptr<ShiftedSystem> shifted_;
  Array<double, Space> diagonal_;  ///< [rows], where it was asked for
  Array<double, Space> sums_;      ///< [2]
};

/// What `solve` with a `Known` takes beside solver_bytes: the shifted right-hand side, row sums, the diagonal.
inline double shift_bytes(Offset rows) { return 24.0 * static_cast<double>(rows); }

}  // namespace tessera::solvers
