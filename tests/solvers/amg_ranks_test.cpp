// Algebraic multigrid of a matrix whose rows ranks share: what one rank finds, in as many iterations.
#include <mutex>

#include "base/array_memory.hpp"
#include "base/error.hpp"
#include "base/thread_limit.hpp"
#include "solvers/amg/amg.hpp"
#include "solvers/amg_problems.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/systems.hpp"
#include "support/rank_systems.hpp"

namespace tessera {
namespace {

using solvers::AmgParams;
using solvers::Reuse;
using solvers::SolverParams;
using testing::HostMatrix;
using testing::Partition;

/// Ranks share several levels of small matrices.
AmgParams shared(AmgParams params = {}) {
  params.coarsest_rows = 60;
  params.gathered_rows = 150;
  return params;
}
SolverParams with(const AmgParams& params, const std::string& type = "cg") {
  return {.type = type, .preconditioner = "amg", .preconditioning = params};
}

/// Random, but 0 where the row has nothing but its diagonal.
std::vector<double> rough_right_side(const HostMatrix& A) {
  auto b = testing::random_vector(A.rows, 3);
  for (Index row = 0; row < A.rows; ++row) {
    bool alone = true;
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) alone &= A.col_ind[k] == row || A.values[k] == 0;
    if (alone) b[static_cast<std::size_t>(row)] = 0;
  }
  return b;
}

double difference(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> d = x;
  for (std::size_t i = 0; i < d.size(); ++i) d[i] -= y[i];
  return testing::norm(d) / testing::norm(y);
}

template <class Exec>
struct MultigridOverRanks : ::testing::Test {
  using Space = typename Exec::Space;
  using System = testing::RankSystem<Exec>;
  struct Found {
    solvers::Report report;
    std::vector<double> x;
  };

  static Found solve(const HostMatrix& A, const SolverParams& params, int ranks, std::vector<int> owners = {}) {
    if (owners.empty()) owners = testing::slabs(A, ranks);
    const Partition partition(A, owners, ranks);
    const auto b = rough_right_side(A);
    Found found;
    found.x.resize(b.size());
    std::mutex one;
    testing::on_thread_ranks(ranks, [&](Communicator& mine) {
      System system(mine, partition, A);
      solvers::LinearSolver<Exec> solver(system.exec, params);
      solver.set_operator(*system.op);
      const auto right = to_space<Space>(partition.part(b, mine.rank()));
      Array<double, Space> x(system.rows);
      x.set_zero();
      const solvers::Report report = solver.solve(right.view(), x.view());
      const std::lock_guard lock(one);
      partition.put(to_vector(x), mine.rank(), found.x);
      if (mine.rank() == 0) found.report = report;
    });
    return found;
  }

