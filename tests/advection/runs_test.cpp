// Decks of scalar conservation laws, run as a user does.
#include <fmt/format.h>

#include <cmath>

#include "app/program.hpp"
#include "app/ranks.hpp"
#include "base/backend.hpp"

namespace {

using namespace app_test;

std::string box(int dim, int cells, const std::string& shape) {
  const char* const corners[] = {"min = [0], max = [1]", "min = [0,0], max = [1,1]", "min = [0,0,0], max = [1,1,1]"};
  std::string counts = std::to_string(cells);
  for (int d = 1; d < dim; ++d) counts += fmt::format(",{}", cells);
  return fmt::format("[mesh]\nbox = {{ {}, cells = [{}], shape = \"{}\" }}\n", corners[dim - 1], counts, shape);
}
const std::string physics = "[physics]\ntype = \"advection\"\n";
std::string velocity(const std::string& v) { return "[flux]\nvelocity = " + v + "\n"; }
std::string initial(const std::string& u) { return "[[initial]]\nu = \"" + u + "\"\n"; }
const std::string none_enters = "[[boundary]]\non = [\"rest\"]\ntype = \"inflow\"\nvalue = 0\n";
std::string time_to(double end) { return fmt::format("[time]\nend = {}\ncfl = 0.5\n", end); }
const std::string around =
    "[[boundary]]\non = [\"left\", \"right\"]\ntype = \"periodic\"\n[[boundary]]\non = [\"bottom\", \"top\"]\ntype = "
    "\"periodic\"\n";
const std::string hump = "exp(-60*((x-0.5)^2 + (y-0.7)^2))";
const std::string turning = "[\"2*pi*(0.5 - y)\", \"2*pi*(x - 0.5)\"]";

std::string quantity(const std::string& kind) {
  return "[[quantity]]\nname = \"" + kind + "\"\nkind = \"" + kind + "\"\n";
}

nlohmann::json run(const std::string& name, const std::string& deck, const std::string& options = "") {
  const fs::path out = folder() / name;
  const Result result = app_test::tessera("run " + write_deck(name + ".toml", deck) +
                                          " --quiet --backend threads --output " + out.string() + " " + options);
  EXPECT_EQ(result.code, 0) << name << "\n" << deck << result.text;
  return result.code == 0 ? summary_in(out) : nlohmann::json(nlohmann::json::value_t::discarded);
}

TEST(AdvectionRun, HasATemplateThatRunsAsItIs) {
  const Result deck = app_test::tessera("template advection");
  ASSERT_EQ(deck.code, 0) << deck.text;
  run("template", deck.text);
}

TEST(AdvectionRun, SaysThatStepsAreShortened) {
  const auto says = [](const std::string& step) {
    const std::string deck = box(1, 20, "interval") + physics + velocity("[1]") + initial("x < 0.5") +
                             "[[boundary]]\non = [\"rest\"]\ntype = \"inflow\"\nvalue = 1\n[time]\nend = 0.2\n" + step;
    const Result result = app_test::tessera("run " + write_deck("lengths.toml", deck) + " --backend threads --output " +
                                            (folder() / "lengths").string());
    EXPECT_EQ(result.code, 0) << result.text;
    return result.says("steps of 0.1 are too long: at t = ");
  };
  EXPECT_TRUE(says("step = 0.1\n"));
  EXPECT_FALSE(says("step = 0.001\n"));
}

/// [exact] at the end of a turn, and extrema that are those of the start.
TEST(AdvectionRun, TurnsABodyAndComparesItWithTheExactOne) {
  const std::string deck = box(2, 32, "triangle") + physics + velocity(turning) + initial(hump) + none_enters +
                           time_to(0.25) + "[exact]\nu = \"exp(-60*((x-0.3)^2 + (y-0.5)^2))\"\n" + quantity("min") +
                           quantity("max");
  const nlohmann::json summary = run("turn", deck);
  EXPECT_LT(summary["errors"]["u"]["l2"].get<double>(), 0.02);
  EXPECT_GE(summary["quantities"]["min"].get<double>(), -1e-13);
  EXPECT_LE(summary["quantities"]["max"].get<double>(), 1);
  EXPECT_GT(summary["quantities"]["max"].get<double>(), 0.8);
}

/// Around a torus nothing is lost: the integral stays to rounding, of a velocity that depends on place and time, too.
TEST(AdvectionRun, KeepsTheIntegralToRounding) {
  const std::string there_and_back =
      velocity("[\"sin(pi*x)^2*sin(2*pi*y)*cos(pi*t)\", \"-sin(pi*y)^2*sin(2*pi*x)*cos(pi*t)\"]");
  for (const char* shape : {"triangle", "quad"}) {
    const nlohmann::json balance =
        run(std::string("swirl_") + shape,
            box(2, 24, shape) + physics + there_and_back + initial("x > 0.5") + around + time_to(0.3))["balance"];
    EXPECT_NEAR(balance["end"].get<double>(), balance["start"].get<double>(), 1e-14) << shape;
  }
  const nlohmann::json balance =
      run("nonlinear", box(1, 60, "interval") + physics + "[flux]\nfunction = [\"u^3/3\"]\n" + initial("sin(2*pi*x)") +
                           "[[boundary]]\non = [\"left\", \"right\"]\ntype = \"periodic\"\n" + time_to(0.5))["balance"];
  EXPECT_NEAR(balance["end"].get<double>(), balance["start"].get<double>(), 1e-14);
}

/// What the flow brings in: a value that changes with time, where it enters and nowhere else.
TEST(AdvectionRun, AnInflowBringsItsValueAndNoneWhereItLeaves) {
  const std::string deck = box(1, 200, "interval") + physics + velocity("[\"1\"]") + initial("0") +
                           "[[boundary]]\non = [\"left\", \"right\"]\ntype = \"inflow\"\nvalue = \"sin(4*t)^2\"\n" +
                           time_to(1.5) + "[exact]\nu = \"sin(4*(t - x))^2\"\n";
  EXPECT_LT(run("wave", deck)["errors"]["u"]["l2"].get<double>(), 2e-3);
  // The other way round the value comes from the right.
  const std::string back = box(1, 200, "interval") + physics + velocity("[\"-1\"]") + initial("0") +
                           "[[boundary]]\non = [\"left\"]\ntype = \"outflow\"\n[[boundary]]\non = [\"right\"]\ntype = "
                           "\"inflow\"\nvalue = \"sin(4*t)^2\"\n" +
                           time_to(1.5) + "[exact]\nu = \"sin(4*(t - 1 + x))^2\"\n";
  EXPECT_LT(run("wave_back", back)["errors"]["u"]["l2"].get<double>(), 2e-3);
}

TEST(AdvectionRun, BurgersShockHasTheSpeedOfTheMean) {
  const std::string deck =
      box(1, 100, "interval") + physics + "[flux]\nfunction = [\"u^2/2\"]\n" + initial("1 - 0.8*(x > 0.3)") +
      "[[boundary]]\non = [\"rest\"]\ntype = \"inflow\"\nvalue = \"1 - 0.8*(x > 0.3)\"\n" + time_to(0.5);
  const nlohmann::json balance = run("burgers", deck)["balance"];
  EXPECT_NEAR(balance["end"].get<double>() - balance["start"].get<double>(), 0.5 * (0.5 - 0.02), 1e-12);
}

/// A hump along the diagonal of a cube.
TEST(AdvectionRun, GoesThroughThreeDimensions) {
  const auto ball = [](double at) { return fmt::format("exp(-40*((x-{0})^2 + (y-{0})^2 + (z-{0})^2))", at); };
  for (const char* shape : {"tet", "hex", "prism"}) {
    const std::string deck = box(3, 12, shape) + physics + velocity("[\"1\", \"1\", \"1\"]") + initial(ball(0.4)) +
                             "[[boundary]]\non = [\"rest\"]\ntype = \"outflow\"\n" + time_to(0.15) + "[exact]\nu = \"" +
                             ball(0.55) + "\"\n" + quantity("min");
    const nlohmann::json summary = run(std::string("cube_") + shape, deck);
    EXPECT_LT(summary["errors"]["u"]["l2"].get<double>(), 0.035) << shape;
    EXPECT_GE(summary["quantities"]["min"].get<double>(), -1e-13) << shape;
  }
}

std::string of_time(const std::string& shape) {
  return box(2, 20, shape) + physics +
         "[flux]\nvelocity = [\"cos(t)\", \"0.5\"]\nfunction = [\"u^2/4\", \"sin(u)/4\"]\n" + initial("x*(y > 0.4)") +
         "[[boundary]]\non = [\"rest\"]\ntype = \"inflow\"\nvalue = \"0.5 + 2*t\"\n" + time_to(0.3) +
         "[[probe]]\nname = \"a\"\nat = [0.5, 0.5]\n[[probe]]\nname = \"b\"\nat = [0.1, 0.9]\n";
}

TEST(AdvectionRun, GoesOnBitwiseAsIfItHadNeverStopped) {
  const std::string deck = of_time("triangle") + "[checkpoint]\nevery = 7\n[output]\nevery = 10\n";
  run("whole", deck);
  run("part", deck, "--set time.end=0.15");
  const Result result = app_test::tessera("restart " + (folder() / "part").string() + " --quiet --set time.end=0.3");
  ASSERT_EQ(result.code, 0) << result.text;
  // The step that ended at 0.15 is one of both alone: what is compared is a run that was cut at a checkpoint.
  run("cut", deck, "--set time.end=0.15 --set checkpoint.every=5");
  const Result on = app_test::tessera("restart " + (folder() / "cut").string() + " --quiet --set time.end=0.3");
  ASSERT_EQ(on.code, 0) << on.text;
  for (const char* of : {"part", "cut"}) {
    EXPECT_FALSE(bytes_of(folder() / "whole/probes.csv").empty());
    EXPECT_EQ(bytes_of(folder() / of / "probes.csv"), bytes_of(folder() / "whole/probes.csv")) << of;
  }
}

TEST(AdvectionRun, RepeatsBitwiseOnAnyNumberOfThreads) {
  run("one_thread", of_time("quad"), "--threads 1");
  run("three_threads", of_time("quad"), "--threads 3");
  EXPECT_EQ(bytes_of(folder() / "one_thread/probes.csv"), bytes_of(folder() / "three_threads/probes.csv"));
}

TEST(AdvectionRun, OnRanksIsThatOfOne) {
  SKIP_WITHOUT_MPI();
  for (const std::string& boundaries : {std::string(), around}) {
    std::string deck = of_time("triangle");
    if (!boundaries.empty())
      deck = box(2, 20, "triangle") + physics + velocity("[\"sin(2*pi*y)\", \"0.5\"]") + initial(hump) + boundaries +
             time_to(0.1) + "[[probe]]\nname = \"a\"\nat = [0.5, 0.5]\n[[probe]]\nname = \"b\"\nat = [0.4, 0.7]\n";
    const std::string name = boundaries.empty() ? "ranks_open" : "ranks_around",
                      file = write_deck(name + ".toml", deck);
    const auto start = [&](int ranks) {
      const fs::path out = folder() / fmt::format("{}_{}", name, ranks);
      const std::string arguments = "run " + file + " --quiet --backend threads --output " + out.string();
      const Result result = ranks == 1 ? app_test::tessera(arguments) : on_ranks(ranks, arguments);
      EXPECT_EQ(result.code, 0) << result.text;
      const nlohmann::json balance = summary_in(out)["balance"];
      std::ifstream stream(out / "probes.csv");
      std::vector<double> values{balance["start"].get<double>(), balance["end"].get<double>()};
      std::string line;
      std::getline(stream, line);
      while (std::getline(stream, line))
        for (std::size_t at = 0; at <= line.size(); at = std::min(line.find(',', at), line.size()) + 1)
          values.push_back(std::strtod(line.c_str() + at, nullptr));
      return values;
    };
    const std::vector<double> one = start(1);
    ASSERT_GT(one.size(), 30U);
    for (const int ranks : {2, 4}) {
      const std::vector<double> several = start(ranks);
      ASSERT_EQ(several.size(), one.size());
      for (std::size_t i = 0; i < one.size(); ++i) ASSERT_NEAR(several[i], one[i], 1e-10) << name << ' ' << ranks;
    }
  }
}

TEST(AdvectionRun, OnCudaIsThatOfThreads) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  const std::string file = write_deck("cuda.toml", of_time("quad"));
  const auto probes = [&](const char* backend, const char* name) {
    const fs::path out = folder() / name;
    const Result result =
        app_test::tessera("run " + file + " --quiet --backend " + backend + " --output " + out.string());
    EXPECT_EQ(result.code, 0) << result.text;
    return out / "probes.csv";
  };
  const fs::path first = probes("cuda", "first"), second = probes("cuda", "second"), here = probes("threads", "here");
  EXPECT_EQ(bytes_of(first), bytes_of(second));
  std::ifstream there_stream(first), here_stream(here);
  std::string a, b;
  std::getline(there_stream, a);
  std::getline(here_stream, b);
  while (std::getline(there_stream, a) && std::getline(here_stream, b))
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();
         i = std::min(a.find(',', i), a.size()) + 1, j = std::min(b.find(',', j), b.size()) + 1)
      ASSERT_NEAR(std::strtod(a.c_str() + i, nullptr), std::strtod(b.c_str() + j, nullptr), 1e-10);
}

