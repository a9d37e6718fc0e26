// Heat whose coefficients depend on the temperature, that is carried and that radiates, run as a user does.
#include <cmath>

#include "app/gpu.hpp"
#include "app/transient.hpp"

namespace {

using namespace app_test;

const std::string carried = "velocity = [\"0.3\", \"-y*(1 + t)\"]\n";

/// Conduction and capacity of u, and what more the material has; u is what [exact] says.
std::string manufactured(const std::string& shape, int cells, int order, const std::string& u,
                         const std::string& material = carried, const std::string& more = "") {
  return box_of(shape, 2, cells) + heat_of(order, more) +
         "[[material]]\nconductivity = \"1 + 0.1*u^2\"\ndensity = \"1 + 0.1*u + 0.2*x\"\n" + material +
         dirichlet_on(all_sides(2), u) + "[[initial]]\nu = \"" + u + "\"\n[exact]\nu = \"" + u + "\"\nsource = true\n" +
         "[solver]\ntolerance = 1e-12\n";
}

class HeatOfTemperature : public ::testing::TestWithParam<std::pair<const char*, double>> {};

TEST_P(HeatOfTemperature, KeepsTheOrderOfTheScheme) {
  const auto [scheme, order] = GetParam();
  std::vector<double> errors;
  for (const double step : {0.02, 0.01, 0.005}) {
    const nlohmann::json summary =
        run_nonlinear(fmt::format("of_u_{}", scheme),
                      manufactured("triangle", 3, 2, "(1 + x + y^2)*(1 + sin(5*t))") + time_to(0.2, step, scheme));
    errors.push_back(l2_error(summary));
    EXPECT_LT(double(summary["balance"]["relative_remainder"]), 1e-9) << scheme;
  }
  const double observed = std::log2(errors[1] / errors[2]);
  EXPECT_GT(observed, order - 0.1) << errors[1] << " " << errors[2];
}
INSTANTIATE_TEST_SUITE_P(Implicit, HeatOfTemperature,
                         ::testing::Values(std::pair{"backward_euler", 1.0}, std::pair{"crank_nicolson", 2.0},
                                           std::pair{"bdf2", 2.0}, std::pair{"sdirk2", 2.0}),
                         [](const auto& info) { return std::string(info.param.first); });

TEST(HeatOfU, KeepsTheOrderOfItsElements) {
  for (const auto& [shape, order] : {std::pair{"triangle", 1}, {"quad", 2}, {"triangle", 3}}) {
    const auto error = [&](int cells) {
      return l2_error(run_nonlinear(
          fmt::format("of_u_{}_{}", shape, order),
          manufactured(shape, cells, order, "exp(-t)*sin(2*x + t)*cos(y)") + time_to(0.02, 0.001, "sdirk2")));
    };
    const double coarse = error(4), fine = error(8);
    EXPECT_GT(std::log2(coarse / fine), order + 1 - 0.3) << shape << order << ": " << coarse << " " << fine;
  }
}

/// With a lumped mass, which is made anew at every state.
TEST(HeatOfU, IsTheSameByExplicitSchemes) {
  const std::string deck = manufactured("triangle", 6, 1, "exp(-t)*sin(2*x + t)*cos(y)", "", "mass = \"lumped\"\n") +
                           "[[quantity]]\nname = \"u\"\nkind = \"value\"\nof = \"u\"\nat = [0.37, 0.52]\n";
  const auto value = [&](const std::string& time) -> double {
    const nlohmann::json summary = run_nonlinear("explicit_of_u", deck + time);
    EXPECT_LT(double(summary["balance"]["relative_remainder"]), 1e-9) << time;
    return summary["quantities"]["u"];
  };
  const double reference = value(time_to(0.1, 0.0005, "rk4"));
  EXPECT_NEAR(value(time_to(0.1, 0.001, "sdirk2")), reference, 1e-6);
  EXPECT_NEAR(value(time_to(0.1, 0.001, "ssp_rk3")), reference, 1e-7);
  EXPECT_NEAR(value(time_to(0.1, 0.002, "rkc")), reference, 1e-6);
  EXPECT_NEAR(value("[time]\nend = 0.1\ntolerance = 1e-8\nscheme = \"dormand_prince\"\n"), reference, 1e-7);
  const Result unstable = app_test::tessera(
      "run " + write_deck("unstable_of_u.toml", deck + time_to(0.1, 0.05, "rk4")) + " --quiet --backend threads");
  EXPECT_EQ(unstable.code, 2);
  EXPECT_TRUE(unstable.says("unstable on this mesh")) << unstable.text;
}

/// What depends on u so little that it does not is a linear problem.
TEST(HeatOfU, IsLinearHeatWhereNothingChanges) {
  const auto value = [&](const std::string& conductivity, const std::string& scheme) -> double {
    return run_nonlinear("nearly_linear",
                         box_of("quad", 2, 6) + heat_of(2) + "[[material]]\nconductivity = \"" + conductivity +
                             "\"\nsource = \"x*sin(9*t)\"\n" + dirichlet_on("[\"left\"]", "sin(7*t)") +
                             "[[boundary]]\non = [\"right\"]\ntype = \"robin\"\nalpha = 2\nvalue = "
                             "\"cos(t)\"\n[solver]\ntype = \"bicgstab\"\ntolerance = 1e-13\n" +
                             "[[quantity]]\nname = \"u\"\nkind = \"value\"\nof = \"u\"\nat = [0.4, 0.3]\n" +
                             time_to(0.3, 0.03, scheme))["quantities"]["u"];
  };
  for (const char* scheme : {"bdf2", "crank_nicolson", "sdirk2"})
    EXPECT_NEAR(value("1 + x + 1e-30*u", scheme), value("1 + x", scheme), 1e-9) << scheme;
}

/// A body that conducts well and radiates: rho c L du/dt = -sigma u^4, u^-3 = u_0^-3 + 3 sigma t / (rho c L).
TEST(HeatOfU, CoolsByRadiation) {
  const auto last = [&](const std::string& more, double zero) -> double {
    return run_nonlinear("radiates", box_of("interval", 1, 4) + heat_of(1) +
                                         "[[material]]\nconductivity = 1e7\ndensity = 1000\n[[boundary]]\non = "
                                         "\"right\"\ntype = \"radiation\"\n" +
                                         more + fmt::format("[[initial]]\nu = {}\n", 1000 + zero) +
                                         "[[quantity]]\nname = \"u\"\nkind = \"average\"\nof = \"u\"\n" +
                                         time_to(50, 0.25, "sdirk2"))["quantities"]["u"];
  };
  const double sigma = 5.670374419e-8, exact = std::cbrt(1 / (1e-9 + 3 * sigma * 50 / 1000));
  EXPECT_NEAR(last("", 0), exact, 0.02);
  EXPECT_NEAR(last("ambient = -273.15\nabsolute_zero = -273.15\n", -273.15), exact - 273.15, 0.02);
  EXPECT_NEAR(last("emissivity = 0\n", 0), 1000, 1e-6);
  EXPECT_NEAR(last("ambient = 1000\n", 0), 1000, 1e-6);
}

/// NAFEMS, The Standard NAFEMS Benchmarks (1990), T2: a bar of 0.1 m, held at 1000 K, whose other end radiates to 300
/// K.
TEST(HeatOfU, FollowsNafemsT2) {
  const auto end = [&](const std::string& time) -> double {
    return run_nonlinear("t2",
                         "[mesh]\nbox = { max = [0.1], cells = [10], shape = \"interval\" }\n" + heat_of(2) +
                             "[[material]]\nconductivity = 55.6\ndensity = 7850\nheat_capacity = 460\n" +
                             dirichlet_on("[\"left\"]", "1000") +
                             "[[boundary]]\non = \"right\"\ntype = \"radiation\"\nemissivity = 0.98\nambient = 300\n"
                             "[[initial]]\nu = 1000\n"
                             "[[quantity]]\nname = \"T\"\nkind = \"value\"\nof = \"u\"\nat = [0.1]\n" +
                             time)["quantities"]["T"];
  };
  EXPECT_NEAR(end(""), 927.0, 0.05);
  EXPECT_NEAR(end(time_to(20000, 1000, "backward_euler")), end(""), 1e-3);
}

/// A pulse in a stream: u = s / sqrt(s^2 + 4 D t) exp(-(x - v t)^2 / (s^2 + 4 D t)).
TEST(HeatOfU, CarriesAPulse) {
  const std::string u = "0.1/sqrt(0.01 + 0.04*t)*exp(-(x - 1 - 2*t)^2/(0.01 + 0.04*t))";
  const auto error = [&](int cells, double step) {
    return l2_error(run_nonlinear(
        "pulse", fmt::format("[mesh]\nbox = {{ max = [4], cells = [{}], shape = \"interval\" }}\n", cells) +
                     heat_of(1) + "[[material]]\ndensity = 3\nconductivity = 0.03\nvelocity = [2]\n" +
                     dirichlet_on("[\"left\", \"right\"]", u) + "[[initial]]\nu = \"" + u + "\"\n[exact]\nu = \"" + u +
                     "\"\n[solver]\ntolerance = 1e-10\n" + time_to(0.8, step, "crank_nicolson")));
  };
  const double coarse = error(160, 0.01), fine = error(320, 0.005);
  EXPECT_LT(fine, 2e-3);
  EXPECT_GT(std::log2(coarse / fine), 1.9) << coarse << " " << fine;
}

/// What a stream brings stands before the wall: u = (exp(Pe x) - 1) / (exp(Pe) - 1).
TEST(HeatOfU, IsCarriedInItsSteadyState) {
  const auto error = [&](int cells) {
    return l2_error(run_nonlinear("stream", box_of("interval", 1, cells) + heat_of(2) +
                                                "[[material]]\ndensity = 4\nheat_capacity = 0.5\nconductivity = "
                                                "0.2\nvelocity = [1]\n" +
                                                dirichlet_on("[\"left\"]", "0") + dirichlet_on("[\"right\"]", "1") +
                                                "[exact]\nu = \"(exp(10*x) - 1)/(exp(10) - 1)\"\n"));
  };
  const double coarse = error(20), fine = error(40);
  EXPECT_GT(std::log2(coarse / fine), 2.8) << coarse << " " << fine;
}

class HeatOfURefuses : public ::testing::TestWithParam<Wrong> {};
TEST_P(HeatOfURefuses, InASentence) { expect_refused(GetParam()); }

std::vector<Wrong> wrong_decks() {
  const std::string body = box_of("triangle", 2, 3) + heat_of(1) + dirichlet_on("[\"left\"]", "0");
  const auto right = [](const std::string& keys) { return "[[boundary]]\non = \"right\"\n" + keys; };
  const std::string time = time_to(1, 0.1, "bdf2");
  return {
      {"emissivity_of_robin", body + right("type = \"robin\"\nalpha = 2\nemissivity = 0.5\n"), {"emissivity", "robin"}},
      {"value_of_radiation", body + right("type = \"radiation\"\nvalue = 3\n"), {"value and alpha", "ambient"}},
      {"emissivity_of_two", body + right("type = \"radiation\"\nemissivity = 2\n"), {"emissivity = 2", "from 0 to 1"}},
      {"ambient_in_celsius", body + right("type = \"radiation\"\nambient = -10\n"), {"below absolute zero", "-273.15"}},
      {"velocity_of_one", body + "[[material]]\nvelocity = [1]\n" + time, {"1 component", "in 2 dimensions it has 2"}},
      {"velocity_by_rkc",
       box_of("triangle", 2, 3) + heat_of(1, "mass = \"lumped\"\n") + dirichlet_on("[\"left\"]", "0") +
           "[[material]]\nvelocity = [1, 0]\n" + time_to(1, 0.1, "rkc"),
       {"rkc", "explicit", "velocity"}},
      {"velocity_by_cg",
       body + "[[material]]\nvelocity = [1, 0]\n[solver]\ntype = \"cg\"\n" + time,
       {"a velocity", "bicgstab"}},
      {"load_steps",
       body + "[[material]]\nconductivity = \"1 + u^2\"\n[newton]\nload_steps = 3\n" + time,
       {"load_steps", "[time]"}},
      {"newton_of_nothing", body + "[newton]\nmax_iterations = 3\n" + time, {"linear", "[newton]"}},
      {"negative_at_the_start",
       body + "[[material]]\nconductivity = \"u - 1\"\n[[initial]]\nu = 0\n" + time,
       {"conductivity", "not positive"}},
      {"capacity_of_nothing",
       body + "[[material]]\ndensity = \"u\"\n[[initial]]\nu = 0\n" + time,
       {"density * heat_capacity", "positive"}},
      {"without_a_matrix",
       body + "[[material]]\nconductivity = \"1 + u^2\"\n[assembly]\nstrategy = \"matrix_free\"\n",
       {"coefficients of u"}},
  };
}
INSTANTIATE_TEST_SUITE_P(Decks, HeatOfURefuses, ::testing::ValuesIn(wrong_decks()),
                         [](const auto& info) { return std::string(info.param.name); });

/// Conductivity has no value below 0, where steps that go on as the last ones did come to once the sink ends.
std::string falling(const std::string& time, const std::string& sink = "-3") {
  return box_of("interval", 1, 20) + heat_of(1, "mass = \"lumped\"\n") +
         "[[material]]\nconductivity = \"sqrt(u)\"\nsource = \"t < 0.35 ? " + sink + " : 0\"\n" +
         dirichlet_on("[\"left\"]", "1.2") + "[[initial]]\nu = 1.2\n" +
         "[[quantity]]\nname = \"least\"\nkind = \"min\"\nof = \"u\"\n" + time;
}

TEST(HeatOfU, GoesOnWhereAGuessHasNoCoefficients) {
  const auto least = [](const std::string& time) -> double {
    return run_nonlinear("falling", falling(time))["quantities"]["least"];
  };
  const auto by_tolerance = [](double tolerance) {
    return fmt::format("[time]\nend = 1\nscheme = \"rkc\"\ntolerance = {}\n", tolerance);
  };
  const double reference = least(by_tolerance(1e-7));
  for (const char* scheme : {"backward_euler", "crank_nicolson", "bdf2", "sdirk2"})
    EXPECT_NEAR(least(time_to(1, 0.1, scheme)), reference, 0.03) << scheme;
  // A step that leaves the domain is too long for a scheme that chooses them.
  EXPECT_NEAR(least(by_tolerance(1e-4)), reference, 1e-3);
}

TEST(HeatOfU, SaysWhereCoefficientsHaveNoValues) {
  for (const std::string& time :
       {std::string("[time]\nend = 1\nscheme = \"dormand_prince\"\ntolerance = 1e-4\n"), time_to(1, 0.1, "rkc")}) {
    const auto output = folder() / "no_values";
    const Result result = app_test::tessera("run " + write_deck("no_values.toml", falling(time, "-30")) +
                                            " --quiet --backend threads --output " + output.string());
    EXPECT_EQ(result.code, 4) << result.text;
    for (const char* part : {"at t = 0.0", "'sqrt(u)'", "u = -", "help: "})
      EXPECT_TRUE(result.says(part)) << part << "\n" << result.text;
    const nlohmann::json summary = summary_in(output);
    EXPECT_EQ(summary["status"], "not_converged");
    EXPECT_TRUE(summary["time"].contains("t"));
  }
}

TEST(HeatOfU, SaysInWhichStepItIsNotSolved) {
  const std::string deck = box_of("interval", 1, 8) + heat_of(1) + "[[material]]\nconductivity = \"2 - u\"\n" +
                           dirichlet_on("[\"left\"]", "4*t") + time_to(1, 0.1, "backward_euler");
  const Result result = app_test::tessera("run " + write_deck("melts.toml", deck) +
                                          " --quiet --backend threads --output " + (folder() / "melts").string());
  EXPECT_EQ(result.code, 4) << result.text;
  EXPECT_TRUE(result.says("step ")) << result.text;
  EXPECT_TRUE(result.says("not positive")) << result.text;
  EXPECT_TRUE(result.says("help: ")) << result.text;
}

TEST(HeatOfU, IsOnCudaWhatItIsOnThreads) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  for (const char* mass : {"consistent", "lumped"}) {
    const std::string deck =
        manufactured("triangle", 8, 1, "exp(-t)*sin(2*x + t)*cos(y)", std::string(mass) == "lumped" ? "" : carried,
                     fmt::format("mass = \"{}\"\n", mass)) +
        "[[quantity]]\nname = \"u\"\nkind = \"value\"\nof = \"u\"\nat = [0.37, 0.52]\n" +
        time_to(0.02, 0.002, std::string(mass) == "lumped" ? "rkc" : "bdf2");
    const double threads = run_nonlinear("backends", deck)["quantities"]["u"];
    EXPECT_NEAR(double(run_nonlinear("backends", deck, "--backend cuda")["quantities"]["u"]), threads, 1e-10) << mass;
  }
}

}  // namespace
