// What decks of heat are told that cannot be run.
#include "app/transient.hpp"

namespace {

using namespace app_test;

class HeatRefuses : public ::testing::TestWithParam<Wrong> {};
TEST_P(HeatRefuses, InASentence) { expect_refused(GetParam()); }

std::vector<Wrong> wrong_decks() {
  const std::string body = box_of("triangle", 2, 3) + dirichlet_on("[\"left\"]", "0"), physics = heat_of(1);
  return {
      {"end_before_start", body + physics + "[time]\nend = -1\nstep = 0.1\n", {"time.end is -1", "after the start"}},
      {"no_step", body + physics + "[time]\nend = 1\n", {"no step", "0.01"}},
      {"no_end", body + physics + "[time]\nstep = 0.1\n", {"end"}},
      {"step_of_zero", body + physics + "[time]\nend = 1\nstep = 0\n", {"time.step is 0", "> 0"}},
      {"unknown_scheme", body + physics + "[time]\nend = 1\nstep = 0.1\nscheme = \"bdf3\"\n", {"bdf3", "bdf2"}},
      {"theta_of_another", body + physics + time_to(1, 0.1, "bdf2") + "theta = 0.7\n", {"time.theta", "bdf2"}},
      {"theta_too_small", body + physics + time_to(1, 0.1, "theta") + "theta = 0.2\n", {"0.2", "0.5"}},
      {"every_without_time", body + physics + "[output]\nevery = 3\n", {"output.every", "[time]"}},
      {"every_negative", body + physics + time_to(1, 0.1, "bdf2") + "[output]\nevery = -3\n", {"every is -3"}},
      {"every_no_time",
       body + physics + time_to(1, 0.1, "bdf2") + "[output]\nevery = { time = -1 }\n",
       {"output.every.time is -1; it must be > 0", "time between two files; e.g. time = 0.1"}},
      {"every_in_words", body + physics + time_to(1, 0.1, "bdf2") + "[output]\nevery = \"x\"\n", {"integer or table"}},
      {"every_unknown",
       body + physics + time_to(1, 0.1, "bdf2") + "[output]\nevery = { steps = 3 }\n",
       {"steps", "time"}},
      {"no_capacity",
       body + physics + "[[material]]\ndensity = 0\n" + time_to(1, 0.1, "bdf2"),
       {"density * heat_capacity", "positive"}},
      {"capacity_somewhere",
       body + physics + "[[material]]\ndensity = \"x - 0.5\"\n" + time_to(1, 0.1, "bdf2"),
       {"density * heat_capacity", "positive", "at ("}},
      {"lumped_p2", body + heat_of(2, "mass = \"lumped\"\n") + time_to(1, 0.1, "bdf2"), {"lumped", "triangle"}},
      {"no_conduction",
       body + physics + "[[material]]\nconductivity = -1\n" + time_to(1, 0.1, "bdf2"),
       {"conductivity", "not positive"}},
      {"explicit_consistent", body + physics + time_to(1, 0.1, "rk4"), {"rk4", "lumped"}},
      {"explicit_in_mixed",
       body + heat_of(1, "mass = \"lumped\"\n") + time_to(1, 0.1, "rk4") + "[run]\nprecision = \"mixed\"\n",
       {"run.precision", "rk4"}},
      {"tolerance_of_euler",
       body + physics + "[time]\nend = 1\ntolerance = 1e-3\nscheme = \"backward_euler\"\n",
       {"backward_euler", "dormand_prince"}},
      {"absolute_alone", body + physics + "[time]\nend = 1\nstep = 0.1\nabsolute_tolerance = 1e-3\n", {"tolerance"}},
      {"stages_of_rk4",
       body + heat_of(1, "mass = \"lumped\"\n") + time_to(1, 0.1, "rk4") + "stages = 3\n",
       {"time.stages", "rkc"}},
      {"no_tableau", body + heat_of(1, "mass = \"lumped\"\n") + time_to(1, 0.1, "tableau"), {"tableau", "Heun"}},
      {"tableau_sizes",
       body + heat_of(1, "mass = \"lumped\"\n") + time_to(1, 0.1, "tableau") +
           "tableau = { a = [1, 2], b = [0.5, 0.5] }\n",
       {"2 weights b and 2 entries a", "below the diagonal"}},
      {"tableau_weights",
       body + heat_of(1, "mass = \"lumped\"\n") + time_to(1, 0.1, "tableau") +
           "tableau = { a = [1], b = [0.5, 0.6] }\n",
       {"sum"}},
      {"probe_outside",
       body + physics + time_to(1, 0.1, "bdf2") + "[[probe]]\nname = \"p\"\nat = [2, 0.4]\n",
       {"probe 'p'", "(2, 0.4)", "nearest node is (1, 0.3333"}},
      {"probe_dimension",
       body + physics + time_to(1, 0.1, "bdf2") + "[[probe]]\nname = \"p\"\nat = [0, 0, 0]\n",
       {"3 numbers", "2 dimensions"}},
      {"probe_twice",
       body + physics + time_to(1, 0.1, "bdf2") +
           "[[probe]]\nname = \"p\"\nat = [0, 0]\n[[probe]]\nname = \"p\"\nat = [1, 0]\n",
       {"another probe"}},
      {"probe_of_nothing",
       body + physics + time_to(1, 0.1, "bdf2") + "[[probe]]\nname = \"p\"\nat = [0, 0]\nof = \"v\"\n",
       {"'v'"}},
      {"probe_called_t",
       body + physics + time_to(1, 0.1, "bdf2") + "[[probe]]\nname = \"t\"\nat = [0, 0]\n",
       {"no name of a column"}},
      {"too_many_steps", body + physics + "[time]\nend = 1\nstep = 1e-30\n", {"too many to count"}},
      {"steps_below_t", body + physics + "[time]\nstart = 1e16\nend = 10000000000000100\nstep = 0.5\n", {"last digit"}},
      {"probe_in_no_time", body + physics + "[[probe]]\nname = \"p\"\nat = [0, 0]\n", {"[[probe]]", "[time]"}},
      {"keep_none", body + physics + time_to(1, 0.1, "bdf2") + "[checkpoint]\nkeep = 0\n", {"checkpoint.keep is 0"}},
      {"time_of_poisson", body + poisson_of(1) + time_to(1, 0.1, "bdf2"), {"time"}},
      {"steady_and_loose", box_of("triangle", 2, 3) + physics, {"singular"}},
  };
}
INSTANTIATE_TEST_SUITE_P(Decks, HeatRefuses, ::testing::ValuesIn(wrong_decks()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Heat, RefusesStepsThatAreUnstable) {
  const std::string deck = box_of("quad", 2, 30) + dirichlet_on("[\"left\"]", "0") + heat_of(1, "mass = \"lumped\"\n") +
                           "[[initial]]\nu = \"sin(9*x)\"\n";
  const auto run = [&](double step) {
    return app_test::tessera("run " + write_deck("unstable.toml", deck + time_to(0.01, step, "rk4")) +
                             " --quiet --backend threads --output " + (folder() / "unstable").string());
  };
  // The largest eigenvalue of a lumped square of side h is 4 / h^2 for bilinear elements; rk4 goes to 2.785.
  const double limit = 2.785 / (4 * 30 * 30);
  EXPECT_EQ(run(0.95 * limit).code, 0);
  const Result result = run(1.1 * limit);
  EXPECT_EQ(result.code, 2);
  for (const char* part : {"unstable", "rk4", "2.79", "rkc", "[time]"})
    EXPECT_TRUE(result.says(part)) << part << "\n" << result.text;
}

/// Row sums of order 2 are those of Simpson's rule, which may be negative where the density jumps inside a cell.
TEST(Heat, RefusesALumpedMassThatIsNotPositive) {
  const std::string deck = box_of("quad", 2, 2) + dirichlet_on("[\"left\"]", "0") + heat_of(2, "mass = \"lumped\"\n") +
                           "[[material]]\ndensity = \"if(x > 0.75, 1e3, 1)\"\n";
  for (const char* scheme : {"bdf2", "euler"}) {
    const Result result =
        app_test::tessera("run " + write_deck("not_positive.toml", deck + time_to(1e-4, 1e-5, scheme)) +
                          " --quiet --backend threads --output " + (folder() / "not_positive").string());
    EXPECT_EQ(result.code, 2) << result.text;
    EXPECT_TRUE(result.says("lumped mass is not positive") && result.says("consistent")) << result.text;
  }
}

/// Nodes on the axis have no mass by a quadrature at the nodes, with any density.
TEST(Heat, RefusesALumpedMassOnTheAxis) {
  const Result result = app_test::tessera(
      "run " +
      write_deck("lumped_axis.toml", "[mesh]\naxis = \"y\"\n" + box_of("quad", 2, 2).substr(7) +
                                         dirichlet_on("[\"right\"]", "0") + heat_of(2, "mass = \"lumped\"\n") +
                                         time_to(1e-4, 1e-5, "bdf2")) +
      " --quiet --backend threads --output " + (folder() / "lumped_axis").string());
  EXPECT_EQ(result.code, 2) << result.text;
  EXPECT_TRUE(result.says("on the axis") && result.says("order = 1")) << result.text;
}

}  // namespace
