// The gas, and the bound of wave speeds.
#include "physics/euler/riemann.hpp"

#include "flows.hpp"
#include "physics/euler/equation.hpp"

namespace {

using namespace euler_test;

RiemannSide side(const Gas& gas, const GasState& s) {
  const double free = gas.free_volume(s.rho);
  return {s.v, s.p, gas.sound(s.rho, s.p), free, std::pow(s.p, -gas.z), free / s.rho};
}
double bound(const Gas& gas, const GasState& left, const GasState& right) {
  return wave_speed_bound(gas, side(gas, left), side(gas, right));
}

TEST(Gas, GoesToConservativeNumbersAndBack) {
  for (const double covolume : {0.0, 0.2}) {
    const Gas gas = make_gas(1.3, covolume);
    const Primitive<3> w{.rho = 1.7, .v = {0.3, -2, 5}, .p = 0.01};
    double u[5];
    conservative<3>(gas, w, u);
    EXPECT_TRUE(is_admissible<3>(gas, u));
    EXPECT_DOUBLE_EQ(u[density], 1.7);
    EXPECT_DOUBLE_EQ(u[momentum + 1], -3.4);
    // p (1 - b rho) = (gamma - 1) rho e
    EXPECT_NEAR(u[energy], 0.01 * (1 - covolume * 1.7) / 0.3 + 0.5 * 1.7 * (0.09 + 4 + 25), 1e-13);
    const Primitive<3> back = primitive<3>(gas, u);
    EXPECT_NEAR(back.p, w.p, 1e-12);
    for (int d = 0; d < 3; ++d) EXPECT_DOUBLE_EQ(back.v[d], w.v[d]);
    u[energy] = 0.5 * 1.7 * (0.09 + 4 + 25) * (1 - 1e-12);
    EXPECT_FALSE(is_admissible<3>(gas, u));
  }
}

/// Toro's table of the star states of his five tests.
TEST(Riemann, TheExactSolverHasTheStarStatesOfToro) {
  const auto star = [](const GasState& left, const GasState& right) {
    const RiemannSolution exact(left, right);
    return std::array<double, 4>{exact.pressure(), exact.velocity(), exact.density(left), exact.density(right)};
  };
  const auto sod = star({1, 0, 1}, {0.125, 0, 0.1});
  EXPECT_NEAR(sod[0], 0.303130, 1e-6);
  EXPECT_NEAR(sod[1], 0.927453, 1e-6);
  EXPECT_NEAR(sod[2], 0.426319, 1e-6);
  EXPECT_NEAR(sod[3], 0.265574, 1e-6);
  const auto third = star({1, 0, 1000}, {1, 0, 0.01});
  EXPECT_NEAR(third[0], 460.894, 1e-3);
  EXPECT_NEAR(third[1], 19.5975, 1e-4);
  EXPECT_NEAR(third[2], 0.57506, 1e-5);
  EXPECT_NEAR(third[3], 5.99924, 1e-5);
  EXPECT_NEAR(star({1, -2, 0.4}, {1, 2, 0.4})[0], 0.00189, 1e-5);
}

TEST(Riemann, TheBoundIsNotBelowTheFastestWaveOfRandomProblems) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> of_power(-8, 8), of_speed(-1, 1);
  for (const double gamma : {1.05, 1.2, 1.4, 5.0 / 3, 2.0, 3.0, 5.0}) {
    const Gas gas = make_gas(gamma);
    double closest = 1e300;
    for (int k = 0; k < 20000; ++k) {
      GasState left{std::pow(10, of_power(random) / 2), 0, std::pow(10, of_power(random))};
      GasState right{std::pow(10, of_power(random) / 2), 0, std::pow(10, of_power(random))};
      const double scale = 3 * std::fmax(gas.sound(left.rho, left.p), gas.sound(right.rho, right.p));
      left.v = scale * of_speed(random);
      right.v = scale * of_speed(random);
      const double exact = RiemannSolution(left, right, gamma).fastest(), found = bound(gas, left, right);
      ASSERT_GE(found, exact * (1 - 1e-9)) << gamma << ' ' << k;
      if (exact > 0) closest = std::fmin(closest, found / exact);
    }
    EXPECT_LT(closest, 1.0001) << gamma;  // where there are rarefactions alone it is exact
  }
}

TEST(Riemann, TheBoundIsTheSameBitByBitFromTheOtherSide) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> number(0.01, 5);
  const Gas gas = make_gas(1.4, 0.05);
  for (int k = 0; k < 1000; ++k) {
    const GasState left{number(random), number(random) - 2.5, number(random)},
        right{number(random), number(random) - 2.5, number(random)};
    EXPECT_EQ(bound(gas, left, right), bound(gas, {right.rho, -right.v, right.p}, {left.rho, -left.v, left.p}));
  }
}

/// By numbers of nodes as passes have them, of gases that are close and far from each other.
TEST(Riemann, TheViscosityInFloatIsNotBelowThatInDoubleAndTheSameOfBothRows) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> decade(-3, 3), sign(-1, 1);
  const Gas gas = make_gas(1.4);
  const GasOf<float> rounded = in_float(gas);
  const auto load = []<class Real>(const GasOf<Real>& of, const Primitive<2>& w, NodeState<2, Real>& state) {
    double u[4];
    conservative<2>(make_gas(1.4), w, u);
    Real node[node_numbers], copy[4];
    GasEquation<2, Real>{of}.at_node(u, 0, 1, node);
    for (int k = 0; k < 4; ++k) copy[k] = static_cast<Real>(u[k]);
    state.load(copy, node, 1, 0);
  };
  for (int k = 0; k < 20000; ++k) {
    const double apart = k % 2 ? 0.9 : 0.01, rho = std::pow(10, decade(random)), p = std::pow(10, decade(random));
    NodeState<2, double> exact[2];
    NodeState<2, float> single[2];
    const double v[] = {sign(random), sign(random)}, sound = gas.sound(rho, p);
    for (int i = 0; i < 2; ++i) {
      Primitive<2> w{.rho = rho * (1 + apart * sign(random)), .v = {}, .p = p * (1 + apart * sign(random))};
      for (int d = 0; d < 2; ++d) w.v[d] = sound * (2 * v[d] + apart * sign(random));
      load(gas, w, exact[i]);
      load(rounded, w, single[i]);
    }
    const double c[] = {0.3, -0.2};
    const float along[] = {0.3F, -0.2F}, against[] = {-0.3F, 0.2F};
    const double d = one_viscosity<2>(gas, exact[0], exact[1], {exact[0], exact[1], c});
    const float found = one_viscosity<2>(rounded, single[0], single[1], {single[0], single[1], along});
    ASSERT_GE(found, d * (1 - 1e-7)) << k;
    ASSERT_LE(found, d * (1 + 1e-5)) << k;
    ASSERT_EQ(found, one_viscosity<2>(rounded, single[1], single[0], {single[1], single[0], against})) << k;
  }
}

TEST(Riemann, OfEqualStatesTheBoundIsTheSpeedOfSoundAndFlow) {
  const Gas gas = make_gas(1.4);
  EXPECT_NEAR(bound(gas, {1.4, 3, 1}, {1.4, 3, 1}), 4, 1e-13);
  EXPECT_EQ(make_gas(5.0 / 3).whole_inverse_z, 5);
  EXPECT_EQ(make_gas(1.3).whole_inverse_z, 0);
  EXPECT_NEAR(power(1.3, 7.0, 7), std::pow(1.3, 7), 1e-13);
}

}  // namespace
