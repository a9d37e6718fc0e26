// Viscosities of Roe's mean, at low order.
#include "decks.hpp"
#include "flows.hpp"

namespace {

using namespace euler_test;

template <class Exec>
class GasRoe : public ::testing::Test {};
TYPED_TEST_SUITE(GasRoe, tessera::testing::Backends);

SchemeParams roe(bool entropy_fix, Viscosity viscosity = Viscosity::roe) {
  return {.gas = make_gas(1.4), .limiter = Limiter::none, .viscosity = viscosity, .entropy_fix = entropy_fix};
}

/// Two states beside each other, which the boundaries hold.
template <int dim>
Solution<dim> beside(const GasState& left, const GasState& right) {
  return [=](const std::array<double, 3>& x, double) {
    const GasState& s = x[0] < 0.503 ? left : right;
    Primitive<dim> w;
    w.rho = s.rho;
    w.v[0] = s.v;
    w.p = s.p;
    return w;
  };
}

/// The largest change of a number in `steps` steps.
template <class Exec, int dim>
double change(const std::string& shape, int cells, const SchemeParams& params, Solution<dim> start, int steps) {
  Exec exec = tessera::testing::with_threads<Exec>(2);
  Flow<Exec, dim> flow(exec, unit_box(shape, dim, cells, dim == 1 ? 0 : 0.2), params, std::move(start));
  const std::vector<double> before = flow.state();
  flow.run(1e9, 0.9, steps);
  const std::vector<double> after = flow.state();
  double most = 0;
  for (std::size_t i = 0; i < before.size(); ++i) most = std::fmax(most, std::abs(after[i] - before[i]));
  return most;
}

/// At Mach 2, in the frame of the shock.
const GasState before_shock{1.4, 2, 1}, behind_shock{1.4 * 8 / 3, 0.75, 4.5};

TYPED_TEST(GasRoe, KeepsAContactThatStandsStillOnAnyMesh) {
  TESSERA_REQUIRE(TypeParam);
  const GasState heavy{1, 0, 1}, light{0.1, 0, 1};
  for (const bool fix : {false, true}) {
    EXPECT_LT((change<TypeParam, 1>("interval", 50, roe(fix), beside<1>(heavy, light), 50)), 1e-12);
    EXPECT_LT((change<TypeParam, 2>("triangle", 12, roe(fix), beside<2>(heavy, light), 50)), 1e-12);
    EXPECT_LT((change<TypeParam, 3>("hex", 5, roe(fix), beside<3>(heavy, light), 20)), 1e-12);
  }
  for (const Viscosity other : {Viscosity::guaranteed, Viscosity::scalar})
    EXPECT_GT((change<TypeParam, 1>("interval", 50, roe(false, other), beside<1>(heavy, light), 50)), 0.05);
}

TYPED_TEST(GasRoe, KeepsAShockThatStandsStill) {
  TESSERA_REQUIRE(TypeParam);
  for (const bool fix : {false, true})
    EXPECT_LT((change<TypeParam, 1>("interval", 50, roe(fix), beside<1>(before_shock, behind_shock), 100)), 1e-11);
}

/// The shock the other way round, in which entropy falls, stays without a fix; with it a fan opens.
TYPED_TEST(GasRoe, TheEntropyFixOpensAnExpansionShock) {
  TESSERA_REQUIRE(TypeParam);
  const auto error = [](const SchemeParams& params) {
    TypeParam exec = tessera::testing::with_threads<TypeParam>(2);
    Flow<TypeParam, 1> flow(exec, unit_box("interval", 1, 200), params,
                            euler_test::tube<1>(behind_shock, before_shock, 0.5025));
    flow.run(0.1, 0.9);
    return flow.primitive_l1()[0];
  };
  EXPECT_LT((change<TypeParam, 1>("interval", 50, roe(false), beside<1>(behind_shock, before_shock), 100)), 1e-10);
  EXPECT_GT((change<TypeParam, 1>("interval", 50, roe(true), beside<1>(behind_shock, before_shock), 100)), 0.1);
  EXPECT_LT(error(roe(true)), 0.5 * error(roe(false)));
  EXPECT_LT(error(roe(true)), error(roe(true, Viscosity::guaranteed)));
}

TYPED_TEST(GasRoe, LeavesAUniformFlowAsItIsOnDistortedMeshes) {
  TESSERA_REQUIRE(TypeParam);
  for (const Viscosity viscosity : {Viscosity::roe, Viscosity::scalar}) {
    const auto uniform = [](const std::array<double, 3>&, double) {
      return Primitive<3>{.rho = 1.4, .v = {2, 1, -0.5}, .p = 1};
    };
    const auto in_plane = [](const std::array<double, 3>&, double) {
      return Primitive<2>{.rho = 1.4, .v = {0.4, 0.3}, .p = 1};
    };
    EXPECT_LT((change<TypeParam, 2>("triangle", 12, roe(true, viscosity), in_plane, 20)), 2e-12);
    EXPECT_LT((change<TypeParam, 2>("quad", 12, roe(true, viscosity), in_plane, 20)), 2e-12);
    EXPECT_LT((change<TypeParam, 3>("tet", 5, roe(true, viscosity), uniform, 20)), 2e-12);
    EXPECT_LT((change<TypeParam, 3>("hex", 5, roe(true, viscosity), uniform, 20)), 2e-12);
  }
}

/// A bang in a closed box of tets.
TYPED_TEST(GasRoe, KeepsMassAndEnergyToRounding) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec = tessera::testing::with_threads<TypeParam>(2);
  const Solution<3> bang = [](const std::array<double, 3>& x, double) {
    Primitive<3> w;
    w.p = std::hypot(x[0] - 0.4, x[1] - 0.4, x[2] - 0.4) < 0.25 ? 10 : 0.1;
    return w;
  };
  Flow<TypeParam, 3> flow(exec, unit_box("tet", 3, 8, 0.2), roe(true), bang, true);
  const auto before = flow.totals();
  flow.run(0.3, 0.9);
  const auto after = flow.totals();
  EXPECT_NEAR(after[density], before[density], 1e-12);
  EXPECT_NEAR(after[energy], before[energy], 1e-12 * before[energy]);
}

