// Algebraic multigrid as a preconditioner: iterations, symmetry, repeatability, other numbers, and what it refuses.
#include "solvers/amg/amg.hpp"

#include "base/array_memory.hpp"
#include "base/error.hpp"
#include "base/thread_limit.hpp"
#include "linalg/formats.hpp"
#include "solvers/amg_problems.hpp"
#include "solvers/krylov/cg.hpp"
#include "solvers/systems.hpp"
#include "support/backends.hpp"
#include "support/block_matrices.hpp"

namespace tessera {
namespace {

using solvers::AmgParams;
using solvers::LinearSolver;
using solvers::Reuse;
using solvers::SolverParams;
using testing::HostMatrix;

SolverParams with(const AmgParams& params) { return {.preconditioner = "amg", .preconditioning = params}; }

/// Random, but 0 where the row has nothing but its diagonal. `balanced`: with the sum 0.
std::vector<double> rough_right_side(const HostMatrix& A, bool balanced = false) {
  auto b = testing::random_vector(A.rows, 3);
  double sum = 0;
  for (Index row = 0; row < A.rows; ++row) {
    bool alone = true;
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) alone &= A.col_ind[k] == row || A.values[k] == 0;
    if (alone) b[static_cast<std::size_t>(row)] = 0;
    sum += b[static_cast<std::size_t>(row)];
  }
  if (balanced)
    for (double& value : b) value -= sum / A.rows;
  return b;
}

double inner(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

template <class Exec>
struct Multigrid : ::testing::Test {
  using Space = typename Exec::Space;

  /// The preconditioner of a matrix, by itself.
  struct Made {
    Exec exec;
    linalg::Crs<Space> matrix;
    linalg::CrsOperator<Exec> op{matrix};
    std::unique_ptr<solvers::Preconditioner<Exec, double>> M;

    Made(const HostMatrix& A, const AmgParams& params, int threads = 2)
        : exec(testing::with_threads<Exec>(threads)),
          matrix(A.to<Space>()),
          M(solvers::make_preconditioner<Exec, double>(with(params))) {
      EXPECT_EQ(set_up(Reuse::nothing), "");
    }
    std::string set_up(Reuse reuse) {
      const linalg::Operator<Exec>& A = op;
      return M->set_up(exec, A, A, linalg::Sign::positive, reuse);
    }
    std::vector<double> apply(const std::vector<double>& r) {
      const auto right = to_space<Space>(r);
      Array<double, Space> z(matrix.rows);
      M->apply(exec, right, z);
      return to_vector(z);
    }
  };

  static solvers::Report solve(const HostMatrix& A, const AmgParams& params = {}, bool balanced = false) {
    Exec exec = testing::with_threads<Exec>(2);
    const auto b = rough_right_side(A, balanced);
    const auto found = testing::solve(exec, A, b, with(params));
    EXPECT_TRUE(found.report.converged) << found.report.failure;
    EXPECT_LE(testing::relative_residual(A, b, found.x), 1.01e-8);
    return found.report;
  }
};
TYPED_TEST_SUITE(Multigrid, testing::Backends);

struct Family {
  const char* name;
  HostMatrix (*make)(int cells);
  int most;  ///< iterations
};

TYPED_TEST(Multigrid, IterationsHardlyGrowWithTheMesh) {
  TESSERA_REQUIRE(TypeParam);
  const Family families[] = {
      {"7-point", [](int n) { return testing::laplacian(n, 3); }, 9},
      {"5-point", [](int n) { return testing::laplacian(6 * n, 2); }, 11},
      {"P1 tets, jittered", [](int n) { return testing::p1_tets({.cells = n, .jitter = 0.15}); }, 9},
      {"Q1 hexes", [](int n) { return testing::q1_hexes({.cells = n}); }, 8},
      {"P1 tets, k jumps", [](int n) { return testing::p1_tets({.cells = n, .jitter = 0.15, .jump = 1e4}); }, 11},
      {"Q1 hexes, k jumps", [](int n) { return testing::q1_hexes({.cells = n, .jump = 1e4}); }, 9},
      {"P1 tets, 10 : 1", [](int n) { return testing::p1_tets({.cells = n, .jitter = 0.15, .aspect = 10}); }, 12},
      {"Q1 hexes, 10 : 1", [](int n) { return testing::q1_hexes({.cells = n, .aspect = 10}); }, 12},
      {"Q1 hexes, 1 : 10", [](int n) { return testing::q1_hexes({.cells = n, .aspect = 0.1}); }, 21},
  };
  for (const Family& family : families) {
    SCOPED_TRACE(family.name);
    const int coarse = this->solve(family.make(12)).iterations, fine = this->solve(family.make(36)).iterations;
    EXPECT_LE(fine, family.most);
    EXPECT_LE(fine, 1.4 * coarse);
  }
}

TYPED_TEST(Multigrid, EveryCycleConvergesAndVisitsOfCoarserLevelsDoNoHarm) {
  TESSERA_REQUIRE(TypeParam);
  const HostMatrix A = testing::p1_tets({.cells = 24, .jitter = 0.15, .jump = 1e4});
  const int simple = this->solve(A).iterations;
  EXPECT_LE(this->solve(A, {.cycle = "W"}).iterations, simple);
  EXPECT_LE(this->solve(A, {.cycle = "K"}).iterations, simple);
  EXPECT_LE(this->solve(A, {.hierarchy = "double"}).iterations, simple);
  int before = 1000;
  for (int degree = 1; degree <= 4; ++degree) {
    const int now = this->solve(A, {.smoother_degree = degree}).iterations;
    EXPECT_LE(now, before);
    before = now;
  }
}

TYPED_TEST(Multigrid, IsSymmetricToRoundOffAndPositive) {
  TESSERA_REQUIRE(TypeParam);
  const HostMatrix A = testing::p1_tets({.cells = 14, .jitter = 0.15, .jump = 1e4});
  const auto x = testing::random_vector(A.rows, 1), y = testing::random_vector(A.rows, 2);
  for (const char* hierarchy : {"double", "float"})
    for (const char* cycle : {"V", "W"})
      for (int degree : {1, 2, 3, 4}) {
        typename TestFixture::Made made(A, {.cycle = cycle, .smoother_degree = degree, .hierarchy = hierarchy});
        const auto Mx = made.apply(x), My = made.apply(y);
        const double rounding = std::string(hierarchy) == "double" ? 1e-13 : 1e-5;
        EXPECT_NEAR(inner(Mx, y), inner(x, My), rounding * testing::norm(Mx) * testing::norm(y));
        EXPECT_GT(inner(Mx, x), 0);
        EXPECT_GT(inner(My, y), 0);
      }
}

TYPED_TEST(Multigrid, RepeatsBitForBitOnAnyNumberOfThreads) {
  TESSERA_REQUIRE(TypeParam);
  const HostMatrix A = testing::p1_tets({.cells = 20, .jitter = 0.15});
  const auto r = testing::random_vector(A.rows, 5);
  for (const char* cycle : {"V", "K"}) {
    typename TestFixture::Made first(A, {.cycle = cycle}, 1);
    const auto z = first.apply(r);
    EXPECT_EQ(first.apply(r), z);
    for (int threads : {2, 3}) {
      typename TestFixture::Made again(A, {.cycle = cycle}, threads);
      EXPECT_EQ(again.apply(r), z);
    }
  }
}

TYPED_TEST(Multigrid, OtherNumbersOfThePatternGiveWhatANewHierarchyGives) {
  TESSERA_REQUIRE(TypeParam);
  const HostMatrix A = testing::p1_tets({.cells = 18, .jitter = 0.15});
  HostMatrix other = testing::p1_tets({.cells = 18, .jitter = 0.15, .jump = 1.5});
  const auto r = testing::random_vector(A.rows, 5);
  for (const char* hierarchy : {"float", "double"}) {
    typename TestFixture::Made same(A, {.hierarchy = hierarchy});
    const auto before = same.apply(r);
    EXPECT_EQ(same.set_up(Reuse::pattern), "");
    EXPECT_EQ(same.apply(r), before) << hierarchy;  // the same numbers: the same bits
  }
  typename TestFixture::Made made(A, {});
  const auto z = made.apply(r);
  copy(to_space<typename TestFixture::Space>(other.values), made.matrix.values);
  EXPECT_EQ(made.set_up(Reuse::all), "");
  EXPECT_EQ(made.apply(r), z);  // nothing was redone
  EXPECT_EQ(made.set_up(Reuse::pattern), "");
  EXPECT_NE(made.apply(r), z);
  solvers::Report kept, anew;
  made.M->describe(kept);
  typename TestFixture::Made fresh(A, {});
  fresh.M->describe(anew);
  ASSERT_EQ(kept.multigrid.levels.size(), anew.multigrid.levels.size());
  for (std::size_t l = 0; l < kept.multigrid.levels.size(); ++l)
    EXPECT_EQ(kept.multigrid.levels[l].entries, anew.multigrid.levels[l].entries);
}

TYPED_TEST(Multigrid, ASolverThatKeepsThePatternTakesAsManyIterationsAsANewOne) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TestFixture::Space;
  TypeParam exec;
  const HostMatrix A = testing::p1_tets({.cells = 20, .jitter = 0.15}),
                   other = testing::p1_tets({.cells = 20, .jitter = 0.15, .jump = 3});
  const auto first = A.to<Space>(), second = other.to<Space>();
  const linalg::CrsOperator<TypeParam> op(first), op_other(second);
  const auto b = to_space<Space>(rough_right_side(A));
  Array<double, Space> x(A.rows);
  const auto solve = [&](LinearSolver<TypeParam>& solver) {
    x.set_zero();
    const solvers::Report report = solver.solve(b.view(), x.view());
    EXPECT_TRUE(report.converged) << report.failure;
    return report.iterations;
  };
  LinearSolver<TypeParam> solver(exec, with({})), fresh(exec, with({}));
  solver.set_operator(op);
  solve(solver);
  solver.set_operator(op_other, Reuse::pattern);
  fresh.set_operator(op_other);
  EXPECT_NEAR(solve(solver), solve(fresh), 1);
}

TYPED_TEST(Multigrid, TheReportHasTheLevels) {
  TESSERA_REQUIRE(TypeParam);
  const HostMatrix A = testing::laplacian(24, 3);
  const auto multigrid = this->solve(A).multigrid;
  ASSERT_GE(multigrid.levels.size(), 3u);
  EXPECT_EQ(multigrid.levels[0].rows, A.rows);
  EXPECT_EQ(multigrid.levels[0].entries, A.row_ptr.back());
  for (std::size_t l = 1; l < multigrid.levels.size(); ++l)
    EXPECT_LT(3 * multigrid.levels[l].rows, multigrid.levels[l - 1].rows);
  EXPECT_LE(multigrid.levels.back().rows, 500);
  EXPECT_GT(multigrid.operator_complexity(), 1.2);
  EXPECT_LT(multigrid.operator_complexity(), 1.9);
  EXPECT_GT(multigrid.set_up_seconds, 0);
  EXPECT_GT(multigrid.cycle_seconds, 0);
}

TYPED_TEST(Multigrid, SingularSystemsAreSolvedWhereTheyHaveASolution) {
  TESSERA_REQUIRE(TypeParam);
  for (const HostMatrix& A :
       {testing::laplacian(20, 3, true), testing::p1_tets({.cells = 16, .jitter = 0.15, .fixed = false}),
        testing::p1_tets({.cells = 16, .jump = 1e4, .fixed = false})})
    for (const char* hierarchy : {"float", "double"})
      EXPECT_LE(this->solve(A, {.hierarchy = hierarchy}, true).iterations, 11);
  // And where they have none, that is said.
  TypeParam exec;
  const HostMatrix A = testing::laplacian(12, 3, true);
  SolverParams params = with({});
  params.max_iterations = 300;
  const auto found = testing::solve(exec, A, std::vector<double>(static_cast<std::size_t>(A.rows), 1.0), params);
  EXPECT_FALSE(found.report.converged);
  EXPECT_NE(found.report.failure, "");
}

TYPED_TEST(Multigrid, MatricesWithoutNeighboursAndTinyOnesAreSolved) {
  TESSERA_REQUIRE(TypeParam);
  HostMatrix diagonal;
  diagonal.rows = diagonal.cols = 3000;
  for (Index row = 0; row < diagonal.rows; ++row) {
    diagonal.add(row, 1 + row % 7);
    diagonal.end_row();
  }
  for (const HostMatrix& A : {diagonal, testing::laplacian(1, 1), testing::laplacian(20, 1),
                              testing::laplacian(2000, 1), testing::shifted(testing::laplacian(20, 3), 1000)}) {
    TypeParam exec;
    const auto b = testing::random_vector(A.rows, 3);
    const auto found = testing::solve(exec, A, b, with({}));
    EXPECT_TRUE(found.report.converged) << found.report.failure;
    EXPECT_LE(found.report.iterations, 15);
  }
}

/// As a rank may have, where there are more of them than rows.
TYPED_TEST(Multigrid, NoRowsAreNoFault) {
  TESSERA_REQUIRE(TypeParam);
  typename TestFixture::Made made(HostMatrix{}, {});
  EXPECT_TRUE(made.apply({}).empty());
}

TYPED_TEST(Multigrid, TheSizeOfTheNumbersDoesNotMatter) {
  TESSERA_REQUIRE(TypeParam);
  const HostMatrix A = testing::laplacian(14, 3);
  const int iterations = this->solve(A).iterations;
  for (double factor : {1e-150, 1e-30, 1e30, 1e150}) {
    HostMatrix scaled = A;
    for (double& value : scaled.values) value *= factor;
    TypeParam exec;
    auto b = rough_right_side(A);
    for (double& value : b) value *= factor;
    const auto found = testing::solve(exec, scaled, b, with({}));
    EXPECT_TRUE(found.report.converged) << factor << ": " << found.report.failure;
    EXPECT_EQ(found.report.iterations, iterations);
  }
}

TYPED_TEST(Multigrid, NamesWhatIsNotDefinite) {
  TESSERA_REQUIRE(TypeParam);
  const auto failure = [](const HostMatrix& A) {
    TypeParam exec;
    const auto found = testing::solve(exec, A, testing::random_vector(A.rows, 3), with({}));
    EXPECT_FALSE(found.report.converged);
    return found.report.failure;
  };
  for (double value : {0.0, -2.0, std::numeric_limits<double>::quiet_NaN()}) {
    HostMatrix A = testing::laplacian(12, 3);
    for (Offset k = A.row_ptr[7]; k < A.row_ptr[8]; ++k)
      if (A.col_ind[k] == 7) A.values[k] = value;
    EXPECT_NE(failure(A).find("the diagonal entry of row 7 is"), std::string::npos);
  }
  EXPECT_NE(failure(testing::shifted(testing::laplacian(12, 3), -0.5)).find("not positive definite"),
            std::string::npos);
  EXPECT_NE(failure(testing::shifted(testing::laplacian(7, 3), -0.5)).find("not positive definite"), std::string::npos);
}

TEST(MultigridKeys, OutOfRangeAreRefused) {
  const auto read = [](const std::string& keys) {
    const auto deck = deck::Deck::parse("[solver]\npreconditioner = \"amg\"\n" + keys, "deck.toml");
    return solvers::read_solver(deck, "double").preconditioning.as<AmgParams>();
  };
  const AmgParams given =
      read("cycle = \"W\"\nstrength = 0.2\nsmoother_degree = 3\ncoarsest_rows = 200\nhierarchy = \"double\"\n");
  EXPECT_EQ(given.cycle, "W");
  EXPECT_EQ(given.strength, 0.2);
  EXPECT_EQ(given.smoother_degree, 3);
  EXPECT_EQ(given.coarsest_rows, 200);
  EXPECT_EQ(given.hierarchy, "double");
  EXPECT_EQ(read("").strength, AmgParams().strength);
  for (const char* wrong : {"cycle = \"F\"", "strength = 1.0", "strength = -0.1", "smoother_degree = 0",
                            "smoother_degree = 5", "coarsest_rows = 0", "hierarchy = \"half\"", "type = \"minres\""})
    EXPECT_THROW(read(wrong), Error) << wrong;
}

TEST(MultigridKeys, AreRefusedForOtherPreconditioners) {
  const auto deck = deck::Deck::parse("[solver]\npreconditioner = \"jacobi\"\ncycle = \"V\"\n", "deck.toml");
  EXPECT_THROW(solvers::read_solver(deck, "double"), Error);
}

TYPED_TEST(Multigrid, SeveralUnknownsANodeWithoutANearKernelHaveTheirConstants) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec = testing::with_threads<TypeParam>(2);
  for (const int block : {2, 3, 4}) {  // those of 4 have no kernels of their own
    const auto solve = [&](int n) {
      const auto host = testing::vector_laplacian(n, 2, block, 1e-3);
      const auto A = host.template to<typename TestFixture::Space>();
      const linalg::BlockCrsOperator<TypeParam> op(A);
      const auto b = to_space<typename TestFixture::Space>(testing::random_vector(A.rows, 3));
      Array<double, typename TestFixture::Space> x(A.rows);
      x.set_zero();
      LinearSolver<TypeParam> solver(exec, with({}));
      solver.set_operator(op);
      const auto report = solver.solve(b.view(), x.view());
      EXPECT_TRUE(report.converged) << report.failure;
      EXPECT_GE(report.multigrid.levels.size(), 2u);
      return report.iterations;
    };
    EXPECT_LE(solve(60), 1.5 * solve(20));
  }
}

