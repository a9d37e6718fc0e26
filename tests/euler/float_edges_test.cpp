// One edge in float beside double: speeds that are bounds, the same of both its rows, and how much of it is taken.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "physics/euler/equation.hpp"

namespace {

using namespace tessera;
using namespace tessera::physics::euler;

template <class Real>
NodeState<1, Real> node_of(const GasEquation<1, Real>& equation, const double (&u)[3]) {
  Real numbers[node_numbers], rounded[3];
  for (int k = 0; k < 3; ++k) rounded[k] = static_cast<Real>(u[k]);
  equation.at_node(u, 0, 1, numbers);
  NodeState<1, Real> state;
  state.load(rounded, numbers, 1, 0);
  return state;
}

/// Gases whose gamma is close to 1 have powers of 1 / z = 2 gamma / (gamma - 1), which make much of what rounds.
TEST(EdgeInFloat, HasSpeedsThatAreBoundsAndTheSameFromBothSides) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> sign(-1, 1);
  const double c[1] = {1};
  const float along[1] = {1}, back[1] = {-1};
  for (const double gamma : {1.001, 1.01, 1.1, 1.2, 1.4, 5.0 / 3, 2.0})
    for (const double spread : {0.001, 0.1, 3.0})
      for (const double level : {0.0, 5.0}) {
        const Gas gas = make_gas(gamma);
        const GasEquation<1, double> in_double{gas};
        const GasEquation<1, float> in_float{tessera::physics::euler::in_float(gas)};
        for (int k = 0; k < 5000; ++k) {
          Primitive<1> a, b;
          a.rho = std::pow(10, spread * sign(random));
          b.rho = k % 10 ? a.rho * std::pow(10, spread * sign(random)) : a.rho;
          a.p = std::pow(10, level + spread * sign(random));
          b.p = k % 5 ? a.p * std::pow(10, spread * sign(random)) : a.p;  // equal ones have no lower side
          const double sound = gas.sound(a.rho, a.p);
          a.v[0] = 0.5 * sound * sign(random);
          b.v[0] = a.v[0] + 2 * std::min(spread, 1.0) * sound * sign(random);
          double of_a[3], of_b[3];
          conservative<1>(gas, a, of_a);
          conservative<1>(gas, b, of_b);
          const auto first = node_of(in_double, of_a), second = node_of(in_double, of_b);
          const double d = in_double.viscosity(first, second, {first, second, c});
          const auto left = node_of(in_float, of_a), right = node_of(in_float, of_b);
          const float rounded = in_float.viscosity(left, right, {left, right, along});
          ASSERT_EQ(rounded, in_float.viscosity(right, left, {right, left, back})) << gamma << ' ' << spread;
          ASSERT_GE(rounded, d) << gamma << ' ' << spread;
          ASSERT_LE(rounded, d * (1 + 1e-6 * (8 + 2 * gas.inverse_z))) << gamma << ' ' << spread;
        }
      }
}

/// The internal energy of a fast gas is a small difference of large numbers. Ends of which the entropy is that of the
/// bound, to rounding, are taken whole, and the last digit of what an edge brings does not say otherwise.
TEST(EdgeInFloat, TakesAllOfEdgesBetweenStatesOfOneEntropyAtAnyMachNumber) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> sign(-1, 1);
  const Gas gas = make_gas(1.4);
  const GasEquation<2, float> equation{in_float(gas)};
  for (const double mach : {0.5, 3.0, 6.0, 10.0, 30.0, 100.0})
    for (int k = 0; k < 20000; ++k) {
      Primitive<2> w, end;
      w.rho = 1 + 0.2 * sign(random);
      w.p = std::pow(w.rho, 1.4) * (1 + 1e-9);
      w.v[0] = 1.183 * mach;
      w.v[1] = 0.5 * w.v[0];
      end = w;
      end.rho *= 1 + 1e-3 * sign(random);
      end.p = std::pow(end.rho, 1.4) * (1 + 1e-5 * (1 + sign(random)));
      double u[4], to[4];
      conservative<2>(gas, w, u);
      conservative<2>(gas, end, to);
      float from[4], f[4], bounds[4] = {static_cast<float>(0.5 * u[0]), static_cast<float>(2 * u[0]), 2.5F, 0};
      for (int i = 0; i < 4; ++i) {
        from[i] = static_cast<float>(u[i]);
        f[i] = static_cast<float>(to[i] - u[i]);
      }
      bounds[3] = equation.guard(bounds, from);
      const float l = equation.part<false>(bounds, from, f, 1.0F);
      f[momentum] = std::nextafterf(f[momentum], 1e30F);
      ASSERT_EQ(l, 1) << mach;
      ASSERT_EQ(equation.part<false>(bounds, from, f, 1.0F), 1) << mach;
    }
}

}  // namespace
