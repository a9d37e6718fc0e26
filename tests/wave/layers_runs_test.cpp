// Runs with perfectly matched layers: for long, on ranks, in parts, on CUDA; and decks that are refused.
#include "base/backend.hpp"
#include "traces.hpp"

namespace {

using namespace wave_test;

const std::string solid = "[[material]]\ndensity = 1\nvp = 2\nvs = 1\n";

std::string squares(int cells) {
  return fmt::format("[mesh]\nbox = {{ min = [0,0], max = [{0},{0}], cells = [{0},{0}], shape = \"quad\" }}\n", cells);
}

/// A half space below a free side: its waves leave, and nothing grows afterwards, whatever the degree.
TEST(WaveLayers, DoNotGrow) {
  for (const int degree : {2, 4, 6}) {
    SCOPED_TRACE(degree);
    const auto rows =
        energies_of(squares(8) + physics("elastic", degree) + solid + pml("\"left\", \"right\", \"bottom\"") +
                        "[[source]]\nat = [3.9, 7.6]\nforce = [0.5, 1]\ntime_function = "
                        "\"ricker\"\nfrequency = 0.5\ndelay = 3\n",
                    120, 50);
    expect_energy_leaves(rows, degree == 2 ? 1e-5 : 1e-7);
  }
}

/// With layers on all sides, and corners of them, nothing is left in space, either.
TEST(WaveLayers, LeaveNothingInABoxOfLayers) {
  const std::string space = "[mesh]\nbox = { min = [0,0,0], max = [6,6,6], cells = [6,6,6], shape = \"hex\" }\n" +
                            physics("elastic", 3) + solid;
  const auto rows =
      energies_of(space + pml("\"left\", \"right\", \"bottom\", \"top\", \"front\", \"back\"", "layers = 2\n") +
                      "[[source]]\nat = [3.1, 2.8, 3.2]\nforce = [0.5, 1, 0.3]\ntime_function = "
                      "\"ricker\"\nfrequency = 0.5\ndelay = 3\n",
                  30, 20);
  EXPECT_LT(total(rows.back()), 1e-5 * most_energy(rows, 0, rows.size()));
}

/// Plates have waves that travel against their phase: layers let them grow, but for multiaxial ones.
TEST(WaveLayers, OfPlatesNeedDampingAlongTheirSides) {
  const auto last = [](const std::string& more) {
    const auto rows = energies_of(squares(8) + physics("elastic", 4) + solid + pml("\"left\", \"right\"", more) +
                                      "[[source]]\nat = [3.9, 7.6]\nforce = [0.5, 1]\ntime_function = "
                                      "\"ricker\"\nfrequency = 0.5\ndelay = 3\n",
                                  150, 50);
    double most = 0;
    for (const auto& row : rows)
      if (row[0] < 10) most = std::max(most, total(row));
    return total(rows.back()) / most;
  };
  EXPECT_GT(last(""), 1);
  EXPECT_LT(last("multiaxial = 0.1\n"), 1e-5);
}

TEST(WaveLayers, OfPlatesAreWarnedOf) {
  const auto warnings = [](const std::string& medium, const std::string& sides) {
    const std::string deck = squares(8) + physics(medium, 4) +
                             (medium == "elastic" ? solid : "[[material]]\nvp = 2\ndensity = 1\n") + sides +
                             "[[source]]\nat = [3.9, 4]\n" + (medium == "elastic" ? "force = [0.5, 1]\n" : "") +
                             "time_function = \"ricker\"\nfrequency = 0.5\ndelay = 3\n" + time_to(1, "cfl = 0.9");
    const Result result = app_test::tessera("check " + write_deck("plates.toml", deck));
    EXPECT_EQ(result.code, 0) << result.text;
    std::string axes;
    const std::string words = "below and above along ";
    for (std::size_t at = 0; (at = result.text.find(words, at)) != std::string::npos;)
      axes += result.text[at += words.size()];
    return axes;
  };
  EXPECT_EQ(warnings("elastic", pml("\"left\", \"right\"")), "yy");
  EXPECT_EQ(warnings("elastic", pml("\"top\"")), "x");
  EXPECT_EQ(warnings("elastic", pml("\"left\", \"right\"", "multiaxial = 0.1\n")), "");
  EXPECT_EQ(warnings("elastic", pml("\"left\", \"right\", \"bottom\"")), "");
  EXPECT_EQ(warnings("elastic", pml("\"left\"") + "[[boundary]]\non = [\"top\"]\ntype = \"fixed\"\n"), "");
  EXPECT_EQ(warnings("acoustic", pml("\"left\", \"right\"")), "");
}

/// A layer that Gmsh extruded from an irregular mesh, one of a box, and a free side; materials that vary.
std::string extruded() {
  const fs::path file = folder() / "extruded.geo";
  if (!fs::exists(file))
    std::ofstream(file) << "SetFactory(\"OpenCASCADE\");\nRectangle(1) = {0, 0, 0, 1, 1};\n"
                           "Extrude {-0.45, 0, 0} { Curve{4}; Layers{3}; Recombine; }\n"
                           "Mesh.RecombinationAlgorithm = 1;\nMesh.RecombineAll = 1;\nMesh.MeshSizeMax = 0.2;\n"
                           "Mesh.MeshSizeMin = 0.2;\nPhysical Surface(\"all\") = {1, 2};\n";
  return "[mesh]\nfile = \"" + file.string() + "\"\n" + group("outside", "curves", "x < -0.4499") +
         group("low", "curves", "y < 1e-6");
}
std::string mixed(const std::string& step, double end = 1.5) {
  return extruded() + physics("elastic", 4) + "[[material]]\ndensity = \"2 + 0.3*y\"\nvp = \"2 + 0.2*y\"\nvs = 1\n" +
         pml("\"outside\"") +
         "[[boundary]]\non = [\"low\"]\ntype = \"fixed\"\n"
         "[[source]]\nat = [0.4, 0.6]\nforce = [1, 2]\ntime_function = \"ricker\"\nfrequency = 2\ndelay = 0.4\n" +
         probe("u", "0.8, 0.8", "u_x") + probe("v", "0.1, 0.7", "v_y") + probe("in", "-0.2, 0.6", "v_x") +
         "[output]\nevery = 20\n" + time_to(end, step);
}
/// Corners of layers in space, of sound.
std::string corners(const std::string& step, double end = 8) {
  return "[mesh]\nbox = { min = [0,0,0], max = [5,5,5], cells = [5,5,5], shape = \"hex\" }\n" + physics("acoustic", 3) +
         "[[material]]\ndensity = 1\nvp = \"1 + 0.02*z\"\n" + pml("\"left\", \"bottom\", \"back\"", "layers = 2\n") +
         "[[source]]\nat = [3.2, 3.4, 3.1]\ntime_function = \"ricker\"\nfrequency = 0.5\ndelay = 2\n" +
         probe("u", "3.8, 2.8, 3.9", "p") + probe("v", "4.2, 4.7, 2.9", "p_rate") + probe("in", "1.2, 3.1, 1.3", "p") +
         "[output]\nevery = 40\n" + time_to(end, step);
}

TEST(WaveLayers, GoOnBitwiseAsIfTheyHadNeverStopped) {
  for (const char* precision : {"double", "float"})
    for (const bool space : {false, true}) {
      const std::string deck = (space ? corners("step = 0.05") : mixed("step = 0.004")) +
                               "[checkpoint]\nevery = 7\n[run]\nprecision = \"" + precision + "\"\n";
      run("whole_layers", deck);
      run("part_layers", deck, std::string("--set time.end=") + (space ? "4" : "0.75"));
      const Result result = app_test::tessera("restart " + (folder() / "part_layers").string() +
                                              " --quiet --set time.end=" + (space ? "8" : "1.5"));
      ASSERT_EQ(result.code, 0) << result.text;
      EXPECT_EQ(bytes_of(folder() / "part_layers" / "probes.csv"), bytes_of(folder() / "whole_layers" / "probes.csv"))
          << precision << space;
      const std::string last = space ? "solution_000160.vtu" : "solution_000360.vtu";
      EXPECT_EQ(bytes_of(folder() / "part_layers" / last), bytes_of(folder() / "whole_layers" / last)) << space;
      EXPECT_GT(bytes_of(folder() / "whole_layers" / last).size(), 1000U);
    }
}

TEST(WaveLayers, OnRanksAreThoseOfOne) {
  SKIP_WITHOUT_MPI();
  for (const bool space : {false, true}) {
    const std::string deck = space ? corners("cfl = 0.5", 5) : mixed("cfl = 0.5", 0.75);
    const auto one = traces_on_ranks("layers_ranks", deck, 1);
    for (const int ranks : space ? std::vector{4} : std::vector{2, 4}) {
      SCOPED_TRACE(fmt::format("{} ranks, {}", ranks, space ? "space" : "plane"));
      expect_same_traces(traces_on_ranks("layers_ranks", deck, ranks), one);
    }
  }
}

TEST(WaveLayers, AreTheSameBitsOnAnyNumberOfThreads) {
  for (const char* precision : {"double", "float"})
    for (const std::string& deck : {mixed("step = 0.004", 0.4), corners("step = 0.05", 2)})
      expect_same_on_threads("layers_threads", deck + "[run]\nprecision = \"" + precision + "\"\n");
}

/// Checkpoints of two ranks go on, on one and on four.
TEST(WaveLayers, GoOnOnOtherRanks) {
  SKIP_WITHOUT_MPI();
  const std::string deck = write_deck("layers_moved.toml", corners("step = 0.05", 5) + "[checkpoint]\nevery = 40\n");
  const fs::path whole = folder() / "layers_moved_whole";
  ASSERT_EQ(on_ranks(2, "run " + deck + " --quiet --backend threads --output " + whole.string()).code, 0);
  const fs::path part = folder() / "layers_moved_part";
  const Result half =
      on_ranks(2, "run " + deck + " --quiet --backend threads --set time.end=2.5 --output " + part.string());
  ASSERT_EQ(half.code, 0) << half.text;
  for (const int ranks : {1, 4}) {
    const fs::path out = folder() / fmt::format("layers_moved_{}", ranks);
    fs::remove_all(out);
    fs::copy(part, out, fs::copy_options::recursive);
    const std::string restart = "restart " + out.string() + " --quiet --set time.end=5";
    const Result result = ranks == 1 ? app_test::tessera(restart) : on_ranks(ranks, restart);
    ASSERT_EQ(result.code, 0) << result.text;
    SCOPED_TRACE(ranks);
    expect_same_traces(table(out / "probes.csv"), table(whole / "probes.csv"));
  }
}

TEST(WaveLayers, OnCudaAreThoseOfThreads) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  expect_cuda_as_threads("layers_space", write_deck("layers_space.toml", corners("step = 0.05")));
  expect_cuda_as_threads("layers_plane", write_deck("layers_plane.toml", mixed("step = 0.004")));
}

