// Meshes so large that ranks have patches of cells without a node of others, which go first while ghosts travel.
#include "decks.hpp"
#include "traces.hpp"

namespace {

using namespace wave_test;

/// 24 x 24 quads of degree 2, 9 patches of 64 on one rank.
std::string deck_of_medium(const std::string& medium, const std::string& material, const std::string& more = "") {
  const bool sound = medium == "acoustic";
  return box(2, 24) + physics(medium, 2) + "[[material]]\ndensity = 2\n" + material + more +
         (sound ? "[[initial]]\np = \"exp(-40*((x - 0.4)^2 + (y - 0.5)^2))\"\n"
                : "[[initial]]\nu = [\"exp(-40*((x - 0.4)^2 + (y - 0.5)^2))\", \"x*y\"]\n") +
         probe("a", "0.47, 0.52", sound ? "p" : "u_x") + probe("b", "0.9, 0.3", sound ? "p" : "u_y") +
         time_to(0.1, "step = 0.001");
}

const std::string solid = "vp = 2\nvs = 1\n", lossy = solid + "q_kappa = 200\nq_mu = 150\n",
                  band = "[attenuation]\nband = [0.5, 5]\n";

TEST(WaveOverlap, OnRanksIsThatOfOne) {
  SKIP_WITHOUT_MPI();
  const std::pair<const char*, std::string> decks[] = {
      {"overlap_sound", deck_of_medium("acoustic", "vp = 2\n")},
      {"overlap_solid", deck_of_medium("elastic", solid)},
      {"overlap_nodes", deck_of_medium("elastic", lossy, band)},
      {"overlap_coarse", deck_of_medium("elastic", lossy, band + "memory = \"coarse\"\n")},
      {"overlap_layers", deck_of_medium("elastic", solid, pml("\"left\", \"bottom\"", "layers = 3\n"))},
      {"overlap_damped", deck_of_medium("elastic", solid + "rayleigh_alpha = 0.3\nrayleigh_beta = 1e-4\n")}};
  for (const auto& [name, deck] : decks) {
    const auto one = traces_on_ranks(name, deck, 1);
    for (const int ranks : name == std::string("overlap_coarse") ? std::vector{2, 3} : std::vector{3})
      expect_same_traces(traces_on_ranks(name, deck, ranks), one);
  }
}

/// What cells remember is of two blocks on a rank then.
TEST(WaveOverlap, GoesOnOnOtherRanks) {
  SKIP_WITHOUT_MPI();
  const std::string deck =
      deck_of_medium("elastic", lossy, band + "memory = \"coarse\"\n") + "[checkpoint]\nevery = 7\n";
  const auto whole = traces_on_ranks("overlap_whole", deck, 1);
  const fs::path out = folder() / "overlap_other_ranks";
  const std::string file = write_deck("overlap_other_ranks.toml", deck);
  const Result part =
      on_ranks(2, "run " + file + " --quiet --backend threads --output " + out.string() + " --set time.end=0.05");
  ASSERT_EQ(part.code, 0) << part.text;
  const Result rest = on_ranks(3, "restart " + out.string() + " --quiet --set time.end=0.1");
  ASSERT_EQ(rest.code, 0) << rest.text;
  expect_same_traces(table(out / "probes.csv"), whole);
}

}  // namespace
