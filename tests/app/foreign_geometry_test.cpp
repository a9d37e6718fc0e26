// Geometries and meshes of others, which carry no physical groups: a bar along x, written by Gmsh in each format. u = 1
// + 2 x is solved by linear elements to round-off, once with ends that a condition chooses and once with ends by the
// names of surfaces.
#include <fmt/format.h>
#include <gmsh.h>

#include <cmath>
#include <sstream>

#include "app/program.hpp"

namespace {

using namespace app_test;

/// Every file once: two boxes side by side, as two parts of a CAD file and as a conforming mesh.
const fs::path& files() {
  static const fs::path where = [] {
    const fs::path made = folder() / "bars";
    fs::create_directories(made);
    gmsh::initialize(0, nullptr, false);
    gmsh::option::setNumber("General.Terminal", 0);
    gmsh::option::setNumber("Mesh.CharacteristicLengthMax", 0.5);
    const auto write = [&](const char* name) { gmsh::write((made / name).string()); };
    gmsh::model::add("bar");
    gmsh::model::occ::addBox(0, 0, 0, 2, 1, 1);
    gmsh::model::occ::synchronize();
    gmsh::model::mesh::generate(3);
    write("bar.stl");
    gmsh::clear();
    gmsh::model::add("parts");
    gmsh::model::occ::addBox(0, 0, 0, 1, 1, 1);
    gmsh::model::occ::addBox(1, 0, 0, 1, 1, 1);
    gmsh::model::occ::synchronize();
    write("bar.step");
    write("bar.brep");
    gmsh::model::occ::removeAllDuplicates();
    gmsh::model::occ::synchronize();
    gmsh::model::mesh::generate(3);
    gmsh::option::setNumber("Mesh.SaveAll", 1);
    for (const char* name : {"bar.vtk", "bar.bdf", "bar.mesh", "bar.unv", "bar.inp", "bar.msh"}) write(name);
    gmsh::option::setNumber("Mesh.MshFileVersion", 2.2);
    write("bar22.msh");
    gmsh::finalize();
    return made;
  }();
  return where;
}

std::string deck_of(const std::string& file, const std::string& rest) {
  return "[mesh]\nfile = \"" + (files() / file).string() + "\"\n" +
         (file.ends_with(".step") || file.ends_with(".brep") || file.ends_with(".stl") ? "size = 0.5\n" : "") +
         "[physics]\ntype = \"poisson\"\n[solver]\ntype = \"cg\"\ntolerance = 1e-13\n[exact]\nu = \"1 + 2*x\"\n" +
         "[output]\nwrite = false\n" + rest;
}

void expect_solved(const std::string& name, const std::string& deck) {
  const fs::path out = folder() / ("out_" + name);
  const Result result = app_test::tessera("run " + write_deck(name + ".toml", deck) + " --output " + out.string());
  ASSERT_EQ(result.code, 0) << deck << result.text;
  const auto summary = summary_in(out);
  EXPECT_LT(summary["errors"]["u"]["max"].get<double>(), 1e-10) << deck << result.text;
}

/// The surface whose row of the table has this normal.
std::string surface_with_normal(const std::string& table, const std::string& normal) {
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);)
    if (line.find(" surface ") != std::string::npos && line.find(normal + "  ") != std::string::npos) {
      const std::size_t first = line.find_first_not_of(' ');
      return line.substr(first, line.find(' ', first) - first);
    }
  return "none";
}

class ForeignFormat : public ::testing::TestWithParam<std::string> {};

TEST_P(ForeignFormat, TakesBoundaryConditionsByCondition) {
  expect_solved("where_" + GetParam(),
                deck_of(GetParam(),
                        "[[group]]\nname = \"ends\"\nwhere = \"x < 1e-6 || x > 2 - 1e-6\"\n"
                        "[[boundary]]\non = \"ends\"\ntype = \"dirichlet\"\nvalue = \"1 + 2*x\"\n"));
}

