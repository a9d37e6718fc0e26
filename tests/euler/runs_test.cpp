// Decks of gases: what they compute, runs that stop and go on, and runs that ranks share.
#include <cstring>

#include "app/ranks.hpp"
#include "base/backend.hpp"
#include "decks.hpp"
#include "support/riemann.hpp"

namespace {

using namespace euler_decks;
using tessera::testing::RiemannSolution;

TEST(GasRun, HasATemplateThatRunsAsItIs) {
  const Result deck = app_test::tessera("template euler");
  ASSERT_EQ(deck.code, 0) << deck.text;
  run("template", deck.text);
}

TEST(GasRun, TheTubeHasTheStatesOfTheExactSolution) {
  const nlohmann::json summary = run("sod", bytes_of(source() / "inputs/tutorials/14_sod.toml"));
  EXPECT_NEAR(summary["quantities"]["p_star"].get<double>(), 0.303130, 2e-4);
  EXPECT_NEAR(summary["quantities"]["v_star"].get<double>(), 0.927453, 2e-4);
  const RiemannSolution exact({1, 0, 1}, {0.125, 0, 0.1});
  double error = 0;
  const auto rows = table(folder() / "sod" / "tube.csv");
  ASSERT_EQ(rows.size(), 401U);
  for (const auto& row : rows) {
    // x, [distance,] density, velocity, pressure
    const double x = row[0], rho = row[row.size() - 3];
    error += std::abs(rho - exact.at((x - 0.5) / 0.2).rho) / 400;
  }
  EXPECT_LT(error, 2.5e-3);
}

TEST(GasRun, LooksAtTheDensityWhereTheDeckNamesNothing) {
  const std::string deck = gas_box(1, 10, "interval") + euler + initial("1.5", "[\"0\"]", "1") + walls + time_to(0.01) +
                           "[[probe]]\nname = \"p\"\nat = [0.5]\n[[quantity]]\nname = \"q\"\nkind = \"max\"\n";
  EXPECT_NEAR(run("density", deck)["quantities"]["q"].get<double>(), 1.5, 1e-12);
  EXPECT_NEAR(table(folder() / "density" / "probes.csv").back()[1], 1.5, 1e-12);
}

/// Steps of the deck that are too long are shortened, which a run says once.
TEST(GasRun, SaysThatStepsAreShortened) {
  const auto warnings = [](const std::string& step) {
    const std::string deck =
        gas_box(1, 20, "interval") + euler + initial("1", "[\"0\"]", "1 + (x < 0.5)") + walls + time_to(0.1, step);
    const Result result = app_test::tessera("run " + write_deck("lengths.toml", deck) + " --backend threads --output " +
                                            (folder() / "lengths").string());
    EXPECT_EQ(result.code, 0) << result.text;
    std::size_t count = 0;
    for (std::size_t at = 0; (at = result.text.find("are too long: at t = ", at)) != std::string::npos; ++at) ++count;
    return count;
  };
  EXPECT_EQ(warnings("step = 0.09"), 1U);
  EXPECT_EQ(warnings("step = 1e-3"), 0U);
  EXPECT_EQ(warnings("cfl = 0.5"), 0U);
}

TEST(GasRun, KeepsTheBalanceOfAClosedRoom) {
  for (const char* shape : {"triangle", "quad"}) {
    const nlohmann::json balance = run(std::string("closed_") + shape, bang(2, 16, shape, 0.3))["balance"];
    const double mass = balance["start"]["mass"], energy = balance["start"]["energy"];
    EXPECT_NEAR(mass, 1, 1e-12);
    EXPECT_NEAR(balance["end"]["mass"].get<double>(), mass, 1e-12);
    EXPECT_NEAR(balance["end"]["energy"].get<double>(), energy, 1e-12 * energy);
  }
}

/// The balance begins with the state that the boundaries have made, as the steps do.
TEST(GasRun, TheBalanceStartsWithTheStateThatTheStepsBeginWith) {
  const std::string deck = gas_box(1, 10, "interval") + euler + initial("1", "[\"0\"]", "1") +
                           "[[boundary]]\non = [\"left\"]\ntype = \"inflow\"\n" + state("3", "[0]", "1") +
                           "[[boundary]]\non = [\"right\"]\ntype = \"slip_wall\"\n" + time_to(1e-6);
  EXPECT_NEAR(run("balance_start", deck)["balance"]["start"]["mass"].get<double>(), 1.1, 1e-12);
}

/// The pressure of a gas at rest pushes every wall outward.
TEST(GasRun, ForcesAreThoseOfThePressure) {
  std::string deck = gas_box(2, 4, "triangle") + euler + initial("1", "[\"0\", \"0\"]", "2.5") + walls + time_to(0.01);
  for (const char* side : {"left", "right", "bottom", "top"})
    for (const char* axis : {"x", "y"})
      deck += fmt::format("[[quantity]]\nname = \"{0}_{1}\"\nkind = \"force_{1}\"\non = [\"{0}\"]\n", side, axis);
  const nlohmann::json forces = run("forces", deck)["quantities"];
  EXPECT_NEAR(forces["left_x"].get<double>(), -2.5, 1e-12);
  EXPECT_NEAR(forces["right_x"].get<double>(), 2.5, 1e-12);
  EXPECT_NEAR(forces["top_y"].get<double>(), 2.5, 1e-12);
  EXPECT_NEAR(forces["left_y"].get<double>(), 0, 1e-12);
}

/// A supersonic flow over a wedge of 15 degrees: the oblique shock of theory.
TEST(GasRun, AWedgeHasTheObliqueShockOfTheory) {
  const fs::path file = folder() / "wedge.geo";
  std::ofstream(file)
      << "SetFactory(\"OpenCASCADE\");\nPoint(1) = {0, 0, 0};\nPoint(2) = {0.4, 0, 0};\n"
         "Point(3) = {1.2, 0.2143593539, 0};\nPoint(4) = {1.2, 1, 0};\nPoint(5) = {0, 1, 0};\n"
         "Line(1) = {1, 2};\nLine(2) = {2, 3};\nLine(3) = {3, 4};\nLine(4) = {4, 5};\nLine(5) = {5, 1};\n"
         "Curve Loop(1) = {1, 2, 3, 4, 5};\nPlane Surface(1) = {1};\nPhysical Surface(\"gas\") = {1};\n"
         "Physical Curve(\"in\") = {5};\nPhysical Curve(\"out\") = {3};\nPhysical Curve(\"floor\") = {1};\n"
         "Physical Curve(\"ramp\") = {2};\nPhysical Curve(\"lid\") = {4};\n";
  const std::string free = state("1.4", "[2.5, 0]", "1");
  const std::string deck = fmt::format("[mesh]\nfile = \"{}\"\nsize = 0.05\n", file.string()) + euler +
                           "[[initial]]\n" + free + "[[boundary]]\non = [\"in\"]\ntype = \"inflow\"\n" + free +
                           "[[boundary]]\non = [\"out\"]\ntype = \"outflow\"\n"
                           "[[boundary]]\non = [\"floor\", \"ramp\"]\ntype = \"slip_wall\"\n"
                           "[[boundary]]\non = [\"lid\"]\ntype = \"symmetry\"\n" +
                           time_to(2) +
                           "[[quantity]]\nname = \"p\"\nkind = \"value\"\nof = \"pressure\"\nat = [0.9, 0.2]\n"
                           "[[quantity]]\nname = \"M\"\nkind = \"value\"\nof = \"Mach\"\nat = [0.9, 0.2]\n";
  const nlohmann::json quantities = run("wedge", deck)["quantities"];
  // theta-beta-M: beta = 36.94 degrees, p2/p1 = 2.4675, M2 = 1.874
  EXPECT_NEAR(quantities["p"].get<double>(), 2.4675, 0.05);
  EXPECT_NEAR(quantities["M"].get<double>(), 1.874, 0.03);
}

/// Where the edge of a step ends on a side wall the gas passes it as anywhere else, however nodes are numbered.
TEST(GasRun, TheEdgeOfAStepIsTheSameWithAllNumberings) {
  const fs::path file = folder() / "step.geo";
  std::ofstream(file)
      << "Point(1) = {0, 0, 0};\nPoint(2) = {0.6, 0, 0};\nPoint(3) = {0.6, 0.3, 0};\nPoint(4) = {1.2, 0.3, 0};\n"
         "Point(5) = {1.2, 1, 0};\nPoint(6) = {0, 1, 0};\n"
         "Line(1) = {1, 2};\nLine(2) = {2, 3};\nLine(3) = {3, 4};\nLine(4) = {4, 5};\nLine(5) = {5, 6};\n"
         "Line(6) = {6, 1};\nCurve Loop(1) = {1:6};\nPlane Surface(1) = {1};\n"
         "out[] = Extrude {0, 0, 0.4} {Surface{1};};\nPhysical Volume(\"gas\") = {out[1]};\n"
         "Physical Surface(\"in\") = {out[7]};\nPhysical Surface(\"out\") = {out[5]};\n"
         "Physical Surface(\"walls\") = {1, out[0], out[2], out[3], out[4], out[6]};\n";
  const std::string free = state("1.4", "[3, 0, 0]", "1");
  std::string deck = fmt::format("[mesh]\nfile = \"{}\"\nsize = 0.2\n", file.string()) + euler + "[[initial]]\n" +
                     free + "[[boundary]]\non = [\"in\"]\ntype = \"inflow\"\n" + free +
                     "[[boundary]]\non = [\"out\"]\ntype = \"outflow\"\n" + walls + time_to(0.1);
  const std::vector<std::string> ends = {"0", "0.4"};
  for (const std::string& z : ends)
    deck += fmt::format("[[quantity]]\nname = \"at_{0}\"\nkind = \"value\"\nof = \"Mach\"\nat = [0.6, 0.3, {0}]\n", z);
  const nlohmann::json first = run("step_file", deck, "--set mesh.numbering=file")["quantities"];
  for (const std::string& z : ends) EXPECT_GT(first["at_" + z].get<double>(), 0.3) << z;
  for (const char* numbering : {"rcm", "metis"}) {
    const nlohmann::json other =
        run(std::string("step_") + numbering, deck, std::string("--set mesh.numbering=") + numbering)["quantities"];
    for (const std::string& z : ends)
      EXPECT_NEAR(other["at_" + z].get<double>(), first["at_" + z].get<double>(), 1e-9) << numbering << ' ' << z;
  }
}

/// A wave of the density that is fed through a supersonic inflow arrives when it should: prescribed nodes limit
/// nothing, else half a cell would be lost. Errors are looked at behind the inflow.
TEST(GasRun, AnInflowThatChangesInTimeIsNotEarly) {
  const std::string wave = "1 + 0.2*sin(10*(x - 2*t))";
  // Lengths in cells; half a cell was lost where the boundary limited. Flux correction cuts the crests.
  for (const auto& [limiter, cells, most] : {std::tuple{"convex", 0.05, 8e-4}, std::tuple{"fct", 0.3, 0.025}}) {
    const std::string deck = gas_box(1, 100, "interval") + euler + fmt::format("limiter = \"{}\"\n", limiter) +
                             initial("1 + 0.2*sin(10*x)", "[\"2\"]", "0.5") +
                             "[[boundary]]\non = [\"left\"]\ntype = \"inflow\"\n" + state(wave, "[\"2\"]", "0.5") +
                             "[[boundary]]\non = [\"right\"]\ntype = \"outflow\"\n" + time_to(1) +
                             "[[line]]\nname = \"tube\"\nfrom = [0]\nto = [1]\npoints = 101\nof = [\"density\"]\n";
    run(std::string("fed_") + limiter, deck);
    const auto rows = table(folder() / (std::string("fed_") + limiter) / "tube.csv");
    ASSERT_EQ(rows.size(), 101U);
    // Of the error that part which is the wave moved by a length along x: its projection on d rho / dx.
    double moved = 0, size = 0, l1 = 0;
    for (std::size_t i = 10; i < 90; ++i) {
      const double x = rows[i][1], slope = 2 * std::cos(10 * (x - 2)),
                   error = rows[i][4] - 1 - 0.2 * std::sin(10 * (x - 2));
      moved -= error * slope / 80;
      size += slope * slope / 80;
      l1 += std::abs(error) / 80;
    }
    EXPECT_LT(100 * std::abs(moved / size), cells) << limiter;
    EXPECT_LT(l1, most) << limiter;
  }
}

/// Small waves of one entropy leave through a far field and an outflow of the pressure at rest.
TEST(GasRun, SmallWavesLeaveThroughOpenSides) {
  const std::string pulse =
      gas_box(1, 100, "interval") + euler +
      initial("1.4*(1 + 0.01*exp(-200*(x-0.5)^2))^(1/1.4)", "[\"0.2\"]", "1 + 0.01*exp(-200*(x-0.5)^2)") + time_to(2) +
      "[[quantity]]\nname = \"high\"\nkind = \"max\"\nof = \"pressure\"\n"
      "[[quantity]]\nname = \"low\"\nkind = \"min\"\nof = \"pressure\"\n";
  const std::string away = "type = \"far_field\"\n" + state("1.4", "[0.2]", "1");
  const std::string left = "[[boundary]]\non = [\"left\"]\n", right = "[[boundary]]\non = [\"right\"]\n";
  // p_0 and T_0 of Mach 0.2: p (1 + 0.2 M^2)^3.5, and T = p / (rho R) times (1 + 0.2 M^2)
  const std::string reservoir =
      fmt::format("type = \"reservoir\"\ntotal_pressure = {:.15g}\ntotal_temperature = {:.15g}\n", std::pow(1.008, 3.5),
                  1.008 / (1.4 * 287.05));
  for (const auto& [name, sides] : {std::pair<std::string, std::string>{"far", left + away + right + away},
                                    {"far_out", left + away + right + "type = \"pressure_outflow\"\npressure = 1\n"},
                                    {"reservoir_far", left + reservoir + right + away}}) {
    const nlohmann::json quantities = run("open_" + name, pulse + sides)["quantities"];
    EXPECT_LT(quantities["high"].get<double>(), 1.0005) << name;
    EXPECT_GT(quantities["low"].get<double>(), 0.9995) << name;
  }
}

/// A gas that leaves into nearly a vacuum chokes: it is as fast as sound there, at the pressure of the fan,
/// (2 / (gamma + 1))^(2 gamma / (gamma - 1)).
TEST(GasRun, AnOutflowChokesAtTheSpeedOfSound) {
  const std::string deck = gas_box(1, 100, "interval") + euler + initial("1.4", "[\"0\"]", "1") +
                           "[[boundary]]\non = [\"left\"]\ntype = \"slip_wall\"\n[[boundary]]\non = "
                           "[\"right\"]\ntype = \"pressure_outflow\"\npressure = 1e-3\n" +
                           time_to(0.5) +
                           "[[quantity]]\nname = \"M\"\nkind = \"max\"\nof = \"Mach\"\n[[quantity]]\nname = "
                           "\"p\"\nkind = \"min\"\nof = \"pressure\"\n";
  const nlohmann::json quantities = run("choked", deck)["quantities"];
  EXPECT_NEAR(quantities["M"].get<double>(), 1, 0.05);
  EXPECT_NEAR(quantities["p"].get<double>(), std::pow(1 / 1.2, 7), 0.02);
}

/// Around a ring of one cell's height.
TEST(GasRun, PeriodicSidesCarryAContactAround) {
  const std::string deck =
      "[mesh]\nbox = { min = [0,0], max = [1,1], cells = [40,4], shape = \"quad\" }\n" + euler +
      initial("1 + 0.3*sin(2*pi*x)", "[\"1\", \"0\"]", "1") +
      "[[boundary]]\non = [\"left\", \"right\"]\ntype = \"periodic\"\n[[boundary]]\non = [\"bottom\", \"top\"]\ntype = "
      "\"slip_wall\"\n" +
      time_to(1) + "[[quantity]]\nname = \"here\"\nkind = \"value\"\nof = \"density\"\nat = [0.25, 0.5]\n" +
      "[[quantity]]\nname = \"there\"\nkind = \"value\"\nof = \"density\"\nat = [0.75, 0.5]\n";
  const nlohmann::json summary = run("ring", deck);
  EXPECT_NEAR(summary["quantities"]["here"].get<double>(), 1.3, 5e-3);
  EXPECT_NEAR(summary["quantities"]["there"].get<double>(), 0.7, 5e-3);
  EXPECT_NEAR(summary["balance"]["end"]["mass"].get<double>(), 1, 1e-12);
}

/// A density wave that leaves through an outflow, by stages that are equal parts of a step: what goes through the
/// boundary has the order of the stages, too.
TEST(GasRun, AnOutflowHasTheOrderOfTheStages) {
  const auto error = [](const std::string& scheme) {
    const std::string deck =
        gas_box(1, 200, "interval") + euler + initial("1 + 0.2*sin(2*pi*x)", "[\"2\"]", "1") +
        "[[boundary]]\non = [\"left\"]\ntype = \"inflow\"\n" + state("1 - 0.2*sin(4*pi*t)", "[2]", "1") +
        "[[boundary]]\non = [\"right\"]\ntype = \"outflow\"\n" + time_to(0.3, "cfl = 0.9", scheme) +
        "[[quantity]]\nname = \"rho\"\nkind = \"value\"\nof = \"density\"\nat = [1]\n";
    return std::abs(run("outflow_" + scheme, deck)["quantities"]["rho"].get<double>() -
                    (1 + 0.2 * std::sin(2 * std::acos(-1.0) * 0.4)));
  };
  EXPECT_LT(error("erk33"), 4e-5);
  EXPECT_LT(error("ssp_rk3"), 4e-5);
}

TEST(GasRun, GoesOnBitwiseAsIfItHadNeverStopped) {
  const std::string deck =
      bang(2, 12, "triangle", 0.2) +
      "[checkpoint]\nevery = 7\n[output]\nevery = 10\n[[probe]]\nname = \"a\"\nat = [0.5, 0.5]\nof = "
      "\"energy\"\n[[probe]]\nname = \"b\"\nat = [0.1, 0.9]\nof = \"momentum_y\"\n";
  run("whole", deck);
  run("part", deck, "--set time.end=0.1");
  const Result result = app_test::tessera("restart " + (folder() / "part").string() + " --quiet --set time.end=0.2");
  ASSERT_EQ(result.code, 0) << result.text;
  for (const char* file : {"probes.csv", "solution.pvd"}) {
    EXPECT_FALSE(bytes_of(folder() / "whole" / file).empty()) << file;
    EXPECT_EQ(bytes_of(folder() / "part" / file), bytes_of(folder() / "whole" / file)) << file;
  }
}

/// The scheme is that of the module where the deck names none.
TEST(GasRun, GoesOnWhereTheDeckNamesNoScheme) {
  std::string deck = bang(1, 20, "interval", 0.05);
  deck.erase(deck.find("scheme = "));
  run("no_scheme", deck, "--set checkpoint.every=5");
  const Result on = app_test::tessera("restart " + (folder() / "no_scheme").string() + " --quiet --set time.end=0.1");
  EXPECT_EQ(on.code, 0) << on.text;
}

/// Steps of conservation laws are as long as the deck says at most.
TEST(GasRun, GoesOnWhereStepsWereShorterThanThoseOfTheDeck) {
  std::string deck = bang(1, 40, "interval", 0.1) + "[checkpoint]\nevery = 3\n";
  deck.replace(deck.find("cfl = 0.5"), 9, "step = 0.1");
  std::string no_scheme = deck;
  no_scheme.erase(no_scheme.find("scheme = "), std::strlen("scheme = \"ssp_rk3\""));
  run("shortened_erk33", deck, "--set time.scheme=erk33");
  run("shortened", no_scheme);
  for (const char* name : {"shortened_erk33", "shortened"}) {
    const Result on = app_test::tessera("restart " + (folder() / name).string() + " --quiet --set time.end=0.11");
    EXPECT_EQ(on.code, 0) << on.text;
  }
}

TEST(GasRun, OnRanksIsThatOfOne) {
  SKIP_WITHOUT_MPI();
  for (const char* limiter :
       {"convex", "monolithic", "fct", "none", "convex --set time.scheme=erk33", "none --set physics.viscosity=roe"}) {
    const char* const option = std::strchr(limiter, '=');
    const std::vector<int> numbers = option ? std::vector{3} : std::vector{2, 4};
    const std::string name = std::string("ranks_") + (option ? option + 1 : limiter);
    const std::string deck = write_deck(
        name + ".toml", bang(2, 14, "triangle", 0.25) +
                            "[[probe]]\nname = \"a\"\nat = [0.5, 0.5]\nof = \"energy\"\n[[probe]]\nname = \"b\"\nat "
                            "= [0.1, 0.9]\nof = \"momentum_y\"\n");
    const auto start = [&](int ranks) {
      const fs::path out = folder() / fmt::format("{}_{}", name, ranks);
      const std::string arguments =
          "run " + deck + " --quiet --backend threads --set physics.limiter=" + limiter + " --output " + out.string();
      const Result result = ranks == 1 ? app_test::tessera(arguments) : on_ranks(ranks, arguments);
      EXPECT_EQ(result.code, 0) << result.text;
      const nlohmann::json balance = summary_in(out)["balance"];
      EXPECT_NEAR(balance["end"]["mass"].get<double>(), balance["start"]["mass"].get<double>(), 1e-12) << ranks;
      EXPECT_NEAR(balance["end"]["energy"].get<double>(), balance["start"]["energy"].get<double>(), 1e-11) << ranks;
      return table(out / "probes.csv");
    };
    const auto one = start(1);
    ASSERT_GT(one.size(), 30U);
    for (const int ranks : numbers) {
      const auto several = start(ranks);
      ASSERT_EQ(several.size(), one.size());
      for (std::size_t i = 0; i < one.size(); ++i)
        for (std::size_t k = 0; k < one[i].size(); ++k)
          ASSERT_NEAR(several[i][k], one[i][k], 1e-10) << limiter << ' ' << ranks << ' ' << i << ' ' << k;
    }
  }
}

/// At shocks the limiter takes a part, elsewhere all; on ranks and where sides are joined it is the same.
TEST(GasRun, TheFieldOfTheLimiterIsOneWhereNothingIsLimited) {
  const std::string deck =
      gas_box(2, 16, "triangle") + euler + initial("1", "[\"0\", \"0\"]", "1 + 9*(abs(x - 0.3) < 0.1)") +
      "[[boundary]]\non = [\"left\", \"right\"]\ntype = \"slip_wall\"\n"
      "[[boundary]]\non = [\"bottom\", \"top\"]\ntype = \"periodic\"\n" +
      time_to(0.08) + "[output]\nfields = [\"limiter\"]\n" +
      "[[quantity]]\nname = \"least\"\nkind = \"min\"\nof = \"limiter\"\n[[quantity]]\nname = \"most\"\nkind = "
      "\"max\"\nof = \"limiter\"\n[[quantity]]\nname = \"sum\"\nkind = \"integral\"\nof = \"limiter\"\n"
      "[[quantity]]\nname = \"far\"\nkind = \"value\"\nof = \"limiter\"\nat = [0.9375, 0.5]\n";
  for (const char* limiter : {"convex", "monolithic"}) {
    const std::string set = std::string("--set physics.limiter=") + limiter;
    const nlohmann::json one = run(std::string("limiter_") + limiter, deck, set)["quantities"];
    EXPECT_LT(one["least"].get<double>(), 0.5) << limiter;
    EXPECT_GE(one["least"].get<double>(), 0) << limiter;
    EXPECT_EQ(one["most"].get<double>(), 1) << limiter;
    // Limits of states half way decide about rounding, too.
    if (limiter[0] == 'c') {
      EXPECT_DOUBLE_EQ(one["far"].get<double>(), 1);
    }
    if (!has_mpi()) continue;
    const fs::path out = folder() / (std::string("limiter_on_2_") + limiter);
    const Result result = on_ranks(2, "run " + write_deck("limiter.toml", deck) + " --quiet --backend threads " + set +
                                          " --output " + out.string());
    ASSERT_EQ(result.code, 0) << result.text;
    const nlohmann::json several = summary_in(out)["quantities"];
    for (const char* name : {"least", "sum"})
      EXPECT_NEAR(several[name].get<double>(), one[name].get<double>(), 1e-6) << limiter << ' ' << name;
  }
}

TEST(GasRun, OnCudaIsThatOfThreads) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  const std::string deck = write_deck(
      "cuda.toml", bang(3, 10, "hex", 0.2) + "[[probe]]\nname = \"a\"\nat = [0.5, 0.5, 0.5]\nof = \"energy\"\n");
  const auto probes = [&](const char* backend, const char* name) { return probes_of(deck, backend, name); };
  const fs::path first = probes("cuda", "first"), second = probes("cuda", "second");
  EXPECT_EQ(bytes_of(first), bytes_of(second));
  const auto there = table(first), here = table(probes("threads", "threads"));
  ASSERT_EQ(there.size(), here.size());
  for (std::size_t i = 0; i < here.size(); ++i)
    for (std::size_t k = 0; k < here[i].size(); ++k) ASSERT_NEAR(there[i][k], here[i][k], 1e-10);
}

