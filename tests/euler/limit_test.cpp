// Convex limiting of one state.
#include "physics/euler/limit.hpp"

#include "flows.hpp"

namespace {

using namespace euler_test;

double entropy(const Gas& gas, const double (&u)[4]) {
  return density_times_internal<2>(u) / u[density] * gas.entropy_factor(u[density]);
}

struct Found {
  int limited = 0;
  double least_excess = 1e300, most_gap = 0;
};

/// Random states within bounds, and directions by which numbers change by up to the part `far`; what comes out is held
/// against a search by halving.
Found look(const Gas& gas, double far) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> unit(0, 1), sign(-1, 1);
  Found found;
  for (int k = 0; k < 5000; ++k) {
    const double most = gas.covolume > 0 ? 0.9 / gas.covolume : 10;
    double u[4], by[4], to[4];
    conservative<2>(gas,
                    {.rho = most * (0.01 + 0.8 * unit(random)),
                     .v = {5 * sign(random), 5 * sign(random)},
                     .p = std::pow(10, 3 * sign(random))},
                    u);
    Bounds bounds{u[density] * (1 - unit(random)), std::fmin(most, u[density] * (1 + unit(random))),
                  entropy(gas, u) * (1 - 0.1 * unit(random)), 0};
    bounds.guard = bounds.least_s * std::pow(u[density], gas.gamma - 1);
    for (int c = 0; c < 4; ++c) by[c] = far * sign(random) * u[c];
    const double part = largest_part<2>(gas, bounds, u, by);
    EXPECT_GE(part, 0);
    EXPECT_LE(part, 1);
    const auto excess = [&](double t) {
      for (int c = 0; c < 4; ++c) to[c] = u[c] + t * by[c];
      const double rho = to[density];
      const double slack = 1e-12 * bounds.most_rho;
      if (rho < bounds.least_rho - slack || rho > bounds.most_rho + slack) return -1.0;
      return entropy(gas, to) / bounds.least_s - 1;
    };
    found.least_excess = std::fmin(found.least_excess, excess(part));
    double inside = 0, outside = 1;
    if (excess(1) >= 0) inside = 1;
    for (int i = 0; i < 60 && inside < 1; ++i) {
      const double middle = 0.5 * (inside + outside);
      (excess(middle) >= 0 ? inside : outside) = middle;
    }
    if (part < 1) ++found.limited;
    found.most_gap = std::fmax(found.most_gap, inside - part);
  }
  return found;
}

TEST(ConvexLimit, StaysWithinItsBoundsAndGoesAsFarAsTheyLetIt) {
  for (const double gamma : {1.1, 1.4, 5.0 / 3, 2.5})
    for (const double covolume : {0.0, 0.3}) {
      const Gas gas = make_gas(gamma, covolume);
      const auto expect = [&](double far, double most_gap) {
        const Found found = look(gas, far);
        EXPECT_GT(found.limited, 2000) << far;
        EXPECT_GE(found.least_excess, -1e-9) << gamma << ' ' << covolume << ' ' << far;
        EXPECT_LT(found.most_gap, most_gap) << gamma << ' ' << covolume << ' ' << far;
      };
      expect(0.1, 2e-4);
      expect(2, 0.1);
    }
}

/// Where the bound lies as close to the end as numbers do, the quotient may round to beyond it.
TEST(ConvexLimit, GoesNoFurtherThanItIsAsked) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int k = 0; k < 20000; ++k) {
    const double by = std::pow(10, 4 + 4 * unit(random)), most = unit(random), to = 1 + most * by;
    const Bounds bounds{0, std::nextafter(to, 0), 0, 0};
    ASSERT_LE(tessera::physics::euler::detail::limit_density(bounds, 1, by, most), most) << by;
  }
}

TEST(ConvexLimit, LetsAStateAtItsBoundStayThere) {
  const Gas gas = make_gas(1.4);
  double u[3], by[3] = {-1, 0, 0};
  conservative<1>(gas, {.rho = 1, .v = {0}, .p = 1}, u);
  Bounds bounds{1, 2, 0, 0};
  EXPECT_EQ(largest_part<1>(gas, bounds, u, by), 0);
  by[0] = 0;
  EXPECT_EQ(largest_part<1>(gas, bounds, u, by), 1);
}

}  // namespace
