// The incomplete factorisation of block rows.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "linalg/formats.hpp"
#include "solvers/precondition/table.hpp"
#include "solvers/systems.hpp"
#include "support/block_matrices.hpp"

namespace tessera {
namespace {

using solvers::Reuse;
using solvers::SolverParams;
using testing::HostBlocks;

/// Not symmetric: what comes before the diagonal is less.
HostBlocks flow_of(int n, int dim, int block) {
  HostBlocks A = testing::vector_laplacian(n, dim, block, 0.3);
  for (Index row = 0; row < A.pattern.rows; ++row)
    for (Offset k = A.pattern.row_ptr[row]; k < A.pattern.row_ptr[row + 1]; ++k)
      for (int e = 0; e < block * block && A.pattern.col_ind[k] < row; ++e)
        A.values[static_cast<std::size_t>(k * block * block + e)] *= 0.4;
  return A;
}

/// M^-1 A x, less x, at most.
template <class T>
double error_of(const HostBlocks& host, linalg::Sign sign = linalg::Sign::any) {
  Threads exec(1);
  const auto matrix = host.to<Host>();
  const linalg::BlockCrsOperator<Threads> A(matrix);
  const auto single = A.to_float(exec);
  const auto M = solvers::make_preconditioner<Threads, T>({.preconditioner = "block_ilu"});
  std::string failure;
  if constexpr (std::is_same_v<T, double>)
    failure = M->set_up(exec, A, A, sign, Reuse::nothing);
  else
    failure = M->set_up(exec, A, *single, sign, Reuse::nothing);
  EXPECT_EQ(failure, "");
  const auto x = testing::random_vector(matrix.rows, 5);
  Array<double> right(matrix.rows);
  A.apply(exec, to_space<Host>(x).view(), right.view());
  const std::vector<double> r = to_vector(right);
  Array<T> z(matrix.rows);
  M->apply(exec, to_space<Host>(std::vector<T>(r.begin(), r.end())).view(), z.view());
  double most = 0;
  for (Index i = 0; i < matrix.rows; ++i) most = std::max(most, std::abs(z[i] - x[static_cast<std::size_t>(i)]));
  return most;
}

/// A chain of nodes has no fill, so that nothing is left out.
TEST(BlockIlu, OfAChainOfNodesIsTheInverse) {
  for (const int block : {1, 2, 3, 4, 5, 7}) {
    EXPECT_LT(error_of<double>(flow_of(40, 1, block)), 1e-11) << block;
    EXPECT_LT(error_of<float>(flow_of(40, 1, block)), 1e-3) << block;
    EXPECT_LT(error_of<double>(testing::vector_laplacian(40, 1, block), linalg::Sign::positive), 1e-11) << block;
  }
}

TEST(BlockIlu, TakesFarFewerIterationsThanBlockJacobi) {
  Threads exec(2);
  const HostBlocks host = flow_of(24, 2, 4);
  const auto matrix = host.to<Host>();
  const linalg::BlockCrsOperator<Threads> A(matrix);
  const auto b = to_space<Host>(testing::random_vector(matrix.rows, 1));
  for (const char* type : {"gmres", "bicgstab"}) {
    int iterations[2];
    for (const bool ilu : {false, true}) {
      Array<double> x(matrix.rows);
      x.set_zero();
      const SolverParams params{.type = type, .preconditioner = ilu ? "block_ilu" : "block_jacobi"};
      const auto report = solvers::solve<Threads>(exec, A, b.view(), x.view(), params);
      EXPECT_TRUE(report.converged) << report.failure;
      iterations[ilu] = report.iterations;
    }
    EXPECT_LT(2 * iterations[1], iterations[0]) << type;
  }
}

TEST(BlockIlu, SaysAtWhichNodeItBreaksDown) {
  Threads exec(1);
  HostBlocks host = flow_of(10, 1, 3);
  std::fill_n(host.diagonal(0), 9, 0.0);
  const auto matrix = host.to<Host>();
  const linalg::BlockCrsOperator<Threads> A(matrix);
  const auto M = solvers::make_preconditioner<Threads, double>({.preconditioner = "block_ilu"});
  const std::string failure = M->set_up(exec, A, A, linalg::Sign::any, Reuse::nothing);
  EXPECT_NE(failure.find("at node 0: its block on the diagonal is singular"), std::string::npos) << failure;
  EXPECT_NE(failure.find("block_jacobi"), std::string::npos) << failure;
}

TEST(BlockIlu, RefusesFormatsWithoutBlockRows) {
  Threads exec(1);
  const auto matrix = flow_of(6, 1, 3).to<Host>();
  const auto A = linalg::make_operator(exec, matrix, "block_sliced_ell");
  const auto M = solvers::make_preconditioner<Threads, double>({.preconditioner = "block_ilu"});
  try {
    (void)M->set_up(exec, *A, *A, linalg::Sign::any, Reuse::nothing);
    FAIL() << "it takes any format";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("needs the entries of the matrix in block rows"), std::string::npos);
    EXPECT_NE(error.help().find("block_crs"), std::string::npos);
  }
}

}  // namespace
}  // namespace tessera
