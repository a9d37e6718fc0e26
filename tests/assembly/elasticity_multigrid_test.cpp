// Algebraic multigrid of elasticity, whose rigid motions it knows: iterations, symmetry, repeatability, and bodies that
// have too few nodes for them.
#include <cmath>

#include "assembly/beam.hpp"
#include "base/array_memory.hpp"
#include "linalg/formats.hpp"
#include "solvers/amg/amg.hpp"
#include "solvers/precondition/table.hpp"
#include "solvers/solve.hpp"

namespace tessera {
namespace {

using solvers::AmgParams;
using solvers::Reuse;
using testing::Beam;
using testing::BeamSystem;

solvers::SolverParams with(const AmgParams& params) { return {.preconditioner = "amg", .preconditioning = params}; }

double inner(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

template <class Exec>
struct ElasticityMultigrid : ::testing::Test {
  using Space = typename Exec::Space;

  static solvers::Report solve(const Beam& beam, const solvers::SolverParams& params = with({}), bool motions = true) {
    BeamSystem<Exec> system(beam);
    linalg::BlockCrsOperator<Exec> A(system.A);
    if (motions) A.set_near_kernel(system.motions);
    const auto b = to_space<Space>(system.right_side());
    Array<double, Space> x(A.rows());
    x.set_zero();
    const solvers::Report report =
        solvers::solve(system.exec, static_cast<const linalg::Operator<Exec>&>(A), b.view(), x.view(), params);
    EXPECT_TRUE(report.converged) << report.failure;
    EXPECT_LE(report.relative_residual, 1e-8);
    return report;
  }

  /// The preconditioner of a beam, by itself.
  struct Made {
    BeamSystem<Exec> system;
    linalg::BlockCrsOperator<Exec> A{system.A};
    std::unique_ptr<solvers::Preconditioner<Exec, double>> M;

    Made(const Beam& beam, const AmgParams& params, int threads = 2)
        : system(beam, threads), M(solvers::make_preconditioner<Exec, double>(with(params))) {
      A.set_near_kernel(system.motions);
      EXPECT_EQ(set_up(Reuse::nothing), "");
    }
    std::string set_up(Reuse reuse) { return M->set_up(system.exec, A, A, linalg::Sign::positive, reuse); }
    std::vector<double> apply(const std::vector<double>& r) {
      const auto right = to_space<Space>(r);
      Array<double, Space> z(system.A.rows);
      M->apply(system.exec, right, z);
      return to_vector(z);
    }
  };
};
TYPED_TEST_SUITE(ElasticityMultigrid, testing::Backends);

Beam refined(Beam beam, int factor) {
  for (int& cells : beam.cells) cells *= factor;
  return beam;
}

TYPED_TEST(ElasticityMultigrid, IterationsHardlyGrowWithTheMeshAndAreFewBesideThoseOfBlockJacobi) {
  TESSERA_REQUIRE(TypeParam);
  struct Case {
    Beam beam;
    int factor, most;
  };
  const Case cases[] = {
      {{.shape = "hex", .cells = {16, 4, 4}}, 3, 14},
      {{.shape = "tet", .cells = {16, 4, 4}, .jitter = 0.15}, 3, 15},
      {{.shape = "tet", .order = 2, .cells = {8, 2, 2}}, 3, 18},
      {{.shape = "quad", .cells = {32, 8}}, 6, 15},
      {{.shape = "triangle", .cells = {32, 8}}, 6, 17},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(std::string(c.beam.shape) + std::to_string(c.beam.order));
    const Beam fine = refined(c.beam, c.factor);
    const int few = this->solve(c.beam).iterations, many = this->solve(fine).iterations;
    EXPECT_LE(many, c.most);
    EXPECT_LE(many, 1.4 * few);
    EXPECT_GT(this->solve(fine, {.preconditioner = "block_jacobi"}).iterations, 10 * many);
  }
}

TYPED_TEST(ElasticityMultigrid, IterationsHardlyDependOnPoissonsRatio) {
  TESSERA_REQUIRE(TypeParam);
  for (const char* shape : {"hex", "tet"}) {
    const int at_0 = this->solve({.shape = shape, .cells = {24, 8, 8}, .nu = 0}).iterations;
    EXPECT_LE(this->solve({.shape = shape, .cells = {24, 8, 8}, .nu = 0.4}).iterations, at_0 + 7);
    EXPECT_LE(at_0, 13);
  }
}

TYPED_TEST(ElasticityMultigrid, RotationsAreWorthTheirUnknowns) {
  TESSERA_REQUIRE(TypeParam);
  const Beam beam{.cells = {48, 6, 6}};
  EXPECT_GT(this->solve(beam, with({}), false).iterations, 2 * this->solve(beam).iterations);
}

TYPED_TEST(ElasticityMultigrid, EveryCycleConverges) {
  TESSERA_REQUIRE(TypeParam);
  const Beam beam{.shape = "tet", .cells = {30, 6, 6}, .jitter = 0.15, .sliding = true};
  const AmgParams small{.coarsest_rows = 60};
  const int simple = this->solve(beam, with(small)).iterations;
  for (const char* cycle : {"W", "K"}) {
    AmgParams params = small;
    params.cycle = cycle;
    EXPECT_LE(this->solve(beam, with(params)).iterations, simple);
  }
  int before = 1000;
  for (int degree = 1; degree <= 4; ++degree) {
    AmgParams params = small;
    params.smoother_degree = degree;
    const int now = this->solve(beam, with(params)).iterations;
    EXPECT_LE(now, before);
    before = now;
  }
  for (const char* precision : {"float", "mixed"}) {
    solvers::SolverParams params = with(small);
    params.precision = precision;
    params.tolerance = std::string(precision) == "float" ? 1e-3 : 1e-8;
    BeamSystem<TypeParam> system(beam);
    linalg::BlockCrsOperator<TypeParam> A(system.A);
    A.set_near_kernel(system.motions);
    const auto b = to_space<typename TestFixture::Space>(system.right_side());
    Array<double, typename TestFixture::Space> x(A.rows());
    x.set_zero();
    const linalg::Operator<TypeParam>& op = A;
    const auto report = solvers::solve(system.exec, op, b.view(), x.view(), params);
    EXPECT_TRUE(report.converged) << precision << ": " << report.failure;
  }
}

TYPED_TEST(ElasticityMultigrid, IsSymmetricToRoundOffAndPositive) {
  TESSERA_REQUIRE(TypeParam);
  const Beam beam{.shape = "tet", .cells = {20, 5, 5}, .jitter = 0.15, .sliding = true};
  for (const char* hierarchy : {"double", "float"})
    for (const char* cycle : {"V", "W"})
      for (int degree : {1, 2, 3}) {
        typename TestFixture::Made made(
            beam, {.cycle = cycle, .smoother_degree = degree, .coarsest_rows = 60, .hierarchy = hierarchy});
        const auto x = testing::random_vector(made.system.A.rows, 1), y = testing::random_vector(made.system.A.rows, 2);
        const auto Mx = made.apply(x), My = made.apply(y);
        const double rounding = std::string(hierarchy) == "double" ? 1e-12 : 1e-4;
        EXPECT_NEAR(inner(Mx, y), inner(x, My), rounding * std::sqrt(inner(Mx, Mx) * inner(y, y)));
        EXPECT_GT(inner(Mx, x), 0);
        EXPECT_GT(inner(My, y), 0);
      }
}

TYPED_TEST(ElasticityMultigrid, RepeatsBitForBitOnAnyNumberOfThreads) {
  TESSERA_REQUIRE(TypeParam);
  const Beam beam{.shape = "tet", .cells = {20, 8, 8}, .jitter = 0.15};
  for (const char* cycle : {"V", "K"}) {
    const AmgParams params{.cycle = cycle, .coarsest_rows = 60};
    typename TestFixture::Made first(beam, params, 1);
    const auto r = testing::random_vector(first.system.A.rows, 5), z = first.apply(r);
    EXPECT_EQ(first.apply(r), z);
    for (const int threads : {2, 3}) EXPECT_EQ(typename TestFixture::Made(beam, params, threads).apply(r), z);
  }
}

TYPED_TEST(ElasticityMultigrid, OtherNumbersOfThePatternAreRedone) {
  TESSERA_REQUIRE(TypeParam);
  const Beam beam{.shape = "tet", .cells = {20, 6, 6}, .jitter = 0.15};
  typename TestFixture::Made made(beam, {.coarsest_rows = 60});
  const auto r = testing::random_vector(made.system.A.rows, 5), z = made.apply(r);
  EXPECT_EQ(made.set_up(Reuse::pattern), "");
  EXPECT_EQ(made.apply(r), z);  // the same numbers: the same bits
  Beam stiff = beam;
  stiff.young = 4;
  BeamSystem<TypeParam> other(stiff);
  std::swap(made.system.A.values, other.A.values);
  EXPECT_EQ(made.set_up(Reuse::all), "");
  EXPECT_EQ(made.apply(r), z);  // nothing was redone
  EXPECT_EQ(made.set_up(Reuse::pattern), "");
  const auto softer = made.apply(r);
  for (std::size_t i = 0; i < z.size(); ++i) ASSERT_EQ(4 * softer[i], z[i]);
}

/// Every format gives the same block rows.
TYPED_TEST(ElasticityMultigrid, TheFormatOfTheMatrixDoesNotMatter) {
  TESSERA_REQUIRE(TypeParam);
  const Beam beam{.shape = "tet", .cells = {12, 6, 6}, .jitter = 0.15};
  typename TestFixture::Made made(beam, {.coarsest_rows = 60});
  const auto r = testing::random_vector(made.system.A.rows, 5), z = made.apply(r);
  for (const char* format : {"block_sliced_ell", "crs"}) {
    auto A = linalg::make_operator(made.system.exec, made.system.A, format);
    A->set_near_kernel(made.system.motions);
    const auto M = solvers::make_preconditioner<TypeParam, double>(with({.coarsest_rows = 60}));
    for (const Reuse reuse : {Reuse::nothing, Reuse::pattern})
      EXPECT_EQ(M->set_up(made.system.exec, *A, *A, linalg::Sign::positive, reuse), "");
    const auto right = to_space<typename TestFixture::Space>(r);
    Array<double, typename TestFixture::Space> found(made.system.A.rows);
    M->apply(made.system.exec, right, found);
    EXPECT_EQ(to_vector(found), z) << format;
  }
}

TYPED_TEST(ElasticityMultigrid, BackendsMakeTheSameLevels) {
  TESSERA_REQUIRE(TypeParam);
  const Beam beam{.shape = "tet", .cells = {40, 10, 10}, .jitter = 0.15};
  solvers::Report here, there;
  typename TestFixture::Made made(beam, {});
  typename ElasticityMultigrid<Threads>::Made reference(beam, {}, 1);
  made.M->describe(here);
  reference.M->describe(there);
  ASSERT_GE(here.multigrid.levels.size(), 3u);
  ASSERT_EQ(here.multigrid.levels.size(), there.multigrid.levels.size());
  for (std::size_t l = 0; l < here.multigrid.levels.size(); ++l) {
    EXPECT_EQ(here.multigrid.levels[l].rows, there.multigrid.levels[l].rows);
    EXPECT_EQ(here.multigrid.levels[l].entries, there.multigrid.levels[l].entries);
  }
  const auto r = testing::random_vector(made.system.A.rows, 4), mine = made.apply(r), theirs = reference.apply(r);
  double difference = 0;
  for (std::size_t i = 0; i < mine.size(); ++i) difference += std::pow(mine[i] - theirs[i], 2);
  EXPECT_LT(std::sqrt(difference), 1e-4 * std::sqrt(inner(theirs, theirs)));
}

TYPED_TEST(ElasticityMultigrid, BodiesOfAFewNodesAreSolved) {
  TESSERA_REQUIRE(TypeParam);
  // Aggregates of one node, or of nodes on a line, have fewer independent motions than there are.
  for (const Beam& beam :
       {Beam{.cells = {1, 1, 1}}, Beam{.cells = {40, 1, 1}}, Beam{.shape = "tet", .cells = {60, 1, 1}},
        Beam{.shape = "quad", .cells = {200, 1}}, Beam{.shape = "triangle", .cells = {3, 1}}})
    for (const int coarsest : {1, 20, 500}) {
      const AmgParams params{.coarsest_rows = coarsest};
      EXPECT_LE(this->solve(beam, with(params)).iterations, coarsest == 500 ? 25 : 80) << beam.shape << ' ' << coarsest;
    }
}

TYPED_TEST(ElasticityMultigrid, NamesWhatIsNotDefinite) {
  TESSERA_REQUIRE(TypeParam);
  typename TestFixture::Made made({.cells = {12, 4, 4}}, {});
  auto values = to_vector(made.system.A.values);
  for (double& value : values) value = -value;
  made.system.A.values = to_space<typename TestFixture::Space>(values);
  EXPECT_NE(made.set_up(Reuse::nothing).find("not positive definite"), std::string::npos);
  values[0] = std::nan("");
  made.system.A.values = to_space<typename TestFixture::Space>(values);
  EXPECT_NE(made.set_up(Reuse::nothing), "");
}

/// The forecast is an estimate, for nobody knows the aggregates before they are made.
TEST(ElasticityMultigridMemory, IsForecastToAThird) {
  for (const Beam& beam : {Beam{.cells = {30, 15, 15}}, Beam{.shape = "tet", .cells = {30, 15, 15}, .jitter = 0.15},
                           Beam{.shape = "tet", .order = 2, .cells = {14, 7, 7}},
                           Beam{.shape = "triangle", .cells = {200, 50}}, Beam{.shape = "quad", .cells = {200, 50}}}) {
    BeamSystem<Threads> system(beam);
    linalg::BlockCrsOperator<Threads> A(system.A);
    const auto b = to_space<Host>(system.right_side());
    Array<double> x(A.rows());
    x.set_zero();
    solvers::ProblemSize size{.rows = 1.0 * A.rows(), .entries = 1.0 * static_cast<double>(system.A.nnz())};
    size.block = system.dim;
    size.dim = system.dim;
    const double said = solvers::solver_bytes(with({}), size);
    const double motions = 8.0 * system.motions->modes * A.rows();
    A.set_near_kernel(system.motions);
    reset_host_array_peak();
    const double before = static_cast<double>(host_array_memory().now) - motions;
    const linalg::Operator<Threads>& op = A;
    EXPECT_TRUE(solvers::solve(system.exec, op, b.view(), x.view(), with({})).converged);
    EXPECT_NEAR((static_cast<double>(host_array_memory().peak) - before) / said, 1, 0.33) << beam.shape << beam.order;
  }
}

}  // namespace
}  // namespace tessera