  /// z = M^-1 r on ranks; `work(system, set_up, apply)` on each of them, apply(r) gives back all of z.
  struct Made {
    System& system;
    const Partition& partition;
    std::unique_ptr<solvers::Preconditioner<Exec, double>> M;
    std::string set_up(Reuse reuse) {
      const linalg::Operator<Exec>& A = *system.op;
      return on_any_rank(system.exec, M->set_up(system.exec, A, A, linalg::Sign::positive, reuse));
    }
    std::vector<double> apply(const std::vector<double>& r) {
      Communicator& ranks = system.link->ranks();
      const auto right = to_space<Space>(partition.part(r, ranks.rank()));
      Array<double, Space> z(system.rows);
      M->apply(system.exec, right, z);
      const auto own = to_vector(z);
      const char* const first = reinterpret_cast<const char*>(own.data());
      const Communicator::Bytes bytes(first, first + own.size() * sizeof(double));
      const auto all = ranks.exchange(std::vector<Communicator::Bytes>(static_cast<std::size_t>(ranks.size()), bytes));
      std::vector<double> result(r.size());
      for (int rank = 0; rank < ranks.size(); ++rank) {
        const Communicator::Bytes& of = all[static_cast<std::size_t>(rank)];
        std::vector<double> part(of.size() / sizeof(double));
        if (!part.empty()) std::memcpy(part.data(), of.data(), of.size());
        partition.put(part, rank, result);
      }
      return result;
    }
  };
  /// work(Made&) on each rank.
  template <class Work>
  static void on_ranks(const HostMatrix& A, const SolverParams& params, int ranks, Work work) {
    const Partition partition(A, testing::slabs(A, ranks), ranks);
    testing::on_thread_ranks(ranks, [&](Communicator& mine) {
      System system(mine, partition, A);
      Made made{system, partition, solvers::make_preconditioner<Exec, double>(params)};
      EXPECT_EQ(made.set_up(Reuse::nothing), "");
      work(made);
    });
  }
};
TYPED_TEST_SUITE(MultigridOverRanks, testing::Backends);

struct Family {
  const char* name;
  HostMatrix A;
};
std::vector<Family> families() {
  return {{"7-point", testing::laplacian(20, 3)},
          {"5-point", testing::laplacian(90, 2)},
          {"P1 tets, jittered", testing::p1_tets({.cells = 18, .jitter = 0.15})},
          {"P1 tets, k jumps", testing::p1_tets({.cells = 18, .jitter = 0.15, .jump = 1e4})},
          {"P1 tets, 10 : 1", testing::p1_tets({.cells = 18, .jitter = 0.15, .aspect = 10})},
          {"Q1 hexes", testing::q1_hexes({.cells = 18})}};
}

TYPED_TEST(MultigridOverRanks, TakesTheIterationsOfOneRankForTheSameSolution) {
  TESSERA_REQUIRE(TypeParam);
  for (const Family& family : families()) {
    SCOPED_TRACE(family.name);
    const auto one = this->solve(family.A, with(shared()), 1);
    ASSERT_TRUE(one.report.converged) << one.report.failure;
    for (const int ranks : {2, 4}) {
      const auto many = this->solve(family.A, with(shared()), ranks);
      ASSERT_TRUE(many.report.converged) << many.report.failure;
      EXPECT_LE(many.report.iterations, std::max(one.report.iterations + 1, one.report.iterations * 11 / 10)) << ranks;
      EXPECT_LE(testing::relative_residual(family.A, rough_right_side(family.A), many.x), 1.01e-8);
      EXPECT_LE(difference(many.x, one.x), 1e-5);
    }
  }
}

TYPED_TEST(MultigridOverRanks, IsSymmetricToRoundOffAndPositive) {
  TESSERA_REQUIRE(TypeParam);
  const HostMatrix A = testing::p1_tets({.cells = 12, .jitter = 0.15, .jump = 1e4});
  const auto x = testing::random_vector(A.rows, 1), y = testing::random_vector(A.rows, 2);
  const auto inner = [](const std::vector<double>& u, const std::vector<double>& v) {
    double sum = 0;
    for (std::size_t i = 0; i < u.size(); ++i) sum += u[i] * v[i];
    return sum;
  };
  for (const char* hierarchy : {"double", "float"})
    for (const char* cycle : {"V", "W"})
      for (const int degree : {1, 2, 3})
        this->on_ranks(A, with(shared({.cycle = cycle, .smoother_degree = degree, .hierarchy = hierarchy})), 3,
                       [&](auto& made) {
                         const auto Mx = made.apply(x), My = made.apply(y);
                         const double rounding = std::string(hierarchy) == "double" ? 1e-13 : 1e-5;
                         EXPECT_NEAR(inner(Mx, y), inner(x, My), rounding * testing::norm(Mx) * testing::norm(y));
                         EXPECT_GT(inner(Mx, x), 0);
                       });
}

TYPED_TEST(MultigridOverRanks, EveryCycleConvergesAndVisitsOfCoarserLevelsDoNoHarm) {
  TESSERA_REQUIRE(TypeParam);
  const HostMatrix A = testing::p1_tets({.cells = 14, .jitter = 0.15, .jump = 1e4});
  const auto iterations = [&](const AmgParams& params) {
    const auto found = this->solve(A, with(shared(params)), 2);
    EXPECT_TRUE(found.report.converged) << found.report.failure;
    return found.report.iterations;
  };
  const int simple = iterations({});
  EXPECT_LE(iterations({.cycle = "W"}), simple);
  EXPECT_LE(iterations({.cycle = "K"}), simple);
  EXPECT_LE(iterations({.smoother_degree = 3}), simple);
}

TYPED_TEST(MultigridOverRanks, RepeatsBitForBit) {
  TESSERA_REQUIRE(TypeParam);
  const HostMatrix A = testing::p1_tets({.cells = 14, .jitter = 0.15});
  const auto r = testing::random_vector(A.rows, 5);
  for (const char* cycle : {"V", "K"}) {
    std::vector<double> z;
    for (int time = 0; time < 2; ++time)
      this->on_ranks(A, with(shared({.cycle = cycle})), 3, [&](auto& made) {
        const auto found = made.apply(r);
        EXPECT_EQ(made.apply(r), found);
        if (made.system.link->ranks().is_root() && z.empty()) z = found;
        made.system.link->ranks().barrier();
        EXPECT_EQ(found, z);
      });
  }
}

TYPED_TEST(MultigridOverRanks, OtherNumbersOfThePatternGiveWhatANewHierarchyGives) {
  TESSERA_REQUIRE(TypeParam);
  const HostMatrix A = testing::p1_tets({.cells = 14, .jitter = 0.15});
  HostMatrix doubled = A, other = testing::p1_tets({.cells = 14, .jitter = 0.15, .jump = 1.5});
  for (double& value : doubled.values) value *= 2;
  const auto r = testing::random_vector(A.rows, 5);
  for (const char* type : {"cg", "bicgstab"})
    this->on_ranks(A, with(shared({.hierarchy = "double"}), type), 3, [&](auto& made) {
      const auto z = made.apply(r);
      EXPECT_EQ(made.set_up(Reuse::pattern), "");
      EXPECT_EQ(made.apply(r), z);  // the same numbers: the same bits
      made.system.set_values(made.partition, doubled);
      EXPECT_EQ(made.set_up(Reuse::all), "");
      EXPECT_EQ(made.apply(r), z);  // nothing was redone
      EXPECT_EQ(made.set_up(Reuse::pattern), "");
      auto half = made.apply(r);
      for (double& value : half) value *= 2;
      EXPECT_EQ(half, z);
      // Of other numbers strong entries are others, too, but for a few rows.
      made.system.set_values(made.partition, other);
      EXPECT_EQ(made.set_up(Reuse::pattern), "");
      const auto kept = made.apply(r);
      EXPECT_EQ(made.set_up(Reuse::nothing), "");
      EXPECT_LE(difference(kept, made.apply(r)), 0.2);
    });
}

/// As a rank may have, where there are more of them than a mesh can be cut for.
TYPED_TEST(MultigridOverRanks, ARankWithoutRowsIsNoFault) {
  TESSERA_REQUIRE(TypeParam);
  const HostMatrix A = testing::p1_tets({.cells = 14, .jitter = 0.15});
  std::vector<int> owners = testing::slabs(A, 2);
  for (int& owner : owners) owner *= 2;  // ranks 0 and 2 of four
  const int one = this->solve(A, with(shared()), 1).report.iterations;
  for (const SolverParams& params : {with(shared()), with({})}) {
    const auto found = this->solve(A, params, 4, owners);
    EXPECT_TRUE(found.report.converged) << found.report.failure;
    EXPECT_LE(found.report.iterations, one + 1);
  }
}

TYPED_TEST(MultigridOverRanks, SmallSystemsAreSolvedOnEachRank) {
  TESSERA_REQUIRE(TypeParam);
  for (const HostMatrix& A : {testing::laplacian(1, 1), testing::laplacian(20, 1), testing::laplacian(7, 3),
                              testing::shifted(testing::laplacian(12, 3), 1000)}) {
    const auto found = this->solve(A, with({}), 3);
    EXPECT_TRUE(found.report.converged) << found.report.failure;
    EXPECT_LE(found.report.iterations, 10);
  }
}

TYPED_TEST(MultigridOverRanks, TheReportHasTheLevelsOfAllRanks) {
  TESSERA_REQUIRE(TypeParam);
  const HostMatrix A = testing::laplacian(20, 3);
  const auto one = this->solve(A, with(shared()), 1).report.multigrid,
             many = this->solve(A, with(shared()), 4).report.multigrid;
  ASSERT_GE(many.levels.size(), 4u);
  EXPECT_EQ(many.levels[0].rows, A.rows);
  EXPECT_EQ(many.levels[0].entries, A.row_ptr.back());
  for (std::size_t l = 1; l < many.levels.size(); ++l) EXPECT_LT(3 * many.levels[l].rows, many.levels[l - 1].rows);
  EXPECT_LE(many.levels.back().rows, 60);
  EXPECT_LT(many.operator_complexity(), 1.2 * one.operator_complexity());
}

TYPED_TEST(MultigridOverRanks, FlowsTakeTheIterationsOfOneRank) {
  TESSERA_REQUIRE(TypeParam);
  const HostMatrix A = testing::convection(60, 2, 0.5);
  const int one = this->solve(A, with(shared(), "bicgstab"), 1).report.iterations;
  for (const int ranks : {2, 4}) {
    const auto many = this->solve(A, with(shared(), "bicgstab"), ranks);
    EXPECT_TRUE(many.report.converged) << many.report.failure;
    EXPECT_LE(many.report.iterations, one + 2);
  }
}

TYPED_TEST(MultigridOverRanks, NamesWhatIsNotDefiniteOnAllRanks) {
  TESSERA_REQUIRE(TypeParam);
  HostMatrix A = testing::laplacian(12, 3);
  for (Offset k = A.row_ptr[7]; k < A.row_ptr[8]; ++k)
    if (A.col_ind[k] == 7) A.values[k] = -2;
  const auto found = this->solve(A, with(shared()), 2);
  EXPECT_FALSE(found.report.converged);
  EXPECT_NE(found.report.failure.find("the diagonal entry of row"), std::string::npos) << found.report.failure;
  EXPECT_NE(this->solve(testing::shifted(testing::laplacian(12, 3), -0.5), with(shared()), 2)
                .report.failure.find("not positive definite"),
            std::string::npos);
}

/// With what a hierarchy over ranks keeps of the finest matrix. On ranks that are threads of one process.
TEST(MultigridOverRanksMemory, IsForecastToAFifth) {
  for (const HostMatrix& A : {testing::laplacian(36, 3), testing::q1_hexes({.cells = 30})}) {
    const int ranks = 2;
    const Partition partition(A, testing::slabs(A, ranks), ranks);
    const auto b = rough_right_side(A);
    const SolverParams params = with({.gathered_rows = 300});
    double before = 0;
    testing::on_thread_ranks(ranks, [&](Communicator& mine) {
      const ThreadLimit two(2);  // each thread has a row of its own on its way
      testing::RankSystem<Threads> system(mine, partition, A);
      const auto right = to_space<Host>(partition.part(b, mine.rank()));
      Array<double> x(system.rows);
      x.set_zero();
      mine.barrier();
      if (mine.is_root()) {
        reset_host_array_peak();
        before = static_cast<double>(host_array_memory().now);
      }
      mine.barrier();
      solvers::LinearSolver<Threads> solver(system.exec, params);
      solver.set_operator(*system.op);
      EXPECT_TRUE(solver.solve(right.view(), x.view()).converged);
      mine.barrier();
    });
    const double rows = A.rows, entries = static_cast<double>(A.row_ptr.back());
    const double said = solvers::solver_bytes(params, {.rows = rows, .entries = entries, .all_rows = rows});
    EXPECT_NEAR((static_cast<double>(host_array_memory().peak) - before) / said, 1, 0.2);
    EXPECT_GT(said, solvers::solver_bytes(params, {.rows = rows, .entries = entries}) + 12 * entries);
  }
}

}  // namespace
}  // namespace tessera