TEST_P(ForeignFormat, TakesBoundaryConditionsByNormalAndTheRest) {
  expect_solved("normal_" + GetParam(),
                deck_of(GetParam(),
                        "[[group]]\nname = \"sides\"\nnormal = [0, 1, 1]\nangle = 45.1\n"
                        "[[group]]\nname = \"far\"\nnormal = [1, 0, 0]\n"
                        "[[boundary]]\non = \"sides\"\ntype = \"neumann\"\nvalue = 0\n"
                        "[[boundary]]\non = \"far\"\ntype = \"neumann\"\nvalue = 2\n"
                        "[[boundary]]\non = \"rest\"\ntype = \"dirichlet\"\nvalue = \"1 + 2*x\"\n"));
}

TEST_P(ForeignFormat, TakesBoundaryConditionsByTheNamesOfSurfaces) {
  if (GetParam() == "bar.vtk") GTEST_SKIP() << "VTK files hold no tags of surfaces";
  const Result list = app_test::tessera("mesh --list " + write_deck("list.toml", deck_of(GetParam(), "")));
  ASSERT_EQ(list.code, 0) << list.text;
  const std::string low = surface_with_normal(list.text, "(-1, 0, 0)"),
                    high = surface_with_normal(list.text, "(1, 0, 0)");
  ASSERT_NE(low, high) << list.text;
  expect_solved("named_" + GetParam(),
                deck_of(GetParam(), fmt::format("[[boundary]]\non = [\"{}\", \"{}\"]\ntype = \"dirichlet\"\nvalue = "
                                                "\"1 + 2*x\"\n",
                                                low, high)));
}

INSTANTIATE_TEST_SUITE_P(Files, ForeignFormat,
                         ::testing::Values("bar.step", "bar.brep", "bar.stl", "bar.vtk", "bar.bdf", "bar.mesh",
                                           "bar.unv", "bar.inp", "bar.msh", "bar22.msh"),
                         [](const auto& info) {
                           std::string name = info.param;
                           name[name.find('.')] = '_';
                           return name;
                         });

TEST(AResultOfTheProgram, IsAMeshAgain) {
  const fs::path out = folder() / "result";
  const Result run =
      app_test::tessera("run " +
                        write_deck("first.toml",
                                   "[mesh]\nbox = { min = [0, 0, 0], max = [2, 1, 1], cells = [4, 2, 2], shape = "
                                   "\"prism\" }\n[physics]\ntype = \"poisson\"\norder = 2\n[[group]]\nname = "
                                   "\"half\"\nof = \"volumes\"\nwhere = \"x < 1\"\n[[boundary]]\non = \"left\"\n"
                                   "type = \"dirichlet\"\nvalue = 1\n") +
                        " --output " + out.string());
  ASSERT_EQ(run.code, 0) << run.text;
  expect_solved("again", "[mesh]\nfile = \"" + (out / "solution.vtu").string() +
                             "\"\n[physics]\ntype = \"poisson\"\n[solver]\ntype = \"cg\"\ntolerance = 1e-13\n"
                             "[exact]\nu = \"1 + 2*x\"\n[output]\nwrite = false\n[[group]]\nname = \"ends\"\n"
                             "where = \"x < 1e-6 || x > 2 - 1e-6\"\n[[boundary]]\non = \"ends\"\ntype = \"dirichlet\"\n"
                             "value = \"1 + 2*x\"\n[[material]]\non = \"half\"\n[[material]]\non = \"rest\"\n");
}

TEST(PartsOfACadFile, AreGluedWhereTheyTouch) {
  const std::string deck = write_deck("glue.toml", deck_of("bar.step", ""));
  const Result glued = app_test::tessera("mesh --list " + deck),
               apart = app_test::tessera("mesh --list " + deck + " --set mesh.glue=false");
  ASSERT_EQ(glued.code, 0) << glued.text;
  EXPECT_TRUE(glued.says("inside")) << glued.text;
  EXPECT_TRUE(glued.says("surface_11")) << glued.text;
  EXPECT_FALSE(glued.says("surface_12")) << glued.text;
  if (apart.code == 0) {
    EXPECT_TRUE(apart.says("surface_12")) << apart.text;
  }
}

TEST(PartsOfACadFile, HaveTheNamesThatTheFileGivesThem) {
  const fs::path out = folder() / "bracket";
  const std::string deck = (source() / "inputs/regression/bracket.toml").string();
  const Result list = app_test::tessera("mesh --list " + deck);
  for (const char* name : {"plate", "boss", "volume_1", "volume_2", "rim"})
    EXPECT_TRUE(list.says(std::string("  ") + name + " ")) << name << "\n" << list.text;
}

