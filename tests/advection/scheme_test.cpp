// What the scheme keeps of a scalar law, and how accurate it is.
#include "laws.hpp"

namespace {

using namespace advection_test;

template <class Exec>
class ScalarScheme : public ::testing::Test {};
TYPED_TEST_SUITE(ScalarScheme, tessera::testing::Backends);

deck::Expression of_u(const std::string& text) { return deck::Expression(text, {}, deck::Knows::solution); }

/// Solid body rotation: nothing is above or below what was there, and nothing is lost.
TYPED_TEST(ScalarScheme, KeepsTheMaximumPrincipleAndTheIntegral) {
  TESSERA_REQUIRE(TypeParam);
  for (const char* shape : {"triangle", "quad"})
    for (const Limiter limiter : {Limiter::none, Limiter::convex, Limiter::monolithic}) {
      const std::string scheme = limiter == Limiter::convex && shape[0] == 'q' ? "erk33" : "ssp_rk3";
      TypeParam exec = tessera::testing::with_threads<TypeParam>(2);
      Carried<TypeParam> bodies(exec, shape, 2, 32, rotation(), {}, three_bodies,
                                {.limiter = limiter, .relaxed = false}, false, scheme);
      const double before = bodies.total();
      bodies.run(0.25, 0.9);
      const std::vector<double> u = bodies.u();
      EXPECT_GT(*std::min_element(u.begin(), u.end()), -1e-13) << shape;
      EXPECT_LT(*std::max_element(u.begin(), u.end()), 1 + 1e-13) << shape;
      // What diffusion has brought to the sides leaves there.
      EXPECT_NEAR(bodies.total(), before, limiter == Limiter::none ? 2e-2 : 2e-4) << shape;
    }
}

/// Burgers' equation in three dimensions, of a ball in a box that it does not reach the sides of.
TYPED_TEST(ScalarScheme, KeepsTheIntegralOfANonlinearLaw) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec = tessera::testing::with_threads<TypeParam>(2);
  for (const char* shape : {"tet", "hex"}) {
    const auto ball = [](const Point& x) { return std::hypot(x[0] - 0.4, x[1] - 0.4, x[2] - 0.4) < 0.2 ? 1.0 : 0.0; };
    Carried<TypeParam> law(exec, shape, 3, 12, {}, {of_u("u^2/2"), of_u("u^2/2"), of_u("u^2/2")}, ball,
                           {.relaxed = false}, true);
    const double before = law.total();
    law.run(0.1, 0.9);
    const std::vector<double> u = law.u();
    EXPECT_NEAR(law.total(), before, 1e-11) << shape;  // some 1e-12 has come to the sides
    EXPECT_GT(*std::min_element(u.begin(), u.end()), -1e-13) << shape;
    EXPECT_LT(*std::max_element(u.begin(), u.end()), 1 + 1e-13) << shape;
  }
}

/// L1 error of a hump that was carried by a constant velocity.
double error_of_hump(const char* shape, int dim, int cells, bool relaxed, const std::string& scheme = "ssp_rk3") {
  Threads exec(2);
  const auto hump = [&](double x, double y) {
    const double of_y = dim == 1 ? 0 : (y - 0.4) * (y - 0.4);
    return std::exp((dim == 1 ? -150 : -90) * ((x - 0.35) * (x - 0.35) + of_y));
  };
  const double by = dim == 1 ? 0.3 : 0.2;
  Carried<Threads> body(
      exec, shape, dim, cells, {[](const Point&) { return 1.0; }, [](const Point&) { return 0.5; }, {}}, {},
      [&](const Point& x) { return hump(x[0], x[1]); }, {.relaxed = relaxed}, false, scheme);
  body.run(by, 0.5);
  return body.l1([&](const Point& x) { return hump(x[0] - by, x[1] - 0.5 * by); });
}

TEST(ScalarOrder, IsAboveTwoOfASmoothHumpWhereBoundsAreRelaxed) {
  const double coarse = error_of_hump("interval", 1, 64, true), fine = error_of_hump("interval", 1, 256, true);
  EXPECT_GT(0.5 * std::log2(coarse / fine), 2.5) << coarse << ' ' << fine;
  for (const char* shape : {"quad", "triangle"}) {
    const double of_coarse = error_of_hump(shape, 2, 24, true), of_fine = error_of_hump(shape, 2, 48, true);
    EXPECT_GT(std::log2(of_coarse / of_fine), 2) << shape << ' ' << of_coarse << ' ' << of_fine;
  }
}

TEST(ScalarOrder, IsTheSameInStagesThatAreEqualPartsOfAStep) {
  for (const char* scheme : {"erk22", "erk33"}) {
    const double coarse = error_of_hump("interval", 1, 64, true, scheme),
                 fine = error_of_hump("interval", 1, 256, true, scheme);
    EXPECT_GT(0.5 * std::log2(coarse / fine), 1.9) << scheme << ' ' << coarse << ' ' << fine;
    // "erk22" is of second order in time alone.
    EXPECT_LT(fine, (scheme[3] == '2' ? 4 : 2) * error_of_hump("interval", 1, 256, true)) << scheme;
  }
}

TEST(ScalarOrder, IsAboutTwoWhereBoundsAreKept) {
  const double coarse = error_of_hump("interval", 1, 64, false), fine = error_of_hump("interval", 1, 256, false);
  EXPECT_GT(0.5 * std::log2(coarse / fine), 1.85) << coarse << ' ' << fine;
}

