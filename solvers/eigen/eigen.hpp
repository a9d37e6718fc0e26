#pragma once
// The lowest eigenpairs of K x = lambda M x.
#include <string>
#include <vector>

#include "linalg/operator.hpp"
#include "solvers/method.hpp"

namespace tessera::solvers {

struct EigenParams {
  int modes = 10;
  double shift = 0;  ///< sigma
  int block = 0;     ///< vectors that are iterated together; 0: a quarter more than modes, and 4 at least
};

/// The line of the table of methods: LOBPCG has no right-hand side, and LinearSolver does not make it.
MethodEntry eigen_entry();
/// Whether `params` ask for eigenpairs.
bool wants_modes(const SolverParams& params);
/// What solver.shift adds to K; 0 where no eigenpairs are asked for.
double shift_of(const SolverParams& params);
/// Vectors that are iterated together, of a problem with so many free rows.
Index vectors_together(const EigenParams& params, Offset free_rows);

/// Eigenpairs of A x = theta M x, theta = lambda + shift.
struct EigenReport {
  Report solver;                  ///< its residual is the largest of the modes'
  std::vector<double> values;     ///< [modes] lambda, ascending
  std::vector<double> residuals;  ///< [modes] ||A x - theta M x|| / (theta ||M x||), computed from x at the end
};

/// A symmetric positive definite eigenproblem: A = K + shift M; M is symmetric, and positive definite where `fixed`
/// rows are 0. Those rows and columns of A have nothing but their diagonal.
template <class Exec>
struct EigenProblem {
  const linalg::Operator<Exec>& A;
  const linalg::Operator<Exec>& M;
  View<const Index> fixed;  ///< rows in which x = 0; they live where the vectors do
};

/// The eigenvectors [modes, rows] of the least eigenvalues, (x_i, M x_j) = 1 for i = j and else 0, that the method of
/// `params` finds: locally optimal block preconditioned conjugate gradients (Knyazev 2001) on a basis that stays
/// orthonormal in M (Hetmaniuk & Lehoucq 2006; Duersch, Shao, Yang & Gu 2018). Of ranks each has the rows that it owns,
/// and the dense problems are the same bits on all of them. Throws Error(usage) where there are fewer free rows than
/// modes. Not converging is reported. Phases: solve.
template <class Exec>
EigenReport lowest_eigenpairs(Exec& exec, const EigenProblem<Exec>& problem, const SolverParams& params,
                              Array<double, typename Exec::Space>& vectors, const Monitor& monitor = {});

}  // namespace tessera::solvers
