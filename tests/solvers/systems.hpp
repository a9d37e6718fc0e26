#pragma once
// Systems with known solutions, for tests of iterative solvers.
#include <cmath>
#include <string>
#include <vector>

#include "solvers/krylov/cg.hpp"
#include "solvers/krylov/gmres.hpp"
#include "solvers/precondition/chebyshev.hpp"
#include "solvers/precondition/ssor.hpp"
#include "solvers/precondition/table.hpp"
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

/// The Params of a method: one for each choice that a key of its own has; its defaults where none has any.
inline std::vector<solvers::Own> every_choice(const solvers::OwnKeys& own) {
  std::vector<solvers::Own> result;
  for (const deck::KeyDescription& key : own.keys)
    for (const std::string& choice : key.info.choices)
      result.push_back(own.read(deck::Deck::parse("[solver]\n" + key.name + " = \"" + choice + "\"\n", "table")));
  return result.empty() ? std::vector<solvers::Own>(1) : result;
}

/// Every iterative method of the table that Exec has, with every preconditioner of matrices that goes with it and every
/// choice of the method, in double, mixed and float.
template <class Exec>
std::vector<solvers::SolverParams> every_iterative_solver() {
  const auto there = [](const auto& entry) { return std::is_same_v<Exec, Threads> ? entry.threads : entry.cuda; };
  std::vector<solvers::SolverParams> result;
  for (const char* precision : {"double", "mixed", "float"})
    for (const solvers::MethodEntry& method : solvers::solver_table()) {
      if (method.kind != solvers::MethodKind::krylov || !there(method)) continue;
      for (const solvers::PreconditionerEntry& preconditioner : solvers::preconditioner_table()) {
        if (!there(preconditioner) || (preconditioner.needs.definite && !method.needs.definite)) continue;
        if (preconditioner.needs.lower_orders) continue;  // which a matrix does not have
        for (const solvers::Own& choice : every_choice(method.own))
          result.push_back(
              {.type = method.name, .preconditioner = preconditioner.name, .method = choice, .precision = precision});
      }
    }
  return result;
}

/// Every direct method of the table that takes the entries of a matrix.
inline std::vector<solvers::SolverParams> every_direct_solver() {
  std::vector<solvers::SolverParams> result;
  for (const solvers::MethodEntry& method : solvers::solver_table())
    if (method.kind == solvers::MethodKind::direct && method.needs.entries) result.push_back({.type = method.name});
  return result;
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
