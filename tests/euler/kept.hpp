#pragma once
// What any scheme of gases keeps, on boxes of all shapes.
#include <cstdlib>

#include "flows.hpp"

namespace euler_test {

template <int dim>
Solution<dim> uniform() {
  return [](const std::array<double, 3>&, double) {
    Primitive<dim> w;
    w.rho = 1.4;
    for (int d = 0; d < dim; ++d) w.v[d] = 2 - d;
    return w;
  };
}

template <class Exec, int dim>
double drift_of_uniform_flow(const std::string& shape, int cells, bool in_float = false) {
  Exec exec = tessera::testing::with_threads<Exec>(2);
  Flow<Exec, dim> flow(exec, unit_box(shape, dim, cells, 0.25), {.gas = make_gas(1.4), .in_float = in_float},
                       uniform<dim>());
  const std::vector<double> before = flow.state();
  flow.run(1e9, 0.9, 20);
  const std::vector<double> after = flow.state();
  double most = 0;
  for (std::size_t i = 0; i < before.size(); ++i) most = std::fmax(most, std::abs(after[i] - before[i]));
  return most;
}

/// A bang in a closed box: walls take momentum, and nothing else but `rounding`.
template <class Exec, int dim>
void expect_conserved(const std::string& shape, int cells, Limiter limiter, const std::string& steps = "ssp_rk3",
                      bool in_float = false) {
  const double rounding = in_float ? 1e-7 : 2e-13;
  Exec exec = tessera::testing::with_threads<Exec>(2);
  const Solution<dim> bang = [](const std::array<double, 3>& x, double) {
    double square = 0;
    for (std::size_t d = 0; d < dim; ++d) square += (x[d] - 0.4) * (x[d] - 0.4);
    Primitive<dim> w;
    w.p = square < 0.05 ? 10 : 0.1;
    return w;
  };
  Flow<Exec, dim> flow(exec, unit_box(shape, dim, cells, 0.2),
                       {.gas = make_gas(1.4), .limiter = limiter, .in_float = in_float}, bang, true, steps);
  const auto before = flow.totals();
  flow.run(0.4, 0.9);
  const auto after = flow.totals();
  EXPECT_NEAR(after[density], before[density], rounding * before[density]) << shape;
  EXPECT_NEAR(after[energy], before[energy], rounding * before[energy]) << shape;
  EXPECT_GT(std::abs(after[momentum]), 1e-4);  // the waves have met the walls
}

/// Two random gases beside each other, nearly a vacuum included, on a distorted mesh: all states have a density and a
/// pressure. Returns how many steps were tried in vain, which are few.
template <class Exec>
Offset expect_positive(Limiter limiter, int count, const std::string& steps = "ssp_rk3", bool in_float = false) {
  Exec exec = tessera::testing::with_threads<Exec>(2);
  Offset rejected = 0;
  std::mt19937 random(11);
  std::uniform_real_distribution<double> power(-5, 3), sign(-1, 1);
  for (int k = 0; k < count; ++k) {
    const double gamma = k % 2 ? 1.4 : 5.0 / 3;
    const Gas gas = make_gas(gamma);
    const auto any = [&] {
      Primitive<2> w;
      w.rho = std::pow(10, power(random));
      w.p = std::pow(10, power(random));
      for (double& v : w.v) v = 4 * sign(random) * gas.sound(w.rho, w.p);
      return w;
    };
    const Primitive<2> left = any(), right = any();
    const double slope = sign(random);
    const Solution<2> jump = [=](const std::array<double, 3>& x, double) {
      return x[0] + slope * (x[1] - 0.5) < 0.5 ? left : right;
    };
    Flow<Exec, 2> flow(exec, unit_box(k % 3 ? "triangle" : "quad", 2, 8, 0.25),
                       {.gas = gas, .limiter = limiter, .in_float = in_float}, jump, false, steps);
    flow.run(1e9, 0.9, 12);
    EXPECT_LE(flow.rejected(), 24) << k;
    rejected += flow.rejected();
    const std::vector<double> u = flow.state();
    for (Index i = 0; i < flow.nodes(); ++i) {
      EXPECT_GT(flow.at(u, i).rho, 0) << k;
      EXPECT_GT(flow.at(u, i).p, 0) << k;
    }
  }
  return rejected;
}
/// How many of them a test takes: TESSERA_RANDOM_GASES, or `few`.
inline int random_gases(int few) {
  const char* const asked = std::getenv("TESSERA_RANDOM_GASES");
  return asked ? std::atoi(asked) : few;
}

}  // namespace euler_test
