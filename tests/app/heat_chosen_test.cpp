// Implicit schemes that choose their steps for a tolerance, and what becomes of solutions that grow by themselves.
#include <algorithm>
#include <cmath>

#include "app/gpu.hpp"
#include "app/transient.hpp"

namespace {

using namespace app_test;

std::string chosen(double end, double tolerance, const std::string& scheme) {
  return fmt::format("[time]\nend = {}\ntolerance = {}\nscheme = \"{}\"\n", end, tolerance, scheme);
}

class HeatChoosesSteps : public ::testing::TestWithParam<const char*> {};

/// Time alone: u is of the element's order in space. What is off falls back, so that errors of steps do not add up.
TEST_P(HeatChoosesSteps, ThatMeetTheTolerance) {
  const std::string deck =
      box_of("interval", 1, 4) + heat_of(4) + "[[material]]\ndensity = 2\nconductivity = \"1 + 0.5*cos(t)\"\n" +
      dirichlet_on("[\"left\", \"right\"]", "sin(3*t)*(1 + x*(1 - x))") +
      "[exact]\nu = \"sin(3*t)*(1 + x*(1 - x))\"\nsource = true\n[[initial]]\nu = 0\n" + to_rounding;
  std::vector<double> steps;
  for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
    const nlohmann::json summary =
        run_nonlinear(fmt::format("meets_{}", GetParam()), deck + chosen(1.7, tolerance, GetParam()));
    ASSERT_FALSE(summary.is_discarded());
    const double error = l2_error(summary);
    EXPECT_LE(error, 3 * tolerance);
    EXPECT_GE(error, tolerance / 1000);  // no more work than was asked for
    EXPECT_EQ(double(summary["time"]["t"]), 1.7);
    steps.push_back(summary["time"]["steps"]);
  }
  // Errors of steps go with the third power of their length; of sdirk2, whose first stage is between two times, with
  // the second where prescribed values change.
  const bool between = std::string(GetParam()) == "sdirk2";
  EXPECT_NEAR(std::log10(steps[2] / steps[1]), between ? 1.0 / 2 : 1.0 / 3, 0.08);
}

/// Steps are short in a pulse, and long before it and behind it.
TEST_P(HeatChoosesSteps, ThatAreShortWhereMuchHappens) {
  const std::string deck =
      box_of("quad", 2, 4) + heat_of(1) +
      "[[material]]\nheat_capacity = 0.5\nsource = \"(cos(6*t) + 100*exp(-((t - 1)/0.03)^2))*x\"\n" +
      dirichlet_on("[\"left\"]", "0") + "[[quantity]]\nname = \"mean\"\nkind = \"average\"\nof = \"u\"\n" + to_rounding;
  const nlohmann::json fine = run_nonlinear("pulse_fine", deck + time_to(1.4, 0.001, "sdirk2")),
                       own = run_nonlinear(fmt::format("pulse_{}", GetParam()),
                                           deck + chosen(1.4, 1e-4, GetParam()) + "step = 0.005\n");
  ASSERT_FALSE(fine.is_discarded() || own.is_discarded());
  EXPECT_NEAR(double(own["quantities"]["mean"]), double(fine["quantities"]["mean"]), 5e-4);
  EXPECT_GT(double(own["time"]["dt_max"]), 10 * double(own["time"]["dt_min"]));
  EXPECT_GT(int(own["time"]["rejected"]), 0);
  EXPECT_LT(int(own["time"]["steps"]), 500);
  // A step that may be a little longer stays, and so does its matrix.
  EXPECT_LT(int(own["time"]["matrices"]), int(own["time"]["steps"]) + int(own["time"]["rejected"]));
}

