#pragma once
// The methods one by one; the front function of tridiagonal.hpp chooses among them. x may be rhs. n is the rows of a
// system.
#include "solvers/tridiagonal/tridiagonal.hpp"

namespace tessera::solvers::tridiagonal {

/// Gaussian elimination without pivoting, one thread a system (Conte and de Boor). 72 B a row in double: 32 read, c'
/// and d' written and read, x written.
template <class Exec, class T>
void thomas(Exec& exec, Workspace<typename Exec::Space>& workspace, const Tridiagonal<T>& A, View<const T> rhs,
            View<T> x);

/// Gaussian elimination with scaled row interchanges, one thread a system: what LAPACK's gtsv does, 104 B a row in
/// double.
template <class Exec, class T>
void lu_pivoting(Exec& exec, Workspace<typename Exec::Space>& workspace, const Tridiagonal<T>& A, View<const T> rhs,
                 View<T> x);

/// Cyclic reduction until at most `stop` rows of each system are left, parallel cyclic reduction of those, back
/// substitution (Hockney and Jesshope; Zhang, Cohen and Owens). stop = 1: plain CR; stop >= n: plain PCR. One pass over
/// memory a level, about 200 B a row in double for CR and 64 B a row and level for PCR.
template <class Exec, class T>
void cyclic_reduction(Exec& exec, Workspace<typename Exec::Space>& workspace, const Tridiagonal<T>& A,
                      View<const T> rhs, View<T> x, Offset stop);

/// SPIKE with cyclic reduction (Chang and Hwu, Numerical Computations with GPUs, chapter 2), contiguous layout. No
/// pivoting: safe where rows are diagonally dominant. In double 40 B a row where a system fits a block (CUDA, n <=
/// `spike_cr_block_rows`), else 72 B and the reduced systems, about 1 B.
template <class Exec, class T>
void spike_cr(Exec& exec, Workspace<typename Exec::Space>& workspace, const Tridiagonal<T>& A, View<const T> rhs,
              View<T> x);

/// The same partitions, whose first and last unknowns stay, with full partial pivoting inside, recursively, contiguous
/// layout: every column is eliminated where all of its entries stand, so it is as stable as Gaussian elimination with
/// partial pivoting (pair_elimination.hpp). In double 72 B a row and the reduced systems, about 25 B.
template <class Exec, class T>
void spike_pivoting(Exec& exec, Workspace<typename Exec::Space>& workspace, const Tridiagonal<T>& A, View<const T> rhs,
                    View<T> x);

/// Partitions with the 1x1 and 2x2 pivots of Erway, Marcia and Tyson (2010), criterion of Chang et al. (2012): faster,
/// as pivots are looked for in two rows only, but a partition that is ill-conditioned by itself costs digits (the
/// suite's b = 0). In double 72 B a row and the reduced systems, about 15 B.
template <class Exec, class T>
void spike_diagonal_pivoting(Exec& exec, Workspace<typename Exec::Space>& workspace, const Tridiagonal<T>& A,
                             View<const T> rhs, View<T> x);

/// contiguous [systems, n] from interleaved [n, systems] and back, 16 B an entry in double.
template <class Exec, class T>
void to_contiguous(Exec& exec, Index systems, Index n, View<const T> interleaved, View<T> contiguous);
template <class Exec, class T>
void to_interleaved(Exec& exec, Index systems, Index n, View<const T> contiguous, View<T> interleaved);

/// Sums that tell whether a method is safe, and whether a result is good.
struct Inspection {
  double weak_rows = 0;    ///< |diag| < |lower| + |upper|
  double broken_rows = 0;  ///< a coefficient or the right-hand side is not finite, or all three coefficients are zero
};
template <class Exec, class T>
Inspection inspect(Exec& exec, Workspace<typename Exec::Space>& workspace, const Tridiagonal<T>& A, View<const T> rhs);

/// 2-norms of r = b - A x, of x, of b, and the Frobenius norm of A.
struct Residual {
  double r = 0, x = 0, b = 0, A = 0;
  /// ||r|| / (||A|| ||x|| + ||b||), with the norm of a mean row of A.
  double backward_error(Offset rows) const;
};
template <class Exec, class T>
Residual residual(Exec& exec, Workspace<typename Exec::Space>& workspace, const Tridiagonal<T>& A, View<const T> rhs,
                  View<const T> x);

/// The first row of memory that is not finite, has only zeros, or is weak; rows() when there is none. Waits for the
/// device.
enum class RowFault { not_finite, zero, weak };
template <class Exec, class T>
Offset first_fault(Exec& exec, Workspace<typename Exec::Space>& workspace, const Tridiagonal<T>& A, View<const T> rhs,
                   RowFault fault);

}  // namespace tessera::solvers::tridiagonal
