// What the scheme keeps, and its order, on meshes of all shapes.
#include <fmt/format.h>

#include "kept.hpp"
#include "mesh/facets.hpp"

namespace {

using namespace euler_test;

template <class Exec>
class GasScheme : public ::testing::Test {};
TYPED_TEST_SUITE(GasScheme, tessera::testing::Backends);

TYPED_TEST(GasScheme, LeavesAUniformFlowAsItIsOnDistortedMeshes) {
  TESSERA_REQUIRE(TypeParam);
  EXPECT_LT((drift_of_uniform_flow<TypeParam, 1>("interval", 50)), 2e-12);
  EXPECT_LT((drift_of_uniform_flow<TypeParam, 2>("triangle", 12)), 2e-12);
  EXPECT_LT((drift_of_uniform_flow<TypeParam, 2>("quad", 12)), 2e-12);
  EXPECT_LT((drift_of_uniform_flow<TypeParam, 3>("tet", 5)), 2e-12);
  EXPECT_LT((drift_of_uniform_flow<TypeParam, 3>("hex", 5)), 2e-12);
}

TYPED_TEST(GasScheme, KeepsMassAndEnergyInAClosedBoxToRounding) {
  TESSERA_REQUIRE(TypeParam);
  for (const Limiter limiter : {Limiter::none, Limiter::convex, Limiter::monolithic, Limiter::fct}) {
    expect_conserved<TypeParam, 1>("interval", 50, limiter);
    expect_conserved<TypeParam, 2>("triangle", 16, limiter);
    expect_conserved<TypeParam, 2>("quad", 16, limiter);
    expect_conserved<TypeParam, 3>("tet", 6, limiter);
    expect_conserved<TypeParam, 3>("hex", 6, limiter);
  }
}

/// A wheel of triangles: its hub has as many neighbours as it has spokes.
mesh::Mesh wheel(int spokes, int rings) {
  mesh::Mesh mesh;
  mesh.dim = 2;
  mesh.points = {0.5, 0.5, 0};
  const auto node = [&](int ring, int spoke) { return static_cast<Index>(1 + (ring - 1) * spokes + spoke % spokes); };
  mesh::CellBlock block{mesh::Shape::triangle, 1, 3, {}, 0};
  const auto add = [&](Index a, Index b, Index c) { block.nodes.insert(block.nodes.end(), {a, b, c}); };
  for (int ring = 1; ring <= rings; ++ring)
    for (int spoke = 0; spoke < spokes; ++spoke) {
      const double r = 0.4 * ring / rings, angle = 2 * std::acos(-1.0) * spoke / spokes;
      mesh.points.insert(mesh.points.end(), {0.5 + r * std::cos(angle), 0.5 + r * std::sin(angle), 0.0});
      if (ring == 1) {
        add(0, node(1, spoke), node(1, spoke + 1));
      } else {
        add(node(ring - 1, spoke), node(ring, spoke), node(ring, spoke + 1));
        add(node(ring - 1, spoke), node(ring, spoke + 1), node(ring - 1, spoke + 1));
      }
    }
  mesh.blocks = {block};
  mesh::set_facets(mesh, {});
  return mesh;
}

/// More edges than the limiter names one by one.
TYPED_TEST(GasScheme, KeepsMassAndEnergyAtANodeWithManyNeighbours) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec = tessera::testing::with_threads<TypeParam>(2);
  const Solution<2> bang = [](const std::array<double, 3>& x, double) {
    Primitive<2> w;
    const bool inside = (x[0] - 0.5) * (x[0] - 0.5) + (x[1] - 0.5) * (x[1] - 0.5) < 0.003;
    w.p = inside && x[1] < 0.52 ? 100 : 0.1;
    w.rho = inside && x[0] < 0.51 ? 5 : 1;
    return w;
  };
  Flow<TypeParam, 2> flow(exec, wheel(90, 30), {.gas = make_gas(1.4)}, bang);
  const auto before = flow.totals();
  flow.run(1e9, 0.9, 5);
  const auto after = flow.totals();
  EXPECT_NEAR(after[density], before[density], 1e-12 * before[density]);
  EXPECT_NEAR(after[energy], before[energy], 1e-12 * before[energy]);
  const std::vector<double> u = flow.state();
  for (Index i = 0; i < flow.nodes(); ++i) ASSERT_GT(flow.at(u, i).p, 0) << i;
}

