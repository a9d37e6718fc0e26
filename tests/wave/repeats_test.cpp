// Runs that are repeated, and the phase of waves by how many nodes stand on them.
#include <array>

#include "base/backend.hpp"
#include "traces.hpp"

namespace {

using namespace wave_test;

/// Fluids and solids that attenuate, a layer and an absorbing side, on a mesh of three materials.
std::string all_at_once() {
  return box(2, 8) + group("rock", "surfaces", "y < 0.5") + group("sea", "surfaces", "y > 0.5") +
         physics("coupled", 4) +
         "[[material]]\non = \"rock\"\ndensity = \"2 + x\"\nvp = 2\nvs = 1\nq_mu = 40\n[[material]]\non = "
         "\"sea\"\ndensity = 1\nvp = 1.5\nq_kappa = 60\n[attenuation]\nband = [1, 20]\n" +
         pml("\"left\"") +
         "[[boundary]]\non = [\"top\"]\ntype = \"free\"\n[[source]]\nat = [0.7, 0.3]\nforce = [1, "
         "2]\ntime_function = \"ricker\"\nfrequency = 6\n" +
         probe("u", "0.61, 0.31", "u_x") + probe("v", "0.55, 0.2", "v_y") + probe("p", "0.7, 0.8", "p") +
         time_to(0.5, "step = 0.002") + "[output]\nformats = []\n";
}

void expect_ten_times_the_same(const std::string& backend) {
  const std::string deck = write_deck("ten_times.toml", all_at_once());
  std::string first;
  for (int i = 0; i < 10; ++i) {
    const fs::path out = folder() / "ten_times";
    const Result result =
        app_test::tessera("run " + deck + " --quiet --backend " + backend + " --output " + out.string());
    ASSERT_EQ(result.code, 0) << result.text;
    const std::string here = bytes_of(out / "probes.csv");
    if (i == 0) first = here;
    ASSERT_EQ(here, first) << i;
  }
  EXPECT_GT(first.size(), 5000U);
}

TEST(WaveRepeats, AreTheSameBitsTenTimes) { expect_ten_times_the_same("threads"); }
TEST(WaveRepeats, OnCudaAreTheSameBitsTenTimes) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  expect_ten_times_the_same("cuda");
}

/// How much faster than it should a wave of this many half lengths runs in a strip of so many cells, by its frequency
/// between rigid walls; the error in time is below 1e-6.
double phase_error(int degree, int cells, int halves) {
  run("phase",
      fmt::format("[mesh]\nbox = {{ min = [0,0], max = [{0},1], cells = [{0},1], shape = \"quad\" }}\n", cells) +
          physics("acoustic", degree) +
          "[[material]]\ndensity = 1\nvp = 1\n[[initial]]\np = " + fmt::format("\"cos({}*pi*x/{})\"\n", halves, cells) +
          probe("p", "0, 0.5", "p") + time_to(24.0 * cells / halves, "cfl = 0.1", "rk4") + "[output]\nformats = []\n");
  const Decay found = decay_of(table(folder() / "phase" / "probes.csv"), 1);
  return found.omega / (M_PI * halves / cells) - 1;
}

/// For each degree at about 5, 6, 8 and 10 nodes a wave, 2 degree cells / halves. From 5 to `fine` of these the error
/// falls by (nodes)^(2 degree) to a factor of two, until that in time remains.
TEST(WavePhase, ErrsByHowManyNodesStandOnAWave) {
  constexpr int cells = 20;
  struct Row {
    int degree;
    std::array<int, 4> halves;
    std::array<double, 4> most;
    std::size_t fine;
  };
  for (const Row& row : {Row{2, {16, 13, 10, 8}, {0.025, 8e-3, 3e-3, 1.2e-3}, 3},
                         Row{4, {32, 27, 19, 16}, {2.5e-3, 8e-4, 2e-5, 2e-5}, 2},
                         Row{6, {48, 39, 29, 24}, {6e-4, 1e-4, 5e-6, 2e-6}, 2}}) {
    std::array<double, 4> errors;
    for (std::size_t i = 0; i < row.halves.size(); ++i) {
      errors[i] = std::abs(phase_error(row.degree, cells, row.halves[i]));
      EXPECT_LT(errors[i], row.most[i]) << row.degree << ' ' << row.halves[i];
    }
    const double finer = 1.0 * row.halves[0] / row.halves[row.fine];
    EXPECT_GT(errors[0] / errors[row.fine], std::pow(finer, 2 * row.degree) / 2) << row.degree;
  }
}

}  // namespace