/// L1 of the three bodies of Zalesak and LeVeque after a quarter of a turn.
TEST(ScalarBodies, StayWhatTheyAreWhenTheyTurn) {
  Threads exec(2);
  Carried<Threads> high(exec, "quad", 2, 48, rotation(), {}, three_bodies, {.relaxed = false});
  Carried<Threads> low(exec, "quad", 2, 48, rotation(), {}, three_bodies, {.limiter = Limiter::none});
  high.run(0.25, 0.9);
  low.run(0.25, 0.9);
  const auto turned = [](const Point& x) { return three_bodies({x[1], 1 - x[0], 0}); };
  EXPECT_LT(high.l1(turned), 0.036);
  EXPECT_LT(high.l1(turned), 0.42 * low.l1(turned));
}

/// A step of Burgers' equation moves with the mean of both values, and a fan opens where they are the other way round.
TEST(ScalarShocks, BurgersHasItsShockAndItsFan) {
  Threads exec(1);
  const std::vector<deck::Expression> burgers = {of_u("u^2/2")};
  const auto error = [&](int cells, double left, double right, double end, const OfPoint& exact) {
    Carried<Threads> law(exec, "interval", 1, cells, {}, burgers,
                         [&](const Point& x) { return x[0] < 0.3 ? left : right; }, {.relaxed = false});
    law.run(end, 0.5);
    return law.l1(exact);
  };
  const auto shock = [](const Point& x) { return x[0] < 0.3 + 0.3 ? 1.0 : 0.2; };  // speed 0.6
  EXPECT_LT(error(100, 1, 0.2, 0.5, shock), 0.8 * 0.01);
  EXPECT_LT(error(200, 1, 0.2, 0.5, shock), 0.8 * 0.005);
  const auto fan = [](const Point& x) { return std::fmin(1.0, std::fmax(-0.5, (x[0] - 0.3) / 0.4)); };  // through u = 0
  const double coarse = error(100, -0.5, 1, 0.4, fan), fine = error(400, -0.5, 1, 0.4, fan);
  EXPECT_LT(fine, 3e-3);
  EXPECT_GT(0.5 * std::log2(coarse / fine), 0.9);
}

/// f changes where none of the values lies at which f' is looked at: its mean alone bounds what lies between.
TEST(ScalarShocks, OfAFluxThatIsSteepBetweenTwoValuesStayBetweenThem) {
  Threads exec(1);
  Carried<Threads> law(exec, "interval", 1, 50, {}, {of_u("tanh(100*(u - 0.4321))")},
                       [](const Point& x) { return x[0] < 0.5 ? 1.0 : 0.0; }, {.relaxed = false});
  law.run(0.2, 0.5);
  for (const double u : law.u()) {
    EXPECT_GE(u, -1e-12);
    EXPECT_LE(u, 1 + 1e-12);
  }
}

/// Buckley and Leverett's flux is neither convex nor concave: a shock with a fan behind it, up to where the tangent
/// from 0 touches f, u* = sqrt(1/3) for f = u^2 / (u^2 + (1 - u)^2 / 2).
TEST(ScalarShocks, BuckleyAndLeverettHaveAShockWithAFan) {
  Threads exec(1);
  const auto error = [&](int cells) {
    Carried<Threads> law(exec, "interval", 1, cells, {}, {of_u("u^2/(u^2 + 0.5*(1-u)^2)")},
                         [](const Point& x) { return x[0] < 0.1 ? 1.0 : 0.0; }, {.relaxed = false});
    const double end = 0.4;
    law.run(end, 0.5);
    const auto slope = [](double u) {
      const double below = u * u + 0.5 * (1 - u) * (1 - u);
      return u * (1 - u) / (below * below);
    };
    return law.l1([&](const Point& x) {
      const double speed = (x[0] - 0.1) / end, star = std::sqrt(1.0 / 3);
      if (speed <= 0) return 1.0;
      if (speed > slope(star)) return 0.0;
      double low = star, high = 1;  // f' falls from u* to 1
      for (int i = 0; i < 60; ++i) (slope(0.5 * (low + high)) > speed ? low : high) = 0.5 * (low + high);
      return low;
    });
  };
  const double coarse = error(100), fine = error(400);
  EXPECT_LT(fine, 4e-3);
  EXPECT_GT(0.5 * std::log2(coarse / fine), 0.7);
}

TEST(ScalarSchemeOnCuda, IsThatOfThreadsAfterAHundredSteps) {
  TESSERA_REQUIRE(Cuda);
  const auto run = []<class Exec>(Exec& exec, bool nonlinear) {
    std::vector<deck::Expression> f;
    if (nonlinear) f = {of_u("u^2/2"), of_u("sin(u)")};
    Carried<Exec> law(exec, "triangle", 2, 40, rotation(), f, three_bodies, {});
    law.run(1e9, 0.5, 100);
    return law.u();
  };
  Threads threads(2);
  Cuda cuda;
  for (const bool nonlinear : {false, true}) {
    const std::vector<double> one = run(threads, nonlinear), other = run(cuda, nonlinear), again = run(cuda, nonlinear);
    for (std::size_t i = 0; i < one.size(); ++i) ASSERT_NEAR(one[i], other[i], 1e-10) << i;
    EXPECT_EQ(other, again);
  }
}

}  // namespace