/// Less viscosity, less error: of the tube, and of a layer of shear above all.
TEST(GasRoeErrors, AreBelowThoseOfTheOtherViscosities) {
  const auto error = [](Viscosity viscosity) {
    Threads exec(2);
    Flow<Threads, 1> flow(exec, unit_box("interval", 1, 200), roe(true, viscosity),
                          euler_test::tube<1>({1, 0, 1}, {0.125, 0, 0.1}, 0.5));
    flow.run(0.2, 0.5);
    return flow.primitive_l1()[0];
  };
  const double of_roe = error(Viscosity::roe), of_scalar = error(Viscosity::scalar),
               guaranteed = error(Viscosity::guaranteed);
  EXPECT_LT(of_roe, 0.8 * of_scalar);
  EXPECT_LE(of_scalar, 1.02 * guaranteed);
}

TEST(GasRoeOnCuda, IsThatOfThreadsAfterAHundredSteps) {
  TESSERA_REQUIRE(Cuda);
  const auto run = []<class Exec>(Exec& exec, Viscosity viscosity) {
    Flow<Exec, 3> flow(exec, unit_box("tet", 3, 10, 0.2), roe(true, viscosity),
                       euler_test::tube<3>({1, 0, 1}, {0.125, 0, 0.1}, 0.5));
    flow.run(1e9, 0.5, 100);
    return flow.state();
  };
  Threads threads(2);
  Cuda cuda;
  for (const Viscosity viscosity : {Viscosity::scalar, Viscosity::roe}) {
    const std::vector<double> one = run(threads, viscosity), other = run(cuda, viscosity);
    for (std::size_t i = 0; i < one.size(); ++i) ASSERT_NEAR(one[i], other[i], 1e-10) << i;
  }
}

/// Two gases that part faster than Roe's mean knows: the run says which viscosity keeps them.
TEST(GasRoeRun, SaysWhichViscosityKeepsAGasWhereItIsLost) {
  using namespace euler_decks;
  const std::string deck = gas_box(1, 40, "interval") +
                           "[physics]\ntype = \"euler\"\nlimiter = \"none\"\nviscosity = \"roe\"\n" +
                           initial("1", "[\"16*(x > 0.5) - 8\"]", "0.1") +
                           "[[boundary]]\non = [\"rest\"]\ntype = \"outflow\"\n" + time_to(0.05);
  const Result lost = app_test::tessera("run " + write_deck("roe_lost.toml", deck) +
                                        " --quiet --backend threads --output " + (folder() / "roe_lost").string());
  EXPECT_EQ(lost.code, 4) << lost.text;
  EXPECT_TRUE(lost.says("viscosity = \"roe\" does not keep them positive")) << lost.text;
  run("roe_kept", deck, "--set physics.viscosity=guaranteed");
}

}  // namespace
