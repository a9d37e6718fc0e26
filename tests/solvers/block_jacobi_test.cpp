// Solvers of several unknowns a node: block Jacobi, and methods that read the entries of block rows.
#include <Eigen/Dense>

#include "base/error.hpp"
#include "base/memory.hpp"
#include "linalg/block_diagonal.hpp"
#include "linalg/formats.hpp"
#include "solvers/precondition/block_jacobi.hpp"
#include "solvers/precondition/table.hpp"
#include "solvers/systems.hpp"
#include "support/block_matrices.hpp"
#include "support/precisions.hpp"

namespace tessera {
namespace {

using solvers::Reuse;
using solvers::SolverParams;
using testing::HostBlocks;
using testing::HostMatrix;
using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class C>
struct BlockJacobi : ::testing::Test {
  using Exec = typename C::Exec;
  using T = typename C::T;
  using Space = typename Exec::Space;

  struct Applied {
    std::string failure;
    std::vector<T> z;
  };
  /// z = M^-1 r of block_jacobi in type T.
  static Applied apply(Exec& exec, const HostBlocks& host, linalg::Sign sign, const std::vector<double>& r,
                       const char* format = "block_crs") {
    const auto matrix = host.to<Space>();
    const auto A = linalg::make_operator(exec, matrix, format);
    const auto M = solvers::make_preconditioner<Exec, T>({.preconditioner = "block_jacobi"});
    Applied result;
    if constexpr (std::is_same_v<T, double>) {
      result.failure = M->set_up(exec, *A, *A, sign, Reuse::nothing);
    } else {
      const auto single = A->to_float(exec);
      result.failure = M->set_up(exec, *A, *single, sign, Reuse::nothing);
    }
    if (!result.failure.empty()) return result;
    const auto right = to_space<Space>(std::vector<T>(r.begin(), r.end()));
    Array<T, Space> z(matrix.rows);
    M->apply(exec, right, z);
    result.z = to_vector(z);
    return result;
  }
};
TYPED_TEST_SUITE(BlockJacobi, testing::DoubleAndFloat, testing::PrecisionNames);

TYPED_TEST(BlockJacobi, EqualsDenseSolvesOfEachNode) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  typename TypeParam::Exec exec;
  const double digit = std::numeric_limits<typename TypeParam::T>::epsilon();
  for (int block : {1, 2, 3, 4, 7, 16})
    for (const bool definite : {true, false}) {
      SCOPED_TRACE(block);
      HostBlocks host = testing::vector_laplacian(5, 2, block, 1);
      if (!definite)  // any blocks, whose pivots must change places
        for (Index node = 0; node < host.pattern.rows; ++node) {
          const auto values = testing::random_vector(block * block, static_cast<unsigned>(node));
          std::copy(values.begin(), values.end(), host.diagonal(node));
          if (block > 1) host.diagonal(node)[0] = 0;
        }
      const auto r = testing::random_vector(host.pattern.rows * block, 3);
      for (const char* format : {"block_crs", "block_sliced_ell", "sliced_ell"}) {
        const auto found = this->apply(exec, host, definite ? linalg::Sign::positive : linalg::Sign::any, r, format);
        ASSERT_EQ(found.failure, "") << format;
        for (Index node = 0; node < host.pattern.rows; ++node) {
          const Dense D = Eigen::Map<const Dense>(host.diagonal(node), block, block);
          const Eigen::VectorXd right = Eigen::Map<const Eigen::VectorXd>(r.data() + node * block, block);
          const Eigen::VectorXd expected = D.fullPivLu().solve(right);
          const double condition = D.norm() * D.inverse().norm();
          for (int i = 0; i < block; ++i)
            ASSERT_NEAR(found.z[node * block + i], expected[i], 100 * digit * condition * expected.norm())
                << "node " << node << " in " << format;
        }
      }
    }
}

TYPED_TEST(BlockJacobi, NamesTheNodeWhoseBlockHasNoInverse) {
  TESSERA_REQUIRE(typename TypeParam::Exec);
  typename TypeParam::Exec exec;
  for (int block : {1, 2, 3, 4}) {
    const HostBlocks good = testing::vector_laplacian(5, 2, block, 1);
    const auto r = testing::random_vector(good.pattern.rows * block, 3);
    for (const char* fault : {"zero", "rank", "nan", "inf"}) {
      if (block == 1 && fault == std::string("rank")) continue;
      SCOPED_TRACE(fault + std::to_string(block));
      HostBlocks host = good;
      double* at = host.diagonal(11);
      for (int e = 0; e < block * block; ++e) at[e] = 0;
      if (fault == std::string("rank"))
        for (int e = 0; e < block * block; ++e) at[e] = 1;
      if (fault == std::string("nan")) at[0] = std::numeric_limits<double>::quiet_NaN();
      if (fault == std::string("inf")) at[block * block - 1] = std::numeric_limits<double>::infinity();
      for (const linalg::Sign sign : {linalg::Sign::positive, linalg::Sign::magnitude, linalg::Sign::any}) {
        const std::string failure = this->apply(exec, host, sign, r).failure;
        const std::string place = block == 1 ? "row 11" : "node 11 (rows " + std::to_string(11 * block);
        EXPECT_NE(failure.find(place), std::string::npos) << failure;
      }
    }
    HostBlocks negative = good;  // fine for methods that take any matrix
    double* at = negative.diagonal(7);
    for (int e = 0; e < block * block; ++e) at[e] = -at[e];
    EXPECT_NE(this->apply(exec, negative, linalg::Sign::positive, r).failure, "");
    EXPECT_EQ(this->apply(exec, negative, linalg::Sign::any, r).failure, "");
  }
}

TEST(BlockJacobiMessage, NamesNoNodeWhereTheHostFindsNone) {
  const std::vector<double> good{2, 1, 1, 2};
  for (const linalg::Sign sign : {linalg::Sign::positive, linalg::Sign::magnitude, linalg::Sign::any}) {
    const std::string text = solvers::describe_bad_block(2, good, sign);
    EXPECT_EQ(text.find("one of the 2 x 2 diagonal blocks is "), 0u) << text;
    EXPECT_EQ(text.find("-1"), std::string::npos) << text;
  }
}

template <class Exec>
struct BlockSolvers : ::testing::Test {
  using Space = typename Exec::Space;
  static constexpr bool on_threads = std::is_same_v<Exec, Threads>;

