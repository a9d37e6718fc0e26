// Preconditioners by themselves, and operators without entries.
#include <cmath>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "solvers/precondition/multicolour.hpp"
#include "solvers/precondition/table.hpp"
#include "solvers/systems.hpp"
#include "support/backends.hpp"

namespace tessera {
namespace {

using solvers::SolverParams;
using testing::HostMatrix;

template <class Exec>
struct Preconditioners : ::testing::Test {
  using Space = typename Exec::Space;
  /// z = M^-1 r.
  static std::vector<double> apply(Exec& exec, const HostMatrix& A, const SolverParams& params,
                                   const std::vector<double>& r) {
    const auto matrix = A.template to<Space>();
    const linalg::CrsOperator<Exec> op(matrix);
    const linalg::Operator<Exec>& as_operator = op;
    const auto M = solvers::make_preconditioner<Exec, double>(params);
    const std::string failure =
        M->set_up(exec, as_operator, as_operator, linalg::Sign::positive, solvers::Reuse::nothing);
    EXPECT_EQ(failure, "");
    const auto right = to_space<Space>(r);
    Array<double, Space> z(A.rows);
    M->apply(exec, right, z);
    return to_vector(z);
  }
  static std::vector<Index> colours(Exec& exec, const HostMatrix& A) {
    const auto matrix = A.template to<Space>();
    return to_vector(solvers::colour_rows(exec, matrix.view()).colour);
  }
};
TYPED_TEST_SUITE(Preconditioners, testing::Backends);

/// A random symmetric pattern with a dominant diagonal.
HostMatrix random_definite(Index n, int neighbours, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<std::vector<std::pair<Index, double>>> rows(static_cast<std::size_t>(n));
  std::vector<double> diagonal(static_cast<std::size_t>(n), 1.0);
  std::uniform_real_distribution<double> value(-1, 1);
  for (Index row = 0; row < n; ++row)
    for (int k = 0; k < neighbours; ++k) {
      const Index col = static_cast<Index>(engine() % static_cast<unsigned>(n));
      bool known = col == row;
      for (const auto& [other, v] : rows[row]) known |= other == col;
      if (known) continue;
      const double v = value(engine);
      rows[row].push_back({col, v});
      rows[col].push_back({row, v});
      diagonal[row] += std::abs(v);
      diagonal[col] += std::abs(v);
    }
  HostMatrix A;
  A.rows = A.cols = n;
  for (Index row = 0; row < n; ++row) {
    rows[row].push_back({row, diagonal[row]});
    std::sort(rows[row].begin(), rows[row].end());
    for (const auto& [col, v] : rows[row]) A.add(col, v);
    A.end_row();
  }
  return A;
}

TYPED_TEST(Preconditioners, ColoursDifferAcrossEveryEntryAndAreTheSameOnEveryBackend) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  Threads reference(1);
  for (const HostMatrix& A : {testing::laplacian(1, 1), testing::laplacian(40, 2), testing::laplacian(11, 3),
                              random_definite(700, 60, 3), random_definite(2000, 5, 4)}) {
    const auto colours = this->colours(exec, A);
    EXPECT_EQ(colours, Preconditioners<Threads>::colours(reference, A));
    Offset longest = 0;
    for (Index row = 0; row < A.rows; ++row) {
      longest = std::max(longest, A.row_ptr[row + 1] - A.row_ptr[row]);
      for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k)
        ASSERT_TRUE(A.col_ind[k] == row || colours[row] != colours[A.col_ind[k]]);
    }
    for (Index colour : colours) ASSERT_LT(colour, longest);  // greedy: at most one more than there are neighbours
  }
}

