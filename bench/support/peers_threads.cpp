#include <Eigen/Sparse>

#include "bench/support/peers.hpp"

namespace tessera::bench {

namespace {

using Matrix = Eigen::SparseMatrix<double, Eigen::RowMajor, Offset>;

/// Eigen's own storage: its 64-bit inner index keeps the copy of A simple.
Matrix to_eigen(const linalg::Crs<Host>& A) {
  Matrix M(A.rows, A.cols);
  M.makeCompressed();
  M.resizeNonZeros(A.nnz());
  for (Offset r = 0; r <= A.rows; ++r) M.outerIndexPtr()[r] = A.row_ptr[r];
  for (Offset k = 0; k < A.nnz(); ++k) M.innerIndexPtr()[k] = A.col_ind[k], M.valuePtr()[k] = A.values[k];
  return M;
}

}  // namespace

Peer spmv_peer(Threads& exec, const linalg::Crs<Host>& A, const Array<double>& x, const Array<double>& y) {
  Eigen::setNbThreads(exec.count());
  const Eigen::SparseMatrix<double, Eigen::RowMajor, int> M = to_eigen(A);
  const Eigen::Map<const Eigen::VectorXd> X(x.data(), x.size()), Y(y.data(), y.size());
  Eigen::VectorXd result(A.rows);
  const Timing timing = measure(exec, [&] { result.noalias() = M * X; });
  return {"Eigen", timing.median_ms, (result - Y).cwiseAbs().maxCoeff() / Y.cwiseAbs().maxCoeff()};
}

Peer cg_peer(Threads& exec, const linalg::Crs<Host>& A, int iterations) {
  Eigen::setNbThreads(exec.count());
  const Eigen::SparseMatrix<double, Eigen::RowMajor, int> M = to_eigen(A);
  Eigen::VectorXd b = Eigen::VectorXd::Ones(A.rows), x(A.rows), r(A.rows), z(A.rows), p(A.rows), q(A.rows);
  const Eigen::VectorXd inverse = M.diagonal().cwiseInverse();
  const Timing timing = measure(
      exec,
      [&] {
        x.setZero();
        r = b;
        z = inverse.cwiseProduct(r);
        p = z;
        double rz = r.dot(z);
        for (int i = 0; i < iterations; ++i) {
          q.noalias() = M * p;
          const double alpha = rz / p.dot(q);
          x += alpha * p;
          r -= alpha * q;
          z = inverse.cwiseProduct(r);
          const double next = r.dot(z);
          p = z + (next / rz) * p;
          rz = next;
        }
      },
      3);
  return {"Eigen", timing.median_ms / iterations, 0};
}

}  // namespace tessera::bench
