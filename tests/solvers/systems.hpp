#pragma once
// Systems with known solutions, for tests of iterative solvers.
#include <cmath>
#include <string>
#include <vector>

#include "solvers/krylov/cg.hpp"
#include "solvers/krylov/gmres.hpp"
#include "solvers/precondition/chebyshev.hpp"
#include "solvers/precondition/ssor.hpp"
#include "solvers/solve.hpp"
#include "support/matrices.hpp"

namespace tessera::testing {

inline std::vector<double> product(const HostMatrix& A, const std::vector<double>& x) {
  std::vector<double> y(static_cast<std::size_t>(A.rows), 0.0);
  for (Index row = 0; row < A.rows; ++row)
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) y[row] += A.values[k] * x[A.col_ind[k]];
  return y;
}

inline double norm(const std::vector<double>& x) {
  double sum = 0;
  for (double value : x) sum += value * value;
  return std::sqrt(sum);
}

inline double relative_residual(const HostMatrix& A, const std::vector<double>& b, const std::vector<double>& x) {
  std::vector<double> r = product(A, x);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] = b[i] - r[i];
  return norm(r) / norm(b);
}

inline HostMatrix shifted(HostMatrix A, double shift) {
  for (Index row = 0; row < A.rows; ++row)
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k)
      if (A.col_ind[k] == row) A.values[k] += shift;
  return A;
}

/// The Laplacian with an upwind first derivative in every direction: an M-matrix, not symmetric.
inline HostMatrix convection(int n, int dim, double speed) {
  HostMatrix A = laplacian(n, dim);
  for (Index row = 0; row < A.rows; ++row)
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
      if (A.col_ind[k] < row) A.values[k] -= speed;
      if (A.col_ind[k] == row) A.values[k] += dim * speed;
    }
  return A;
}

/// Row i holds a 1 in column i + 1, the last in column 0: orthogonal, and the hardest case of restarted methods.
inline HostMatrix cyclic_shift(Index n) {
  HostMatrix A;
  A.rows = A.cols = n;
  for (Index row = 0; row < n; ++row) {
    A.add((row + 1) % n, 1);
    A.end_row();
  }
  return A;
}

template <class Exec>
struct Solution {
  solvers::Report report;
  std::vector<double> x;
};

template <class Exec>
Solution<Exec> solve(Exec& exec, const HostMatrix& A, const std::vector<double>& b, const solvers::SolverParams& params,
                     std::vector<double> guess = {}) {
  using Space = typename Exec::Space;
  guess.resize(b.size(), 0.0);
  const auto matrix = A.to<Space>();
  const auto right = to_space<Space>(b);
  auto x = to_space<Space>(guess);
  Solution<Exec> result{solvers::solve(exec, matrix, right, x, params), {}};
  result.x = to_vector(x);
  return result;
}

}  // namespace tessera::testing