TYPED_TEST(Preconditioners, MulticolourSsorIsSsorOfThePermutedMatrix) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  Threads reference;
  for (const HostMatrix& A : {testing::laplacian(1, 1), testing::laplacian(25, 2), random_definite(500, 40, 3)})
    for (double omega : {0.7, 1.0, 1.6}) {
      const auto colours = this->colours(exec, A);
      std::vector<Index> row_at(colours.size()), slot_of(colours.size());
      for (std::size_t i = 0; i < row_at.size(); ++i) row_at[i] = static_cast<Index>(i);
      std::stable_sort(row_at.begin(), row_at.end(), [&](Index a, Index b) { return colours[a] < colours[b]; });
      for (std::size_t i = 0; i < row_at.size(); ++i) slot_of[row_at[i]] = static_cast<Index>(i);
      HostMatrix permuted;
      permuted.rows = permuted.cols = A.rows;
      for (Index row : row_at) {
        std::vector<std::pair<Index, double>> entries;
        for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k)
          entries.push_back({slot_of[A.col_ind[k]], A.values[k]});
        std::sort(entries.begin(), entries.end());
        for (const auto& [col, value] : entries) permuted.add(col, value);
        permuted.end_row();
      }
      const auto r = testing::random_vector(A.rows, 9);
      std::vector<double> r_permuted(r.size());
      for (std::size_t i = 0; i < r.size(); ++i) r_permuted[i] = r[row_at[i]];
      const auto found = this->apply(
          exec, A, {.preconditioner = "multicolour_ssor", .preconditioning = solvers::SweepParams{.relaxation = omega}},
          r);
      const auto expected = Preconditioners<Threads>::apply(
          reference, permuted, {.preconditioner = "ssor", .preconditioning = solvers::SweepParams{.relaxation = omega}},
          r_permuted);
      for (std::size_t i = 0; i < r.size(); ++i) ASSERT_NEAR(found[row_at[i]], expected[i], 1e-13);
    }
}

TYPED_TEST(Preconditioners, AreSymmetricAndPositiveDefinite) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const HostMatrix& A : {testing::laplacian(20, 2), random_definite(400, 6, 3)}) {
    const auto u = testing::random_vector(A.rows, 1), v = testing::random_vector(A.rows, 2);
    for (const SolverParams& params :
         {SolverParams{.preconditioner = "none"}, SolverParams{},
          SolverParams{.preconditioner = "ssor", .preconditioning = solvers::SweepParams{.relaxation = 1.3}},
          SolverParams{.preconditioner = "multicolour_ssor",
          .preconditioning = solvers::SweepParams{.relaxation = 1.3}},
          SolverParams{.preconditioner = "chebyshev", .preconditioning = solvers::ChebyshevParams{.degree = 1}},
          SolverParams{.preconditioner = "chebyshev", .preconditioning = solvers::ChebyshevParams{.degree = 2}},
          SolverParams{.preconditioner = "chebyshev", .preconditioning = solvers::ChebyshevParams{.degree = 7}}}) {
      if (std::is_same_v<TypeParam, Cuda> && params.preconditioner == "ssor") continue;
      const auto Mu = this->apply(exec, A, params, u), Mv = this->apply(exec, A, params, v);
      double uMv = 0, vMu = 0, uMu = 0;
      for (std::size_t i = 0; i < u.size(); ++i) uMv += u[i] * Mv[i], vMu += v[i] * Mu[i], uMu += u[i] * Mu[i];
      EXPECT_NEAR(uMv, vMu, 1e-13 * testing::norm(u) * testing::norm(Mv)) << params.preconditioner;
      EXPECT_GT(uMu, 0) << params.preconditioner;
    }
  }
}

TYPED_TEST(Preconditioners, SaveTheIterationsThatTheyPromise) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const HostMatrix A = testing::laplacian(63, 2);
  const std::vector<double> b(static_cast<std::size_t>(A.rows), 1.0);
  auto iterations = [&](SolverParams params) {
    params.check_every = 1;
    const auto found = testing::solve(exec, A, b, params);
    EXPECT_TRUE(found.report.converged) << found.report.failure;
    return found.report.iterations;
  };
  const int jacobi = iterations({});
  EXPECT_NEAR(jacobi, 118, 1);
  EXPECT_LT(iterations({.preconditioner = "multicolour_ssor"}), 0.92 * jacobi);
  EXPECT_LT(iterations({.preconditioner = "chebyshev", .preconditioning = solvers::ChebyshevParams{.degree = 1}}),
            0.6 * jacobi);
  EXPECT_LT(iterations({.preconditioner = "chebyshev", .preconditioning = solvers::ChebyshevParams{.degree = 3}}),
            0.32 * jacobi);
  EXPECT_LT(iterations({.preconditioner = "chebyshev", .preconditioning = solvers::ChebyshevParams{.degree = 7}}),
            0.2 * jacobi);
}

