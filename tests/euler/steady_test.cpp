// Marches to steady states by steps of each node's own length, with limits that do not depend on them.
#include <cmath>

#include "app/ranks.hpp"
#include "decks.hpp"

namespace {

using namespace euler_decks;

const std::string monolithic = euler + "limiter = \"monolithic\"\nmass = \"lumped\"\nrelaxed_bounds = false\n";

/// A supersonic flow over a wedge of 15 degrees: the density comes to rest, and the oblique shock is that of theory.
TEST(GasSteady, AWedgeComesToRestWithTheObliqueShockOfTheory) {
  const fs::path file = folder() / "steady_wedge.geo";
  std::ofstream(file)
      << "Point(1) = {0, 0, 0};\nPoint(2) = {0.4, 0, 0};\nPoint(3) = {1.2, 0.2143593539, 0};\n"
         "Point(4) = {1.2, 1, 0};\nPoint(5) = {0, 1, 0};\nLine(1) = {1, 2};\nLine(2) = {2, 3};\nLine(3) = {3, 4};\n"
         "Line(4) = {4, 5};\nLine(5) = {5, 1};\nCurve Loop(1) = {1, 2, 3, 4, 5};\nPlane Surface(1) = {1};\n"
         "Physical Surface(\"gas\") = {1};\nPhysical Curve(\"in\") = {5};\nPhysical Curve(\"out\") = {3};\n"
         "Physical Curve(\"floor\") = {1};\nPhysical Curve(\"ramp\") = {2};\nPhysical Curve(\"lid\") = {4};\n";
  const std::string free = state("1.4", "[2.5, 0]", "1");
  const std::string deck = fmt::format("[mesh]\nfile = \"{}\"\nsize = 0.08\n", file.string()) + monolithic +
                           "[[initial]]\n" + free + "[[boundary]]\non = [\"in\"]\ntype = \"inflow\"\n" + free +
                           "[[boundary]]\non = [\"out\"]\ntype = \"outflow\"\n"
                           "[[boundary]]\non = [\"floor\", \"ramp\"]\ntype = \"slip_wall\"\n"
                           "[[boundary]]\non = [\"lid\"]\ntype = \"symmetry\"\n" +
                           time_to(4000, "cfl = 0.9") + "[steady]\ntolerance = 1e-6\n" +
                           "[[quantity]]\nname = \"p\"\nkind = \"value\"\nof = \"pressure\"\nat = [0.9, 0.2]\n"
                           "[[quantity]]\nname = \"M\"\nkind = \"value\"\nof = \"Mach\"\nat = [0.9, 0.2]\n";
  const nlohmann::json summary = run("steady_wedge", deck);
  EXPECT_TRUE(summary["steady"]["converged"].get<bool>()) << summary["steady"];
  EXPECT_LE(summary["steady"]["residual"].get<double>(), 1e-6);
  EXPECT_LT(summary["steady"]["steps"].get<int>(), 4000);
  EXPECT_GT(summary["steady"]["history"].size(), 5U);
  // theta-beta-M: beta = 36.94 degrees, p2/p1 = 2.4675, M2 = 1.874
  EXPECT_NEAR(summary["quantities"]["p"].get<double>(), 2.4675, 0.08);
  EXPECT_NEAR(summary["quantities"]["M"].get<double>(), 1.874, 0.05);
  // Over two ranks the first steps are the same.
  SKIP_WITHOUT_MPI();
  const std::string few = " --set time.end=20";
  const nlohmann::json one = run("steady_wedge", deck, few);
  const fs::path out = folder() / "steady_wedge_2";
  const Result result = on_ranks(
      2, "run " + write_deck("steady_wedge.toml", deck) + " --quiet --backend threads --output " + out.string() + few);
  ASSERT_EQ(result.code, 0) << result.text;
  const nlohmann::json several = summary_in(out);
  EXPECT_NEAR(several["steady"]["residual"].get<double>(), one["steady"]["residual"].get<double>(), 1e-9);
  EXPECT_NEAR(several["quantities"]["p"].get<double>(), one["quantities"]["p"].get<double>(), 1e-9);
}

/// A uniform flow is steady at once; steps that do not suffice are said.
TEST(GasSteady, WhatDoesNotComeToRestIsSaid) {
  const std::string deck = bang(2, 8, "triangle", 3);
  const nlohmann::json summary =
      run("not_steady", deck + "[steady]\ntolerance = 1e-3\n");  // of the limiter that is the default there
  EXPECT_FALSE(summary["steady"]["converged"].get<bool>());
  EXPECT_EQ(summary["steady"]["steps"].get<int>(), 3);
  ASSERT_FALSE(summary["warnings"].empty());
  EXPECT_NE(summary["warnings"].dump().find("the flow is not steady"), std::string::npos) << summary["warnings"];
}

class GasSteadyRefused : public ::testing::TestWithParam<app_test::Case> {};

TEST_P(GasSteadyRefused, SaysWhatIsWrong) {
  const app_test::Case& wrong = GetParam();
  expect_says(app_test::tessera("run " + write_deck(std::string(wrong.name) + ".toml", wrong.deck) +
                                " --quiet --backend threads --output " + (folder() / "refused").string()),
              wrong);
}

const std::string still = initial("1", "[\"0\"]", "1");

INSTANTIATE_TEST_SUITE_P(
    Euler, GasSteadyRefused,
    ::testing::Values(
        app_test::Case{
            "convex",
            gas_box(1, 4, "interval") + euler + "limiter = \"convex\"\n" + still + walls + time_to(5) + "[steady]\n",
            2,
            {"[steady] needs limits that do not depend on the step", "limiter = \"convex\"",
             "choose limiter = \"monolithic\"", "convex.toml:"}},
        app_test::Case{"of_time",
                       gas_box(1, 4, "interval") + monolithic + still +
                           "[[boundary]]\non = [\"left\"]\ntype = \"inflow\"\n" + state("1 + t", "[3]", "1") +
                           "[[boundary]]\non = [\"right\"]\ntype = \"outflow\"\n" + time_to(5) + "[steady]\n",
                       2,
                       {"the boundary of type \"inflow\" depends on t, and [steady] has no time", "of_time.toml:"}},
        app_test::Case{"with_steps",
                       gas_box(1, 4, "interval") + monolithic + still + walls + time_to(5, "step = 0.1") + "[steady]\n",
                       2,
                       {"[steady] chooses the steps of each node", "with_steps.toml:"}},
        app_test::Case{
            "tolerance",
            gas_box(1, 4, "interval") + monolithic + still + walls + time_to(5) + "[steady]\ntolerance = 0\n",
            2,
            {"steady.tolerance", "tolerance.toml:"}}),
    [](const ::testing::TestParamInfo<app_test::Case>& info) { return std::string(info.param.name); });

}  // namespace