  static testing::Solution<Exec> solve(Exec& exec, const HostBlocks& host, const std::vector<double>& b,
                                       const SolverParams& params, const std::string& format) {
    const auto matrix = host.to<Space>();
    const auto A = linalg::make_operator(exec, matrix, format);
    const auto right = to_space<Space>(b);
    Array<double, Space> x(matrix.rows);
    x.set_zero();
    const linalg::Operator<Exec>& as_operator = *A;
    testing::Solution<Exec> result{solvers::solve(exec, as_operator, right.view(), x.view(), params), {}};
    result.x = to_vector(x);
    return result;
  }
};
TYPED_TEST_SUITE(BlockSolvers, testing::Backends);

/// Couples the unknowns of a node much more than those of neighbours, in directions of its own.
HostBlocks stiff_nodes(int n, int block) {
  HostBlocks A = testing::vector_laplacian(n, 2, block, 0.05);
  for (Index node = 0; node < A.pattern.rows; ++node) {
    const auto g = testing::random_vector(block, static_cast<unsigned>(1000 + node));
    for (int i = 0; i < block; ++i)
      for (int j = 0; j < block; ++j) A.diagonal(node)[i * block + j] += 200 * g[i] * g[j];
  }
  return A;
}

TYPED_TEST(BlockSolvers, CgTakesFewerStepsThanWithJacobi) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (int block : {2, 3, 4}) {
    const HostBlocks host = stiff_nodes(20, block);
    const HostMatrix entries = host.expanded();
    const auto b = testing::random_vector(entries.rows, 1);
    for (const char* format : {"auto", "block_crs", "block_sliced_ell", "crs", "packed_ell"})
      for (const char* precision : {"double", "mixed", "float"}) {
        SCOPED_TRACE(std::string(format) + " " + precision);
        const double tolerance = precision == std::string("float") ? 1e-4 : 1e-9;
        SolverParams params{.preconditioner = "block_jacobi", .tolerance = tolerance, .check_every = 1};
        params.precision = precision;
        const auto with_blocks = this->solve(exec, host, b, params, format);
        ASSERT_TRUE(with_blocks.report.converged) << with_blocks.report.failure;
        EXPECT_LE(testing::relative_residual(entries, b, with_blocks.x), tolerance * 1.0001);
        if (precision != std::string("double")) continue;
        params.preconditioner = "jacobi";
        const auto with_rows = this->solve(exec, host, b, params, format);
        EXPECT_LT(with_blocks.report.iterations, 0.8 * with_rows.report.iterations);
      }
  }
}

