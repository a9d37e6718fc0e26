// Solids that remember at few points of each cell, attenuation.memory = "coarse".
#include <complex>
#include <tuple>

#include "base/backend.hpp"
#include "decks.hpp"
#include "traces.hpp"

namespace {

using namespace wave_test;

std::string attenuation(const std::string& band, const std::string& memory = "coarse") {
  return "[attenuation]\nband = " + band + "\nreference = 1.5\nmemory = \"" + memory + "\"\n";
}

/// Lame's mode at a frequency of the elastic solid, or an SH mode.
std::string mode(bool sh, double frequency, double quality, int degree) {
  const double vs = frequency * std::sqrt(2.0);  // omega = sqrt(2) pi vs
  return box(2, degree == 2   ? 12
                : degree == 3 ? 6
                              : 3) +
         physics(sh ? "sh" : "elastic", degree) + "[[material]]\ndensity = 2\n" +
         (sh ? fmt::format("vs = {}\n", vs) : fmt::format("vp = {}\nvs = {}\n", 2 * vs, vs)) +
         fmt::format("q_mu = {}\n", quality) + attenuation("[0.5, 5]") + "[[initial]]\nu = " +
         (sh ? "\"cos(pi*x)*cos(pi*y)\"" : "[\"cos(pi*x)*sin(pi*y)\", \"-sin(pi*x)*cos(pi*y)\"]") +
         "\n[[probe]]\nname = \"u\"\nat = [0.1, 0.35]\nof = \"" + (sh ? "u" : "u_x") + "\"\n[output]\nformats = []\n" +
         time_to(8 / frequency, "cfl = 0.4");
}

/// As WaveAttenuation has it of memory at nodes, with 17 nodes and more on a wave; at 0.6 Hz of a band from 0.5 on
/// degree 7 loses 2.02 per cent too much.
TEST(CoarseAttenuation, StandingWavesDecayAndDisperseAsTheirQualitySays) {
  for (const int degree : {2, 3, 4, 5, 6, 7, 8})
    for (const bool sh : {false, true})
      for (const double frequency : {0.6, 1.5, 4.0}) {
        const double quality = 200, reference = 1.5;
        run("coarse_mode", mode(sh, frequency, quality, degree));
        const Decay decay = decay_of(table(folder() / "coarse_mode" / "probes.csv"), 4);
        const double elastic = 2 * std::numbers::pi * frequency;
        EXPECT_NEAR(decay.rate / decay.omega * 2 * quality, 1, 0.021) << degree << sh << ' ' << frequency;
        const double shift = std::log(frequency / reference) / (std::numbers::pi * quality);
        EXPECT_NEAR(decay.omega / elastic - 1, shift, 0.06 * std::abs(shift) + 3e-4)
            << degree << sh << ' ' << frequency;
      }
}

/// A pulse that runs along a strip, past two points that lie alike in their cells: of P waves, to which a solid without
/// lambda makes no stress across, and of SH waves.
std::string strip(int dim, bool sh, double quality, const std::string& memory) {
  const std::string pulse = "(1 - 2*(2*pi*(t - 0.75))^2)*exp(-(2*pi*(t - 0.75))^2)",
                    rest = sh         ? ""
                           : dim == 2 ? ", \"0\""
                                      : ", \"0\", \"0\"",
                    y = dim == 2 ? "0.05" : "0.05, 0.05";
  return std::string("[mesh]\nbox = { ") +
         (dim == 2 ? "min = [0,0], max = [6,0.1], cells = [60,1], shape = \"quad\" }\n"
                   : "min = [0,0,0], max = [6,0.1,0.1], cells = [60,1,1], shape = \"hex\" }\n") +
         physics(sh ? "sh" : "elastic", 4) + "[[material]]\ndensity = 2\n" +
         (sh ? fmt::format("vs = 1\nq_mu = {}\n", quality) : fmt::format("lambda = 0\nmu = 1\nq = {}\n", quality)) +
         attenuation("[0.5, 5]", memory) + "[[boundary]]\non = [\"left\"]\ntype = \"prescribed\"\nvalue = [\"" + pulse +
         "\"" + rest + "]\n" + probe("first", "1.05, " + y, sh ? "u" : "u_x") +
         probe("second", "4.05, " + y, sh ? "u" : "u_x") + "[output]\nformats = []\nevery = 100000\n" +
         time_to(8, "step = 0.002");
}

std::complex<double> transform(const std::vector<std::vector<double>>& rows, std::size_t column, double frequency) {
  std::complex<double> sum = 0;
  for (const auto& row : rows)
    sum += row[column] * std::exp(std::complex<double>(0, -2 * std::numbers::pi * frequency * row[0]));
  return sum;
}

/// With the modulus of E. Kjartansson, J. Geophys. Res. 84 (1979) 4737-4748, as of memory at nodes, with 16 nodes and
/// more on a wave. In space points are fewer among all, and their moduli lose more at each.
TEST(CoarseAttenuation, PulsesDecayAndDisperseAsTheirQualitySays) {
  for (const auto& [dim, sh, quality] : {std::tuple{2, false, 100.0}, {2, true, 100.0}, {3, false, 200.0}}) {
    run("coarse_strip", strip(dim, sh, quality, "coarse"));
    const auto rows = table(folder() / "coarse_strip" / "probes.csv");
    for (const double f : {1.0, 1.5, 2.0, 2.5}) {
      const std::complex<double> ratio = transform(rows, 2, f) / transform(rows, 1, f);
      const double omega = 2 * std::numbers::pi * f, distance = 3, phase = std::atan(1 / quality);
      const double c = std::pow(f / 1.5, phase / std::numbers::pi);
      const double turns = std::round((omega * distance / c + std::arg(ratio)) / (2 * std::numbers::pi));
      const double found = omega * distance / (2 * std::numbers::pi * turns - std::arg(ratio));
      EXPECT_NEAR(found / c, 1, 5e-4) << dim << sh << ' ' << f;
      EXPECT_NEAR(-std::log(std::abs(ratio)) * found / (omega * distance * std::tan(phase / 2)), 1, 0.02)
          << dim << sh << ' ' << f;
    }
  }
}

/// With and without loss, factors that vary, an absorbing and a free side, and a source.
std::string mixed(const std::string& medium, const std::string& first, const std::string& second,
                  const std::string& source, const std::string& probes, const std::string& step) {
  return box(2, 5) + group("a", "surfaces", "x < 0.5") + group("b", "surfaces", "x >= 0.5") +
         group("low", "curves", "y < 1e-6") + physics(medium, 4) + "[[material]]\non = \"a\"\n" + first +
         "[[material]]\non = \"b\"\n" + second + attenuation("[3, 30]") +
         "[[boundary]]\non = [\"left\"]\ntype = \"absorbing\"\n[[boundary]]\non = [\"low\"]\ntype = \"" +
         (medium == "elastic" ? "fixed" : "free") + "\"\n[[source]]\nat = [0.4, 0.6]\n" + source +
         "time_function = \"ricker\"\nfrequency = 12\ndelay = 0.05\n" + probes + "[output]\nevery = 20\n" +
         time_to(0.1, step);
}
const char* const rock = "density = \"2 + x\"\nvp = 2\nvs = 1\nq_mu = \"30 + 30*y\"\nq_kappa = 60\n";
const char* const shale = "density = 2\nvpv = 2\nvph = 2.2\nvsv = 1\neta = 0.95\nq = \"30 + y\"\n";
std::vector<std::string> all_mixed(const std::string& step) {
  const std::string traces = probe("u", "0.8, 0.8", "u_x") + probe("v", "0.2, 0.7", "v_y"), force = "force = [1, 2]\n",
                    p = probe("p", "0.8, 0.3", "p");
  return {mixed("elastic", rock, "density = 2\nvp = 2.5\nvs = 1.2\n", force, traces, step),
          mixed("elastic", shale, "density = 2\nvp = 2.5\nvs = 1.2\nq = 60\n", force, traces, step),
          mixed("sh", "density = 2\nvs = 1\nq_mu = 40\n", "density = 2\nvs = 1.2\n", "",
                probe("u", "0.8, 0.8", "u") + probe("v", "0.2, 0.7", "v"), step),
          mixed("coupled", rock, "density = 1\nvp = 1.5\nq_kappa = 30\n", force, traces + p, step),
          mixed("coupled", shale, "density = 1\nvp = 1.5\n", force, traces + p, step)};
}

TEST(CoarseAttenuation, IsForetoldByCheck) {
  for (const std::string& deck : all_mixed("cfl = 0.5")) {
    const Result result = app_test::tessera("check " + write_deck("coarse_check.toml", deck));
    EXPECT_EQ(result.code, 0) << result.text;
  }
}

TEST(CoarseAttenuation, GoesOnBitwiseAsIfItHadNeverStopped) {
  for (const std::string& deck : all_mixed("step = 0.0005"))
    for (const char* precision : {"double", "float"}) {
      if (precision[0] == 'f' && deck.find("coupled") != std::string::npos) continue;
      expect_goes_on_bitwise("coarse",
                             deck + fmt::format("[checkpoint]\nevery = 7\n[run]\nprecision = \"{}\"\n", precision),
                             0.025, 0.05, "solution_000100.vtu");
    }
}

TEST(CoarseAttenuation, IsTheSameBitsOnAnyNumberOfThreads) {
  for (const std::string& deck : all_mixed("step = 0.001")) expect_same_on_threads("coarse_threads", deck);
}

TEST(CoarseAttenuation, OnRanksIsThatOfOne) {
  SKIP_WITHOUT_MPI();
  std::vector<int> numbers{2, 4};
  for (const std::string& deck : all_mixed("step = 0.001")) {
    const auto one = traces_on_ranks("coarse_ranks", deck, 1);
    for (const int ranks : numbers) expect_same_traces(traces_on_ranks("coarse_ranks", deck, ranks), one);
    numbers = {numbers.size() == 2 ? 3 : 7 - numbers.front()};  // both of the first deck, then 3 and 4 in turn
  }
}

/// What was written by three ranks goes on on one.
TEST(CoarseAttenuation, GoesOnOnOtherRanks) {
  SKIP_WITHOUT_MPI();
  const std::string deck = all_mixed("step = 0.0005")[0] + "[checkpoint]\nevery = 7\n";
  const fs::path out = folder() / "coarse_other_ranks";
  const auto whole = traces_on_ranks("coarse_whole", deck, 1);
  const std::string file = write_deck("coarse_other_ranks.toml", deck);
  const Result part =
      on_ranks(3, "run " + file + " --quiet --backend threads --output " + out.string() + " --set time.end=0.05");
  ASSERT_EQ(part.code, 0) << part.text;
  const Result rest = app_test::tessera("restart " + out.string() + " --quiet --set time.end=0.1");
  ASSERT_EQ(rest.code, 0) << rest.text;
  expect_same_traces(table(out / "probes.csv"), whole);
}

/// Close to the least quality factor that is taken, on a distorted mesh with the longest step: a body whose sides are
/// free loses its energy, and none comes back.
TEST(CoarseAttenuation, LosesEnergyUpToItsLimit) {
  const std::string deck =
      irregular(2, 1) + physics("elastic", 4) + "[[material]]\ndensity = 2\nvp = 2\nvs = 1\nq_mu = 11\nq_kappa = 11\n" +
      attenuation("[0.5, 5]") + "[[initial]]\nu = [\"exp(-50*((x - 0.4)^2 + (y - 0.5)^2))\", \"0\"]\n";
  const auto rows = energies_of(deck, 40, 200);
  EXPECT_GT(static_cast<double>(summary_in(folder() / "long")["attenuation"]["most_relaxed"]), 0.9);
  EXPECT_EQ(summary_in(folder() / "long")["attenuation"]["memory"], "coarse");
  EXPECT_GT(rows.back()[0], 39);
  expect_energy_leaves(rows, 1e-6);
}

TEST(CoarseAttenuation, OnCudaIsThatOfThreads) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  for (const std::string& deck : all_mixed("step = 0.0005"))
    expect_cuda_as_threads("coarse", write_deck("coarse_cuda.toml", deck));
}