const std::string soon = time_to(0.1, "cfl = 0.5"), elastic = squares(8) + physics("elastic", 4);
const std::string layered_ground = "[mesh]\nfile = \"" + (source() / "inputs/meshes/layered_ground.geo").string() +
                                   "\"\nsize = 800\n" + physics("elastic", 4) + solid + soon;

std::string of_geo(const std::string& name, const std::string& geo) {
  const fs::path file = folder() / (name + ".geo");
  std::ofstream(file) << geo << "Mesh.RecombineAll = 1;\nMesh.MeshSizeMax = 0.2;\nMesh.MeshSizeMin = 0.2;\n";
  return "[mesh]\nfile = \"" + file.string() + "\"\n" + physics("elastic", 4) + solid + soon;
}
/// A square on the left half of a rectangle.
const std::string steps =
    "SetFactory(\"OpenCASCADE\");\nRectangle(1) = {0, 0, 0, 2, 1};\nRectangle(2) = {0, 1, 0, 1, 1};\n"
    "BooleanFragments{ Surface{1}; Delete; }{ Surface{2}; Delete; }\n";

class LayersRefused : public ::testing::TestWithParam<app_test::Case> {};

TEST_P(LayersRefused, SayWhatIsWrong) {
  const app_test::Case& wrong = GetParam();
  expect_says(app_test::tessera("run " + write_deck(std::string(wrong.name) + ".toml", wrong.deck) +
                                " --quiet --backend threads --output " + (folder() / "refused").string()),
              wrong);
}

