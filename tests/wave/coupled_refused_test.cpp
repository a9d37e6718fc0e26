// Decks of fluids beside elastic solids that are refused or warned of, and what is said of their steps.
#include "decks.hpp"

namespace {

using namespace wave_test;

const std::string halves =
    box(2, 4) + group("low", "surfaces", "y < 0.5") + group("high", "surfaces", "y > 0.5") + physics("coupled", 4);
const std::string rock = "[[material]]\non = \"low\"\ndensity = 2\nvp = 2\nvs = 1\n",
                  water = "[[material]]\non = \"high\"\ndensity = 1\nvp = 1.5\n", soon = time_to(0.1, "cfl = 0.5");
std::string on_side(const std::string& type, const std::string& side) {
  return fmt::format("[[boundary]]\non = [\"{}\"]\ntype = \"{}\"\n", side, type) +
         (type == "prescribed" ? "value = [\"sin(t)\", \"0\"]\n" : "");
}

/// Two quads above each other; the curve between them is a group.
std::string with_interface() {
  const fs::path file = folder() / "interface.geo";
  std::ofstream(file)
      << "SetFactory(\"OpenCASCADE\");\nRectangle(1) = {0, 0, 0, 1, 0.5};\nRectangle(2) = {0, 0.5, 0, 1, "
         "0.5};\nCoherence;\nMesh.RecombineAll = 1;\nMesh.SubdivisionAlgorithm = 1;\nMesh.MeshSizeMax = "
         "0.5;\nMesh.MeshSizeMin = 0.5;\nPhysical Surface(\"low\") = {1};\nPhysical Surface(\"high\") = "
         "{2};\nPhysical Curve(\"between\") = Curve In BoundingBox {-0.1, 0.49, -0.1, 1.1, 0.51, 0.1};\n";
  return fmt::format("[mesh]\nfile = \"{}\"\n", file.string()) + physics("coupled", 4);
}

/// Two rectangles with a gap between them.
std::string apart() {
  const fs::path file = folder() / "apart.geo";
  std::ofstream(file)
      << "SetFactory(\"OpenCASCADE\");\nRectangle(1) = {0, 0, 0, 1, 0.4};\nRectangle(2) = {0, 0.6, 0, 1, "
         "0.4};\nMesh.RecombineAll = 1;\nMesh.SubdivisionAlgorithm = 1;\nMesh.MeshSizeMax = 0.5;\nMesh.MeshSizeMin = "
         "0.5;\nPhysical "
         "Surface(\"low\") = {1};\nPhysical Surface(\"high\") = {2};\n";
  return fmt::format("[mesh]\nfile = \"{}\"\n", file.string()) + physics("coupled", 4);
}

TEST(WaveCoupled, TakesTheLaterOfTwoEntriesThatPrescribe) {
  run("later_holds", halves + rock + water + soon + on_side("fixed", "bottom") + on_side("prescribed", "bottom") +
                         probe("u", "0.5, 0", "u_x"));
  const auto rows = table(folder() / "later_holds" / "probes.csv");
  ASSERT_FALSE(rows.empty());
  EXPECT_NEAR(rows.back()[1], std::sin(rows.back()[0]), 1e-12);
}

void expect_one_warning(const nlohmann::json& summary, const std::string& what) {
  ASSERT_EQ(summary["warnings"].size(), 1U) << summary["warnings"];
  EXPECT_NE(summary["warnings"][0].get<std::string>().find(what), std::string::npos) << summary["warnings"];
}

TEST(WaveCoupled, WarnsWhereSidesOfFluidsArePrescribed) {
  expect_one_warning(run("both_prescribed", halves + rock + water + soon + on_side("prescribed", "left")),
                     "2 of its facets are sides of fluids");
}

TEST(WaveCoupled, WarnsOfSourcesThatMoveNothingAndOfEntriesOnFreeFluids) {
  const std::string source = "[[source]]\nat = [0.375, 1]\ntime_function = \"sin(t)\"\n";
  expect_one_warning(run("idle_source", halves + rock + water + soon + on_side("free", "top") + source),
                     "source 1: it acts where values are prescribed");
  expect_one_warning(
      run("absorbing_free", halves + rock + water + soon + on_side("free", "top") + on_side("absorbing", "top") +
                                "[[source]]\nat = [0.375, 0.8]\ntime_function = \"sin(t)\"\n"),
      "type = \"absorbing\" on 'top': at 4 of its 4 facets");
}

/// What `check` says of steps is what a run takes, and both name the coupling.
TEST(WaveCoupled, CheckKnowsTheStepsThatBothMediaBearTogether) {
  const std::string heavy = halves + rock + "[[material]]\non = \"high\"\ndensity = 60\nvp = 1.5\n";
  const double longest = run("heavy_taken", heavy + time_to(0.1, "cfl = 0.5"))["time"]["stable_step"];
  const std::string deck =
      write_deck("heavy_checked.toml", heavy + time_to(0.1, fmt::format("step = {}", 1.5 * longest)));
  for (const char* command : {"check ", "run "}) {
    const Result taken =
        app_test::tessera(command + deck + " --quiet --backend threads --output " + (folder() / "refused").string());
    EXPECT_EQ(taken.code, 2) << taken.text;
    EXPECT_NE(taken.text.find(fmt::format("they may be {:.3g} long, for what is coupled, which is faster than its "
                                          "fastest element",
                                          longest)),
              std::string::npos)
        << taken.text;
  }
}

class CoupledRefused : public ::testing::TestWithParam<app_test::Case> {};

TEST_P(CoupledRefused, SaysWhatIsWrong) {
  const app_test::Case& wrong = GetParam();
  expect_says(app_test::tessera("run " + write_deck(std::string(wrong.name) + ".toml", wrong.deck) +
                                " --quiet --backend threads --output " + (folder() / "refused").string()),
              wrong);
}

INSTANTIATE_TEST_SUITE_P(
    Wave, CoupledRefused,
    ::testing::Values(
        app_test::Case{"no_fluid",
                       halves + rock + "[[material]]\non = \"high\"\ndensity = 2\nvp = 2\nvs = 1\n" + soon,
                       2,
                       {"no cell is of a fluid", "no_fluid.toml:"}},
        app_test::Case{"no_interface",
                       apart() + rock + water + soon,
                       2,
                       {"fluids and solids have no side in common", "no_interface.toml:"}},
        app_test::Case{"force_in_water",
                       halves + rock + water + soon + "[[source]]\nat = [0.5, 0.8]\nforce = [1, 0]\n",
                       2,
                       {"source 1: a force or a moment in a fluid", "force_in_water.toml:"}},
        app_test::Case{"volume_in_rock",
                       halves + rock + water + soon + "[[source]]\nat = [0.5, 0.2]\n",
                       2,
                       {"source 1: it has neither a force nor a moment, and lies in a solid"}},
        app_test::Case{"moved_water",
                       halves + rock + water + soon + "[[initial]]\nu = [\"x\", \"0\"]\n",
                       2,
                       {"[[initial]] moves the fluid at", "moved_water.toml:"}},
        app_test::Case{"prescribed_water",
                       halves + rock + water + soon +
                           "[[boundary]]\non = [\"top\"]\ntype = \"prescribed\"\nvalue = [\"t\", \"0\"]\n",
                       2,
                       {"a prescribed boundary on 'top', which no solid has"}},
        app_test::Case{"closed_in_float",
                       "[run]\nprecision = \"float\"\n" + halves + rock + water + soon +
                           on_side("absorbing", "bottom") + on_side("fixed", "top"),
                       2,
                       {"run.precision = \"float\", and no side of the fluid at (", "is free or absorbing"}},
        app_test::Case{"free_interface",
                       with_interface() + rock + water + soon + on_side("free", "between"),
                       2,
                       {"the free boundary 'between' has facets inside the mesh", "free_interface.toml:"}},
        app_test::Case{"fixed_interface",
                       with_interface() + rock + water + soon + on_side("fixed", "between"),
                       2,
                       {"the fixed boundary 'between' has facets inside the mesh"}},
        app_test::Case{"strain_of_water",
                       halves + rock + water + soon + "[[probe]]\nname = \"e\"\nat = [0.5, 0.8]\nof = \"strain_xx\"\n",
                       2,
                       {"probe 'e': a strain in a fluid"}},
        app_test::Case{"strain_out_of_the_plane",
                       halves + rock + water + soon + "[[probe]]\nname = \"e\"\nat = [0.5, 0.2]\nof = \"strain_zz\"\n",
                       2,
                       {"there is no 'strain_zz' in 2 dimensions"}},
        app_test::Case{"runge_kutta", halves + rock + water + time_to(0.1, "cfl = 0.5", "rk4"), 2, {"rk4"}}),
    app_test::case_name);

}  // namespace