/// Newton's method in the stages; the reference has short steps.
TEST_P(HeatChoosesSteps, WhereCoefficientsDependOnTheSolution) {
  const std::string deck =
      box_of("interval", 1, 10) + heat_of(2) + "[[material]]\nconductivity = \"0.1 + u^2\"\ndensity = \"1 + 0.2*u\"\n" +
      dirichlet_on("[\"left\"]", "sin(2*t)^2") + "[[initial]]\nu = 0\n" +
      "[newton]\ntolerance = 1e-11\n[[quantity]]\nname = \"mean\"\nkind = \"average\"\nof = \"u\"\n" + to_rounding;
  const nlohmann::json fine = run_nonlinear("of_u_fine", deck + time_to(1, 0.002, "sdirk2")),
                       own = run_nonlinear(fmt::format("of_u_{}", GetParam()), deck + chosen(1, 1e-4, GetParam()));
  ASSERT_FALSE(fine.is_discarded() || own.is_discarded());
  EXPECT_NEAR(double(own["quantities"]["mean"]), double(fine["quantities"]["mean"]), 3e-4);
}

INSTANTIATE_TEST_SUITE_P(Schemes, HeatChoosesSteps, ::testing::Values("bdf2", "crank_nicolson", "sdirk2"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(HeatChoosesSteps, OnTheGpuAsOnThreads) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  const std::string deck = box_of("triangle", 2, 12) + heat_of(2) + "[[material]]\nsource = \"x*sin(5*t)\"\n" +
                           dirichlet_on("[\"left\"]", "sin(2*t)") +
                           "[[quantity]]\nname = \"mean\"\nkind = \"average\"\nof = \"u\"\n" + to_rounding +
                           chosen(1, 1e-4, GetParam());
  const nlohmann::json threads = run_nonlinear("chosen_threads", deck),
                       cuda = run_nonlinear("chosen_cuda", deck, "--backend cuda");
  EXPECT_EQ(cuda["time"]["steps"], threads["time"]["steps"]);
  EXPECT_NEAR(double(cuda["quantities"]["mean"]), double(threads["quantities"]["mean"]), 1e-9);
}

TEST(HeatChoosesSteps, OfSchemesThatEstimateAlone) {
  const std::string deck = box_of("interval", 1, 4) + heat_of(1) + dirichlet_on("[\"left\"]", "0");
  for (const char* scheme : {"backward_euler", "theta"})
    expect_refused(
        {scheme,
         deck + chosen(1, 1e-4, scheme),
         {"time.tolerance", std::string(scheme) + " does not estimate", "bdf2", "sdirk2", "crank_nicolson"}});
}

TEST(HeatChoosesSteps, AreWarnedOfALooseSolver) {
  const std::string deck = box_of("interval", 1, 4) + heat_of(1) + dirichlet_on("[\"left\"]", "t") +
                           "[solver]\ntolerance = 1e-6\n" + chosen(1, 1e-5, "bdf2");
  const Result loose = app_test::tessera("check " + write_deck("loose.toml", deck) + " --backend threads"),
               tight = app_test::tessera("check " + write_deck("loose.toml", deck) +
                                         " --backend threads --set solver.tolerance=1e-9");
  EXPECT_EQ(loose.code, 0) << loose.text;
  EXPECT_TRUE(loose.says("solver.tolerance = 1e-06 is not far below time.tolerance = 1e-05")) << loose.text;
  EXPECT_FALSE(tight.says("not far below")) << tight.text;
}

/// A singularity in time: no step is short enough.
TEST(HeatChoosesSteps, EndsWhereNoStepIsShortEnough) {
  const std::string deck = box_of("interval", 1, 4) + heat_of(1) + "[[material]]\nsource = \"1/(1 - t)\"\n" +
                           dirichlet_on("[\"left\"]", "0") + to_rounding + chosen(2, 1e-4, "bdf2");
  const Result result = app_test::tessera("run " + write_deck("singular.toml", deck) + " --quiet --output " +
                                          (folder() / "singular").string());
  EXPECT_EQ(result.code, 4) << result.text;
  EXPECT_TRUE(result.says("below the last digits of t")) << result.text;
  EXPECT_TRUE(result.says("help: ")) << result.text;
  EXPECT_NEAR(double(summary_in(folder() / "singular")["time"]["t"]), 1, 1e-3);
}

std::string growing(const std::string& source, const std::string& time) {
  return box_of("interval", 1, 8) + heat_of(1) + "[[material]]\nconductivity = 0.01\nsource = \"" + source + "\"\n" +
         dirichlet_on("[\"left\"]", "0") + "[[initial]]\nu = \"1e-6*x\"\n" + time;
}

/// u' = 50 u and diffusion: steps of 0.05 do not follow, and those of 0.004 do.
TEST(HeatThatGrowsByItself, IsNotFollowedByLongSteps) {
  for (const char* scheme : {"bdf2", "crank_nicolson", "sdirk2"}) {
    const fs::path out = folder() / (std::string("grows_") + scheme);
    const Result result = app_test::tessera(
        "run " + write_deck(std::string("grows_") + scheme + ".toml", growing("50*u", time_to(1, 0.015, scheme))) +
        " --quiet --output " + out.string());
    EXPECT_EQ(result.code, 4) << scheme << "\n" << result.text;
    EXPECT_TRUE(result.says("grows by itself")) << result.text;
    EXPECT_TRUE(result.says("which steps of 0.015 do not follow")) << result.text;
    EXPECT_TRUE(result.says("choose steps below 0.01")) << result.text;
    EXPECT_EQ(summary_in(out)["exit_code"], 4);
    const nlohmann::json followed =
        run_nonlinear(std::string("followed_") + scheme, growing("50*u", time_to(0.4, 0.004, scheme)));
    EXPECT_EQ(followed["time"]["t"], 0.4);
  }
}

/// What the data bring may be as fast as it likes.
TEST(HeatThatGrowsByItself, IsNotWhatItsDataBring) {
  const nlohmann::json driven =
      run_nonlinear("driven", growing("1e6*exp(-((t - 0.9)/0.05)^2) - u", time_to(1, 0.02, "bdf2")));
  EXPECT_EQ(driven["time"]["t"], 1.0);
}

/// The spectral radius rises by a fifth in three steps; stages are enough all the same.
TEST(HeatByChebyshevSteps, FollowsCoefficientsThatRise) {
  const std::string deck = box_of("quad", 2, 12) + heat_of(1, "mass = \"lumped\"\n") +
                           "[[material]]\nconductivity = \"0.001 + exp(6*t)/100\"\nsource = \"sin(7*x)*cos(5*y)\"\n" +
                           dirichlet_on("[\"left\"]", "0") +
                           "[[initial]]\nu = \"sin(3*x)\"\n[[quantity]]\nname = \"mean\"\nkind = \"average\"\nof = "
                           "\"u\"\n";
  const nlohmann::json rkc = run_nonlinear("rising_rkc", deck + time_to(1, 0.01, "rkc")),
                       bdf2 = run_nonlinear("rising_bdf2", deck + to_rounding + time_to(1, 0.002, "bdf2"));
  EXPECT_NEAR(double(rkc["quantities"]["mean"]), double(bdf2["quantities"]["mean"]), 1e-4);
}

/// Values prescribed at the beginning of a step take matrices there with them: what is all but zero in them changes
/// nothing of what coefficients of t make.
TEST(HeatByExplicitSteps, HaveTheMatricesOfTheirTimes) {
  const auto mean = [](const char* value, const char* scheme, const char* format, const char* material) {
    const std::string deck = box_of("quad", 2, 6) + heat_of(1, "mass = \"lumped\"\n") + material + "source = 1\n" +
                             dirichlet_on(R"(["left", "right", "bottom", "top"])", value) +
                             "[[initial]]\nu = \"x*(1-x)*y*(1-y)\"\n[[quantity]]\nname = \"mean\"\nkind = "
                             "\"average\"\nof = \"u\"\n[matrix]\nformat = \"" +
                             format + "\"\n" + time_to(0.2, 0.002, scheme);
    return double(run_nonlinear("matrices_of_times", deck)["quantities"]["mean"]);
  };
  for (const char* material : {"[[material]]\nheat_capacity = \"1 + 10*t\"\nconductivity = 0.2\n",
                               "[[material]]\nconductivity = \"0.05 + 0.9*t\"\n"})
    for (const char* scheme : {"euler", "ssp_rk2", "erk33"})
      for (const char* format : {"crs", "sliced_ell"})
        EXPECT_NEAR(mean("1e-12*t", scheme, format, material), mean("0", scheme, format, material), 1e-9)
            << material << scheme << " " << format;
}

}  // namespace
