// Perfectly matched layers that grow out of the mesh: they do what the same layers in the mesh do.
#include "base/backend.hpp"
#include "deck/deck.hpp"
#include "physics/run/changed_mesh.hpp"
#include "traces.hpp"

namespace {

using namespace wave_test;

const std::string fixed_right = "[[boundary]]\non = [\"right\"]\ntype = \"fixed\"\n";

/// A solid whose numbers vary, below a free side and beside a fixed one; two layers that meet in a corner. Those that
/// are drawn have the numbers of the sides at which they begin.
std::string plane(bool grown, int order, const std::string& step, double end = 6) {
  const std::string x = grown ? "x" : "if(x < 0, 0, x)", y = grown ? "y" : "if(y < 0, 0, y)";
  return fmt::format("[mesh]\norder = {}\nbox = {{ min = [{}], max = [5,4], cells = [{}], shape = \"quad\" }}\n", order,
                     grown ? "0,0" : "-3,-2", grown ? "5,4" : "8,6") +
         physics("elastic", 4) +
         fmt::format("[[material]]\ndensity = \"2 + 0.1*({0}) + 0.2*({1})\"\nvp = \"2 + 0.1*({1})\"\nvs = 1\n", x, y) +
         pml("\"left\"", grown ? "grow = true\n" : "") +
         pml("\"bottom\"", grown ? "grow = true\nlayers = 2\n" : "layers = 2\n") + fixed_right +
         "[[source]]\nat = [1.4, 1.6]\nforce = [1, 2]\ntime_function = \"ricker\"\nfrequency = 0.6\ndelay = 1.7\n" +
         probe("u", "0.4, 3.8", "u_x") + probe("v", "3.1, 0.7", "v_y") + probe("in", "-1.2, -0.6", "v_x") +
         "[output]\nevery = 40\nfields = [\"u\"]\n" + time_to(end, step);
}

/// Sound in space, with a corner of three layers.
std::string space(bool grown, const std::string& step, double end = 5) {
  return fmt::format("[mesh]\nbox = {{ min = [{0}], max = [3,3,4], cells = [{1}], shape = \"hex\" }}\n",
                     grown ? "0,0,0" : "-2,-2,-2", grown ? "3,3,4" : "5,5,6") +
         physics("acoustic", 3) + "[[material]]\ndensity = 1\nvp = \"" +
         (grown ? "1 + 0.05*z" : "1 + 0.05*if(z < 0, 0, z)") + "\"\n" +
         pml("\"left\", \"bottom\", \"back\"", grown ? "grow = true\nlayers = 2\nthickness = 2\n" : "layers = 2\n") +
         "[[boundary]]\non = [\"front\"]\ntype = \"free\"\n" +
         "[[source]]\nat = [1.2, 1.4, 1.1]\ntime_function = \"ricker\"\nfrequency = 0.5\ndelay = 2\n" +
         probe("u", "1.8, 0.8, 2.9", "p") + probe("v", "2.2, 2.7, 0.9", "p_rate") +
         probe("in", "-0.8, -1.1, -0.7", "p") + "[output]\nevery = 40\n" + time_to(end, step);
}

std::vector<std::vector<double>> probes_of(const std::string& name, const std::string& deck) {
  run(name, deck);
  return table(folder() / name / "probes.csv");
}

TEST(WaveGrownLayers, DoWhatLayersInTheMeshDo) {
  for (const int order : {1, 2}) {
    SCOPED_TRACE(order);
    expect_same_traces(probes_of("grown", plane(true, order, "step = 0.03")),
                       probes_of("drawn", plane(false, order, "step = 0.03")), 1e-10);
  }
  expect_same_traces(probes_of("grown", space(true, "step = 0.05")), probes_of("drawn", space(false, "step = 0.05")),
                     1e-10);
}

/// What no other entry names: sides of which layers grow, and the cells of a material, which go on in them.
TEST(WaveGrownLayers, GrowOutOfTheRest) {
  const auto deck = [](const std::string& sides, const std::string& cells) {
    return "[mesh]\nbox = { min = [0,0], max = [5,4], cells = [5,4], shape = \"quad\" }\n" + physics("elastic", 3) +
           group("left_half", "surfaces", "x < 2") + group("right_half", "surfaces", "x > 2") +
           "[[material]]\non = \"left_half\"\ndensity = 2\nvp = 2\nvs = 1\n[[material]]\non = \"" + cells +
           "\"\ndensity = 3\nvp = 3\nvs = 2\n[[boundary]]\non = [\"top\"]\ntype = \"free\"\n" +
           pml(sides, "grow = true\nlayers = 2\n") +
           "[[source]]\nat = [1.4, 1.6]\nforce = [1, 2]\ntime_function = \"ricker\"\nfrequency = 0.6\ndelay = 1.7\n" +
           probe("u", "0.4, 3.8", "u_x") + probe("v", "3.1, 0.7", "v_y") + "[output]\nwrite = false\n" +
           time_to(3, "step = 0.03");
  };
  expect_same_traces(probes_of("named", deck("\"left\", \"bottom\", \"right\"", "right_half")),
                     probes_of("rest", deck("\"rest\"", "rest")), 0);
}

/// Beside irregular quads of Gmsh, and the layer that it extrudes from them. Sides that meet the layer stay as they
/// are.
TEST(WaveGrownLayers, GrowOutOfMeshesOfGmsh) {
  const auto deck = [](bool grown) {
    const fs::path file = folder() / (grown ? "to_grow.geo" : "drawn.geo");
    std::ofstream(file) << "SetFactory(\"OpenCASCADE\");\nRectangle(1) = {0, 0, 0, 1, 1};\n"
                        << (grown ? "" : "Extrude {-0.45, 0, 0} { Curve{4}; Layers{3}; Recombine; }\n")
                        << "Mesh.RecombinationAlgorithm = 1;\nMesh.RecombineAll = 1;\nMesh.MeshSizeMax = 0.25;\n"
                           "Mesh.MeshSizeMin = 0.25;\nPhysical Surface(\"all\") = {1"
                        << (grown ? "" : ", 2") << "};\n";
    return "[mesh]\nfile = \"" + file.string() + "\"\n" +
           group("outside", "curves", grown ? "x < 1e-6" : "x < -0.4499") + group("low", "curves", "y < 1e-6") +
           physics("elastic", 4) + "[[material]]\non = \"all\"\ndensity = \"2 + 0.3*y\"\nvp = \"2 + 0.2*y\"\nvs = 1\n" +
           pml("\"outside\"", grown ? "grow = true\nthickness = 0.45\n" : "") +
           "[[boundary]]\non = [\"low\"]\ntype = \"fixed\"\n"
           "[[source]]\nat = [0.4, 0.6]\nforce = [1, 2]\ntime_function = \"ricker\"\nfrequency = 2\ndelay = 0.4\n" +
           probe("u", "0.8, 0.8", "u_x") + probe("v", "0.1, 0.7", "v_y") + probe("in", "-0.2, 0.6", "v_x") +
           "[output]\nformats = []\n" + time_to(1, "step = 0.005");
  };
  expect_same_traces(probes_of("grown_gmsh", deck(true)), probes_of("drawn_gmsh", deck(false)), 1e-10);
}

/// Their cells have a group, in files as well; the step is that of the drawn ones, and check says the same as run.
TEST(WaveGrownLayers, AreAGroupAndHaveTheStepsOfDrawnOnes) {
  const nlohmann::json grown = run("grown_group", plane(true, 1, "cfl = 0.5", 0.2)),
                       drawn = run("drawn_group", plane(false, 1, "cfl = 0.5", 0.2));
  EXPECT_EQ(grown["mesh"]["cells"], 48);
  EXPECT_EQ(grown["mesh"]["groups"]["grown"], 28);
  EXPECT_NEAR(double(grown["time"]["stable_step"]), double(drawn["time"]["stable_step"]), 1e-12);
  const Result check = app_test::tessera("check " + write_deck("grown_check.toml", plane(true, 1, "cfl = 0.5", 0.2)));
  EXPECT_EQ(check.code, 0) << check.text;
  EXPECT_NE(check.text.find("grown"), std::string::npos) << check.text;
}

TEST(WaveGrownLayers, GoOnBitwiseAsIfTheyHadNeverStopped) {
  expect_goes_on_bitwise("grown", plane(true, 1, "step = 0.03") + "[checkpoint]\nevery = 7\n", 3, 6,
                         "solution_000200.vtu");
  EXPECT_GT(bytes_of(folder() / "whole_grown" / "solution_000200.vtu").size(), 1000U);
}

TEST(WaveGrownLayers, OnRanksAreThoseOfOne) {
  SKIP_WITHOUT_MPI();
  const auto check = [](const std::string& deck, int ranks) {
    SCOPED_TRACE(ranks);
    expect_same_traces(traces_on_ranks("grown_ranks", deck, ranks), traces_on_ranks("grown_ranks", deck, 1));
  };
  check(plane(true, 2, "cfl = 0.5", 3), 2);
  check(space(true, "cfl = 0.5", 4), 4);
}

TEST(WaveGrownLayers, OnCudaAreThoseOfThreads) {
  if (!tessera::cuda_info().usable) GTEST_SKIP() << "no GPU: " << tessera::cuda_info().why_not;
  expect_cuda_as_threads("grown_plane", write_deck("grown_plane.toml", plane(true, 2, "step = 0.03")));
  expect_cuda_as_threads("grown_space", write_deck("grown_space.toml", space(true, "step = 0.05")));
}

/// A checkpoint has no mesh, and that of its deck is not the one that has grown.
TEST(WaveGrownLayers, AreNoStartForOtherProblems) {
  run("grown_start", box(2, 2) + physics("sh", 3) + "[[material]]\ndensity = 1\nvs = 1\n" +
                         pml("\"left\"", "grow = true\n") + "[[initial]]\nu = \"x\"\n[checkpoint]\nevery = 2\n" +
                         time_to(0.1, "step = 0.02"));
  const std::string heat = box(2, 2) +
                           "[physics]\ntype = \"heat\"\n[[material]]\nconductivity = 1\n[time]\nend = 1\nstep "
                           "= 0.5\n[[initial]]\nfile = \"" +
                           (folder() / "grown_start").string() + "\"\n";
  const Result result = app_test::tessera("run " + write_deck("from_grown.toml", heat) + " --quiet --output " +
                                          (folder() / "refused").string());
  EXPECT_EQ(result.code, 2) << result.text;
  EXPECT_NE(result.text.find("layers that have grown out of its mesh"), std::string::npos) << result.text;
}

TEST(WaveGrownLayers, AreRefusedWhereNobodyHasTheWholeMesh) {
  SKIP_WITHOUT_MPI();
  const std::string deck = write_deck("grown_bricks.toml", plane(true, 1, "step = 0.03", 0.3));
  const Result result = on_ranks(2, "run " + deck + " --quiet --backend threads --set mesh.partition=bricks --output " +
                                        (folder() / "refused").string());
  EXPECT_EQ(result.code, 2) << result.text;
  EXPECT_NE(result.text.find("goes without layers that grow out of it"), std::string::npos) << result.text;
}

class GrownLayersRefused : public ::testing::TestWithParam<app_test::Case> {};

TEST_P(GrownLayersRefused, SayWhatIsWrong) {
  const app_test::Case& wrong = GetParam();
  expect_says(app_test::tessera("run " + write_deck(std::string(wrong.name) + ".toml", wrong.deck) +
                                " --quiet --backend threads --output " + (folder() / "refused").string()),
              wrong);
}

const std::string soon = time_to(0.1, "cfl = 0.5"), solid = "[[material]]\ndensity = 1\nvp = 2\nvs = 1\n",
                  elastic = box(2, 4) + physics("elastic", 4) + solid + soon, grow = "grow = true\n";
std::string of_geo(const std::string& name, const std::string& geo) {
  const fs::path file = folder() / (name + ".geo");
  std::ofstream(file) << geo << "Mesh.MeshSizeMax = 0.4;\nMesh.MeshSizeMin = 0.4;\n";
  return "[mesh]\nfile = \"" + file.string() + "\"\n" + physics("elastic", 4) + solid + soon;
}
const std::string rectangle = "SetFactory(\"OpenCASCADE\");\nRectangle(1) = {0, 0, 0, 2, 1};\n";

INSTANTIATE_TEST_SUITE_P(
    Wave, GrownLayersRefused,
    ::testing::Values(
        app_test::Case{"grown_inside",
                       "[mesh]\nfile = \"" + (source() / "inputs/meshes/layered_ground.geo").string() +
                           "\"\nsize = 800\n" + physics("elastic", 4) + solid + soon + pml("\"curve_3\"", grow),
                       2,
                       {"'curve_3'", "has facets inside the mesh", "grown_inside.toml:"}},
        app_test::Case{"grown_slanted",
                       of_geo("slanted_side",
                              "Point(1) = {0,0,0};\nPoint(2) = {1,0,0};\nPoint(3) = {1.3,1,0};\nPoint(4) = "
                              "{0,1,0};\nLine(1) = {1,2};\nLine(2) = {2,3};\nLine(3) = {3,4};\nLine(4) = {4,1};\n"
                              "Curve Loop(1) = {1,2,3,4};\nPlane Surface(1) = {1};\nMesh.RecombineAll = 1;\n") +
                           pml("\"curve_2\"", grow),
                       2,
                       {"'curve_2'", "the side is curved or slanted", "grown_slanted.toml:"}},
        app_test::Case{"grown_triangles",
                       of_geo("triangles", rectangle) + group("left", "curves", "x < 1e-6") + pml("\"left\"", grow),
                       2,
                       {"the mesh has a triangle around (", "grown_triangles.toml:"}},
        app_test::Case{
            "grown_and_absorbing",
            elastic + pml("\"left\"", grow) + "[[boundary]]\non = [\"left\", \"top\"]\ntype = \"absorbing\"\n",
            2,
            {"the layer of type = \"pml\" on 'left'", "4 of its facets are those of the absorbing boundary",
             "grown_and_absorbing.toml:"}},
        app_test::Case{"grown_beside_absorbing",
                       elastic + pml("\"left\"", grow) + "[[boundary]]\non = [\"top\"]\ntype = \"absorbing\"\n",
                       2,
                       {"an absorbing side reaches into it", "give that side a layer as well"}},
        app_test::Case{"half_a_side",
                       elastic + group("half", "curves", "x < 1e-6 && y < 0.5") + pml("\"half\"", grow),
                       2,
                       {"it names 2 of the 4 facets at x = 0", "name all of it"}},
        app_test::Case{"grown_cells", elastic + pml("\"domain\"", grow), 3, {"'domain'"}},
        app_test::Case{"grown_twice",
                       elastic + pml("\"left\"", grow) + pml("\"left\"", grow),
                       2,
                       {"a layer grows out of x = 0 already", "grown_twice.toml:"}},
        app_test::Case{
            "grown_and_drawn", elastic + pml("\"left\"", grow) + pml("\"left\"", ""), 2, {"has one already"}},
        app_test::Case{"growing_free",
                       elastic + "[[boundary]]\non = [\"left\"]\ntype = \"free\"\ngrow = true\n",
                       2,
                       {"a free boundary with keys of a layer"}},
        app_test::Case{"source_where_it_grows",
                       elastic + pml("\"left\"", grow) + "[[source]]\nat = [-0.2, 0.5]\nforce = [1, 0]\n",
                       2,
                       {"source 1", "it acts in the perfectly matched layer on 'left', which begins at x = 0"}}),
    app_test::case_name);

TEST(WaveGrownLayers, AreAskedForByAKeyThatIsTrue) {
  const auto grows = [](const char* value) {
    return tessera::physics::has_growing_layers(
        tessera::deck::Deck::parse(std::string("[[boundary]]\ntype = \"free\"\n[[boundary]]\ngrow = ") + value));
  };
  EXPECT_TRUE(grows("true"));
  EXPECT_FALSE(grows("false"));
}

}  // namespace