/// The forecast is an estimate, for nobody knows the aggregates before they are made.
TEST(AmgMemory, IsForecastToAFifth) {
  const ThreadLimit limit(2);
  Threads exec(2);
  const auto compare = [&](const HostMatrix& A, int dim, const AmgParams& own, const std::string& type = "cg") {
    SolverParams params = with(own);
    params.type = type;
    const auto matrix = A.to<Host>();
    const linalg::CrsOperator<Threads> op(matrix);
    const auto b = to_space<Host>(rough_right_side(A));
    Array<double> x(A.rows);
    x.set_zero();
    solvers::ProblemSize size{.rows = 1.0 * A.rows, .entries = 1.0 * static_cast<double>(matrix.nnz()), .dim = dim};
    const double said = solvers::solver_bytes(params, size);
    reset_host_array_peak();
    const double before = static_cast<double>(host_array_memory().now);
    LinearSolver<Threads> solver(exec, params);
    solver.set_operator(op);
    EXPECT_TRUE(solver.solve(b.view(), x.view()).converged);
    EXPECT_NEAR((static_cast<double>(host_array_memory().peak) - before) / said, 1, 0.2);
  };
  for (const char* hierarchy : {"float", "double"}) {
    compare(testing::laplacian(40, 3), 3, {.hierarchy = hierarchy});
    compare(testing::laplacian(250, 2), 2, {.hierarchy = hierarchy});
    compare(testing::p1_tets({.cells = 36, .jitter = 0.15}), 3, {.hierarchy = hierarchy});
    compare(testing::q1_hexes({.cells = 36}), 3, {.hierarchy = hierarchy});
    compare(testing::convection(250, 2, 1), 2, {.hierarchy = hierarchy}, "bicgstab");
  }
}