/// A box needs no Gmsh. Numbers of cells and of places, and the law of solids with directions, at each degree.
TEST(CoarseAttenuation, InSpaceOnCudaIsThatOfThreads) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  for (const int degree : {2, 3, 4, 5, 6, 7, 8})
    for (const char* material : {"vp = 2\nvs = 1\nq_kappa = 100\nq_mu = 60\n", "vp = 2\nvs = 1\nq_mu = \"60 + 20*x\"\n",
                                 "vpv = 2\nvph = 2.2\nvsv = 1\nvsh = 1.1\neta = 0.95\nq = 60\n"})
      expect_cuda_as_threads(
          "coarse_box",
          write_deck("coarse_box.toml",
                     box(3, 3) + physics("elastic", degree) + "[[material]]\ndensity = 2\n" + material +
                         attenuation("[0.5, 5]") +
                         "[[source]]\nat = [0.6, 0.5, 0.7]\nforce = [1, 2, 1]\ntime_function = \"ricker\"\n"
                         "frequency = 3\ndelay = 0.1\n" +
                         probe("u", "0.8, 0.8, 0.6", "u_x") + probe("v", "0.5, 0.9, 0.4", "v_y") +
                         time_to(0.1, "step = 0.001")));
}

/// The worst quality factor of the mesh is that of the cells of one rank: the summary has it on any number of them.
TEST(CoarseAttenuation, SaysTheLargestNumbersOfAllRanks) {
  SKIP_WITHOUT_MPI();
  const std::string ends = "density = 2\nvp = 2\nvs = 1\nq = \"x < 0.75 ? 300 : 20\"\n",
                    rock = "density = 2\nvp = 2\nvs = 1\nq = 300\n", sea = "density = 1\nvp = 1.5\nq = 20\n";
  for (const bool coupled : {false, true}) {
    const std::string deck =
        "[mesh]\npartition = \"metis\"\nbox = { min = [0,0], max = [1,1], cells = [8,8], shape = \"quad\" }\n" +
        group("low", "surfaces", "y < 0.5") + group("high", "surfaces", "y > 0.5") +
        physics(coupled ? "coupled" : "elastic", 4) +
        (coupled ? "[[material]]\non = \"low\"\n" + rock + "[[material]]\non = \"high\"\n" + sea
                 : "[[material]]\n" + ends) +
        attenuation("[0.5, 50]", coupled ? "nodes" : "coarse") +
        "[[source]]\nat = [0.4, 0.3]\nforce = [1, 2]\ntime_function = \"ricker\"\nfrequency = 2\n[output]\nformats = "
        "[]\n" +
        probe("u", "0.3, 0.4", "u_x") + time_to(0.1, "cfl = 0.9");
    nlohmann::json one;
    for (const int ranks : {1, 2, 4}) {
      (void)traces_on_ranks("told", deck, ranks);
      const nlohmann::json told = summary_in(folder() / fmt::format("told_{}", ranks))["attenuation"];
      if (ranks == 1) one = told;
      EXPECT_EQ(told, one) << ranks << told << one;
    }
    EXPECT_GT(double(one["deviation"]), 0.01) << one;
  }
}

