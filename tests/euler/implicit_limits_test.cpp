// Implicit steps whose limits depend on the step: the low order is solved for, and its end is corrected.
#include <cmath>

#include "app/ranks.hpp"
#include "decks.hpp"
#include "support/backends.hpp"

namespace {

using namespace euler_decks;

std::string limited(const std::string& limiter) { return euler + fmt::format("limiter = \"{}\"\n", limiter); }
const std::string tight =
    "[newton]\ntolerance = 1e-11\nmax_iterations = 60\n[solver]\npreconditioner = \"block_jacobi\"\ntolerance = "
    "1e-12\nmax_iterations = 500\n";

/// L1 error of the density of a wave that is carried once through a periodic tube of that many cells.
double error_of_a_wave(const std::string& limiter, int cells, const std::string& cfl, const std::string& scheme) {
  const double pi = std::acos(-1.0);
  const std::string name = fmt::format("wave_{}_{}", limiter, cells);
  run(name,
      gas_box(1, cells, "interval") + limited(limiter) + initial("1 + 0.5*sin(2*pi*x)", "[\"1\"]", "1") +
          "[[boundary]]\non = [\"left\", \"right\"]\ntype = \"periodic\"\n" + time_to(1, cfl, scheme) +
          fmt::format("[[line]]\nname = \"all\"\nfrom = [0]\nto = [1]\npoints = {}\nof = [\"density\"]\n", cells + 1));
  double sum = 0;
  for (const std::vector<double>& row : table(folder() / name / "all.csv"))
    sum += std::abs(row.back() - 1 - 0.5 * std::sin(2 * pi * row.front())) / cells;
  return sum;
}

/// What the low order takes is given back.
TEST(GasImplicitLimits, AWaveHasTheSecondOrder) {
  for (const auto& [limiter, cfl] : {std::pair{"convex", "cfl = 1"}, {"fct", "cfl = 2"}}) {
    const double coarse = error_of_a_wave(limiter, 40, cfl, "crank_nicolson"),
                 fine = error_of_a_wave(limiter, 80, cfl, "crank_nicolson");
    EXPECT_GT(std::log2(coarse / fine), 1.9) << limiter << " " << coarse << " " << fine;
    EXPECT_LT(fine, 0.05 * error_of_a_wave("none", 80, cfl, "crank_nicolson")) << limiter;
  }
}

/// A pressure that is the same everywhere is not noise that decides what flux correction takes of the density.
TEST(GasCorrection, CarriesAWaveOfTheDensityAlone) {
  const double low = error_of_a_wave("none", 80, "cfl = 0.5", "ssp_rk3"),
               corrected = error_of_a_wave("fct", 80, "cfl = 0.5", "ssp_rk3");
  EXPECT_LT(corrected, 0.1 * low) << corrected << " " << low;
}

/// Mass and energy of a closed box of every shape stay, and so does the gas.
TEST(GasImplicitLimits, AClosedBoxKeepsMassAndEnergy) {
  for (const auto& [dim, cells, shape] :
       {std::tuple{1, 40, "interval"}, {2, 10, "triangle"}, {2, 10, "quad"}, {3, 4, "tet"}, {3, 4, "hex"}})
    for (const char* limiter : {"convex", "fct"}) {
      std::string deck = bang(dim, cells, shape, 0.1);
      deck.replace(deck.find(euler), euler.size(), limited(limiter));
      deck.resize(deck.find("[time]"));
      const nlohmann::json summary = run(fmt::format("closed_{}_{}", shape, limiter),
                                         deck + time_to(0.1, "cfl = 2", "backward_euler") + tight +
                                             "[[quantity]]\nname = \"least\"\nkind = \"min\"\nof = \"pressure\"\n");
      for (const char* of : {"mass", "energy"}) {
        const double before = summary["balance"]["start"][of];
        EXPECT_NEAR(summary["balance"]["end"][of].get<double>(), before, 1e-11 * before) << shape << " " << limiter;
      }
      EXPECT_GT(summary["quantities"]["least"].get<double>(), 0) << shape << " " << limiter;
      EXPECT_GT(summary["time"]["systems"].get<int>(), 0);
    }
}

/// Long steps are warned of, once and with the way out; short ones are not.
TEST(GasImplicitLimits, StepsTooLongToBeCorrectedAreWarnedOf) {
  const std::string deck = gas_box(1, 40, "interval") + limited("convex") +
                           initial("1 - 0.875*(x > 0.5)", "[\"0\"]", "1 - 0.9*(x > 0.5)") + walls;
  const auto text = [&](const char* cfl) {
    const Result result =
        app_test::tessera("run " + write_deck("long.toml", deck + time_to(0.2, cfl, "backward_euler")) +
                          " --backend threads --output " + (folder() / "long").string());
    EXPECT_EQ(result.code, 0) << result.text;
    return result.text;
  };
  const std::string warned = text("cfl = 8"), what = "limiter = \"convex\" corrects the end of a step";
  EXPECT_NE(warned.find(what), std::string::npos) << warned;
  EXPECT_NE(warned.find("choose a smaller time.cfl, or limiter = \"monolithic\" or \"fct\""), std::string::npos)
      << warned;
  EXPECT_EQ(text("cfl = 1.5").find(what), std::string::npos);
}

/// Probes after all steps, of a bang in a square.
std::string bang_in_a_square(const std::string& limiter) {
  std::string deck = bang(2, 12, "triangle", 0.1);
  deck.replace(deck.find(euler), euler.size(), limited(limiter));
  deck.resize(deck.find("[time]"));
  deck += time_to(0.1, "step = 0.005", "crank_nicolson") + tight + "[checkpoint]\nevery = 4\n";
  for (const char* of : {"density", "energy", "momentum_x", "momentum_y"})
    deck += fmt::format("[[probe]]\nname = \"a_{0}\"\nat = [0.5, 0.5]\nof = \"{0}\"\n", of);
  return deck;
}
void expect_near(const fs::path& some, const fs::path& expected, const std::string& what) {
  const auto rows = table(some), wanted = table(expected);
  ASSERT_EQ(rows.size(), wanted.size()) << what;
  ASSERT_GT(rows.size(), 5U) << what;
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < rows[i].size(); ++k)
      ASSERT_NEAR(rows[i][k], wanted[i][k], 1e-10 * std::max(1.0, std::abs(wanted[i][k])))
          << what << ", row " << i << ", column " << k;
}

