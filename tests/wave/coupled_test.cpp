// Fluids beside elastic solids.
#include "base/backend.hpp"
#include "traces.hpp"

namespace {

using namespace wave_test;

const std::string energies =
    "[[quantity]]\nname = \"Ek\"\nkind = \"kinetic_energy\"\n[[quantity]]\nname = \"Ep\"\nkind = "
    "\"potential_energy\"\n";

/// A pulse passes a layer of water between two solids without lambda, whose bars need no hold at their sides. Of the
/// displacement (Z1 - Z2) / (Z1 + Z2) comes back from a medium of impedance Z2, and 2 Z1 / (Z1 + Z2) goes on.
TEST(WaveCoupled, ReflectsAndTransmitsPlaneWavesAsImpedancesSay) {
  const double c1 = 2, rho1 = 2.5, c2 = 1.25, rho2 = 1;
  const auto solid = [](double rho, double c) {
    return fmt::format("density = {}\nlambda = 0\nmu = {}\n", rho, rho * c * c / 2);
  };
  const double start = 2.2, width = 0.3, first = 4, second = 6;
  const std::string pulse = fmt::format("exp(-((x-{}-{{}}*t)/{})^2)", start, width);
  const auto f = [&](double s) { return std::exp(-s * s / (width * width)); };
  const auto df = [&](double s) { return -2 * s / (width * width) * f(s); };
  const std::string water = fmt::format("density = {}\nvp = {}\n", rho2, c2);
  for (const std::string precision : {"double", "float"}) {
    // In float the water goes on: closed fluids are refused.
    const bool closed = precision == "double";
    const double c3 = closed ? 1.6 : c2, rho3 = closed ? 1.5 : rho2;
    run("bar_" + precision,
        "[run]\nprecision = \"" + precision +
            "\"\n[mesh]\nbox = { min = [0,0], max = [9,0.5], cells = [36,1], shape = \"quad\" }\n" +
            group("a", "surfaces", "x < 4") + group("b", "surfaces", "x > 4 && x < 6") +
            group("c", "surfaces", "x > 6") + physics("coupled", 6) + "[[material]]\non = \"a\"\n" + solid(rho1, c1) +
            "[[material]]\non = \"c\"\n" + (closed ? solid(rho3, c3) : water) + "[[material]]\non = \"b\"\n" + water +
            "[[initial]]\non = \"a\"\nu = [\"" + fmt::format(fmt::runtime(pulse), 0) + "\", \"0\"]\nv = [\"" +
            fmt::format("2*{}*(x-{})/{}^2*", c1, start, width) + fmt::format(fmt::runtime(pulse), 0) +
            "\", \"0\"]\n[[boundary]]\non = [\"left\", \"right\"]\ntype = \"absorbing\"\n" +
            probe("back", "2.5, 0.2", "u_x") + probe("u", "4.6, 0.3", "u_x") + probe("v", "4.6, 0.3", "v_x") +
            probe("p", "4.6, 0.3", "p") + probe("on", "7, 0.2", "u_x") + probe("a", "4.6, 0.3", "a_x") +
            probe("ps", "7, 0.2", "p") + "[output]\nformats = []\n" + time_to(3.6, "cfl = 0.15"));
    const auto rows = table(folder() / ("bar_" + precision) / "probes.csv");
    ASSERT_GT(rows.size(), 200U);
    const double Z1 = rho1 * c1, Z2 = rho2 * c2, Z3 = rho3 * c3;
    const double R = (Z1 - Z2) / (Z1 + Z2), T = 2 * Z1 / (Z1 + Z2), back = (Z2 - Z3) / (Z2 + Z3),
                 on = 2 * Z2 / (Z2 + Z3), again = (Z2 - Z1) / (Z2 + Z1), out = 2 * Z2 / (Z1 + Z2);
    // Distances in the first medium to where the pulse has come to at t: waves that pass x to the right and to the
    // left.
    const auto phase = [&](double way1, double way2, double way3, double t) {
      return way1 + (way2 / c2 + way3 / c3) * c1 - c1 * t;
    };
    const double to_first = first - start, across = second - first;
    const auto in_solid = [&](double t) {
      return f(2.5 - start - c1 * t) + R * f(phase(to_first + first - 2.5, 0, 0, t)) +
             T * back * out * f(phase(to_first + first - 2.5, 2 * across, 0, t));
    };
    const auto in_fluid = [&](auto of, double sign, double t) {
      return T * of(phase(to_first, 0.6, 0, t)) + sign * T * back * of(phase(to_first, 2 * across - 0.6, 0, t)) +
             T * back * again * of(phase(to_first, 2 * across + 0.6, 0, t));
    };
    const auto beyond = [&](auto of, double t) {
      return T * on * (of(phase(to_first, across, 1, t)) + back * again * of(phase(to_first, 3 * across, 1, t)));
    };
    const double bound = precision == "double" ? 1e-3 : 2e-3;
    EXPECT_LT(misfit(rows, 1, in_solid), bound) << precision;
    EXPECT_LT(misfit(rows, 2, [&](double t) { return in_fluid(f, 1, t); }), bound) << precision;
    EXPECT_LT(misfit(rows, 3, [&](double t) { return -c1 * in_fluid(df, 1, t); }), bound) << precision;
    // p = Z2 v of what goes to the right, -Z2 v of what goes to the left.
    EXPECT_LT(misfit(rows, 4, [&](double t) { return -Z2 * c1 * in_fluid(df, -1, t); }), 3 * bound) << precision;
    EXPECT_LT(misfit(rows, 5, [&](double t) { return beyond(f, t); }), bound) << precision;
    // Of solids a third of the trace of the stress, of which only xx is not 0.
    const double part = closed ? 1.0 / 3 : 1;
    EXPECT_LT(misfit(rows, 7, [&](double t) { return -Z3 * c1 * part * beyond(df, t); }), 3 * bound) << precision;
  }
}

/// A side of the mesh along which solids and fluids change in steps, in all directions.
std::string rugged(int dim, double size = 0.7) {
  return irregular(dim, 1, size) + group("solid", dim == 2 ? "surfaces" : "volumes", "x + 0.4*sin(7*y) < 0.5") +
         group("water", dim == 2 ? "surfaces" : "volumes", "x + 0.4*sin(7*y) >= 0.5");
}
const std::string rock_and_water =
    "[[material]]\non = \"solid\"\ndensity = \"2.5 + 0.3*y\"\nvp = \"3 + 0.2*x\"\nvs = 1.7\n"
    "[[material]]\non = \"water\"\ndensity = 1\nvp = \"1.5 + 0.1*y\"\n";

TEST(WaveCoupled, KeepsItsEnergyToTheBoundOfTheScheme) {
  for (const int dim : {2, 3}) {
    run("coupled_energy",
        rugged(dim) + physics("coupled", dim == 2 ? 4 : 3) + rock_and_water +
            "[[initial]]\non = \"solid\"\nu = [\"exp(-30*((x-0.1)^2 + (y-0.5)^2))*(x < 0.3)\", \"0\"" +
            (dim == 3 ? ", \"0\"" : "") + "]\n[output]\nevery = 11\nformats = []\n" + energies +
            time_to(dim == 2 ? 4 : 1, "cfl = 0.3"));
    const auto rows = table(folder() / "coupled_energy" / "quantities.csv");
    ASSERT_GT(rows.size(), 20U);
    const double start = rows[0][1] + rows[0][2];
    double most = 0;
    for (std::size_t i = 1; i < rows.size(); ++i)
      most = std::max(most, std::abs((rows[i][1] + rows[i][2]) / start - 1));
    EXPECT_LT(most, 5e-3) << dim;
    EXPECT_GT(rows.back()[1], 1e-3 * start);
  }
}

/// Solids that are displaced at the interface press on the fluid from the beginning.
TEST(WaveCoupled, HasPressureAndItsEnergyInTheFirstState) {
  run("first_state",
      "[mesh]\nbox = { min = [0,0], max = [4,4], cells = [4,4], shape = \"quad\" }\n" +
          group("sea", "surfaces", "y > 2") + group("rock", "surfaces", "y < 2") + physics("coupled", 3) +
          "[[material]]\non = \"rock\"\ndensity = 2\nvp = 3\nvs = 1.5\n[[material]]\non = \"sea\"\ndensity = 1\nvp = "
          "1.5\n[[initial]]\non = \"rock\"\nu = [\"0\", \"exp(-4*((x-2)^2 + (y-2)^2))\"]\n[[boundary]]\non = "
          "[\"top\"]\ntype = \"free\"\n" +
          "[output]\nevery = 1\nformats = [\"csv\"]\n" + energies + time_to(0.02, "cfl = 0.1"));
  const auto rows = table(folder() / "first_state" / "quantities.csv");
  ASSERT_GT(rows.size(), 4U);
  EXPECT_NEAR((rows[0][1] + rows[0][2]) / (rows[1][1] + rows[1][2]), 1, 0.01);
  const auto start = table(folder() / "first_state" / "solution_000000.csv"),
             next = table(folder() / "first_state" / "solution_000001.csv");
  double size = 0, difference = 0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    size = std::max(size, std::abs(next[i].back()));
    difference = std::max(difference, std::abs(next[i].back() - start[i].back()));
  }
  EXPECT_GT(size, 1);
  EXPECT_LT(difference, 0.05 * size);
}