TEST(TrianglesOfAStlFile, AreCutIntoSurfacesAtTheAngleOfTheDeck) {
  const std::string deck = write_deck("angle.toml", deck_of("bar.stl", ""));
  const Result six = app_test::tessera("mesh --list " + deck);
  EXPECT_TRUE(six.says("surface_")) << six.text;
  EXPECT_NE(surface_with_normal(six.text, "(0, 1, 0)"), "none") << six.text;
  const Result one = app_test::tessera("mesh --list " + deck + " --set mesh.angle=100");
  EXPECT_EQ(surface_with_normal(one.text, "(0, 1, 0)"), "none") << one.text;
}

TEST(ListOfEntities, IsInCheckTooAndNeedsNoFile) {
  const std::string deck = write_deck("check.toml", deck_of("bar.msh",
                                                            "[[group]]\nname = \"low\"\nwhere = \"x < 1e-6\"\n"
                                                            "[[boundary]]\non = \"low\"\ntype = \"dirichlet\"\n"));
  const Result check = app_test::tessera("check " + deck);
  EXPECT_EQ(check.code, 0) << check.text;
  EXPECT_TRUE(check.says("low ")) << check.text;
  EXPECT_TRUE(check.says("volume_")) << check.text;  // no group of cells: the entities stand for them
  EXPECT_TRUE(check.says("(-1, 0, 0)")) << check.text;
  const Result nothing = app_test::tessera("mesh " + deck);
  EXPECT_EQ(nothing.code, 2);
  EXPECT_TRUE(nothing.says("--list")) << nothing.text;
}

TEST(GroupsOfTheDeck, AreInTheWrittenMesh) {
  const std::string group = "[[group]]\nname = \"ends\"\nwhere = \"x < 1e-6 || x > 2 - 1e-6\"\n",
                    boundary = "[[boundary]]\non = \"ends\"\ntype = \"dirichlet\"\nvalue = \"1 + 2*x\"\n";
  const fs::path file = folder() / "written.msh";
  const Result write = app_test::tessera("mesh -o " + file.string() + " " +
                                         write_deck("write.toml", deck_of("bar.vtk", group + boundary)));
  ASSERT_EQ(write.code, 0) << write.text;
  std::string deck = deck_of("bar.vtk", boundary);
  const std::string old = (files() / "bar.vtk").string();
  expect_solved("read_back", deck.replace(deck.find(old), old.size(), file.string()));
}

constexpr const char* square =
    "[mesh]\nbox = { min = [0, 0], max = [1, 1], cells = [8, 8], shape = \"triangle\" }\n[physics]\ntype = "
    "\"poisson\"\n"
    "[output]\nwrite = false\n[exact]\nu = \"x + y\"\n";

TEST(Rest, IsWhatNoOtherEntryNames) {
  expect_solved("rest",
                std::string(square) + "[solver]\ntolerance = 1e-13\n" +
                    "[[boundary]]\non = \"left\"\ntype = \"neumann\"\nvalue = -1\n"
                    "[[boundary]]\non = \"rest\"\ntype = \"dirichlet\"\nvalue = \"x + y\"\n"
                    "[[group]]\nname = \"low\"\nof = \"surfaces\"\nwhere = \"y < 0.5\"\n"
                    "[[material]]\non = \"low\"\ndiffusivity = 1\n[[material]]\non = \"rest\"\ndiffusivity = 1\n");
}

/// A bar that is stretched, of two materials that are the same.
TEST(Rest, IsKnownToElasticity) {
  expect_solved("rest_elasticity",
                "[mesh]\nbox = { min = [0, 0], max = [1, 1], cells = [4, 4], shape = \"quad\" }\n[physics]\n"
                "type = \"elasticity\"\n[solver]\ntolerance = 1e-13\n[output]\nwrite = false\n"
                "[exact]\nu = [\"x\", \"0\"]\n[[group]]\nname = \"low\"\nof = \"surfaces\"\nwhere = \"y < 0.5\"\n"
                "[[material]]\non = \"low\"\nyoung = 2\npoisson = 0\n[[material]]\non = \"rest\"\nyoung = 2\n"
                "poisson = 0\n[[boundary]]\non = \"right\"\ntype = \"traction\"\nvalue = [2, 0]\n"
                "[[boundary]]\non = \"rest\"\ntype = \"displacement\"\nvalue = [\"x\", \"0\"]\n");
}

