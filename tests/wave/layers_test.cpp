// What perfectly matched layers and absorbing sides send back: traces of a point source beside the side, less those of
// a mesh that goes on behind it, over the wave that reaches the mirrored place there.
#include "decks.hpp"

namespace {

using namespace wave_test;

std::string material(const std::string& medium) {
  return "[[material]]\ndensity = 1\n" + std::string(medium == "elastic" ? "vp = 2\nvs = 1\n"
                                                     : medium == "sh"    ? "vs = 1\n"
                                                                         : "vp = 1\n");
}
/// Squares of size 1 from `left` to 12.
std::string squares(int left, int height) {
  return fmt::format("[mesh]\nbox = {{ min = [{0},{1}], max = [12,{2}], cells = [{3},{4}], shape = \"quad\" }}\n", left,
                     -height, height, 12 - left, 2 * height);
}
std::string left_side(const std::string& type) { return "[[boundary]]\non = [\"left\"]\ntype = \"" + type + "\"\n"; }

struct Case {
  std::string medium;
  int component = 0;  ///< of the force
  int degree = 4;
  int layers = 3;
  std::string precision = "double";
};
const std::vector<double> angles{0, 30, 45, 60};

/// Of one mesh: receivers at the height of the source, 2 from the side, seen from its mirror image at these angles; and
/// their mirror images.
std::vector<std::vector<double>> traces(const Case& of, int left, const std::string& side) {
  const bool elastic = of.medium == "elastic";
  std::string deck = squares(left, elastic ? 18 : 12) + physics(of.medium, of.degree) + material(of.medium) + side;
  deck += "[run]\nprecision = \"" + of.precision + "\"\n[output]\nformats = []\n[[source]]\nat = [2, 0]\n";
  if (elastic) deck += of.component == 0 ? "force = [1, 0]\n" : "force = [0, 1]\n";
  deck += fmt::format("time_function = \"ricker\"\nfrequency = {}\ndelay = 4.8\n", 0.25);
  for (const double angle : angles)
    for (const double x : {2.0, -2.0})
      for (const char* name : {"x", "y"}) {
        if (!elastic && *name == 'y') continue;
        const std::string field = elastic ? std::string("u_") + name : of.medium == "sh" ? "u" : "p";
        const double at = x < 0 && left > -4 ? 2 : x;  // there is nothing there
        deck += probe(fmt::format("r{}_{}_{}", angle, x, name),
                      fmt::format("{}, {}", at, 4 * std::tan(angle * M_PI / 180)), field);
      }
  const double step = (elastic ? 0.03 : 0.06) * 16 / (of.degree * of.degree);
  run("reflections", deck + time_to(elastic ? 10 : 17, fmt::format("step = {}", step)));
  return table(folder() / "reflections" / "probes.csv");
}

/// In dB, by angle.
std::vector<double> reflections(const Case& of, int left, const std::string& side) {
  const auto whole = traces(of, -12, ""), cut = traces(of, left, side);
  EXPECT_EQ(whole.size(), cut.size());
  const std::size_t components = of.medium == "elastic" ? 2 : 1;
  std::vector<double> result;
  for (std::size_t k = 0; k < angles.size(); ++k) {
    double back = 0, came = 0;
    for (std::size_t i = 0; i < whole.size(); ++i)
      for (std::size_t c = 0; c < components; ++c) {
        const std::size_t here = 1 + 2 * components * k + c;
        back = std::max(back, std::abs(cut[i][here] - whole[i][here]));
        came = std::max(came, std::abs(whole[i][here + components]));
      }
    result.push_back(20 * std::log10(back / came));
  }
  return result;
}

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
            physics("acoustic", 4) + material("acoustic") + "[[initial]]\np = \"exp(-((x-3)/0.9)^2)\"\n" +
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
        physics("elastic", 4) + material("elastic") + (left == -3 ? left_side("pml") : "") +
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