/// A heavy fluid moves the highest frequency of both together above that of each: the step is made shorter.
TEST(WaveCoupled, TakesStepsThatBothMediaBearTogether) {
  const auto stable = [&](int density) {
    run("heavy",
        rugged(2) + physics("coupled", 4) +
            "[[material]]\non = \"solid\"\ndensity = 2.5\nvp = 3\nvs = 1.7\n[[material]]\non = \"water\"\ndensity = " +
            fmt::format("{}\nvp = 3\n", density) +
            "[[initial]]\non = \"solid\"\nu = [\"exp(-30*((x-0.1)^2 + (y-0.5)^2))*(x < 0.3)\", \"0\"]\n"
            "[output]\nevery = 50\nformats = []\n" +
            energies + time_to(3, "cfl = 0.97"));
    const auto rows = table(folder() / "heavy" / "quantities.csv");
    // What is seen of the energy of waves at the end of stability differs from what is kept, most where they rest.
    for (std::size_t i = 1; i < rows.size(); ++i)
      EXPECT_NEAR((rows[i][1] + rows[i][2]) / (rows[0][1] + rows[0][2]), 1, 0.25) << density << ' ' << i;
    return double(summary_in(folder() / "heavy")["time"]["stable_step"]);
  };
  EXPECT_LT(stable(20), 0.9 * stable(1));
}

