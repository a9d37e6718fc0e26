// Algebraic multigrid of elasticity over ranks: what one rank finds, in about as many iterations.
#include <mutex>

#include "assembly/beam.hpp"
#include "solvers/amg/amg.hpp"
#include "solvers/linear_solver.hpp"
#include "solvers/precondition/table.hpp"
#include "support/rank_systems.hpp"

namespace tessera {
namespace {

using solvers::AmgParams;
using solvers::Reuse;
using testing::Beam;
using testing::BeamSystem;
using testing::HostBlocks;
using testing::Partition;

/// Ranks share several levels of small bodies.
solvers::SolverParams with(AmgParams params = {}) {
  params.coarsest_rows = 60;
  params.gathered_rows = 200;
  return {.preconditioner = "amg", .preconditioning = params};
}

/// A beam on the host, with what is known of it.
struct HostBeam {
  HostBlocks A;
  std::vector<double> b, motions;
  int modes = 0;

  explicit HostBeam(const Beam& beam) {
    BeamSystem<Threads> system(beam);
    A.block = system.A.block;
    A.pattern.rows = A.pattern.cols = system.A.rows / system.A.block;
    A.pattern.row_ptr = to_vector(system.A.row_ptr);
    A.pattern.col_ind = to_vector(system.A.col_ind);
    A.values = to_vector(system.A.values);
    b = system.right_side();
    motions = system.on_host;
    modes = system.motions->modes;
  }
};

template <class Exec>
struct ElasticityOverRanks : ::testing::Test {
  using Space = typename Exec::Space;
  using System = testing::RankSystem<Exec, HostBlocks>;
  struct Found {
    solvers::Report report;
    std::vector<double> x;
  };

  static void add_motions(const HostBeam& beam, const Partition& partition, int rank, System& system) {
    auto kernel = std::make_shared<linalg::NearKernel<Space>>();
    kernel->modes = beam.modes;
    kernel->vectors = to_space<Space>(partition.part(beam.motions, rank, beam.A.block * beam.modes));
    system.op->set_near_kernel(std::move(kernel));
  }
  static Found solve(const HostBeam& beam, const solvers::SolverParams& params, int ranks) {
    const Partition partition(beam.A.pattern, testing::slabs(beam.A.pattern, ranks), ranks);
    Found found;
    found.x.resize(beam.b.size());
    std::mutex one;
    testing::on_thread_ranks(ranks, [&](Communicator& mine) {
      System system(mine, partition, beam.A);
      add_motions(beam, partition, mine.rank(), system);
      solvers::LinearSolver<Exec> solver(system.exec, params);
      solver.set_operator(*system.op);
      const auto right = to_space<Space>(partition.part(beam.b, mine.rank(), beam.A.block));
      Array<double, Space> x(system.rows);
      x.set_zero();
      const solvers::Report report = solver.solve(right.view(), x.view());
      const std::lock_guard lock(one);
      partition.put(to_vector(x), mine.rank(), found.x, beam.A.block);
      if (mine.rank() == 0) found.report = report;
    });
    EXPECT_TRUE(found.report.converged) << found.report.failure;
    return found;
  }
};
TYPED_TEST_SUITE(ElasticityOverRanks, testing::Backends);

TYPED_TEST(ElasticityOverRanks, TakesAboutTheIterationsOfOneRankForTheSameSolution) {
  TESSERA_REQUIRE(TypeParam);
  for (const Beam& beam : {Beam{.shape = "hex", .cells = {24, 6, 6}},
                           Beam{.shape = "tet", .cells = {24, 6, 6}, .jitter = 0.15, .sliding = true},
                           Beam{.shape = "quad", .cells = {80, 20}}}) {
    SCOPED_TRACE(beam.shape);
    const HostBeam host(beam);
    const auto one = this->solve(host, with(), 1);
    for (const int ranks : {2, 4}) {
      const auto many = this->solve(host, with(), ranks);
      EXPECT_LE(many.report.iterations, std::max(one.report.iterations + 1, one.report.iterations * 11 / 10)) << ranks;
      double difference = 0, size = 0;
      for (std::size_t i = 0; i < one.x.size(); ++i) {
        difference += (many.x[i] - one.x[i]) * (many.x[i] - one.x[i]);
        size += one.x[i] * one.x[i];
      }
      EXPECT_LE(difference, 1e-10 * size);
      EXPECT_EQ(many.report.multigrid.levels[0].rows, static_cast<Offset>(host.b.size()));
      EXPECT_EQ(many.report.multigrid.levels[0].entries, static_cast<Offset>(host.A.values.size()));
      EXPECT_LT(many.report.multigrid.operator_complexity(), 1.3 * one.report.multigrid.operator_complexity());
    }
  }
}

TYPED_TEST(ElasticityOverRanks, EveryCycleConverges) {
  TESSERA_REQUIRE(TypeParam);
  const HostBeam beam({.shape = "tet", .cells = {20, 4, 4}, .jitter = 0.15});
  const int simple = this->solve(beam, with(), 3).report.iterations;
  EXPECT_LE(this->solve(beam, with({.cycle = "W"}), 3).report.iterations, simple);
  EXPECT_LE(this->solve(beam, with({.cycle = "K"}), 3).report.iterations, simple);
  EXPECT_LE(this->solve(beam, with({.smoother_degree = 3}), 3).report.iterations, simple);
}

TYPED_TEST(ElasticityOverRanks, OtherNumbersOfThePatternAreRedoneAndRepeatBitForBit) {
  TESSERA_REQUIRE(TypeParam);
  const HostBeam beam({.shape = "tet", .cells = {16, 4, 4}, .jitter = 0.15});
  HostBlocks doubled = beam.A;
  for (double& value : doubled.values) value *= 2;
  const int ranks = 3;
  const Partition partition(beam.A.pattern, testing::slabs(beam.A.pattern, ranks), ranks);
  testing::on_thread_ranks(ranks, [&](Communicator& mine) {
    typename TestFixture::System system(mine, partition, beam.A);
    TestFixture::add_motions(beam, partition, mine.rank(), system);
    const auto M = solvers::make_preconditioner<TypeParam, double>(with({.hierarchy = "double"}));
    const linalg::Operator<TypeParam>& A = *system.op;
    const auto set_up = [&](Reuse reuse) {
      EXPECT_EQ(M->set_up(system.exec, A, A, linalg::Sign::positive, reuse), "");
    };
    const auto right = to_space<typename TestFixture::Space>(partition.part(beam.b, mine.rank(), beam.A.block));
    const auto apply = [&] {
      Array<double, typename TestFixture::Space> z(system.rows);
      M->apply(system.exec, right, z);
      return to_vector(z);
    };
    set_up(Reuse::nothing);
    const auto z = apply();
    EXPECT_EQ(apply(), z);
    set_up(Reuse::pattern);
    EXPECT_EQ(apply(), z);  // the same numbers: the same bits
    system.set_values(partition, doubled);
    set_up(Reuse::pattern);
    auto half = apply();
    for (double& value : half) value *= 2;
    EXPECT_EQ(half, z);
    set_up(Reuse::nothing);
    for (double& value : half) value /= 2;
    EXPECT_EQ(apply(), half);
  });
}

}  // namespace
}  // namespace tessera
