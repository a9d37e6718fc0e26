#include <cublas_v2.h>
#include <cusparse.h>
#include <fmt/format.h>

#include "base/cuda_check.hpp"
#include "base/error.hpp"
#include "bench/support/peers.hpp"
#include "linalg/vector_ops.hpp"

namespace tessera::bench {

namespace {

void check(cusparseStatus_t status, const char* call) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw Error(ExitCode::internal, fmt::format("{}: {}", call, cusparseGetErrorString(status)));
}
#define CHECK_SPARSE(call) check((call), #call)

/// A as cuSPARSE sees it, with 32-bit row offsets, which is what its users pass and its faster case.
struct SparseProduct {
  cusparseHandle_t handle{};
  cusparseSpMatDescr_t matrix{};
  cusparseDnVecDescr_t in{}, out{};
  Array<int, Device> row_ptr;
  Array<unsigned char, Device> buffer;
  cusparseSpMVAlg_t algorithm;

  SparseProduct(Cuda& exec, const linalg::Crs<Device>& A, const double* x, double* y, cusparseSpMVAlg_t alg)
      : algorithm(alg) {
    if (A.nnz() > 0x7fffffff) throw Error(ExitCode::internal, "cuSPARSE peer: more non-zeros than 32-bit offsets hold");
    const std::vector<Offset> wide = to_vector(A.row_ptr);
    row_ptr = to_space<Device>(std::vector<int>(wide.begin(), wide.end()));
    CHECK_SPARSE(cusparseCreate(&handle));
    CHECK_SPARSE(cusparseSetStream(handle, exec.stream()));
    CHECK_SPARSE(cusparseCreateCsr(&matrix, A.rows, A.cols, A.nnz(), row_ptr.data(),
                                   const_cast<Index*>(A.col_ind.data()), const_cast<double*>(A.values.data()),
                                   CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F));
    CHECK_SPARSE(cusparseCreateDnVec(&in, A.cols, const_cast<double*>(x), CUDA_R_64F));
    CHECK_SPARSE(cusparseCreateDnVec(&out, A.rows, y, CUDA_R_64F));
    std::size_t bytes = 0;
    const double one = 1, zero = 0;
    CHECK_SPARSE(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, in, &zero, out,
                                         CUDA_R_64F, algorithm, &bytes));
    buffer = Array<unsigned char, Device>(static_cast<Offset>(bytes) + 16);
    CHECK_SPARSE(cusparseSpMV_preprocess(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, in, &zero, out,
                                         CUDA_R_64F, algorithm, buffer.data()));
  }
  ~SparseProduct() {
    (void)cusparseDestroyDnVec(in);
    (void)cusparseDestroyDnVec(out);
    (void)cusparseDestroySpMat(matrix);
    (void)cusparseDestroy(handle);
  }
  void apply() {
    const double one = 1, zero = 0;
    CHECK_SPARSE(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, in, &zero, out, CUDA_R_64F,
                              algorithm, buffer.data()));
  }
};

}  // namespace

Peer cg_peer(Cuda& exec, const linalg::Crs<Device>& A, int iterations) {
  const int n = A.rows;
  Array<double, Device> x(n), r(n), z(n), p(n), q(n), d(n), bad(1);
  linalg::extract_diagonal(exec, A.view(), d.view());
  linalg::invert_diagonal(exec, d.view(), bad.data());
  SparseProduct product(exec, A, p.data(), q.data(), CUSPARSE_SPMV_CSR_ALG1);
  cublasHandle_t blas{};
  if (cublasCreate(&blas) != CUBLAS_STATUS_SUCCESS) throw Error(ExitCode::internal, "cublasCreate failed");
  (void)cublasSetStream(blas, exec.stream());
  const Timing timing = measure(
      exec,
      [&] {
        linalg::fill(exec, x.view(), 0.0);
        linalg::fill(exec, r.view(), 1.0);
        cublasDdgmm(blas, CUBLAS_SIDE_LEFT, n, 1, r.data(), n, d.data(), 1, z.data(), n);
        cublasDcopy(blas, n, z.data(), 1, p.data(), 1);
        double rz = 0;
        cublasDdot(blas, n, r.data(), 1, z.data(), 1, &rz);
        for (int i = 0; i < iterations; ++i) {
          product.apply();
          double pq = 0, next = 0;
          cublasDdot(blas, n, p.data(), 1, q.data(), 1, &pq);
          const double alpha = rz / pq, minus = -alpha;
          cublasDaxpy(blas, n, &alpha, p.data(), 1, x.data(), 1);
          cublasDaxpy(blas, n, &minus, q.data(), 1, r.data(), 1);
          cublasDdgmm(blas, CUBLAS_SIDE_LEFT, n, 1, r.data(), n, d.data(), 1, z.data(), n);
          cublasDdot(blas, n, r.data(), 1, z.data(), 1, &next);
          const double beta = next / rz, one = 1;
          cublasDscal(blas, n, &beta, p.data(), 1);
          cublasDaxpy(blas, n, &one, z.data(), 1, p.data(), 1);
          rz = next;
        }
      },
      3);
  (void)cublasDestroy(blas);
  return {"cuSPARSE+cuBLAS", timing.median_ms / iterations, 0};
}

}  // namespace tessera::bench