/// A gas of which the waves are too fast for the run to end.
TEST(GasRun, StepsThatAreTooShortEndTheRunAtTheNodeThatAsksForThem) {
  const std::string deck =
      gas_box(1, 10, "interval") + euler + initial("1", "[\"0\"]", "1 + 1e28*(x > 0.95)") + walls + time_to(1);
  const Result result = app_test::tessera("run " + write_deck("beyond.toml", deck) +
                                          " --quiet --backend threads --output " + (folder() / "beyond").string());
  EXPECT_EQ(result.code, 4) << result.text;
  EXPECT_TRUE(result.says("steps become shorter than 1e-12 of the time of the run at node 10, (1, 0, 0): density 1"))
      << result.text;
}

/// A boundary state that ceases to be one ends the run, and the checkpoint before it stays.
TEST(GasRun, ALostBoundaryEndsTheRunAndTheCheckpointStays) {
  const std::string deck = gas_box(1, 20, "interval") + euler + initial("1", "[\"0\"]", "1") +
                           "[[boundary]]\non = [\"left\"]\ntype = \"inflow\"\n" + state("1", "[0]", "1 - 4*t") +
                           "[[boundary]]\non = [\"right\"]\ntype = \"slip_wall\"\n" + time_to(1) +
                           "[checkpoint]\nevery = 5\n";
  const fs::path out = folder() / "lost";
  const Result result =
      app_test::tessera("run " + write_deck("lost.toml", deck) + " --quiet --backend threads --output " + out.string());
  EXPECT_EQ(result.code, 2) << result.text;
  EXPECT_TRUE(result.says("a pressure that is not positive at (0, 0, 0)")) << result.text;
  bool kept = false;
  for (const auto& entry : fs::directory_iterator(out)) kept |= entry.path().extension() == ".tsr";
  EXPECT_TRUE(kept);
}

}  // namespace