class CoarseRefused : public ::testing::TestWithParam<app_test::Case> {};

TEST_P(CoarseRefused, SaysWhatIsWrong) {
  const app_test::Case& wrong = GetParam();
  expect_says(app_test::tessera("run " + write_deck(std::string(wrong.name) + ".toml", wrong.deck) +
                                " --quiet --backend threads --output " + (folder() / "refused").string()),
              wrong);
}

const std::string soon = time_to(0.1, "cfl = 0.5"), coarse = "[attenuation]\nband = [0.5, 5]\nmemory = \"coarse\"\n",
                  solid = "[[material]]\ndensity = 2\nvp = 2\nvs = 1\n", elastic = box(2, 2) + physics("elastic", 4);

INSTANTIATE_TEST_SUITE_P(
    Wave, CoarseRefused,
    ::testing::Values(
        app_test::Case{"no_such_memory",
                       elastic + solid + "q = 50\n[attenuation]\nband = [1, 10]\nmemory = \"corse\"\n" + soon,
                       2,
                       {"no_such_memory.toml:", "corse", "nodes", "coarse"}},
        app_test::Case{
            "coarse_layers",
            elastic + solid + "q = 50\n" + coarse + pml("\"left\"") + soon,
            2,
            {"memory = \"coarse\" beside a perfectly matched layer", "coarse_layers.toml:", "memory = \"nodes\""}},
        app_test::Case{
            "coarse_fluid",
            box(2, 2) + physics("acoustic", 4) + "[[material]]\ndensity = 2\nvp = 2\nq = 50\n" + coarse + soon,
            2,
            {"no solid has a quality factor", "fluids do at their nodes"}},
        app_test::Case{"coarse_low_quality",
                       elastic + solid + "q_mu = 8\n" + coarse + soon,
                       2,
                       {"the quality factor q_mu is 8, and memory = \"coarse\" of order 4 holds those above",
                        "choose memory = \"nodes\"", "coarse_low_quality.toml:"}},
        app_test::Case{"coarse_low_somewhere",
                       elastic + solid + "q = \"200*x\"\n" + coarse + soon,
                       2,
                       {"the quality factor q is 0 at (0, 0, 0)"}},
        app_test::Case{"coarse_low_at_a_point",
                       elastic + solid + "q = \"4 + 20*x\"\n" + coarse + soon,
                       2,
                       {"the quality factor q is", "at (0.0863", "holds those above"}}),
    app_test::case_name);

}  // namespace
