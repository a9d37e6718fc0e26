// Perfectly matched layers through which the interface of a fluid and a solid runs.
#include "base/backend.hpp"
#include "traces.hpp"

namespace {

using namespace wave_test;

const std::string free_top = "[[boundary]]\non = [\"top\"]\ntype = \"free\"\n";
/// A sea above y = 0, and what is below it.
std::string media(int dim) {
  const std::string cells = dim == 2 ? "surfaces" : "volumes";
  return group("sea", cells, "y > 0") + group("rock", cells, "y < 0") +
         "[[material]]\non = \"sea\"\ndensity = 1\nvp = 1.2\n"
         "[[material]]\non = \"rock\"\ndensity = 2\nvp = 2\nvs = 1.1\n";
}
/// Squares of size 1.
std::string squares(int left, int right, int bottom, int top) {
  return fmt::format("[mesh]\nbox = {{ min = [{},{}], max = [{},{}], cells = [{},{}], shape = \"quad\" }}\n", left,
                     bottom, right, top, right - left, top - bottom);
}
std::string source(const std::string& at, const std::string& more, double frequency, double delay) {
  return fmt::format("[[source]]\nat = [{}]\n{}time_function = \"ricker\"\nfrequency = {}\ndelay = {}\n", at, more,
                     frequency, delay);
}
std::vector<std::vector<double>> probes_of(const std::string& name, const std::string& deck) {
  run(name, deck);
  return table(folder() / name / "probes.csv");
}
/// A source 2 before the side and 1 above or below the interface; receivers at the same distance from the side in both
/// media, at angles of its mirror image, and at the mirrored places behind the side.
std::vector<std::vector<double>> traces(bool in_sea, int left, const std::string& side, const std::string& more) {
  std::string deck = squares(left, 12, -14, 12) + physics("coupled", 4) + media(2) + side + more +
                     source(in_sea ? "2, 1" : "2, -1", in_sea ? "" : "force = [1, 0.5]\n", 0.25, 4.8) +
                     "[output]\nformats = []\n" + time_to(12, "step = 0.03");
  for (const double y : {1.2, 3.5, 7.0, -0.6, -3.5, -7.0})
    for (const double x : {2.0, -2.0})
      for (const char* field : {"v_x", "v_y"})
        deck +=
            probe(fmt::format("{}_{}_{}", field, x, y), fmt::format("{}, {}", x < 0 && left > -4 ? 2 : x, y), field);
  return probes_of("coupled_reflections", deck);
}

/// In dB, of each receiver: what the side sends back over what reaches the mirrored place.
std::vector<double> reflections(bool in_sea, const std::string& side, const std::string& more) {
  const auto whole = traces(in_sea, -13, "", more), cut = traces(in_sea, side.empty() ? -13 : -3, side, more);
  EXPECT_EQ(whole.size(), cut.size());
  std::vector<double> result;
  for (std::size_t first = 1; first + 3 < whole[0].size(); first += 4) {
    double back = 0, came = 0;
    for (std::size_t i = 0; i < whole.size(); ++i)
      for (std::size_t c = first; c < first + 2; ++c) {
        back = std::max(back, std::abs(cut[i][c] - whole[i][c]));
        came = std::max(came, std::abs(whole[i][c + 2]));
      }
    result.push_back(20 * std::log10(back / came));
  }
  return result;
}

TEST(WaveCoupledLayers, LetWavesOutOfBothMediaAndAlongTheirInterface) {
  for (const std::string precision : {"double", "float"})
    for (const bool in_sea : {true, false}) {
      const std::vector<double> back =
          reflections(in_sea, pml("\"left\""), free_top + "[run]\nprecision = \"" + precision + "\"\n");
      ASSERT_EQ(back.size(), 6U);
      for (std::size_t k = 0; k < back.size(); ++k)
        EXPECT_LT(back[k], k % 3 == 2 ? -57 : -62) << precision << in_sea << ' ' << k;
    }
}

/// Waves below the free surface of a sea of 3 over 5 of rock leave, and nothing grows afterwards.
TEST(WaveCoupledLayers, DoNotGrow) {
  for (const int degree : {2, 4}) {
    SCOPED_TRACE(degree);
    const std::string sea = squares(0, 8, -5, 3) + physics("coupled", degree) + media(2);
    expect_energy_leaves(
        energies_of(sea + pml("\"left\", \"right\", \"bottom\"") + free_top + source("3.9, 0.6", "", 0.5, 3), 120, 50),
        degree == 2 ? 1e-4 : 1e-8);
  }
}

/// In space, with corners of layers through which the interface runs: traces of a mesh that goes on.
TEST(WaveCoupledLayers, LetWavesOutOfCornersInSpace) {
  const auto trace = [](int left) {
    std::string deck = fmt::format(
                           "[mesh]\nbox = {{ min = [{0},-2,{0}], max = [4,2,4], cells = [{1},4,{1}], shape = "
                           "\"hex\" }}\n",
                           left, 4 - left) +
                       physics("coupled", 4) + media(3) + (left == -3 ? pml("\"left\", \"back\"") : "") + free_top +
                       source("1.2, 0.6, 1.4", "", 0.4, 3) + "[output]\nformats = []\n" + time_to(6.5, "step = 0.035");
    for (const char* c : {"x", "y", "z"})
      deck += probe(std::string("sea_") + c, "0.6, 1.2, 0.7", std::string("v_") + c) +
              probe(std::string("rock_") + c, "0.8, -0.7, 0.6", std::string("v_") + c);
    return probes_of("coupled_space", deck);
  };
  const auto cut = trace(-3), whole = trace(-8);
  ASSERT_EQ(cut.size(), whole.size());
  for (std::size_t c = 1; c <= 6; ++c) {
    double back = 0, came = 0;
    for (std::size_t i = 0; i < cut.size(); ++i) {
      back = std::max(back, std::abs(cut[i][c] - whole[i][c]));
      came = std::max(came, std::abs(whole[i][c]));
    }
    EXPECT_LT(back, 4e-3 * came) << c;
  }
}

/// Layers at a side and below, or that grow there; the corner of both is of rock alone.
std::string shelf(bool grown, const std::string& more = "") {
  return squares(grown ? 0 : -3, 6, grown ? -3 : -5, 2) + physics("coupled", 4) + media(2) +
         pml("\"left\"", grown ? "grow = true\n" : "") +
         pml("\"bottom\"", grown ? "grow = true\nlayers = 2\n" : "layers = 2\n") + free_top +
         "[[boundary]]\non = [\"right\"]\ntype = \"fixed\"\n" + source("1.4, 0.6", "", 0.5, 2) +
         probe("sea", "0.4, 1.2", "p") + probe("rock", "3.1, -0.7", "v_y") + probe("on", "-1.2, 0.1", "v_x") +
         probe("in", "-1.2, -3.4", "v_x") + "[output]\nevery = 40\n" + more + time_to(8, "step = 0.04");
}
std::string corners(const std::string& more = "") {
  return "[mesh]\nbox = { min = [0,-2,0], max = [5,2,5], cells = [5,4,5], shape = \"hex\" }\n" + physics("coupled", 2) +
         media(3) + pml("\"left\", \"back\", \"bottom\"", "layers = 1\n") + free_top +
         source("3.2, 0.6, 3.4", "", 0.5, 2) + probe("sea", "2.2, 0.9, 1.7", "p") +
         probe("rock", "3.2, -0.6, 1.7", "v_x") + probe("in", "0.3, 0.3, 0.4", "v_z") + "[output]\nevery = 40\n" +
         more + time_to(8, "step = 0.08");
}

/// A solid that begins displaced in a layer pushes the fluid from the first half of a step on: v at the start is that
/// of the mesh without the layer.
TEST(WaveCoupledLayers, BeginWithTheDisplacementThatIsThere) {
  const auto start = [](const std::string& side) {
    return probes_of("coupled_displaced", squares(0, 8, -4, 4) + physics("coupled", 4) + media(2) + side + free_top +
                                              "[[initial]]\non = [\"rock\"]\nu = [\"0\", "
                                              "\"exp(-4*((x-1.5)^2+y^2))\"]\n" +
                                              probe("v", "1.5, -0.1", "v_y") + probe("p", "1.5, 0.1", "p") +
                                              "[output]\nformats = []\n" + time_to(0.04, "step = 0.02"));
  };
  const auto with = start(pml("\"left\"", "reflection = 0.5\n")), without = start("");
  ASSERT_EQ(with.size(), without.size());
  EXPECT_NEAR(with[0][1], without[0][1], 0.05);
  EXPECT_NEAR(with[1][2], without[1][2], 0.3 * std::abs(without[1][2]));
}

TEST(WaveCoupledLayers, ThatGrowDoWhatLayersInTheMeshDo) {
  expect_same_traces(probes_of("coupled_grown", shelf(true)), probes_of("coupled_drawn", shelf(false)), 1e-10);
}

TEST(WaveCoupledLayers, GoOnBitwiseAsIfTheyHadNeverStopped) {
  for (const std::string precision : {"double", "float"})
    expect_goes_on_bitwise("coupled_layers",
                           shelf(false, "[checkpoint]\nevery = 7\n[run]\nprecision = \"" + precision + "\"\n"), 4, 8,
                           "solution_000200.vtu");
  EXPECT_GT(bytes_of(folder() / "whole_coupled_layers" / "solution_000200.vtu").size(), 1000U);
}

TEST(WaveCoupledLayers, AreTheSameOnAnyNumberOfThreads) { expect_same_on_threads("coupled_threads", shelf(false)); }

TEST(WaveCoupledLayers, OnRanksAreThoseOfOne) {
  SKIP_WITHOUT_MPI();
  const auto check = [](const std::string& deck, int ranks) {
    SCOPED_TRACE(ranks);
    expect_same_traces(traces_on_ranks("coupled_ranks", deck, ranks), traces_on_ranks("coupled_ranks", deck, 1));
  };
  check(shelf(true), 2);
  check(corners(), 4);
}

TEST(WaveCoupledLayers, OnCudaAreThoseOfThreads) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  expect_cuda_as_threads("coupled_layers", write_deck("coupled_layers.toml", shelf(false)));
}