TEST(GasImplicitLimits, GoesOnBitwiseAsIfItHadNeverStopped) {
  for (const char* limiter : {"convex", "fct"}) {
    const std::string deck = bang_in_a_square(limiter);
    run("whole", deck);
    run("part", deck, "--set time.end=0.05");
    const Result result = app_test::tessera("restart " + (folder() / "part").string() + " --quiet --set time.end=0.1");
    ASSERT_EQ(result.code, 0) << result.text;
    EXPECT_EQ(bytes_of(folder() / "part" / "probes.csv"), bytes_of(folder() / "whole" / "probes.csv")) << limiter;
  }
}

TEST(GasImplicitLimits, OnRanksAreThoseOfOne) {
  SKIP_WITHOUT_MPI();
  for (const char* limiter : {"convex", "fct"}) {
    const std::string deck = bang_in_a_square(limiter), to = "--set time.end=0.05";
    run("one", deck, to);
    for (const int ranks : limiter == std::string("convex") ? std::vector{2, 4} : std::vector{3}) {
      const fs::path out = out_of("several", ranks);
      const Result result = on_ranks(ranks, "run " + write_deck("several.toml", deck) + " --quiet --backend threads " +
                                                to + " --output " + out.string());
      ASSERT_EQ(result.code, 0) << result.text;
      expect_near(out / "probes.csv", folder() / "one" / "probes.csv", fmt::format("{} on {}", limiter, ranks));
    }
  }
}

TEST(GasImplicitLimits, OnCudaAreThoseOfThreads) {
  TESSERA_REQUIRE(tessera::Cuda);
  for (const char* limiter : {"convex", "fct"}) {
    const std::string file = write_deck("cuda.toml", bang_in_a_square(limiter));
    expect_near(probes_of(file, "cuda", "there"), probes_of(file, "threads", "here"), limiter);
  }
}

}  // namespace