TYPED_TEST(BlockSolvers, EveryMethodTakesIt) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const HostBlocks host = stiff_nodes(9, 3);
  const HostMatrix entries = host.expanded();
  const auto b = testing::random_vector(entries.rows, 1);
  for (const char* type : {"cg", "minres", "bicgstab", "gmres"}) {
    const auto found =
        this->solve(exec, host, b, {.type = type, .preconditioner = "block_jacobi", .tolerance = 1e-9}, "block_crs");
    EXPECT_TRUE(found.report.converged) << type << found.report.failure;
    EXPECT_LE(testing::relative_residual(entries, b, found.x), 1.0001e-9) << type;
  }
}

TYPED_TEST(BlockSolvers, OneUnknownANodeIsJacobi) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const HostMatrix A = testing::shifted(testing::laplacian(20, 2), 0.3);
  const auto b = testing::random_vector(A.rows, 1);
  const auto rows = testing::solve(exec, A, b, {.check_every = 1});
  const auto blocks = testing::solve(exec, A, b, {.preconditioner = "block_jacobi", .check_every = 1});
  EXPECT_TRUE(blocks.report.converged);
  EXPECT_EQ(blocks.report.iterations, rows.report.iterations);
}

TYPED_TEST(BlockSolvers, ReadersOfEntriesAreAsWithCrs) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const HostBlocks host = stiff_nodes(9, 3);
  const HostMatrix entries = host.expanded();
  HostBlocks others = host;
  for (double& value : others.values) value *= 1.5;
  const auto b = testing::random_vector(entries.rows, 1);
  const auto right = to_space<Space>(b);
  std::vector<SolverParams> readers;
  for (const char* type : {"direct", "lu"}) readers.push_back({.type = type});
  for (const char* preconditioner : {"ssor", "multicolour_ssor"})
    if (this->on_threads || preconditioner != std::string("ssor"))
      readers.push_back({.preconditioner = preconditioner});
  for (const SolverParams& params : readers)
    for (const char* format : {"block_crs", "block_sliced_ell", "crs"}) {
      SCOPED_TRACE(params.type + " " + params.preconditioner + " " + format);
      auto matrix = host.to<Space>();
      const auto A = linalg::make_operator(exec, matrix, format);
      solvers::LinearSolver<TypeParam> solver(exec, params);
      Array<double, Space> x(matrix.rows);
      const auto solve = [&](const HostBlocks& of) {
        x.set_zero();
        const auto report = solver.solve(right.view(), x.view());
        EXPECT_TRUE(report.converged) << report.failure;
        EXPECT_LE(testing::relative_residual(of.expanded(), b, to_vector(x)), 1.0001e-8);
      };
      solver.set_operator(*A);
      solve(host);
      for (const Reuse reuse : {Reuse::pattern, Reuse::all}) {  // an old factor serves the new values
        const HostBlocks& next = reuse == Reuse::pattern ? others : host;
        if (reuse == Reuse::all && params.type != "cg") continue;
        copy_bytes(Host{}, next.values.data(), Space{}, matrix.values.data(), matrix.values.bytes());
        linalg::refill(exec, matrix, *A);
        solver.set_operator(*A, reuse);
        solve(next);
      }
    }
}

/// The residual that a direct solver reports and refines is that of the new values, also where its factor is old.
TYPED_TEST(BlockSolvers, AnOldFactorRefinesTheNewSystem) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  HostBlocks host = stiff_nodes(6, 2);
  auto matrix = host.to<Space>();
  const auto A = linalg::make_operator(exec, matrix, "block_crs");
  solvers::LinearSolver<TypeParam> solver(exec, {.type = "direct", .tolerance = 1e-10});
  const auto b = testing::random_vector(matrix.rows, 1);
  const auto right = to_space<Space>(b);
  Array<double, Space> x(matrix.rows);
  solver.set_operator(*A);
  EXPECT_TRUE(solver.solve(right.view(), x.view()).converged);
  for (double& value : host.values) value *= 1 + 1e-5;
  copy_bytes(Host{}, host.values.data(), Space{}, matrix.values.data(), matrix.values.bytes());
  solver.set_operator(*A, Reuse::all);
  const auto report = solver.solve(right.view(), x.view());
  EXPECT_TRUE(report.converged) << report.failure;
  EXPECT_GE(report.iterations, 1);
  EXPECT_LE(testing::relative_residual(host.expanded(), b, to_vector(x)), 1.0001e-10);
}

