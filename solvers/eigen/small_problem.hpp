#pragma once
// The dense problems of a few dozen vectors, on the host. Matrices are row-major.
#include <vector>

#include "base/types.hpp"

namespace tessera::solvers::eigen {

/// U [n, kept] with U^T B U = 1 for a symmetric B [n, n], of which the upper triangle counts, that is positive
/// semidefinite: columns are combinations that
/// do not depend on each other to rounding, so kept <= n. By the eigenvalues of B with a unit diagonal (Stathopoulos &
/// Wu, A block orthogonalization procedure with constant synchronization requirements, SIAM J. Sci. Comput. 23, 2002).
std::vector<double> orthonormal_combinations(Index n, const std::vector<double>& B, Index& kept);

/// What a step of Rayleigh and Ritz makes of a basis S whose first `vectors` are X.
struct Ritz {
  bool finite = true;
  std::vector<double> values;  ///< [vectors], ascending
  Index directions = 0;        ///< columns of `coefficients` behind those of X
  /// [n, vectors + directions]: X = S times the first columns, and the next P = S times the others, which is what the
  /// step has added to the `active` ones among them, orthonormal and orthogonal to X.
  std::vector<double> coefficients;
};
/// A = S^T A S and B = S^T M S, [n, n], of which the upper triangle counts. active [vectors].
Ritz rayleigh_ritz(Index n, Index vectors, const std::vector<double>& A, const std::vector<double>& B,
                   const std::vector<char>& active);

}  // namespace tessera::solvers::eigen