/// A cold gas beside one that is 1e14 and 1e17 times as hot: what limits leave of edges to a cold node is no difference
/// of what hot ones would bring.
TYPED_TEST(GasScheme, KeepsAColdGasBesideAHotOne) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec = tessera::testing::with_threads<TypeParam>(2);
  const Gas gas = make_gas(1.4);
  for (const double cold : {1e-10, 1e-14, 1e-17}) {
    const Solution<2> jump = [=](const std::array<double, 3>& x, double) {
      Primitive<2> w;
      w.p = x[0] < 0.3 ? 1 : cold;
      return w;
    };
    for (const char* shape : {"triangle", "quad"}) {
      Flow<TypeParam, 2> flow(exec, unit_box(shape, 2, 24, 0.2), {.gas = gas, .relaxed = false}, jump);
      flow.run(1e9, 0.5, 20);
      EXPECT_EQ(flow.rejected(), 0) << cold << shape;
      const std::vector<double> u = flow.state();
      for (Index i = 0; i < flow.nodes(); ++i) {
        const Primitive<2> w = flow.at(u, i);
        ASSERT_GT(w.rho, 0) << cold << shape;
        // The entropy of the coldest is what it was.
        ASSERT_GT(w.p / std::pow(w.rho, 1.4), cold * (1 - 1e-9)) << cold << shape;
      }
    }
  }
}

/// Limits that are kept are those of the stage as long as they are not blended; then they are still the same at both
/// ends of an edge, so that nothing is lost.
TYPED_TEST(GasScheme, MonolithicLimitsThatAreBlendedLoseNothing) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec = tessera::testing::with_threads<TypeParam>(2);
  const Solution<2> bump = [](const std::array<double, 3>& x, double) {
    Primitive<2> w;
    w.p = 1 + std::exp(-20 * ((x[0] - 0.4) * (x[0] - 0.4) + (x[1] - 0.4) * (x[1] - 0.4)));
    return w;
  };
  const SchemeParams params{.gas = make_gas(1.4), .limiter = Limiter::monolithic};
  Flow<TypeParam, 2> plain(exec, unit_box("triangle", 2, 12, 0.2), params, bump, true);
  Flow<TypeParam, 2> kept(exec, unit_box("triangle", 2, 12, 0.2), params, bump, true);
  const auto before = kept.totals();
  plain.run(1e9, 0.9, 10);
  kept.scheme().set_blend(1);
  kept.run(1e9, 0.9, 10);
  const std::vector<double> one = plain.state(), same = kept.state();
  for (std::size_t i = 0; i < one.size(); ++i) ASSERT_NEAR(same[i], one[i], 1e-12) << i;
  plain.run(1e9, 0.9, 10);
  for (const double blend : {0.5, 0.0}) {
    kept.scheme().set_blend(blend);
    kept.run(1e9, 0.9, 5);
  }
  const std::vector<double> other = plain.state(), blended = kept.state();
  double most = 0;
  for (std::size_t i = 0; i < other.size(); ++i) most = std::fmax(most, std::abs(blended[i] - other[i]));
  EXPECT_GT(most, 1e-8);
  EXPECT_LT(most, 0.1);
  const auto after = kept.totals();
  EXPECT_NEAR(after[density], before[density], 2e-13 * before[density]);
  EXPECT_NEAR(after[energy], before[energy], 2e-13 * before[energy]);
}

TYPED_TEST(GasScheme, KeepsRandomStrongRiemannProblemsPositive) {
  TESSERA_REQUIRE(TypeParam);
  expect_positive<TypeParam>(Limiter::convex, random_gases(60));
}

