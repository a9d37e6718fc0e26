#pragma once
#include "base/backend.hpp"
#include "solvers/tridiagonal/workspace.hpp"

namespace tessera::solvers {

/// Symmetric Toeplitz systems tridiag(-1, 2 + delta, -1) of n rows, contiguous [systems, n]. delta > 0 is given, not
/// the diagonal: 2 + delta rounds away what decides the accuracy of large systems. System s has delta[s / repeat %
/// delta.size()].
struct ToeplitzBatch {
  Index n = 0;
  Index systems = 1;
  View<const double> delta;
  Index repeat = 1;

  Offset rows() const { return static_cast<Offset>(n) * systems; }
};

/// Solves tridiag(-1, 2 + delta, -1) v = g for a batch; v may be g. Any n >= 1. Simplified scalar cyclic reduction
/// (Myllykoski, Rossi and Toivanen 2013, (22)-(23)) in the form without cancellation of docs/methods/tridiagonal.md.
/// Bytes an unknown in double: 16 where a system fits a block (CUDA, n <= toeplitz_block_rows), 24 where it does not.
/// The workspace belongs to the object: only the first call of a shape allocates. Throws Error(usage) for sizes that do
/// not fit. delta <= 0 is not looked at: delta = 0 is regular for finite n, below the method is not safe.
template <class Exec, class T = double>
class ToeplitzSolver {
 public:
  using Space = typename Exec::Space;
  void solve(Exec& exec, const ToeplitzBatch& batch, View<const T> g, View<T> v);

 private:
  tridiagonal::Workspace<Space> workspace_;
};

namespace tridiagonal {
/// Largest system that one block of a GPU solves with one reading of its data.
inline constexpr int toeplitz_block_rows = 4096;
/// Throws Error(usage) unless g and v fit the batch.
void check_toeplitz(const ToeplitzBatch& batch, Offset g, Offset v);
}  // namespace tridiagonal

}  // namespace tessera::solvers
