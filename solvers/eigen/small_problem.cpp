#include "solvers/eigen/small_problem.hpp"

#include <Eigen/Dense>
#include <cmath>

namespace tessera::solvers::eigen {

namespace {

using Matrix = Eigen::MatrixXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Eigenvalues of a matrix with a unit diagonal that are rounding.
constexpr double dependent = 1e-12;

Matrix symmetric(Index n, const std::vector<double>& upper) {
  const Matrix all = Eigen::Map<const RowMajor>(upper.data(), n, n);
  return all.selfadjointView<Eigen::Upper>();
}

Matrix combinations(const Matrix& B) {
  const Eigen::Index n = B.rows();
  Eigen::VectorXd scale(n);
  for (Eigen::Index i = 0; i < n; ++i) scale[i] = B(i, i) > 0 ? 1 / std::sqrt(B(i, i)) : 0;
  const Eigen::SelfAdjointEigenSolver<Matrix> of_B(scale.asDiagonal() * B * scale.asDiagonal());
  const Eigen::VectorXd& values = of_B.eigenvalues();
  Eigen::Index first = 0;
  while (first < n && !(values[first] > dependent * std::max(values[n - 1], 0.0))) ++first;
  const Eigen::Index kept = n - first;
  return scale.asDiagonal() * of_B.eigenvectors().rightCols(kept) *
         values.tail(kept).cwiseSqrt().cwiseInverse().asDiagonal();
}

std::vector<double> row_major(const Matrix& matrix) {
  std::vector<double> result(static_cast<std::size_t>(matrix.size()));
  Eigen::Map<RowMajor>(result.data(), matrix.rows(), matrix.cols()) = matrix;
  return result;
}

/// What the step has added to the active vectors: their coefficients without those of X, orthonormal in B and
/// orthogonal to C [n, vectors].
Matrix directions(const Matrix& B, const Matrix& C, const std::vector<char>& active) {
  const Eigen::Index n = B.rows(), vectors = C.cols();
  Matrix Z(n, vectors);
  Eigen::Index count = 0;
  for (Eigen::Index j = 0; j < vectors; ++j)
    if (active[static_cast<std::size_t>(j)]) Z.col(count++) = C.col(j);
  Z.conservativeResize(n, count);
  Z.topRows(vectors).setZero();
  for (int pass = 0; pass < 2 && Z.cols() > 0; ++pass) {
    Z -= C * (C.transpose() * (B * Z));
    Z = Z * combinations(Z.transpose() * B * Z);
  }
  return Z;
}

}  // namespace

std::vector<double> orthonormal_combinations(Index n, const std::vector<double>& B, Index& kept) {
  const Matrix of_B = symmetric(n, B);
  if (!of_B.allFinite()) {
    kept = 0;
    return {};
  }
  const Matrix U = combinations(of_B);
  kept = static_cast<Index>(U.cols());
  return row_major(U);
}

Ritz rayleigh_ritz(Index n, Index vectors, const std::vector<double>& A, const std::vector<double>& B,
                   const std::vector<char>& active) {
  Ritz result;
  const Matrix of_A = symmetric(n, A), of_B = symmetric(n, B);
  result.finite = of_A.allFinite() && of_B.allFinite();
  if (!result.finite) return result;
  const Matrix U = combinations(of_B);
  const Eigen::SelfAdjointEigenSolver<Matrix> pairs(U.transpose() * of_A * U);
  result.finite = U.cols() >= vectors && pairs.info() == Eigen::Success;
  if (!result.finite) return result;
  const Matrix C = U * pairs.eigenvectors().leftCols(vectors);
  result.values.assign(pairs.eigenvalues().data(), pairs.eigenvalues().data() + vectors);
  const Matrix Z = n > vectors ? directions(of_B, C, active) : Matrix(n, 0);
  result.directions = static_cast<Index>(Z.cols());
  Matrix all(n, vectors + Z.cols());
  all << C, Z;
  result.coefficients = row_major(all);
  return result;
}

}  // namespace tessera::solvers::eigen