/// An operator that has unknowns in nodes and nothing else.
template <class Exec>
class Bare final : public linalg::Operator<Exec> {
 public:
  explicit Bare(const linalg::Operator<Exec>& A) : A_(A) {}
  Index rows() const override { return A_.rows(); }
  Index cols() const override { return A_.cols(); }
  Index block_size() const override { return A_.block_size(); }
  void apply(Exec& exec, View<const double> x, View<double> y) const override { A_.apply(exec, x, y); }
  void diagonal(Exec& exec, View<double> d) const override { A_.diagonal(exec, d); }
  double bytes() const override { return A_.bytes(); }
  std::string format() const override { return "bare"; }

 private:
  const linalg::Operator<Exec>& A_;
};

TYPED_TEST(BlockSolvers, AnOperatorWithoutBlocksIsRefusedByName) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const auto matrix = stiff_nodes(5, 2).to<Space>();
  const linalg::BlockCrsOperator<TypeParam> A(matrix);
  const Bare<TypeParam> bare(A);
  EXPECT_FALSE(bare.has_diagonal_blocks());
  Array<double, Space> blocks(Offset{matrix.rows} * 2);
  EXPECT_THROW(bare.diagonal_blocks(exec, blocks), Error);
  solvers::LinearSolver<TypeParam> solver(exec, {.preconditioner = "block_jacobi"});
  try {
    solver.set_operator(bare);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("'bare'"), std::string::npos) << error.what();
    EXPECT_NE(error.help().find("jacobi"), std::string::npos);
  }
  solver.set_operator(A);
}

TYPED_TEST(BlockSolvers, BlocksTooLargeToInvertAreRefused) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const HostBlocks host = testing::vector_laplacian(2, 1, 17, 1);
  const auto b = testing::random_vector(host.pattern.rows * 17, 1);
  EXPECT_THROW(this->solve(exec, host, b, {.preconditioner = "block_jacobi"}, "block_crs"), Error);
  EXPECT_TRUE(this->solve(exec, host, b, {.preconditioner = "jacobi"}, "block_crs").report.converged);
}

TEST(BlockOffers, SeveralUnknownsANodeTakeBlockJacobiWhereNothingIsSaid) {
  const auto read = [](const std::string& text, int block) {
    return solvers::read_solver(deck::Deck::parse(text, "test.toml"), "double", {.block = block}).preconditioner;
  };
  EXPECT_EQ(read("", 1), "auto");
  EXPECT_EQ(read("[solver]\ntype = \"gmres\"\n", 1), "jacobi");
  EXPECT_EQ(read("", 3), "auto");  // which is block_jacobi, or multigrid where that pays
  EXPECT_EQ(read("[solver]\ntype = \"minres\"\n", 3), "block_jacobi");
  EXPECT_EQ(read("[solver]\npreconditioner = \"auto\"\ntype = \"gmres\"\n", 3), "block_jacobi");
  EXPECT_EQ(read("[solver]\npreconditioner = \"jacobi\"\n", 3), "jacobi");
  EXPECT_EQ(read("[solver]\ntype = \"gmres\"\n", 3), "block_jacobi");
  const auto preconditioner = [](int block) {
    for (const auto& key : solvers::solver_description({.block = block}).keys)
      if (key.name == "preconditioner") return key;
    return deck::KeyDescription{};
  };
  const auto has_blocks = [](const deck::KeyDescription& key) {
    return std::count(key.info.choices.begin(), key.info.choices.end(), "block_jacobi");
  };
  EXPECT_NE(preconditioner(3).info.help.find("auto: block_jacobi"), std::string::npos);
  EXPECT_EQ(has_blocks(preconditioner(3)), 1);
  EXPECT_EQ(preconditioner(1).default_value, "\"auto\"");
  EXPECT_EQ(has_blocks(preconditioner(1)), 0);
}

}  // namespace
}  // namespace tessera