TEST(Rest, LeavesPeriodicSidesOut) {
  const fs::path out = folder() / "rest_periodic";
  const Result run = app_test::tessera("run " +
                                       write_deck("rest_periodic.toml",
                                                  "[mesh]\nbox = { min = [0, 0], max = [1, 1], cells = [8, 8], shape = "
                                                  "\"triangle\" }\n[physics]\ntype = \"poisson\"\n[output]\nwrite = "
                                                  "false\n[solver]\ntolerance = 1e-13\n[exact]\nu = \"1 + y\"\n"
                                                  "[[boundary]]\non = [\"left\", \"right\"]\ntype = \"periodic\"\n"
                                                  "[[boundary]]\non = \"rest\"\ntype = \"dirichlet\"\nvalue = \"1 + "
                                                  "y\"\n") +
                                       " --output " + out.string());
  ASSERT_EQ(run.code, 0) << run.text;
  EXPECT_LT(summary_in(out)["errors"]["u"]["max"].get<double>(), 1e-10);
}

TEST(Rest, HoldsOnGridsToo) {
  expect_solved("rest_grid", std::string(square) +
                                 "[solver]\ntype = \"fft\"\n[[boundary]]\non = [\"left\", \"top\"]\ntype = "
                                 "\"dirichlet\"\nvalue = \"x + y\"\n"
                                 "[[boundary]]\non = \"rest\"\ntype = \"dirichlet\"\nvalue = \"x + y\"\n");
}

TEST(Rest, OfNothingIsAWarningAndAGroupOfThatNameComesFirst) {
  const std::string sides =
      "[[boundary]]\non = [\"left\", \"right\", \"top\", \"bottom\"]\ntype = \"dirichlet\"\nvalue = "
      "\"x + y\"\n[[boundary]]\non = \"rest\"\ntype = \"neumann\"\nvalue = 7\n";
  const Result empty = app_test::tessera("check " + write_deck("rest_empty.toml", square + sides));
  EXPECT_EQ(empty.code, 0) << empty.text;
  EXPECT_TRUE(empty.says("holds nowhere")) << empty.text;
  const std::string geo = write_deck("rest.geo",
                                     "SetFactory(\"OpenCASCADE\");\nRectangle(1) = {0, 0, 0, 1, 1};\n"
                                     "Physical Curve(\"rest\") = {1};\nPhysical Surface(\"s\") = {1};\n");
  const Result physical = app_test::tessera(
      "check " + write_deck("rest_group.toml", "[mesh]\nfile = \"" + geo +
                                                   "\"\n[physics]\ntype = \"poisson\"\n[[boundary]]\non = \"rest\"\n"
                                                   "type = \"dirichlet\"\n"));
  EXPECT_EQ(physical.code, 0) << physical.text;
  EXPECT_TRUE(physical.says("is the group of the mesh")) << physical.text;
}

TEST(Rest, BesideAMaterialWithoutOnIsRefused) {
  const Result twice = app_test::tessera(
      "check " +
      write_deck("rest_twice.toml", std::string(square) + "[[material]]\ndiffusivity = 1\n[[material]]\non = \"rest\"\n"
                                                          "[[boundary]]\non = \"left\"\ntype = \"dirichlet\"\n"));
  EXPECT_EQ(twice.code, 2) << twice.text;
  EXPECT_TRUE(twice.says("both would hold")) << twice.text;
}

TEST(GroupsOfTheDeck, AreRefusedOnGrids) {
  const Result grid = app_test::tessera(
      "check " + write_deck("group_grid.toml", std::string(square) +
                                                   "[solver]\ntype = \"fft\"\n[[group]]\nname = \"low\"\nwhere = "
                                                   "\"y < 0.5\"\n[[boundary]]\non = [\"left\", \"right\", \"top\", "
                                                   "\"bottom\"]\ntype = \"dirichlet\"\n"));
  EXPECT_EQ(grid.code, 2) << grid.text;
  EXPECT_TRUE(grid.says("[[group]]")) << grid.text;
}

}  // namespace
