// What is said of meshes that do not bear the waves of a deck, and of layers.
#include "app/ranks.hpp"
#include "decks.hpp"

namespace {

using namespace wave_test;

const std::string solid = "[[material]]\ndensity = 2\nvp = 2\nvs = 1\n";

/// Its warnings, one a line.
std::string warnings_of(const std::string& deck, const char* name = "resolved") {
  std::string all;
  const nlohmann::json summary = run(name, deck);
  for (const auto& warning : summary["warnings"]) all += warning.get<std::string>() + "\n";
  return all;
}
void expect_has(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << part << "\nin\n" << text;
}

/// Eight cells of degree 4, the slowest speed 1: 4 nodes stand on a wave of 8 Hz.
std::string shaken(const std::string& function) {
  return box(2, 8) + physics("elastic", 4) + solid + "[[source]]\nat = [0.4, 0.3]\nforce = [1, 2]\n" + function +
         time_to(1, "cfl = 0.9") + "[output]\nformats = []\n";
}

TEST(WaveResolution, IsLookedAtWhereAGaussianHasAWidth) {
  // 1 / (pi width) is 10 Hz.
  const std::string all = warnings_of(shaken("time_function = \"gaussian\"\nwidth = 0.0318\n"));
  expect_has(all, "3.2 nodes stand on the shortest wave of 10 Hz, which the gaussian of source 1 has by its width");
  EXPECT_EQ(warnings_of(shaken("time_function = \"gaussian\"\nwidth = 0.05\n")), "");
}

/// The frequency of a warning.
void expect_frequency(const std::string& text, const std::string& whose, double least, double most) {
  expect_has(text, "Hz, below which " + whose + " has 95 % of its power");
  const std::size_t at = text.find("wave of ");
  ASSERT_NE(at, std::string::npos) << text;
  const double frequency = std::stod(text.substr(at + 8));
  EXPECT_GE(frequency, least) << text;
  EXPECT_LE(frequency, most) << text;
}

/// Of exp(-(t / w)^2) 95 per cent of the power lies below 0.98 / (pi w), 9.8 Hz.
TEST(WaveResolution, IsLookedAtOfExpressionsAndFiles) {
  expect_frequency(warnings_of(shaken("time_function = \"exp(-((t - 0.5)/0.0318)^2)\"\n")), "source 1", 9.5, 10.1);
  EXPECT_EQ(warnings_of(shaken("time_function = \"exp(-((t - 0.5)/0.06)^2)\"\n")), "");
  // It stays at 1, and its rate is that pulse.
  expect_frequency(warnings_of(shaken("time_function = \"erf((t - 0.5)/0.0318)\"\n")), "source 1", 9.5, 10.1);
  std::ofstream file(folder() / "pulse.csv");
  for (int i = 0; i <= 400; ++i)
    file << i / 400.0 << ", " << std::exp(-std::pow((i / 400.0 - 0.5) / 0.0318, 2)) << '\n';
  file.close();
  expect_frequency(warnings_of(shaken("file = \"pulse.csv\"\n")), "source 1", 9.5, 10.1);
  const std::string wave =
      "[[plane_wave]]\ndirection = [1, 0]\nwave = \"p\"\nat = [0.5, 0]\ntime_function = "
      "\"exp(-(t/0.0318)^2)\"\n";
  expect_frequency(warnings_of(box(2, 8) + physics("elastic", 4) + solid + wave + time_to(0.3, "cfl = 0.9") +
                               "[output]\nformats = []\n"),
                   "plane_wave 1", 9.3, 10.3);
}

/// A table of a pulse of about 6 Hz at 0, and of one of 40 Hz at -3.
std::string write_record() {
  std::ofstream file(folder() / "record.csv");
  for (int i = -4000; i <= 1000; ++i) {
    const double t = i / 1000.0, fast = t + 3;
    file << t << ", "
         << std::exp(-std::pow(t / 0.05, 2)) + std::sin(80 * M_PI * fast) * std::exp(-std::pow(fast / 0.1, 2)) << '\n';
  }
  return "[[plane_wave]]\ndirection = [1, 0]\nwave = \"p\"\nat = [0.5, 0]\nfile = \"record.csv\"\n";
}

/// Of a plane wave that is a file the mesh sees the part that is in it when the run begins.
TEST(WaveResolution, IsLookedAtOfPlaneWavesThatAreFilesAsTheMeshSeesThem) {
  const std::string wave = write_record();
  const auto with = [&](double delay) {
    return box(2, 8) + physics("elastic", 4) + solid + wave + fmt::format("delay = {}\n", delay) +
           time_to(0.1, "cfl = 0.9") + "[output]\nformats = []\n";
  };
  const std::string slow = app_test::tessera("check " + write_deck("slow.toml", with(0)) + " --backend threads").text;
  expect_frequency(slow, "plane_wave 1", 5.8, 7);
  EXPECT_EQ(slow.find("too coarse"), std::string::npos) << slow;
  const std::string fast = warnings_of(with(3));
  expect_frequency(fast, "plane_wave 1", 40, 46);
  expect_has(fast, "too coarse");
}

/// Each rank alone sees less than three periods of it.
TEST(WaveResolution, IsLookedAtOfPlaneWavesAsAllRanksSeeThem) {
  SKIP_WITHOUT_MPI();
  const std::string deck = box(2, 16) + "partition = \"bricks\"\n" + physics("elastic", 2) +
                           "[[material]]\ndensity = 2\nvp = 2\nvs = 0.75\n" + write_record() +
                           time_to(0.05, "cfl = 0.9") + "[output]\nformats = []\n";
  const Result result = on_ranks(2, "run " + write_deck("seen_by_ranks.toml", deck) +
                                        " --quiet --backend threads --output " + (folder() / "seen_by_ranks").string());
  EXPECT_EQ(result.code, 0) << result.text;
  expect_frequency(result.text, "plane_wave 1", 5.8, 7);
}

/// A constant, and a function that jumps, has no highest frequency.
TEST(WaveResolution, IsNotLookedAtOfWhatHasAllFrequencies) {
  EXPECT_EQ(warnings_of(shaken("time_function = \"t < 0.5 ? 0 : 1\"\n")), "");
  EXPECT_EQ(warnings_of(shaken("time_function = \"step\"\ndelay = 0.5\n")), "");
  EXPECT_EQ(warnings_of(shaken("")), "");
}

/// A quad with an edge that is almost in line with the next: its steps are those of a far smaller one.
TEST(WaveResolution, IsLookedAtWhereACellIsBadlyShaped) {
  const auto mesh = [](double y) {
    const fs::path file = folder() / fmt::format("bad_{}.msh", y);
    std::ofstream(file) << "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n9\n1 0 0 0\n2 1 0 0\n3 2 0 0\n4 0 1 0\n5 1 "
                        << y
                        << " 0\n6 2 1 0\n7 0 2 0\n8 1 2 0\n9 2 2 0\n$EndNodes\n$Elements\n4\n1 3 2 0 1 1 2 5 4\n"
                           "2 3 2 0 1 2 3 6 5\n3 3 2 0 1 4 5 8 7\n4 3 2 0 1 5 6 9 8\n$EndElements\n";
    return "[mesh]\nfile = \"" + file.string() + "\"\n";
  };
  const auto said = [&](double y) {
    return warnings_of(mesh(y) + physics("elastic", 2) + solid + "[[source]]\nat = [0.4, 1.5]\nforce = [1, 2]\n" +
                       time_to(0.001, "cfl = 0.5"));
  };
  EXPECT_EQ(said(1.1), "");
  const std::string bad = said(0.001);
  expect_has(bad, "has a quality of");
  expect_has(bad, "times shorter than most elements bear");
}

/// An interface along the normal goes on into the layer, one across it may lie before it.
TEST(WaveResolution, OfLayersTellsOfMaterialsThatJumpInThem) {
  const auto with = [](const std::string& axis, double at, double density = 2, double vp = 2) {
    return warnings_of("[mesh]\nbox = { min = [0,0], max = [4,4], cells = [8,8], shape = \"quad\" }\n" +
                       group("a", "surfaces", fmt::format("{} < {}", axis, at)) +
                       group("b", "surfaces", fmt::format("{} > {}", axis, at)) + physics("acoustic", 3) +
                       fmt::format("[[material]]\non = \"a\"\ndensity = {}\nvp = {}\n", density, vp) +
                       "[[material]]\non = \"b\"\ndensity = 1\nvp = 1\n" + "[[source]]\nat = [3, 2.6]\n" +
                       pml("\"left\"") + time_to(0.1, "cfl = 0.9") + "[output]\nformats = []\n");
  };
  EXPECT_EQ(with("y", 2), "");
  EXPECT_EQ(with("x", 1.5), "");
  expect_has(with("x", 1), "the layer of type = \"pml\" at x = 0: the material jumps in it at (1, ");
  EXPECT_EQ(with("x", 1, 1, 1), "");
  expect_has(with("x", 1, 3, 1), "the speed stays, the density or a modulus does not");
}

/// Nobody has the cells of a box that ranks make in parts: neither are the few that the root has looked at in their
/// place, nor is nothing said.
TEST(WaveResolution, OfABoxThatIsMadeInPartsIsLookedAtInItsOwnCells) {
  SKIP_WITHOUT_MPI();
  const auto said = [](double width) {
    const std::string deck = box(2, 16) + "partition = \"bricks\"\n" + physics("elastic", 4) + solid +
                             "[[source]]\nat = [0.4, 0.3]\nforce = [1, 2]\ntime_function = \"gaussian\"\n" +
                             fmt::format("width = {}\n", width) + time_to(0.05, "cfl = 0.9") +
                             "[output]\nformats = []\n";
    const fs::path out = folder() / "made_in_parts";
    const Result result = on_ranks(
        2, "run " + write_deck("made_in_parts.toml", deck) + " --quiet --backend threads --output " + out.string());
    EXPECT_EQ(result.code, 0) << result.text;
    std::vector<std::string> coarse;
    if (result.code != 0) return coarse;
    const nlohmann::json summary = summary_in(out);
    for (const auto& warning : summary.value("warnings", nlohmann::json::array()))
      if (warning.get<std::string>().find("nodes stand on") != std::string::npos)
        coarse.push_back(warning.get<std::string>());
    return coarse;
  };
  EXPECT_EQ(said(0.0318), std::vector<std::string>());  // 6.4 on its own cells, 1.6 on the outline's
  const std::vector<std::string> few = said(0.0159);
  ASSERT_EQ(few.size(), 1U);
  expect_has(few.front(), "3.2 nodes stand on the shortest wave of 20 Hz");
}

/// What an expression is between the steps of a run does not matter to it.
TEST(WaveResolution, RefusesNoFunctionThatTheRunDoesNotRefuse) {
  // No number at 0.25, which samples meet and none of 189 steps.
  EXPECT_EQ(warnings_of(box(2, 8) + physics("elastic", 4) + solid +
                        "[[source]]\nat = [0.4, 0.3]\nforce = [1, 2]\ntime_function = \"sin(4*(t-0.25))/(t-0.25)\"\n" +
                        time_to(1, "step = 0.0053") + "[output]\nformats = []\n"),
            "");
}

/// Functions that are written alike are looked at once, others up to a hundred.
TEST(WaveResolution, LooksAtAHundredFunctions) {
  const auto sources = [](int count, bool alike) {
    std::string all;
    for (int s = 0; s < count; ++s)
      all += fmt::format("[[source]]\nat = [0.4, 0.3]\nforce = [1, 2]\ntime_function = \"exp(-((t - {})/0.06)^2)\"\n",
                         alike ? 0.5 : 0.4 + 0.001 * s);
    return write_deck("functions.toml", box(2, 8) + physics("elastic", 4) + solid + all + time_to(1, "cfl = 0.9"));
  };
  const auto said = [&](int count, bool alike) {
    return app_test::tessera("check " + sources(count, alike) + " --backend threads").text;
  };
  const std::string left_out = "how many nodes stand on the waves of 3 sources and plane waves is not looked at";
  expect_has(said(103, false), left_out);
  EXPECT_EQ(said(103, true).find("is not looked at"), std::string::npos);
  EXPECT_EQ(said(100, false).find("is not looked at"), std::string::npos);
}

class ResolutionRefused : public ::testing::TestWithParam<app_test::Case> {};
TEST_P(ResolutionRefused, SaysWhatIsWrong) {
  const app_test::Case& wrong = GetParam();
  std::ofstream(folder() / "word.csv") << "x,y,vp,vs,density\n0,0,2,1,2\n1,0,2,1,two\n0,1,2,1,2\n1,1,2,1,2\n";
  const std::string deck = write_deck(std::string(wrong.name) + ".toml", wrong.deck);
  for (const char* command : {"run ", "check "})
    expect_says(
        app_test::tessera(command + deck + " --quiet --backend threads --output " + (folder() / "refused").string()),
        wrong);
}
const std::string soon = time_to(0.1, "cfl = 0.5"), four = box(2, 8) + physics("elastic", 4);
INSTANTIATE_TEST_SUITE_P(
    Wave, ResolutionRefused,
    ::testing::Values(app_test::Case{"half_a_layer",
                                     four + solid + soon + group("half", "curves", "x < 1e-6 && y < 0.501") +
                                         pml("\"half\""),
                                     2,
                                     {"the side has a part alone of the facets at x = 0", "is not in it",
                                      "half_a_layer.toml:", "on = [...] takes several groups"}},
                      app_test::Case{"fluid_with_vs",
                                     four + "[[material]]\ndensity = 1\nvp = 1.5\nvs = 0\n" + soon,
                                     2,
                                     {"the speed of S waves is 0, and the material is a solid",
                                      "leave vs and mu out there", "fluid_with_vs.toml:"}},
                      app_test::Case{"fluid_with_vs_somewhere",
                                     four + "[[material]]\ndensity = 1\nvp = 1.5\nvs = \"max(0, y - 0.5)\"\n" + soon,
                                     2,
                                     {"the speed of S waves is 0 at (0, 0, 0), and the material is a solid"}},
                      app_test::Case{"fluid_with_mu",
                                     four + "[[material]]\ndensity = 1\nlambda = 2\nmu = 0\n" + soon,
                                     2,
                                     {"the shear modulus mu is 0, and the material is a solid"}},
                      app_test::Case{"word_in_a_grid",
                                     four + "[[material]]\nfile = \"word.csv\"\n" + soon,
                                     2,
                                     {"'two' is no number, and stands in the column 'density'", "word.csv:3:"}}),
    app_test::case_name);

}  // namespace
