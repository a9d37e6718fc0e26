// Passes in float beside those in double: what they keep, and how far they are from each other.
#include "kept.hpp"

namespace {

using namespace euler_test;

template <class Exec>
class GasInFloat : public ::testing::Test {};
TYPED_TEST_SUITE(GasInFloat, tessera::testing::Backends);

SchemeParams params_of(Limiter limiter, bool in_float, double gamma = 1.4) {
  return {.gas = make_gas(gamma), .limiter = limiter, .in_float = in_float};
}
const std::vector<Limiter> limiters = {Limiter::none, Limiter::convex, Limiter::monolithic};

double furthest(const std::vector<double>& one, const std::vector<double>& other) {
  double most = 0;
  for (std::size_t i = 0; i < one.size(); ++i) most = std::fmax(most, std::abs(one[i] - other[i]));
  return most;
}

TYPED_TEST(GasInFloat, LeavesAUniformFlowAsItIsOnDistortedMeshes) {
  TESSERA_REQUIRE(TypeParam);
  EXPECT_LT((drift_of_uniform_flow<TypeParam, 1>("interval", 50, true)), 2e-12);
  EXPECT_LT((drift_of_uniform_flow<TypeParam, 2>("triangle", 12, true)), 2e-12);
  EXPECT_LT((drift_of_uniform_flow<TypeParam, 2>("quad", 12, true)), 2e-12);
  EXPECT_LT((drift_of_uniform_flow<TypeParam, 3>("tet", 5, true)), 2e-12);
  EXPECT_LT((drift_of_uniform_flow<TypeParam, 3>("hex", 5, true)), 2e-12);
}

TYPED_TEST(GasInFloat, KeepsMassAndEnergyInAClosedBoxToItsRounding) {
  TESSERA_REQUIRE(TypeParam);
  for (const Limiter limiter : limiters) {
    expect_conserved<TypeParam, 1>("interval", 50, limiter, "ssp_rk3", true);
    expect_conserved<TypeParam, 2>("triangle", 16, limiter, "ssp_rk3", true);
    expect_conserved<TypeParam, 2>("quad", 16, limiter, "ssp_rk3", true);
    expect_conserved<TypeParam, 3>("tet", 6, limiter, "ssp_rk3", true);
    expect_conserved<TypeParam, 3>("hex", 6, limiter, "ssp_rk3", true);
  }
  expect_conserved<TypeParam, 2>("triangle", 16, Limiter::convex, "erk33", true);
}

TYPED_TEST(GasInFloat, KeepsRandomStrongRiemannProblemsPositive) {
  TESSERA_REQUIRE(TypeParam);
  const auto rejected = [](Limiter limiter, int count, const char* steps) {
    const Offset in_float = expect_positive<TypeParam>(limiter, random_gases(count), steps, true),
                 in_double = expect_positive<TypeParam>(limiter, random_gases(count), steps, false);
    EXPECT_LE(in_float, in_double + 2) << steps;  // the same on threads
  };
  rejected(Limiter::convex, 60, "ssp_rk3");
  rejected(Limiter::none, 20, "ssp_rk3");
  rejected(Limiter::monolithic, 20, "ssp_rk3");
  rejected(Limiter::convex, 20, "erk33");
}

TYPED_TEST(GasInFloat, RepeatsItselfBitByBit) {
  TESSERA_REQUIRE(TypeParam);
  const auto run = [](int threads) {
    TypeParam exec = tessera::testing::with_threads<TypeParam>(threads);
    Flow<TypeParam, 2> flow(exec, unit_box("triangle", 2, 20, 0.2), params_of(Limiter::convex, true),
                            euler_test::tube<2>({1, 0, 1}, {0.125, 0, 0.1}, 0.5));
    flow.run(0.05, 0.9);
    return flow.state();
  };
  EXPECT_EQ(run(1), run(2));
}

/// Waves of sound and of the density across a box, without a shock.
Primitive<2> waves(const std::array<double, 3>& x, double t) {
  return {.rho = 1 + 0.2 * std::sin(6 * (x[0] - 0.5 * t) + 4 * (x[1] - 0.25 * t)), .v = {0.5, 0.25}, .p = 1};
}

/// After a hundred steps, with limits that smooth flows have, and through a shock at low order.
TYPED_TEST(GasInFloat, IsCloseToDoubleAfterAHundredSteps) {
  TESSERA_REQUIRE(TypeParam);
  const auto far = [](const std::string& shape, Limiter limiter, const Solution<2>& solution) {
    std::vector<double> u[2];
    for (const bool in_float : {false, true}) {
      TypeParam exec = tessera::testing::with_threads<TypeParam>(2);
      Flow<TypeParam, 2> flow(exec, unit_box(shape, 2, 24, 0.1), params_of(limiter, in_float), solution);
      flow.run(1e9, 0.5, 100);
      u[in_float] = flow.state();
    }
    EXPECT_NE(u[0], u[1]);
    return furthest(u[0], u[1]);
  };
  const Solution<2> shock = euler_test::tube<2>({1, 0, 1}, {0.125, 0, 0.1}, 0.5);
  for (const char* shape : {"triangle", "quad"}) {
    EXPECT_LT(far(shape, Limiter::none, waves), 1e-5) << shape;
    EXPECT_LT(far(shape, Limiter::convex, waves), 1e-5) << shape;
    EXPECT_LT(far(shape, Limiter::monolithic, waves), 1e-4) << shape;
    EXPECT_LT(far(shape, Limiter::none, shock), 1e-5) << shape;
    // How much of an edge keeps the entropy grows like a root of what rounds there.
    EXPECT_LT(far(shape, Limiter::convex, shock), 5e-3) << shape;
  }
}

/// A gas of a ten-thousandth of the pressure and all of the density beside a hot one.
TYPED_TEST(GasInFloat, IsCloseToDoubleWhereColdGasIsBesideHot) {
  TESSERA_REQUIRE(TypeParam);
  const Solution<2> jump = euler_test::tube<2>({1, 0, 1e4}, {1, 0, 1}, 0.5);
  std::array<double, 3> errors[2];
  for (const bool in_float : {false, true}) {
    TypeParam exec = tessera::testing::with_threads<TypeParam>(2);
    Flow<TypeParam, 2> flow(exec, unit_box("triangle", 2, 32, 0.1), params_of(Limiter::convex, in_float), jump);
    flow.run(0.002, 0.5);
    errors[in_float] = flow.primitive_l1();
  }
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(errors[1][k], errors[0][k], 0.01 * errors[0][k]) << k;
}

/// Errors of tubes are those of double.
TYPED_TEST(GasInFloat, HasTheErrorsOfDoubleInTubes) {
  TESSERA_REQUIRE(TypeParam);
  const auto errors = [](const Solution<1>& solution, double end, bool in_float) {
    TypeParam exec = tessera::testing::with_threads<TypeParam>(2);
    Flow<TypeParam, 1> flow(exec, unit_box("interval", 1, 200), params_of(Limiter::convex, in_float), solution);
    flow.run(end, 0.5);
    return flow.primitive_l1();
  };
  const Solution<1> sod = euler_test::tube<1>({1, 0, 1}, {0.125, 0, 0.1}, 0.5),
                    lax = euler_test::tube<1>({0.445, 0.698, 3.528}, {0.5, 0, 0.571}, 0.5);
  for (const auto& [tube, end] : {std::pair{sod, 0.2}, std::pair{lax, 0.14}}) {
    const auto in_double = errors(tube, end, false), in_float = errors(tube, end, true);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(in_float[k], in_double[k], 0.01 * in_double[k]) << k;
  }
}

TEST(GasInFloatOnCuda, IsCloseToThreads) {
  TESSERA_REQUIRE(Cuda);
  const auto run = []<class Exec>(Exec& exec, Limiter limiter, const std::string& shape) {
    Flow<Exec, 2> flow(exec, unit_box(shape, 2, 24, 0.1), params_of(limiter, true), waves);
    flow.run(1e9, 0.5, 100);
    return flow.state();
  };
  Threads threads(2);
  Cuda cuda;
  for (const Limiter limiter : {Limiter::none, Limiter::convex})
    for (const char* shape : {"triangle", "quad"})
      EXPECT_LT(furthest(run(threads, limiter, shape), run(cuda, limiter, shape)), 1e-5) << shape;
}

}  // namespace