/// A sum and a mark for each row of the second level.
TEST(AmgMemory, HasTheScratchOfEachThread) {
  const auto compare = [](const HostMatrix& A, int dim) {
    const solvers::ProblemSize size{
        .rows = 1.0 * A.rows, .entries = 1.0 * static_cast<double>(A.values.size()), .dim = dim};
    const auto said = [&](int threads) {
      const ThreadLimit limit(threads);
      return solvers::solver_bytes(with({}), size);
    };
    Threads exec(2);
    const auto matrix = A.to<Host>();
    const linalg::CrsOperator<Threads> op(matrix);
    const auto b = to_space<Host>(rough_right_side(A));
    Array<double> x(A.rows);
    x.set_zero();
    LinearSolver<Threads> solver(exec, with({}));
    solver.set_operator(op);
    const auto second = static_cast<double>(solver.solve(b.view(), x.view()).multigrid.levels[1].rows);
    EXPECT_NEAR((said(64) - said(4)) / (60 * 12 * second), 1, 0.2) << A.rows / second;
    EXPECT_EQ(said(100'000'000), said(A.rows));  // those without rows to make have none
  };
  compare(testing::laplacian(40, 3), 3);
  compare(testing::laplacian(250, 2), 2);
  compare(testing::p1_tets({.cells = 36, .jitter = 0.15}), 3);
  compare(testing::q1_hexes({.cells = 36}), 3);
}

}  // namespace
}  // namespace tessera