TEST(WaveCoupledLayers, RefuseWhatTheyCannotStretch) {
  const auto refused = [](const std::string& deck, const std::string& what) {
    const Result result = app_test::tessera("check " + write_deck("coupled_refused.toml", deck));
    EXPECT_EQ(result.code, 2) << result.text;
    EXPECT_NE(result.text.find(what), std::string::npos) << result.text;
  };
  const std::string soon = time_to(0.1, "cfl = 0.5") + source("5.4, 1.6", "", 0.5, 3);
  const std::string steps = squares(0, 8, -5, 3) + group("sea", "surfaces", "y > if(x < 2, 1, 0)") +
                            group("rock", "surfaces", "y < if(x < 2, 1, 0)") + physics("coupled", 3) +
                            "[[material]]\non = \"sea\"\ndensity = 1\nvp = 1.2\n"
                            "[[material]]\non = \"rock\"\ndensity = 2\nvp = 2\nvs = 1.1\n";
  refused(steps + pml("\"left\"") + soon, "at another angle than 90 degrees to its side, at (2, ");
  const std::string flat = squares(0, 8, -5, 3) + physics("coupled", 3) + media(2);
  refused(flat + pml("\"left\"", "multiaxial = 0.1\n") + soon, "a multiaxial layer of coupled media");
  refused(flat + pml("\"left\"") + "[[boundary]]\non = [\"top\"]\ntype = \"absorbing\"\n" + soon,
          "an absorbing side reaches into it");
}

}  // namespace