/// Sources in both media, absorbing, free and fixed sides, probes of everything.
std::string everything(const std::string& step) {
  return rugged(2) + group("left", "curves", "x < 1e-6") + group("top", "curves", "y > 1 - 1e-6") +
         group("right", "curves", "x > 1 - 1e-6") + physics("coupled", 4) + rock_and_water +
         "[[boundary]]\non = [\"left\", \"right\"]\ntype = \"absorbing\"\n[[boundary]]\non = [\"top\"]\ntype = "
         "\"free\"\n[[source]]\nat = [0.2, 0.6]\nforce = [1, 2]\ntime_function = \"ricker\"\nfrequency = 12\ndelay = "
         "0.05\n[[source]]\nat = [0.8, 0.25]\ntime_function = \"gaussian\"\nwidth = 0.02\ndelay = 0.04\n" +
         probe("us", "0.1, 0.8", "u_x") + probe("vf", "0.9, 0.2", "v_y") + probe("p", "0.6, 0.3", "p") +
         probe("as", "0.1, 0.5", "a_y") + probe("e", "0.1, 0.5", "strain_xy") + probe("r", "0.1, 0.5", "rotation_z") +
         "[output]\nevery = 20\n" + time_to(0.1, step);
}

TEST(WaveCoupled, GoesOnBitwiseAsIfItHadNeverStopped) {
  const std::string deck = everything("step = 0.0005") + "[checkpoint]\nevery = 7\n";
  run("whole_coupled", deck);
  run("part_coupled", deck, "--set time.end=0.05");
  const Result result =
      app_test::tessera("restart " + (folder() / "part_coupled").string() + " --quiet --set time.end=0.1");
  ASSERT_EQ(result.code, 0) << result.text;
  for (const char* file : {"probes.csv", "solution_000200.vtu", "solution_000120.vtu"}) {
    EXPECT_FALSE(bytes_of(folder() / "whole_coupled" / file).empty()) << file;
    EXPECT_EQ(bytes_of(folder() / "part_coupled" / file), bytes_of(folder() / "whole_coupled" / file)) << file;
  }
}