/// The same gases where limits do not depend on the step, in steps of the length that keeps means.
TYPED_TEST(GasScheme, KeepsThemPositiveWithMonolithicLimits) {
  TESSERA_REQUIRE(TypeParam);
  expect_positive<TypeParam>(Limiter::monolithic, 20);
}

/// Stages that look at the fluxes of those before keep what Euler steps keep.
TYPED_TEST(GasScheme, KeepsAllThatInStagesThatAreEqualPartsOfAStep) {
  TESSERA_REQUIRE(TypeParam);
  for (const char* steps : {"erk22", "erk33"}) {
    expect_conserved<TypeParam, 1>("interval", 50, Limiter::convex, steps);
    expect_conserved<TypeParam, 2>("triangle", 16, Limiter::convex, steps);
    expect_conserved<TypeParam, 3>("tet", 6, Limiter::convex, steps);
    expect_positive<TypeParam>(Limiter::convex, 20, steps);
  }
}

TYPED_TEST(GasScheme, RepeatsItselfBitByBit) {
  TESSERA_REQUIRE(TypeParam);
  const auto run = [](int threads) {
    TypeParam exec = tessera::testing::with_threads<TypeParam>(threads);
    Flow<TypeParam, 2> flow(exec, unit_box("triangle", 2, 20, 0.2), {.gas = make_gas(1.4)},
                            euler_test::tube<2>({1, 0, 1}, {0.125, 0, 0.1}, 0.5));
    flow.run(0.05, 0.9);
    return flow.state();
  };
  EXPECT_EQ(run(1), run(2));
}

/// Yee, Vinokur & Djomehri 2000, as Maier & Kronbichler take it: strength 5, Mach 1 along the diagonal, from -5 to 5;
/// here the square is the unit square, and times are tenths.
Primitive<2> vortex(const std::array<double, 3>& X, double time) {
  const double pi = std::acos(-1.0), gamma = 1.4, strength = 5, v = std::sqrt(0.5), t = 10 * time;
  const double x = 10 * X[0] - 4 - v * t, y = 10 * X[1] - 4 - v * t;
  const double factor = strength / (2 * pi) * std::exp(0.5 * (1 - x * x - y * y));
  const double temperature = 1 - (gamma - 1) / (2 * gamma) * factor * factor;
  const double rho = std::pow(temperature, 1 / (gamma - 1));
  return {.rho = rho, .v = {v - factor * y, v + factor * x}, .p = std::pow(rho, gamma)};
}

double vortex_error(const std::string& shape, int cells, SchemeParams params, double distorted = 0,
                    const std::string& steps = "ssp_rk3") {
  Threads exec(2);
  params.gas = make_gas(1.4);
  Flow<Threads, 2> flow(exec, unit_box(shape, 2, cells, distorted), params, vortex, false, steps);
  flow.run(0.2, 0.4);
  return flow.normalised_l1();
}

/// The other program: 4.02e-4 with 4225 nodes.
TEST(GasOrder, OfASmoothVortexIsAboveTwo) {
  const double coarse = vortex_error("quad", 32, {}), fine = vortex_error("quad", 64, {});
  EXPECT_LT(fine, 4.02e-4);
  EXPECT_GT(std::log2(coarse / fine), 2.8);
  // The errors of moved nodes are those of the elements: without limits and viscosity they are the same.
  EXPECT_GT(std::log2(vortex_error("triangle", 16, {}, 0.1) / vortex_error("triangle", 48, {}, 0.1)) / std::log2(3),
            1.2);
}

TEST(GasOrder, FallsWithoutTheConsistentMassAndWithoutRelaxedBounds) {
  const double best = vortex_error("quad", 32, {});
  EXPECT_GT(vortex_error("quad", 32, {.gas = {}, .consistent_mass = false}), 2 * best);
  EXPECT_GT(vortex_error("quad", 32, {.gas = {}, .relaxed = false}), 2 * best);
  EXPECT_GT(vortex_error("quad", 32, {.gas = {}, .limiter = Limiter::none}), 20 * best);
  EXPECT_LT(vortex_error("quad", 32, {}, 0, "erk33"), 1.1 * best);
}

