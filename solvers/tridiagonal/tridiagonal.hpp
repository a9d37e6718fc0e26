#pragma once
#include <string>
#include <vector>

#include "base/backend.hpp"
#include "solvers/tridiagonal/workspace.hpp"

namespace tessera::solvers {

/// How the systems of a batch stand in memory.
enum class TridiagonalLayout {
  contiguous,  ///< [systems, n]: one system after the other
  interleaved  ///< [n, systems]: row i of all systems, then row i + 1
};

/// `systems` tridiagonal matrices of n rows each, in where the layout says: lower_i x_{i-1} + diag_i x_i + upper_i
/// x_{i+1}. lower of the first row and upper of the last row of each system are never used, whatever they hold.
template <class T>
struct Tridiagonal {
  View<const T> lower, diag, upper;
  Index n = 0;
  Index systems = 1;
  TridiagonalLayout layout = TridiagonalLayout::contiguous;

  Offset rows() const { return static_cast<Offset>(n) * systems; }
};

enum class TridiagonalMethod {
  automatic,
  thomas,                     ///< Gaussian elimination, one thread a system
  lu_pivoting,                ///< Gaussian elimination with scaled row interchanges, one thread a system
  cyclic_reduction,           ///< CR, a pass over memory a level
  parallel_cyclic_reduction,  ///< PCR, a pass over memory a level
  cr_pcr,                     ///< CR to a few rows, then PCR
  spike_cr,                   ///< partitions in registers, PCR in warps, recursive reduced systems
  spike_pivoting,             ///< partitions with partial pivoting, recursive reduced systems: the stable one
  spike_diagonal_pivoting     ///< partitions with the 1x1 and 2x2 pivots of Bunch, Erway, Chang
};

/// Name of a method as a deck writes it ("spike_cr"); `tridiagonal_method` finds it, Error(usage) names the nearest.
const char* name_of(TridiagonalMethod method);
TridiagonalMethod tridiagonal_method(const std::string& name);
/// All of them, `automatic` first.
std::vector<TridiagonalMethod> tridiagonal_methods();

/// What the front function looks at beside solving. Each costs a pass over the data and waits for the device.
enum class TridiagonalCheck {
  none,     ///< nothing: the call only queues work
  inputs,   ///< dominance and finiteness of the matrix, before (24 B a row)
  residual  ///< inputs, and the residual of the result, after (40 B a row)
};

struct TridiagonalParams {
  TridiagonalMethod method = TridiagonalMethod::automatic;
  TridiagonalCheck check = TridiagonalCheck::residual;
  /// A result whose normwise backward error is above this many units of round-off is solved again with pivoting
  /// (automatic), or reported as a failure (a method asked for by name).
  double tolerance = 64;
};

struct TridiagonalReport {
  TridiagonalMethod method = TridiagonalMethod::automatic;  ///< the one that made x
  std::string note;       ///< a sentence: why this method, and what it does not promise for this matrix
  std::string failure;    ///< empty, or a sentence that names system and row
  Offset weak_rows = -1;  ///< rows with |diag| < |lower| + |upper|; -1: not looked at
  double backward_error =
      -1;  ///< ||b - A x|| / (||A|| ||x|| + ||b||) in 2-norms, A's the Frobenius norm of a mean row; -1: not formed
  bool solved() const { return failure.empty(); }
};

/// Solves tridiagonal systems of one shape; keeps its workspace between calls, so that only the first one allocates.
template <class Exec, class T = double>
class TridiagonalSolver {
 public:
  using Space = typename Exec::Space;
  explicit TridiagonalSolver(TridiagonalParams params = {}) : params_(params) {}

  /// A x = rhs, both laid out as A. x may be rhs (in place); A is not changed. Bytes a row of the methods: see
  /// docs/methods/tridiagonal.md. Throws Error(usage) for sizes that do not fit. With check = none `automatic` means
  /// spike_pivoting, for nothing is known of the matrix; singular matrices then give values that are not finite.
  TridiagonalReport solve(Exec& exec, const Tridiagonal<T>& A, View<const T> rhs, View<T> x);

 private:
  TridiagonalMethod choose(Exec& exec, const Tridiagonal<T>& A, TridiagonalReport& report);
  void run(Exec& exec, TridiagonalMethod method, const Tridiagonal<T>& A, View<const T> rhs, View<T> x);
  void check_result(Exec& exec, const Tridiagonal<T>& A, View<const T> rhs, View<T> x, TridiagonalReport& report);

  TridiagonalParams params_;
  tridiagonal::Workspace<Space> workspace_;
};

/// One call of the above.
template <class Exec, class T>
TridiagonalReport solve_tridiagonal(Exec& exec, const Tridiagonal<T>& A, View<const T> rhs, View<T> x,
                                    const TridiagonalParams& params = {}) {
  return TridiagonalSolver<Exec, T>(params).solve(exec, A, rhs, x);
}

}  // namespace tessera::solvers
