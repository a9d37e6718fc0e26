// What perfectly matched layers and absorbing sides send back.
#include "reflections.hpp"

namespace {

using namespace wave_test;
using reflected::Case, reflected::angles, reflected::left_side, reflected::material_of, reflected::reflections;

TEST(WaveLayers, LetWavesOutAtAllAngles) {
  for (const Case& of : {Case{"acoustic"}, Case{"sh"}, Case{"elastic", 0}, Case{"elastic", 1},
                         Case{"acoustic", 0, 4, 3, "float"}, Case{"elastic", 0, 4, 3, "float"}}) {
    const std::vector<double> back = reflections(of, -of.layers, left_side("pml"));
    for (std::size_t k = 0; k < angles.size(); ++k)
      EXPECT_LT(back[k], angles[k] < 60 ? -65 : -55)
          << of.medium << of.component << ' ' << of.precision << ' ' << angles[k];
  }
}

/// Elements of any degree, of which as many nodes stand in the layer and on a wave.
TEST(WaveLayers, OfAllDegreesDoTheSame) {
  for (const int degree : {2, 3, 5, 6, 7, 8}) {
    const Case of{"acoustic", 0, degree, degree == 2 ? 6 : degree == 3 ? 4 : 3};
    const std::vector<double> back =
        reflections(of, -of.layers, left_side("pml") + fmt::format("layers = {}\n", of.layers));
    for (std::size_t k = 0; k < angles.size(); ++k)
      EXPECT_LT(back[k], degree == 2 ? -35 : degree == 3 ? -45 : -60) << degree << ' ' << angles[k];
  }
}

/// What absorbing sides do, which are exact along the normal of a plane wave alone.
TEST(WaveLayers, LeaveLessBehindThanAbsorbingSides) {
  for (const Case& of : {Case{"acoustic"}, Case{"elastic", 0}, Case{"elastic", 1}}) {
    const std::vector<double> back = reflections(of, 0, left_side("absorbing"));
    EXPECT_GT(back[3], -20) << of.medium << of.component;
  }
}

/// A plane pulse of sound along x in space leaves less than 1e-3 of its height behind.
TEST(WaveLayers, LetPlanePulsesOutInSpace) {
  const auto trace = [](int end) {
    run("space",
        fmt::format("[mesh]\nbox = {{ min = [0,0,0], max = [{0},1,1], cells = [{0},1,1], shape = \"hex\" }}\n", end) +
            physics("acoustic", 4) + material_of("acoustic") + "[[initial]]\np = \"exp(-((x-3)/0.9)^2)\"\n" +
            (end == 9 ? "[[boundary]]\non = [\"right\"]\ntype = \"pml\"\n" : "") + "[output]\nformats = []\n" +
            probe("a", "4.5, 0.3, 0.4", "p") + time_to(12, "step = 0.04"));
    return table(folder() / "space" / "probes.csv");
  };
  const auto cut = trace(9), whole = trace(24);
  ASSERT_EQ(cut.size(), whole.size());
  double back = 0, came = 0;
  for (std::size_t i = 0; i < cut.size(); ++i) {
    back = std::max(back, std::abs(cut[i][1] - whole[i][1]));
    came = std::max(came, std::abs(whole[i][1]));
  }
  EXPECT_LT(back, 1e-3 * came);
}

/// So do P and S waves of a force in space.
TEST(WaveLayers, LetElasticWavesOutInSpace) {
  const auto trace = [](int left) {
    std::string deck =
        fmt::format("[mesh]\nbox = {{ min = [{},-3,-3], max = [5,3,3], cells = [{},6,6], shape = \"hex\" }}\n", left,
                    5 - left) +
        physics("elastic", 4) + material_of("elastic") + (left == -3 ? left_side("pml") : "") +
        "[[source]]\nat = [1, 0, 0]\nforce = [1, 1, 2]\ntime_function = \"ricker\"\nfrequency = 0.4\ndelay = 3\n" +
        "[output]\nformats = []\n" + time_to(6.5, "step = 0.035");
    for (const char* c : {"x", "y", "z"}) deck += probe(c, "1, 1, -1.5", std::string("u_") + c);
    run("elastic_space", deck);
    return table(folder() / "elastic_space" / "probes.csv");
  };
  const auto cut = trace(-3), whole = trace(-8);
  ASSERT_EQ(cut.size(), whole.size());
  for (std::size_t c = 1; c <= 3; ++c) {
    double back = 0, came = 0;
    for (std::size_t i = 0; i < cut.size(); ++i) {
      back = std::max(back, std::abs(cut[i][c] - whole[i][c]));
      came = std::max(came, std::abs(whole[i][c]));
    }
    EXPECT_LT(back, 3e-3 * came) << c;
  }
}

}  // namespace