/// A smooth wave in a closed box after `count` steps of one length, without viscosity: what is left is an ordinary
/// differential equation.
std::vector<double> wave_after(const std::string& scheme, int count) {
  Threads exec(2);
  const Solution<2> wave = [](const std::array<double, 3>& x, double) {
    Primitive<2> w;
    w.p = 1 + 0.1 * std::exp(-30 * ((x[0] - 0.4) * (x[0] - 0.4) + (x[1] - 0.5) * (x[1] - 0.5)));
    w.rho = std::pow(w.p, 1 / 1.4);
    return w;
  };
  Flow<Threads, 2> flow(exec, unit_box("quad", 2, 24), {.gas = make_gas(1.4), .viscosity_factor = 0}, wave, true,
                        scheme);
  constexpr double end = 0.16;
  double t = 0;
  for (int k = 0; k < count; ++k) {
    const auto done = flow.steps().step(t, 1, end / count);
    EXPECT_NEAR(done.dt, end / count, 1e-15) << scheme;
    t += done.dt;
  }
  return flow.state();
}

TEST(GasOrder, InTimeIsThatOfTheStages) {
  struct Case {
    const char* scheme;
    int count;
    double order;
  };
  const std::vector<double> exact = wave_after("ssp_rk3", 400);
  for (const Case& of :
       {Case{"ssp_rk2", 25, 1.9}, Case{"ssp_rk3", 25, 2.85}, Case{"erk22", 13, 1.9}, Case{"erk33", 13, 2.85}}) {
    const auto error = [&](int count) {
      const std::vector<double> u = wave_after(of.scheme, count);
      double sum = 0;
      for (std::size_t i = 0; i < u.size(); ++i) sum += std::abs(u[i] - exact[i]);
      return sum / static_cast<double>(u.size());
    };
    const double coarse = error(of.count), fine = error(2 * of.count);
    EXPECT_GT(std::log2(coarse / fine), of.order) << of.scheme << ' ' << coarse << ' ' << fine;
  }
}

/// Three evaluations of "erk33" go three times as far as those of "ssp_rk3".
TEST(GasOrder, OfEqualPartsOfAStepNeedsAThirdOfTheEvaluations) {
  const auto run = [](const std::string& scheme) {
    Threads exec(2);
    Flow<Threads, 1> flow(exec, unit_box("interval", 1, 200), {.gas = make_gas(1.4)},
                          euler_test::tube<1>({1, 0, 1}, {0.125, 0, 0.1}, 0.5), false, scheme);
    flow.run(0.2, 0.5);
    return std::pair{flow.steps().evaluations(), flow.primitive_l1()[0]};
  };
  const auto [many, of_many] = run("ssp_rk3");
  const auto [few, of_few] = run("erk33");
  EXPECT_LT(static_cast<double>(few), 0.36 * static_cast<double>(many));
  EXPECT_LT(of_few, 1.1 * of_many);
}

/// Over a wall of a tube the entropy of a gas may rise, and never falls below its least value.
TEST(GasEntropy, TheLeastEntropyDoesNotFall) {
  Threads exec(2);
  Flow<Threads, 2> flow(exec, unit_box("triangle", 2, 24, 0.2), {.gas = make_gas(1.4), .relaxed = false},
                        euler_test::tube<2>({1, 0, 1}, {0.125, 0, 0.1}, 0.5), true);
  const auto least = [&] {
    const std::vector<double> u = flow.state();
    double s = 1e300;
    for (Index i = 0; i < flow.nodes(); ++i) {
      const Primitive<2> w = flow.at(u, i);
      s = std::fmin(s, w.p * std::pow(w.rho, -1.4));
    }
    return s;
  };
  const double before = least();
  flow.run(0.5, 0.9);
  EXPECT_GE(least(), before * (1 - 1e-9));
}

}  // namespace
