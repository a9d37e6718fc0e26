// Marches to steady states by steps of each node's own length, with limits that do not depend on them.
#include <algorithm>
#include <cmath>

#include "app/ranks.hpp"
#include "decks.hpp"
#include "output/checkpoint_folder.hpp"

namespace {

using namespace euler_decks;

const std::string monolithic = euler + "limiter = \"monolithic\"\nmass = \"lumped\"\nrelaxed_bounds = false\n";

/// A supersonic flow over a wedge of 15 degrees: the density comes to rest, and the oblique shock is that of theory.
TEST(GasSteady, AWedgeComesToRestWithTheObliqueShockOfTheory) {
  const std::string deck = wedge() + monolithic + time_to(4000, "cfl = 0.9") + "[steady]\ntolerance = 1e-6\n";
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
  const std::string few = " --set time.end=20 --set steady.damping_below=1 --set steady.damping=5";
  const nlohmann::json one = run("steady_wedge", deck, few);
  const fs::path out = folder() / "steady_wedge_2";
  const Result result = on_ranks(
      2, "run " + write_deck("steady_wedge.toml", deck) + " --quiet --backend threads --output " + out.string() + few);
  ASSERT_EQ(result.code, 0) << result.text;
  const nlohmann::json several = summary_in(out);
  EXPECT_NEAR(several["steady"]["residual"].get<double>(), one["steady"]["residual"].get<double>(), 1e-9);
  EXPECT_NEAR(several["quantities"]["p"].get<double>(), one["quantities"]["p"].get<double>(), 1e-9);
}

/// NACA 0012 at Mach 0.8 on few nodes: limits that follow the flow at once keep it from rest, damped ones do not.
TEST(GasSteady, ATransonicProfileComesToRestWithDampedLimits) {
  const std::string deck = coarse_profile() + monolithic + time_to(4000, "cfl = 0.9") +
                           "[steady]\ntolerance = 3e-3\n[checkpoint]\nevery = 500\n";
  // It goes on where it was stopped, while limits are damped: the largest rate of change is that of the whole run.
  const nlohmann::json half = run("profile_damped", deck, "--set steady.damping=25 --set time.end=600");
  EXPECT_FALSE(half["steady"]["converged"].get<bool>());
  const Result result = app_test::tessera("restart " + (folder() / "profile_damped").string() +
                                          " --quiet --backend threads --set time.end=4000");
  ASSERT_EQ(result.code, 0) << result.text;
  const nlohmann::json damped = summary_in(folder() / "profile_damped");
  EXPECT_TRUE(damped["steady"]["converged"].get<bool>()) << damped["steady"];
  EXPECT_GT(damped["steady"]["steps"].get<int>(), 600);
  EXPECT_GT(damped["steady"]["history"].size(), half["steady"]["history"].size());
  const nlohmann::json other = run("profile", deck, "--set steady.damping=0 --set time.end=800");
  EXPECT_FALSE(other["steady"]["converged"].get<bool>());
  EXPECT_GT(other["steady"]["residual"].get<double>(), 1e-2);
  EXPECT_NEAR(damped["quantities"]["cl"].get<double>(), 0.26, 0.06);
}

/// What a march keeps had other numbers once, of which another march would be made: they are refused by name.
TEST(GasSteady, ACheckpointOfAnEarlierLayoutIsRefused) {
  namespace output = tessera::output;
  const std::string deck =
      wedge() + monolithic + time_to(10, "cfl = 0.9") + "[steady]\ntolerance = 1e-6\n[checkpoint]\nevery = 4\n";
  run("layout", deck);
  const fs::path out = folder() / "layout", file = out / output::checkpoint_name(8);
  output::Checkpoint checkpoint = output::read_checkpoint(file);
  const auto numbers = std::find_if(checkpoint.arrays.begin(), checkpoint.arrays.end(),
                                    [](const output::CheckpointArray& array) { return array.name == "numbers"; });
  ASSERT_NE(numbers, checkpoint.arrays.end());
  ASSERT_GE(numbers->values.size(), 7U);
  numbers->values.erase(numbers->values.begin());
  output::write_checkpoint(file, checkpoint);
  const Result result = app_test::tessera("restart " + out.string() + " --quiet --set time.end=20");
  EXPECT_EQ(result.code, 7) << result.text;
  EXPECT_TRUE(result.says("its numbers of [steady] are those of an older program")) << result.text;
  EXPECT_TRUE(result.says("help: go on from an older checkpoint, or run the deck from its start")) << result.text;
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
        app_test::Case{"damping_of_none",
                       gas_box(1, 4, "interval") + euler + "limiter = \"none\"\n" + still + walls + time_to(5) +
                           "[steady]\ndamping = 100\n",
                       2,
                       {"steady.damping is of limits, and with limiter = \"none\" there are none",
                        "choose limiter = \"monolithic\"", "damping_of_none.toml:"}},
        app_test::Case{"no_damping_below",
                       gas_box(1, 4, "interval") + monolithic + still + walls + time_to(5) +
                           "[steady]\ndamping = 0\ndamping_below = 0.1\n",
                       2,
                       {"steady.damping_below says from where on limits are damped, and steady.damping = 0",
                        "leave one of them out", "no_damping_below.toml:"}},
        app_test::Case{
            "tolerance",
            gas_box(1, 4, "interval") + monolithic + still + walls + time_to(5) + "[steady]\ntolerance = 0\n",
            2,
            {"steady.tolerance", "tolerance.toml:"}}),
    [](const ::testing::TestParamInfo<app_test::Case>& info) { return std::string(info.param.name); });

}  // namespace
