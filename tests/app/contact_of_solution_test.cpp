// A thermal contact whose conductance depends on the temperature, which is the mean of its two sides.
#include "app/contact.hpp"
#include "app/ranks.hpp"

namespace {

using namespace app_test;
using namespace app_test::in_contact;

/// q = u below and 10 - q / 4 above the contact, between which q = (1 + (q + 10 - q/4) / 2) (10 - 5/4 q) flows.
TEST(ContactOfSolution, LayersAreExactWhetherMeshesMatchOrNot) {
  const double q = (-4.75 + std::sqrt(4.75 * 4.75 + 4 * 60 * 15.0 / 32)) / (15.0 / 16);
  for (const int upper : {3, 4})
    for (const int order : {1, 2}) {
      const std::string what = fmt::format("of_u_{}_{}", upper, order);
      const std::string deck = mesh_file(what + ".geo", two_rectangles(3, upper)) + poisson(order) + layers +
                               "[newton]\ntolerance = 1e-12\n" + contact("\"1 + u\"") + quantities;
      const json summary = run(what, deck);
      EXPECT_NEAR(summary["quantities"]["flux_upper_bottom"], q, 1e-9) << what;
      EXPECT_NEAR(summary["quantities"]["max_lower_top"], q, 1e-9) << what;
      EXPECT_NEAR(summary["quantities"]["average_upper_bottom"], 10 - q / 4, 1e-9) << what;
      EXPECT_LE(summary["newton"]["iterations"].get<int>(), 6) << what;  // squares its error: the slope is there
      expect_balance(summary, 1e-9, what);
      const json picard = run(what, deck, "--set newton.tangent='\"picard\"'");
      EXPECT_NEAR(picard["quantities"]["flux_upper_bottom"], q, 1e-8) << what;
    }
}

/// Two bodies that conduct so well that each has one temperature, the upper one with three times the capacity, and
/// h = u / 10 at the mean of both: d = u_2 - u_1 falls as d' = -(E - d) d / 30 where E = u_1 + 3 u_2, whose solution is
/// d / (E - d) = d_0 / (E - d_0) exp(-E t / 30).
TEST(ContactOfSolution, TwoBodiesCoolAsTheirLogisticEquationSays) {
  const auto deck = [](const std::string& physics, const std::string& h, const std::string& time) {
    return mesh_file("two_bodies.geo", two_rectangles(2, 3)) + heat_of(1, physics) +
           "[[material]]\non = \"lower\"\nconductivity = 1e5\n[[material]]\non = \"upper\"\nconductivity = "
           "1e5\nheat_capacity = 3\n" +
           contact(h) + "[[initial]]\non = \"upper\"\nu = 10\n" + time + to_rounding + "[newton]\ntolerance = 1e-10\n" +
           quantities;
  };
  const double ratio = 0.5 * std::exp(-1.0), d = 30 * ratio / (1 + ratio);
  const auto difference = [](const json& summary) {
    return summary["quantities"]["average_upper_bottom"].get<double>() -
           summary["quantities"]["max_lower_top"].get<double>();
  };
  for (const char* scheme : {"bdf2", "crank_nicolson", "sdirk2"}) {
    const json summary = run("two_bodies", deck("", "\"u/10\"", time_to(1, 0.02, scheme)));
    EXPECT_NEAR(difference(summary), d, 2e-3) << scheme;
    expect_balance(summary, 1e-9, scheme);
  }
  // In time, too: with h = t u / 5, whose mean over the time is the same.
  const json of_time = run("two_bodies", deck("", "\"t*u/5\"", time_to(1, 0.02, "sdirk2")));
  EXPECT_NEAR(difference(of_time), d, 2e-3);
}

/// Explicit schemes take what flows through it at each state, and agree with implicit ones.
TEST(ContactOfSolution, ExplicitSchemesAgreeWithImplicitOnes) {
  const auto deck = [](const std::string& time) {
    return mesh_file("explicitly.geo", two_rectangles(3, 4)) + heat_of(1, "mass = \"lumped\"\n") +
           material("lower", "conductivity", 1) + material("upper", "conductivity", 4) +
           boundary("[\"lower_bottom\"]", "dirichlet", "value = \"0\"") +
           boundary("[\"upper_top\"]", "dirichlet", "value = \"10\"") + contact("\"0.5 + 0.2*u\"") + time +
           to_rounding + "[newton]\ntolerance = 1e-10\n" + quantities;
  };
  const json implicitly = run("explicitly", deck(time_to(0.3, 0.003, "sdirk2")));
  for (const char* scheme : {"rkc", "rk4"}) {
    const json summary = run("explicitly", deck(time_to(0.3, 0.0015, scheme)));
    EXPECT_NEAR(summary["quantities"]["flux_upper_bottom"], implicitly["quantities"]["flux_upper_bottom"].get<double>(),
                2e-3)
        << scheme;
  }
}

TEST(ContactOfSolution, RanksAgreeThroughTime) {
  SKIP_WITHOUT_MPI();
  const std::string deck = mesh_file("of_u_ranks.geo", two_rectangles(5, 7)) + heat_of(1, "") +
                           material("lower", "conductivity", 1) + material("upper", "conductivity", 4) +
                           boundary("[\"lower_bottom\"]", "dirichlet", "value = \"0\"") +
                           boundary("[\"upper_top\"]", "dirichlet", "value = \"10\"") + contact("\"2 + t + 0.3*u\"") +
                           time_to(0.1, 0.05, "bdf2") + to_rounding + "[newton]\ntolerance = 1e-12\n" + quantities;
  expect_near(run_on(2, "of_u_ranks", deck)["quantities"], run_on(1, "of_u_ranks", deck)["quantities"], "quantities");
}

}  // namespace