TEST(WaveCoupled, OnRanksIsThatOfOne) {
  SKIP_WITHOUT_MPI();
  const std::string deck = everything("cfl = 0.3") + energies;
  const auto one = traces_on_ranks("coupled_ranks", deck, 1);
  for (const int ranks : {2, 4}) {
    expect_same_traces(traces_on_ranks("coupled_ranks", deck, ranks), one);
    const auto energy = table(folder() / fmt::format("coupled_ranks_{}", ranks) / "quantities.csv"),
               of_one = table(folder() / "coupled_ranks_1" / "quantities.csv");
    ASSERT_EQ(energy.size(), of_one.size());
    for (std::size_t i = 0; i < energy.size(); ++i)
      for (const std::size_t k : {1, 2}) EXPECT_NEAR(energy[i][k], of_one[i][k], 1e-9 * of_one.back()[k]) << i;
  }
}

/// Nodes that a rank sees as ghosts may be of the interface, though it does not see their solid.
TEST(WaveCoupled, SolidsStartMovedOnRanksToo) {
  SKIP_WITHOUT_MPI();
  const std::string deck =
      "[mesh]\nbox = { min = [0,0], max = [4,4], cells = [4,4], shape = \"quad\" }\n" +
      group("sea", "surfaces", "y > 2") + group("rock", "surfaces", "y < 2") + physics("coupled", 4) +
      "[[material]]\non = \"rock\"\ndensity = 2\nvp = 3\nvs = 1.5\n[[material]]\non = \"sea\"\ndensity = 1\nvp = "
      "1.5\n[[initial]]\non = \"rock\"\nu = [\"0\", \"exp(-4*((x-2)^2 + (y-2)^2))\"]\nv = [\"1\", \"x\"]\n" +
      probe("u", "2.3, 1.4", "u_y") + probe("p", "2.3, 2.4", "p") + "[output]\nformats = []\n" +
      time_to(1, "cfl = 0.3");
  const auto one = traces_on_ranks("moved_on_ranks", deck, 1);
  for (const int ranks : {2, 4}) expect_same_traces(traces_on_ranks("moved_on_ranks", deck, ranks), one);
}

TEST(WaveCoupled, CheckRefusesStartsThatMoveTheFluid) {
  const std::string deck =
      write_deck("checked_start.toml", everything("cfl = 0.3") + "[[initial]]\nu = [\"x\", \"0\"]\n");
  const Result result = app_test::tessera("check " + deck);
  EXPECT_EQ(result.code, 2) << result.text;
  EXPECT_NE(result.text.find("[[initial]] moves the fluid at"), std::string::npos) << result.text;
}

