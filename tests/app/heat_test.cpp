// Heat through time and in its steady state, run as a user does.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "app/gpu.hpp"
#include "app/transient.hpp"

namespace {

using namespace app_test;

/// A smooth solution in one, two or three dimensions, with coefficients that vary in space and time.
std::string manufactured(const std::string& shape, int dim, int cells, int order, const std::string& more = "") {
  const std::string u = dim == 1   ? "exp(-t)*sin(2*x + t)"
                        : dim == 2 ? "exp(-t)*sin(2*x + t)*cos(y)"
                                   : "exp(-t)*sin(2*x + t)*cos(y)*(1 + z)";
  return box_of(shape, dim, cells) + heat_of(order, more) +
         "[[material]]\ndensity = 2\nheat_capacity = \"1 + x\"\nconductivity = \"1 + 0.5*x*cos(t)\"\n" +
         dirichlet_on("[\"left\"]", u) + "[[initial]]\nu = \"" + u + "\"\n[exact]\nu = \"" + u + "\"\nsource = true\n" +
         (dim == 1 ? "[[boundary]]\non = [\"right\"]\ntype = \"robin\"\nalpha = \"2 + t\"\nvalue = \"(2 + t)*exp(-t)*"
                     "sin(2 + t) + (1 + 0.5*cos(t))*2*exp(-t)*cos(2 + t)\"\n"
                   : dirichlet_on(dim == 2 ? "[\"right\", \"bottom\", \"top\"]"
                                           : "[\"right\", \"bottom\", \"top\", \"back\", \"front\"]",
                                  u)) +
         to_rounding;
}

struct SchemeOrder {
  const char* scheme;
  double order;
  const char* backend = "threads";
};
void PrintTo(const SchemeOrder& scheme, std::ostream* stream) { *stream << scheme.scheme << " on " << scheme.backend; }

bool is_there(const std::string& backend) { return backend == "threads" || has_gpu(); }

class HeatSchemes : public ::testing::TestWithParam<SchemeOrder> {};

/// Time alone: u is of the element's order in space.
TEST_P(HeatSchemes, HaveTheirOrderInTime) {
  if (!is_there(GetParam().backend)) GTEST_SKIP() << "no GPU";
  const std::string deck =
      box_of("interval", 1, 4) + heat_of(4) + "[[material]]\ndensity = 2\nconductivity = \"1 + 0.5*cos(t)\"\n" +
      dirichlet_on("[\"left\", \"right\"]", "sin(3*t)*(1 + x*(1 - x))") +
      "[exact]\nu = \"sin(3*t)*(1 + x*(1 - x))\"\nsource = true\n[[initial]]\nu = 0\n" + to_rounding;
  std::vector<double> errors;
  for (const double step : {0.04, 0.02, 0.01})
    errors.push_back(
        l2_error(run_nonlinear(fmt::format("order_{}", GetParam().scheme), deck + time_to(1, step, GetParam().scheme),
                               fmt::format("--backend {}", GetParam().backend))));
  for (std::size_t i = 0; i + 1 < errors.size(); ++i)
    EXPECT_GT(std::log2(errors[i] / errors[i + 1]), GetParam().order - 0.1) << errors[i] << " " << errors[i + 1];
}

INSTANTIATE_TEST_SUITE_P(Implicit, HeatSchemes,
                         ::testing::Values(SchemeOrder{"backward_euler", 1}, SchemeOrder{"crank_nicolson", 2},
                                           SchemeOrder{"bdf2", 2}, SchemeOrder{"sdirk2", 2},
                                           SchemeOrder{"bdf2", 2, "cuda"}, SchemeOrder{"sdirk2", 2, "cuda"}),
                         [](const auto& info) { return fmt::format("{}_{}", info.param.scheme, info.param.backend); });

TEST(Heat, ThetaIsBetweenEulerAndCrankNicolson) {
  const std::string deck = manufactured("interval", 1, 20, 2);
  const auto error = [&](const std::string& options, const char* scheme) {
    return l2_error(run_nonlinear("theta", deck + time_to(0.5, 0.05, scheme), options));
  };
  EXPECT_DOUBLE_EQ(error("--set time.theta=1", "theta"), error("", "backward_euler"));
  EXPECT_DOUBLE_EQ(error("--set time.theta=0.5", "theta"), error("", "crank_nicolson"));
  EXPECT_GT(error("--set time.theta=0.75", "theta"), error("", "crank_nicolson"));
  EXPECT_LT(error("--set time.theta=0.75", "theta"), error("", "backward_euler"));
}

class HeatOn : public ::testing::TestWithParam<const char*> {};

/// The error of space, where that of time is smaller.
TEST_P(HeatOn, KeepsTheOrderOfItsElements) {
  if (!is_there(GetParam())) GTEST_SKIP() << "no GPU";
  struct Elements {
    const char* shape;
    int dim, order, coarse, fine;
  };
  for (const Elements& e : {Elements{"interval", 1, 1, 8, 16}, Elements{"interval", 1, 3, 3, 6},
                            Elements{"triangle", 2, 1, 6, 12}, Elements{"quad", 2, 2, 3, 6},
                            Elements{"tet", 3, 1, 3, 6}, Elements{"hex", 3, 2, 2, 4}, Elements{"prism", 3, 1, 3, 6}}) {
    const auto error = [&](int cells) {
      return l2_error(run_nonlinear(fmt::format("space_{}_{}", e.shape, e.order),
                                    manufactured(e.shape, e.dim, cells, e.order) + time_to(0.04, 0.002, "sdirk2"),
                                    fmt::format("--backend {}", GetParam())));
    };
    const double coarse = error(e.coarse), fine = error(e.fine);
    EXPECT_GT(std::log(coarse / fine) / std::log(1.0 * e.fine / e.coarse), e.order + 1 - 0.3)
        << e.shape << " " << e.order << ": " << coarse << " " << fine;
  }
}

/// Cells and steps halved together: the error of both, of order 2.
TEST_P(HeatOn, ConvergesInSpaceAndTimeTogether) {
  if (!is_there(GetParam())) GTEST_SKIP() << "no GPU";
  std::vector<double> errors;
  for (const int cells : {4, 8, 16})
    errors.push_back(l2_error(run_nonlinear(
        fmt::format("both_{}", cells), manufactured("triangle", 2, cells, 1) + time_to(0.8, 0.8 / (2 * cells), "bdf2"),
        fmt::format("--backend {}", GetParam()))));
  for (std::size_t i = 0; i + 1 < errors.size(); ++i)
    EXPECT_GT(std::log2(errors[i] / errors[i + 1]), 1.9) << errors[i] << " " << errors[i + 1];
}
INSTANTIATE_TEST_SUITE_P(Backends, HeatOn, ::testing::Values("threads", "cuda"),
                         [](const auto& info) { return std::string(info.param); });

/// What is stored, what arises and what leaves are one sum, with a consistent mass and with a lumped one.
TEST(Heat, BalancesAtEveryTime) {
  for (const char* mass : {"consistent", "lumped"})
    for (const char* scheme : {"bdf2", "crank_nicolson"}) {
      const nlohmann::json summary = run_nonlinear(
          "balance", manufactured("quad", 2, 8, 2, fmt::format("mass = \"{}\"\n", mass)) + time_to(0.3, 0.1, scheme));
      EXPECT_LT(double(summary["balance"]["relative_remainder"]), 1e-11) << mass << " " << scheme;
      EXPECT_NE(double(summary["balance"]["storage"]), 0) << mass;
    }
}

/// NAFEMS, The Standard NAFEMS Benchmarks (1990), T3: a bar of 0.1 m whose end follows 100 sin(pi t/40).
TEST(Heat, FollowsNafemsT3) {
  const std::string deck = "[mesh]\nbox = { max = [0.1], cells = [20], shape = \"interval\" }\n" + heat_of(2) +
                           "[[material]]\ndensity = 7200\nheat_capacity = 440.5\nconductivity = 35\n" +
                           dirichlet_on("[\"left\"]", "0") + dirichlet_on("[\"right\"]", "100*sin(pi*t/40)") +
                           "[[quantity]]\nname = \"T\"\nkind = \"value\"\nof = \"u\"\nat = [0.08]\n" + to_rounding;
  const nlohmann::json summary = run_nonlinear("t3", deck + time_to(32, 0.25, "bdf2"));
  EXPECT_NEAR(double(summary["quantities"]["T"]), 36.60, 0.02);
}

/// A half-space that is heated at its end: u = erfc(x / (2 sqrt(a t))). Carslaw & Jaeger, section 2.5.
TEST(Heat, EntersASlabAsTheErrorFunctionSays) {
  const std::string deck = "[mesh]\nbox = { max = [8], cells = [200], shape = \"interval\" }\n" + heat_of(2) +
                           dirichlet_on("[\"left\"]", "1") + to_rounding;
  std::string points;
  for (const double x : {0.5, 1.0, 2.0})
    points += fmt::format("[[quantity]]\nname = \"{}\"\nkind = \"value\"\nof = \"u\"\nat = [{}]\n", x, x);
  const nlohmann::json summary = run_nonlinear("slab", deck + points + time_to(1, 0.002, "bdf2"));
  for (const double x : {0.5, 1.0, 2.0})
    EXPECT_NEAR(double(summary["quantities"][fmt::format("{}", x)]), std::erfc(x / 2), 5e-4) << x;
}

/// A body forgets where it came from.
TEST(Heat, EndsInTheSteadyStateOfTheSameDeck) {
  const std::string deck = box_of("triangle", 2, 6) + heat_of(2) +
                           "[[material]]\ndensity = 3\nconductivity = 2\nsource = \"1 + x\"\n" +
                           dirichlet_on("[\"left\"]", "1") +
                           "[[boundary]]\non = [\"right\"]\ntype = \"robin\"\nalpha = 2\nvalue = 1\n"
                           "[[quantity]]\nname = \"mean\"\nkind = \"average\"\nof = \"u\"\n"
                           "[[quantity]]\nname = \"out\"\nkind = \"flux\"\non = [\"right\"]\n" +
                           to_rounding;
  const nlohmann::json steady = run_nonlinear("steady", deck),
                       late = run_nonlinear("late", deck + time_to(60, 1, "backward_euler"));
  EXPECT_FALSE(steady.contains("time"));
  for (const char* name : {"mean", "out"})
    EXPECT_NEAR(double(late["quantities"][name]), double(steady["quantities"][name]), 1e-9) << name;
}

TEST(Heat, MeetsTheEndAndMakesAMatrixOnce) {
  const std::string deck = box_of("quad", 2, 4) + heat_of(1) + "[[material]]\nsource = \"sin(t)\"\n" +
                           dirichlet_on("[\"left\"]", "t") + "[solver]\ntolerance = 1e-10\n";
  const nlohmann::json even = run_nonlinear("even", deck + time_to(0.3, 0.1, "backward_euler"));
  EXPECT_EQ(even["time"]["steps"], 3);
  EXPECT_EQ(even["time"]["t"], 0.3);
  EXPECT_EQ(even["time"]["matrices"], 1);  // loads and prescribed values change, the matrix does not
  const nlohmann::json odd = run_nonlinear("odd", deck + time_to(0.35, 0.1, "backward_euler"));
  EXPECT_EQ(odd["time"]["steps"], 4);
  EXPECT_EQ(odd["time"]["t"], 0.35);
  EXPECT_NEAR(double(odd["time"]["dt_min"]), 0.05, 1e-15);
  EXPECT_EQ(odd["time"]["matrices"], 2);
}

/// A lumped mass keeps the values of linear elements between those of the data.
TEST(Heat, StaysWithinItsBoundsWithALumpedMass) {
  const auto least = [](const char* mass) {
    const std::string deck = "[mesh]\nbox = { max = [1], cells = [20], shape = \"interval\" }\n" +
                             heat_of(1, fmt::format("mass = \"{}\"\n", mass)) + dirichlet_on("[\"left\"]", "1") +
                             "[[quantity]]\nname = \"least\"\nkind = \"min\"\nof = \"u\"\n" + to_rounding;
    return double(run_nonlinear("bounds", deck + time_to(1e-4, 1e-4, "backward_euler"))["quantities"]["least"]);
  };
  EXPECT_LT(least("consistent"), -5e-3);
  EXPECT_GE(least("lumped"), -1e-12);
}

/// On a mesh on which all are stable, explicit schemes of order 2 and more give the same solution, which is that of an
/// implicit one with the same mass.
TEST(Heat, IsTheSameByExplicitSchemes) {
  const std::string deck = manufactured("triangle", 2, 6, 1, "mass = \"lumped\"\n") +
                           "[[quantity]]\nname = \"mean\"\nkind = \"average\"\nof = \"u\"\n";
  const auto mean = [&](const std::string& time) {
    const nlohmann::json summary = run_nonlinear("explicit", deck + time);
    EXPECT_LT(double(summary["balance"]["relative_remainder"]), 1e-10) << time;
    return double(summary["quantities"]["mean"]);
  };
  const double expected = mean(time_to(0.2, 0.001, "rk4"));
  EXPECT_NEAR(mean(time_to(0.2, 0.0005, "sdirk2")), expected, 1e-7);
  for (const char* scheme :
       {"ssp_rk2", "ssp_rk3", "erk22", "erk33", "low_storage_rk45", "cash_karp", "dormand_prince", "rkc"})
    EXPECT_NEAR(mean(time_to(0.2, 0.001, scheme)), expected, 1e-6) << scheme;
  EXPECT_NEAR(mean(time_to(0.2, 0.001, "euler")), expected, 1e-3);
  EXPECT_NEAR(mean(time_to(0.2, 0.001, "tableau") +
                   "tableau = { a = [0.5, 0, 0.5, 0, 0, 1], b = [0.16666666666666666, 0.33333333333333333, "
                   "0.33333333333333333, 0.16666666666666666] }\n"),
              expected, 1e-12);
  for (const char* scheme : {"cash_karp", "dormand_prince", "rkc"})
    for (const double tolerance : {1e-4, 1e-6})
      EXPECT_NEAR(mean(fmt::format("[time]\nend = 0.2\ntolerance = {}\nscheme = \"{}\"\n", tolerance, scheme)),
                  expected, 5 * tolerance)
          << scheme << " " << tolerance;
}

/// s stages of rkc take steps of 0.65 s^2 over the spectral radius.
TEST(Heat, TakesLongStepsByChebyshevStages) {
  const std::string deck = manufactured("quad", 2, 40, 1, "mass = \"lumped\"\n");
  const nlohmann::json rkc = run_nonlinear("long_steps", deck + time_to(0.5, 0.05, "rkc"));
  EXPECT_EQ(rkc["time"]["steps"], 10);
  EXPECT_LT(l2_error(rkc), 2e-3);
  const nlohmann::json chosen =
      run_nonlinear("chosen_steps", deck + "[time]\nend = 0.5\ntolerance = 1e-4\nscheme = \"rkc\"\n");
  EXPECT_LT(l2_error(chosen), 1e-3);
  EXPECT_LT(int(chosen["time"]["steps"]), 100);
}

TEST(Heat, WritesASeriesThatListsItsTimes) {
  const fs::path out = folder() / "series";
  const std::string deck = write_deck(
      "series.toml", box_of("quad", 2, 3) + heat_of(1) + dirichlet_on("[\"left\"]", "t") + time_to(1, 0.1, "bdf2"));
  const auto files = [&](const std::string& every) {
    const Result result =
        app_test::tessera("run " + deck + " --quiet --backend threads --output " + out.string() + every);
    EXPECT_EQ(result.code, 0) << result.text;
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(out))
      if (entry.path().extension() == ".vtu") names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(files(""), (Names{"solution_000000.vtu", "solution_000010.vtu"}));
  EXPECT_EQ(files(" --set output.every=4"),
            (Names{"solution_000000.vtu", "solution_000004.vtu", "solution_000008.vtu", "solution_000010.vtu"}));
  EXPECT_EQ(files(" --set output.every.time=0.5"),
            (Names{"solution_000000.vtu", "solution_000005.vtu", "solution_000010.vtu"}));
  std::ifstream pvd(out / "solution.pvd");
  const std::string text{std::istreambuf_iterator<char>(pvd), {}};
  for (const char* entry : {"timestep=\"0\"", "timestep=\"0.5\"", "timestep=\"1\"", "file=\"solution_000005.vtu\""})
    EXPECT_NE(text.find(entry), std::string::npos) << text;
}

/// Columns of a table, but for its first line.
std::vector<std::vector<double>> columns_of(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  std::vector<std::vector<double>> columns;
  while (std::getline(stream, line)) {
    std::istringstream words(line);
    std::string word;
    for (std::size_t c = 0; std::getline(words, word, ','); ++c) {
      if (columns.size() == c) columns.emplace_back();
      columns[c].push_back(std::stod(word));
    }
  }
  return columns;
}

TEST(Heat, WritesValuesAtPoints) {
  const std::string u = "(1 + t)*(x + 2*y)";
  const std::string deck = box_of("triangle", 2, 4) + heat_of(1, "mass = \"lumped\"\n") +
                           dirichlet_on(all_sides(2), u) + "[exact]\nu = \"" + u +
                           "\"\nsource = true\n[[initial]]\nu = \"" + u + "\"\n" + to_rounding +
                           "[[probe]]\nname = \"a\"\nat = [0.3, 0.45]\n[[probe]]\nname = \"b, c\"\nat = [1, 1]\n"
                           "[[probe]]\nname = \"now and then\"\nat = [0.6, 0.1]\nevery = 4\n";
  for (const char* time :
       {"[time]\nend = 1\nstep = 0.1\nscheme = \"bdf2\"\n", "[time]\nend = 1\nstep = 0.01\nscheme = \"rk4\"\n"}) {
    run_nonlinear("probes", deck + time);
    const auto all = columns_of(folder() / "out_probes/probes.csv"),
               some = columns_of(folder() / "out_probes/probes_every_4.csv");
    ASSERT_EQ(all.size(), 3u);
    ASSERT_EQ(some.size(), 2u);
    const std::size_t steps = std::string(time).find("0.01") == std::string::npos ? 10 : 100;
    ASSERT_EQ(all[0].size(), steps + 1);
    ASSERT_EQ(some[0].size(), steps / 4 + 1);
    for (std::size_t i = 0; i <= steps; ++i) {
      EXPECT_NEAR(all[0][i], double(i) / double(steps), 1e-12);
      EXPECT_NEAR(all[1][i], (1 + all[0][i]) * 1.2, 1e-9) << time << i;
      EXPECT_NEAR(all[2][i], (1 + all[0][i]) * 3, 1e-9) << time << i;
    }
    for (std::size_t i = 0; i < some[0].size(); ++i) {
      EXPECT_EQ(some[0][i], all[0][4 * i]);
      EXPECT_NEAR(some[1][i], (1 + some[0][i]) * 0.8, 1e-9);
    }
  }
  std::ifstream head(folder() / "out_probes/probes.csv");
  std::string line;
  std::getline(head, line);
  EXPECT_EQ(line, "t,a,\"b, c\"");
}

/// Steps as long as the summary calls stable, thousands of them.
TEST(Heat, StaysBoundedWithTheStepsThatItCallsStable) {
  const std::string deck = box_of("triangle", 2, 24) + dirichlet_on("[\"left\"]", "1") +
                           heat_of(1, "mass = \"lumped\"\n") +
                           "[[quantity]]\nname = \"most\"\nkind = \"max\"\nof = \"u\"\n";
  const double stable = run_nonlinear("stable", deck + time_to(1e-4, 1e-5, "euler"))["time"]["stable_step"];
  const nlohmann::json summary = run_nonlinear(
      "stable", deck + fmt::format("[time]\nend = {}\nstep = {}\nscheme = \"euler\"\n", 3000 * stable, stable));
  EXPECT_LE(double(summary["quantities"]["most"]), 1 + 1e-9);
}

/// `cfl` is a part of that step; a run that goes on keeps it, though its coefficients have changed.
TEST(Heat, TakesPartsOfTheLongestStableStep) {
  const std::string deck = box_of("quad", 2, 12) + dirichlet_on("[\"left\"]", "1") + heat_of(1, "mass = \"lumped\"\n") +
                           "[[material]]\nconductivity = \"1 + t\"\n[checkpoint]\nevery = 10\n";
  const auto time = [](double end) { return fmt::format("[time]\nend = {}\ncfl = 0.5\nscheme = \"ssp_rk3\"\n", end); };
  const nlohmann::json whole = run_nonlinear("cfl_whole", deck + time(0.1));
  EXPECT_NEAR(double(whole["time"]["dt_max"]), 0.5 * double(whole["time"]["stable_step"]), 1e-12);
  EXPECT_EQ(whole["status"], "ok");
  run_nonlinear("cfl_part", deck + time(0.05));
  const Result result =
      app_test::tessera("restart " + (folder() / "out_cfl_part").string() + " --quiet --set time.end=0.1");
  ASSERT_EQ(result.code, 0) << result.text;
  EXPECT_EQ(summary_in(folder() / "out_cfl_part")["time"]["steps"], whole["time"]["steps"]);

  struct {
    const char *time, *said;
  } const wrong[] = {{"end = 1\nstep = 0.1\ncfl = 0.5\nscheme = \"euler\"\n", "a step and a cfl"},
                     {"end = 1\ncfl = 0.5\nscheme = \"bdf2\"\n", "bdf2 is stable with any"},
                     {"end = 1\ncfl = 0.5\ntolerance = 1e-3\nscheme = \"dormand_prince\"\n", "a tolerance"},
                     {"end = 1\ncfl = 0.5\nscheme = \"rkc\"\n", "as many stages as its step asks for"}};
  for (const auto& [keys, said] : wrong) {
    const Result refused = app_test::tessera("check " + write_deck("cfl_wrong.toml", deck + "[time]\n" + keys));
    EXPECT_EQ(refused.code, 2) << refused.text;
    EXPECT_TRUE(refused.says(said) && refused.says("help: ")) << refused.text;
  }
}

/// Steps that are short enough at the start, until the conductivity has grown.
TEST(Heat, SaysWhenItsStepsBecomeUnstable) {
  const std::string deck = box_of("quad", 2, 20) + dirichlet_on("[\"left\"]", "0") + heat_of(1, "mass = \"lumped\"\n") +
                           "[[material]]\nconductivity = \"1 + 4*t\"\n[[initial]]\nu = \"sin(9*x)\"\n" +
                           time_to(1, 0.0015, "rk4");
  const auto output = folder() / "becomes_unstable";
  const Result result = app_test::tessera("run " + write_deck("becomes_unstable.toml", deck) +
                                          " --quiet --backend threads --output " + output.string());
  EXPECT_EQ(result.code, 4) << result.text;
  EXPECT_TRUE(result.says("grows without bound at t = 0.") && result.says("with rk4 they may be")) << result.text;
  EXPECT_LT(double(summary_in(output)["time"]["stable_step"]), 0.0015);
}

/// A step that fails leaves the last state with its own data.
TEST(Heat, BalancesWhereASystemIsNotSolved) {
  const std::string deck =
      box_of("triangle", 2, 12) + dirichlet_on("[\"left\"]", "0") + heat_of(1) +
      "[[material]]\nsource = \"if(t < 0.55, 0, 1)\"\n[solver]\nmax_iterations = 2\npreconditioner = "
      "\"none\"\n" +
      time_to(1, 0.1, "bdf2");
  const nlohmann::json summary = run_nonlinear("unsolved", deck, "", 4);
  EXPECT_EQ(summary["time"]["t"], 0.5);
  EXPECT_EQ(summary["balance"]["source"], 0);
}

/// Fluxes of a state are made while the next steps run, with the data of its own time: here -(1 + t), for u = x stays.
TEST(Heat, WritesTheFluxOfEachTime) {
  const std::string deck = box_of("interval", 1, 40) + heat_of(1) + "[[material]]\nconductivity = \"1 + t\"\n" +
                           dirichlet_on("[\"left\", \"right\"]", "x") + "[[initial]]\nu = \"x\"\n" +
                           time_to(2, 0.1, "bdf2") + "[output]\nevery = 1\nformats = [\"csv\"]\n" + to_rounding;
  const fs::path out = folder() / "out_flux_of_times";
  const Result result = app_test::tessera("run " + write_deck("flux_of_times.toml", deck) +
                                          " --quiet --backend threads --output " + out.string());
  ASSERT_EQ(result.code, 0) << result.text;
  for (int step = 0; step <= 20; ++step) {
    const auto columns = columns_of(out / fmt::format("solution_{:06}.csv", step));
    ASSERT_EQ(columns.size(), 7u);  // x, y, z, u and the flux
    for (std::size_t i = 0; i < columns[0].size(); ++i) {
      EXPECT_NEAR(columns[3][i], columns[0][i], 1e-11);
      EXPECT_NEAR(columns[4][i], -(1 + 0.1 * step), 1e-10) << step;
    }
  }
}

TEST(Heat, BeginsAtItsStart) {
  const std::string deck = box_of("interval", 1, 4) + heat_of(1) + "[[initial]]\nu = \"t\"\n" +
                           "[[probe]]\nname = \"p\"\nat = [0.5]\n[time]\nstart = 5\nend = 6\nstep = 0.5\n";
  run_nonlinear("start", deck);
  const auto columns = columns_of(folder() / "out_start/probes.csv");
  EXPECT_EQ(columns[0], (std::vector<double>{5, 5.5, 6}));
  EXPECT_NEAR(columns[1].front(), 5, 1e-14);
}

TEST(Heat, SaysWhereValuesStopBeingNumbers) {
  const std::string deck =
      box_of("interval", 1, 4) + heat_of(1) + dirichlet_on("[\"left\"]", "sqrt(0.35 - t)") + time_to(1, 0.1, "bdf2");
  const fs::path out = folder() / "not_a_number";
  const Result result = app_test::tessera("run " + write_deck("not_a_number.toml", deck) +
                                          " --quiet --backend threads --output " + out.string());
  EXPECT_EQ(result.code, 2) << result.text;
  EXPECT_TRUE(result.says("sqrt(0.35 - t)") || result.says("not finite")) << result.text;
  EXPECT_TRUE(fs::exists(out / "solution_000000.vtu"));
}

}  // namespace