TYPED_TEST(Preconditioners, MulticolourSsorSaysThatAPatternIsNotSymmetric) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  HostMatrix A = testing::random_matrix(500, 500, 0, 1);
  A = HostMatrix{};
  A.rows = A.cols = 500;
  for (Index row = 0; row < 500; ++row) {  // upper triangular: a row does not know who reads it
    A.add(row, 4);
    for (Index k = 1; k < 5 && row + 7 * k < 500; ++k) A.add(row + 7 * k, -1);
    A.end_row();
  }
  const auto found =
      testing::solve(exec, A, testing::random_vector(500, 1), {.type = "gmres", .preconditioner = "multicolour_ssor"});
  EXPECT_FALSE(found.report.converged);
  EXPECT_NE(found.report.failure.find("pattern of the matrix is not symmetric"), std::string::npos)
      << found.report.failure;
}

/// A matrix that hides its entries.
template <class Exec>
class Hidden final : public linalg::Operator<Exec> {
 public:
  using Space = typename Exec::Space;
  explicit Hidden(const linalg::Crs<Space>& A, Offset first_row = 0) : A_(A), first_row_(first_row) {}
  Index rows() const override { return A_.rows(); }
  Offset first_row() const override { return first_row_; }
  Index cols() const override { return A_.cols(); }
  void apply(Exec& exec, View<const double> x, View<double> y) const override { A_.apply(exec, x, y); }
  void diagonal(Exec& exec, View<double> d) const override { A_.diagonal(exec, d); }
  double bytes() const override { return A_.bytes(); }
  std::string format() const override { return "hidden"; }

 private:
  linalg::CrsOperator<Exec> A_;
  Offset first_row_;
};

TYPED_TEST(Preconditioners, WhatLooksRandomInSolversFollowsGlobalRows) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  using Space = typename TypeParam::Space;
  const auto A = testing::laplacian(30, 2).to<Space>();
  const auto b = to_space<Space>(testing::random_vector(A.rows, 1));
  const auto solution = [&](const linalg::Operator<TypeParam>& op, const SolverParams& params) {
    Array<double, Space> x(A.rows);
    x.set_zero();
    EXPECT_TRUE(solvers::solve(exec, op, b, x, params).converged);
    return to_vector(x);
  };
  for (const SolverParams& params : {SolverParams{.type = "bicgstab"}, SolverParams{.preconditioner = "chebyshev"}}) {
    const std::vector<double> x = solution(Hidden<TypeParam>(A), params);
    EXPECT_NE(x, solution(Hidden<TypeParam>(A, Offset{1} << 40), params)) << params.type;
    EXPECT_EQ(x, solution(Hidden<TypeParam>(A, 0), params)) << params.type;
  }
}

TYPED_TEST(Preconditioners, OperatorsWithoutEntriesTakeWhatNeedsProductsOnly) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  using Space = typename TypeParam::Space;
  const HostMatrix host = testing::laplacian(30, 2);
  const auto A = host.to<Space>();
  const Hidden<TypeParam> hidden(A);
  const linalg::Operator<TypeParam>& op = hidden;
  const auto values = testing::random_vector(A.rows, 1);
  const auto b = to_space<Space>(values);
  Array<double, Space> x(A.rows);
  for (const SolverParams& params :
       {SolverParams{}, SolverParams{.preconditioner = "chebyshev"},
        SolverParams{.method = solvers::CgParams{.variant = "single_reduction"}}, SolverParams{.type = "minres"},
        SolverParams{.type = "bicgstab"}, SolverParams{.type = "gmres"}}) {
    x.set_zero();
    const auto report = solvers::solve(exec, op, b, x, params);
    EXPECT_TRUE(report.converged) << params.type << report.failure;
    EXPECT_LE(testing::relative_residual(host, values, to_vector(x)), 1e-8 * 1.0001);
  }
  for (const SolverParams& params :
       {SolverParams{.type = "direct"}, SolverParams{.preconditioner = "ssor"},
        SolverParams{.preconditioner = "multicolour_ssor"}, SolverParams{.precision = "mixed"},
        SolverParams{.tolerance = 1e-4, .precision = "float"}}) {
    try {
      solvers::solve(exec, op, b, x, params);
      FAIL() << params.type << params.preconditioner << params.precision;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      const bool lacking =
          std::is_same_v<TypeParam, Cuda> && (params.type == "direct" || params.preconditioner == "ssor");
      if (!lacking) {
        EXPECT_NE(std::string(error.what()).find("'hidden'"), std::string::npos) << error.what();
      }
      EXPECT_FALSE(error.help().empty());
    }
  }
}

}  // namespace
}  // namespace tessera