/// Corners, sides and middles of all cells: each sample has nodes of several ranks somewhere.
TEST(WaveCoupled, ProbesOnRanksAreThoseOfOneInEveryCellAndOnAllBorders) {
  SKIP_WITHOUT_MPI();
  const std::vector<std::string> kinds{"u_x", "v_y", "a_x", "p"};
  for (const std::string medium : {"elastic", "coupled"}) {
    std::string deck =
        "[mesh]\npartition = \"metis\"\nbox = { min = [0,0], max = [4,4], cells = [4,4], shape = \"quad\" }\n" +
        group("sea", "surfaces", "y > 2") + group("rock", "surfaces", "y < 2") + physics(medium, 3) +
        "[[material]]\non = \"rock\"\ndensity = 2\nvp = 3\nvs = 1.5\n[[material]]\non = "
        "\"sea\"\ndensity = 1\nvp = 1.5\n" +
        (medium == "elastic" ? "vs = 1\n" : "") +
        "[[source]]\nat = [1.1, 1.3]\nforce = [1, 2]\ntime_function = \"gaussian\"\nwidth = 0.2\ndelay = "
        "0.3\n[output]\nformats = []\n" +
        time_to(1, "cfl = 0.3");
    for (const std::string& of : kinds)
      for (int i = 0; i <= 8; ++i)
        for (int j = 0; j <= 8; ++j)
          deck += probe(fmt::format("{}_{}_{}", of, i, j), fmt::format("{}, {}", 0.5 * i, 0.5 * j), of);
    const auto one = traces_on_ranks("probed_" + medium, deck, 1);
    ASSERT_GT(one.size(), 20U);
    for (const int ranks : {2, 3}) {
      const auto some = traces_on_ranks("probed_" + medium, deck, ranks);
      ASSERT_EQ(some.size(), one.size());
      for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        const std::size_t first = 1 + 81 * kind;
        double size = 0, difference = 0;
        for (std::size_t i = 0; i < one.size(); ++i)
          for (std::size_t k = first; k < first + 81; ++k) {
            size = std::max(size, std::abs(one[i][k]));
            difference = std::max(difference, std::abs(some[i][k] - one[i][k]));
          }
        EXPECT_GT(size, 0) << kinds[kind];
        EXPECT_LT(difference, 1e-11 * size) << medium << ' ' << kinds[kind] << " on " << ranks;
      }
    }
  }
}

TEST(WaveCoupled, OnCudaIsThatOfThreads) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  expect_cuda_as_threads("coupled", write_deck("coupled_cuda.toml", everything("step = 0.0005")));
}

/// A volume s(t) that is pumped into a fluid: p = rho s''(t - r / c) / (4 pi r).
TEST(WaveCoupled, ASourceInAFluidIsAVolume) {
  const double width = 0.12, delay = 0.5, rho = 1.3, c = 1.5, r = 0.6;
  run("volume", "[mesh]\nbox = { min = [0,0,0], max = [2,2,2], cells = [8,8,8], shape = \"hex\" }\n" +
                    group("rock", "volumes", "z < 0.25") + group("sea", "volumes", "z > 0.25") + physics("coupled", 5) +
                    "[[material]]\non = \"rock\"\ndensity = 2\nvp = 2\nvs = 1\n[[material]]\non = \"sea\"\ndensity = " +
                    fmt::format("{}\nvp = {}\n", rho, c) +
                    "[[source]]\nat = [1.1, 0.9, 1.2]\ntime_function = \"gaussian\"\n" +
                    fmt::format("width = {}\ndelay = {}\n", width, delay) + probe("p", "1.1, 1.5, 1.2", "p") +
                    "[output]\nformats = []\n" + time_to(1.25, "cfl = 0.5"));
  const auto rows = table(folder() / "volume" / "probes.csv");
  ASSERT_GT(rows.size(), 50U);
  const auto second = [&](double t) {  // of exp(-((t - delay) / width)^2)
    const double s = (t - delay) / width;
    return (4 * s * s - 2) / (width * width) * std::exp(-s * s);
  };
  EXPECT_LT(misfit(rows, 1, [&](double t) { return rho * second(t - r / c) / (4 * M_PI * r); }), 0.02);
}

}  // namespace