INSTANTIATE_TEST_SUITE_P(
    Wave, LayersRefused,
    ::testing::Values(
        app_test::Case{
            "pml_inside", layered_ground + pml("\"curve_3\""), 2, {"has facets inside the mesh", "pml_inside.toml:"}},
        app_test::Case{"pml_slanted",
                       of_geo("slanted",
                              "Point(1) = {0,0,0};\nPoint(2) = {1,0,0};\nPoint(3) = {1.3,1,0};\nPoint(4) = "
                              "{0,1,0};\nLine(1) = {1,2};\nLine(2) = {2,3};\nLine(3) = {3,4};\nLine(4) = {4,1};\n"
                              "Curve Loop(1) = {1,2,3,4};\nPlane Surface(1) = {1};\n") +
                           pml("\"curve_2\""),
                       2,
                       {"the side is curved or slanted", "choose type = \"absorbing\""}},
        app_test::Case{
            "pml_of_two_planes",
            of_geo("steps", steps) + group("both", "curves", "x > 0.99 && y < 2.1 && y > 0.1") + pml("\"both\""),
            2,
            {"the side lies in several planes, x = 2 and x = 1"}},
        app_test::Case{
            "pml_in_a_corner",
            of_geo("steps", steps) + group("step", "curves", "abs(x - 1) < 1e-6 && y > 0.99") + pml("\"step\""),
            2,
            {"cells lie behind x = 1"}},
        app_test::Case{
            "pml_of_cells", elastic + solid + soon + pml("\"domain\""), 3, {"group 'domain' is not a curve group"}},
        app_test::Case{
            "pml_twice", elastic + solid + soon + pml("\"left\"") + pml("\"left\""), 2, {"x = 0 has one already"}},
        app_test::Case{
            "pml_of_all", elastic + solid + soon + pml("\"left\", \"right\"", "layers = 4\n"), 2, {"nothing is left"}},
        app_test::Case{
            "pml_too_many", elastic + solid + soon + pml("\"left\"", "layers = 9\n"), 2, {"nothing is left"}},
        app_test::Case{
            "pml_too_thick", elastic + solid + soon + pml("\"left\"", "thickness = 8\n"), 2, {"nothing is left"}},
        app_test::Case{"pml_of_no_thickness",
                       elastic + solid + soon + pml("\"left\"", "thickness = 1e-300\n"),
                       2,
                       {"thickness = 1e-300 is nothing beside the mesh", "or layers = 3"}},
        app_test::Case{"pml_across_cells",
                       elastic + solid + soon + pml("\"left\"", "thickness = 2.5\n"),
                       2,
                       {"cells cross x = 2.5, where it would begin"}},
        app_test::Case{"pml_of_both",
                       elastic + solid + soon + pml("\"left\"", "thickness = 2\nlayers = 2\n"),
                       2,
                       {"with layers and a thickness"}},
        app_test::Case{"keys_of_a_layer",
                       elastic + solid + soon + "[[boundary]]\non = [\"left\"]\ntype = \"free\"\nlayers = 3\n",
                       2,
                       {"a free boundary with keys of a layer"}},
        app_test::Case{"pml_of_irregular_cells",
                       irregular(2, 1) + group("left", "curves", "x < 1e-6") + physics("elastic", 4) + solid + soon +
                           pml("\"left\""),
                       2,
                       {"the cells at x = 0 end at", "extrude them"}},
        app_test::Case{"source_in_a_layer",
                       elastic + solid + soon + pml("\"left\"") + "[[source]]\nat = [2.5, 4]\nforce = [1, 0]\n",
                       2,
                       {"source 1", "it acts in the perfectly matched layer on 'left', which begins at x = 3"}},
        app_test::Case{
            "absorbing_into_a_layer",
            elastic + solid + soon + pml("\"left\"") + "[[boundary]]\non = [\"bottom\"]\ntype = \"absorbing\"\n",
            2,
            {"an absorbing side reaches into it"}},
        app_test::Case{"pml_by_rk",
                       elastic + solid + time_to(0.1, "cfl = 0.5", "rk4") + pml("\"left\""),
                       2,
                       {"perfectly matched layers with scheme = \"rk4\""}}),
    app_test::case_name);

}  // namespace