/// A law of which u grows without end.
TEST(AdvectionRun, StepsThatAreTooShortEndTheRunAtTheNodeThatAsksForThem) {
  const std::string deck = box(1, 10, "interval") + physics + velocity("[\"1 + 1e16*(x > 0.95)\"]") + initial("x") +
                           none_enters + time_to(1);
  const Result result = app_test::tessera("run " + write_deck("beyond.toml", deck) +
                                          " --quiet --backend threads --output " + (folder() / "beyond").string());
  EXPECT_EQ(result.code, 4) << result.text;
  EXPECT_TRUE(result.says("steps become shorter than 1e-12 of the time of the run at node")) << result.text;
  EXPECT_TRUE(result.says("u = ")) << result.text;
}

class AdvectionRefused : public ::testing::TestWithParam<app_test::Case> {};

TEST_P(AdvectionRefused, SaysWhatIsWrong) {
  const app_test::Case& wrong = GetParam();
  expect_says(app_test::tessera("run " + write_deck(std::string(wrong.name) + ".toml", wrong.deck) +
                                " --quiet --backend threads --output " + (folder() / "refused").string()),
              wrong);
}

const std::string line = box(1, 10, "interval") + physics;

INSTANTIATE_TEST_SUITE_P(
    Advection, AdvectionRefused,
    ::testing::Values(
        app_test::Case{"no_flux", line + initial("x") + none_enters + time_to(1), 2, {"the deck has no [flux]"}},
        app_test::Case{"empty_flux", line + "[flux]\n" + none_enters + time_to(1), 2, {"neither a velocity nor"}},
        app_test::Case{"no_time", line + velocity("[\"1\"]") + none_enters, 2, {"the deck has no [time]"}},
        app_test::Case{"two_axes",
                       line + velocity("[\"1\", \"2\"]") + none_enters + time_to(1),
                       2,
                       {"flux.velocity has 2 components, the mesh 1 dimension", "two_axes.toml:"}},
        app_test::Case{"of_place",
                       line + "[flux]\nfunction = [\"x*u\"]\n" + none_enters + time_to(1),
                       2,
                       {"flux.function \"x*u\" depends on more than u", "velocity takes x, y, z and t"}},
        app_test::Case{"velocity_of_u",
                       line + velocity("[\"u\"]") + none_enters + time_to(1),
                       2,
                       {"unknown variable 'u'", "velocity_of_u.toml:6:", "variables are x, y, z, t"}},
        app_test::Case{"velocity_without_period",
                       box(2, 4, "triangle") + physics + velocity("[\"1\", \"x\"]") + around + time_to(1),
                       2,
                       {"flux.velocity \"x\" is 1 at (1, ", "and 0 at (0, ", "periodic sides make one place of both",
                        "velocity_without_period.toml:"}},
        app_test::Case{"velocity_without_period_later",
                       box(2, 4, "triangle") + physics + velocity("[\"1\", \"t*x\"]") + around + time_to(2),
                       2,
                       {"flux.velocity \"t*x\"", "at t = 2;"}},
        app_test::Case{"slope_at_the_start",
                       line + "[flux]\nfunction = [\"sqrt(u)\"]\n" + initial("(x - 0.5)^2") +
                           "[[boundary]]\non = [\"rest\"]\ntype = \"outflow\"\n" + time_to(1),
                       2,
                       {"flux.function \"sqrt(u)\" has a derivative that is not finite at u = 0, at (0.5, 0, 0)",
                        "slope_at_the_start.toml:"}},
        app_test::Case{"slope_at_an_inflow",
                       line + "[flux]\nfunction = [\"sqrt(u)\"]\n" + initial("1") + none_enters + time_to(1),
                       2,
                       {"flux.function \"sqrt(u)\" has a derivative that is not finite at u = 0, at (0, 0, 0)"}},
        app_test::Case{"sign_of_u",
                       line + "[flux]\nfunction = [\"sign(u - 0.5)\"]\n" + initial("x") + none_enters + time_to(1),
                       2,
                       {"flux.function \"sign(u - 0.5)\" jumps, or is endlessly steep, at u = 0.5",
                        "write a function that is continuous", "sign_of_u.toml:"}},
        app_test::Case{
            "jump_to_the_inflow",
            line + "[flux]\nfunction = [\"if(u > 0.3, u + 1e-3, u)\"]\n" + initial("1") + none_enters + time_to(1),
            2,
            {"jumps, or is endlessly steep, at u = 0.3"}},
        app_test::Case{"no_boundary",
                       line + velocity("[\"1\"]") + "[[boundary]]\non = [\"left\"]\ntype = \"outflow\"\n" + time_to(1),
                       2,
                       {"no [[boundary]] for 'right'"}},
        app_test::Case{"no_value",
                       line + velocity("[\"1\"]") + "[[boundary]]\non = [\"rest\"]\ntype = \"inflow\"\n" + time_to(1),
                       2,
                       {"\"inflow\" has no value"}},
        app_test::Case{
            "value_of_outflow",
            line + velocity("[\"1\"]") + "[[boundary]]\non = [\"rest\"]\ntype = \"outflow\"\nvalue = 1\n" + time_to(1),
            2,
            {"\"outflow\" has a value", "leave value out"}},
        app_test::Case{"mass_of_low_order",
                       box(1, 10, "interval") + physics + "limiter = \"none\"\nmass = \"lumped\"\n" +
                           velocity("[\"1\"]") + none_enters + time_to(1),
                       2,
                       {"physics.mass is of limiter = \"convex\""}},
        app_test::Case{
            "order_two",
            box(1, 10, "interval") + physics + "order = 2\n" + velocity("[\"1\"]") + none_enters + time_to(1),
            2,
            {"physics.order", "<= 1", "order_two.toml:"}}),
    [](const ::testing::TestParamInfo<app_test::Case>& info) { return std::string(info.param.name); });

}  // namespace
