#include "mesh/groups.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mesh/box.hpp"
#include "mesh/entity_table.hpp"
#include "mesh/geometry.hpp"
#include "mesh/gmsh_files.hpp"
#include "mesh/gmsh_writer.hpp"
#include "mesh/make_mesh.hpp"

namespace tessera::mesh {
namespace {

constexpr const char* cube = "[mesh]\nbox = { cells = [4, 4, 4], shape = \"tet\" }\n";

Mesh from_deck(const std::string& text) {
  const deck::Deck deck = deck::Deck::parse(text, "case.toml");
  return make_mesh(deck, mesh_section().read(deck, true));
}
std::string refusal(const std::string& group, ExitCode expected, const std::string& mesh = cube) {
  std::string message;
  EXPECT_EQ(thrown_code([&] { from_deck(mesh + "[[group]]\n" + group); }, &message), expected) << group << "\n"
                                                                                               << message;
  EXPECT_NE(message.find("help: "), std::string::npos) << message;
  return message;
}
double measure_of(const Mesh& mesh, const std::string& name, int dim) {
  const Group* group = mesh.group(name, dim);
  EXPECT_NE(group, nullptr) << name;
  return group ? measure(mesh, *group) : -1;
}

TEST(GroupsOfADeck, HalfASideHasHalfItsAreaWhicheverComparisonIsWritten) {
  for (const char* condition : {"x < 1e-6 && y < 0.5", "x <= 0 && y <= 0.5", "x == 0 && (y > 0.5) == 0"}) {
    const Mesh mesh = from_deck(std::string(cube) + "[[group]]\nname = \"half\"\nwhere = \"" + condition + "\"\n");
    EXPECT_NEAR(measure_of(mesh, "half", 2), 0.5, 1e-14) << condition;
  }
}

TEST(GroupsOfADeck, ConditionsOfOneEntryHoldTogether) {
  const Mesh mesh =
      from_deck(std::string(cube) +
                "[[group]]\nname = \"up\"\nnormal = [0, 0, 2]\n"
                "[[group]]\nname = \"strip\"\nnormal = [0, 0, 1]\nwhere = \"x < 0.25\"\n"
                "[[group]]\nname = \"both\"\nentities = [\"strip\", \"left\"]\nbox = { max = [1, 0.5, 1] }\n"
                "[[group]]\nname = \"tilted\"\nnormal = [0, 1, 1]\nangle = 45.001\n");
  EXPECT_NEAR(measure_of(mesh, "up", 2), 1, 1e-14);
  EXPECT_NEAR(measure_of(mesh, "strip", 2), 0.25, 1e-14);
  EXPECT_NEAR(measure_of(mesh, "both", 2), 0.125 + 0.5, 1e-14);
  EXPECT_NEAR(measure_of(mesh, "tilted", 2), 2, 1e-14);  // top and front
}

TEST(GroupsOfADeck, OfTwoConditionsThatExcludeEachOtherOneHoldsInEachCell) {
  const Mesh mesh = from_deck(std::string(cube) +
                              "[[group]]\nname = \"in\"\nof = \"volumes\"\nwhere = \"x^2 + y^2 < 0.3\"\n"
                              "[[group]]\nname = \"out\"\nof = \"volumes\"\nwhere = \"x^2 + y^2 >= 0.3\"\n");
  EXPECT_NEAR(measure_of(mesh, "in", 3) + measure_of(mesh, "out", 3), 1, 1e-14);
  EXPECT_EQ(Index(mesh.group("in", 3)->entities.size() + mesh.group("out", 3)->entities.size()), mesh.cells());
}

TEST(GroupsOfADeck, MayBeOfPointsAndCurves) {
  const Mesh mesh = from_deck(std::string(cube) +
                              "[[group]]\nname = \"corner\"\nof = \"points\"\nbox = { max = [0, 0, 0] }\n"
                              "[[group]]\nname = \"axis\"\nof = \"curves\"\nwhere = \"x == 0 && y == 0\"\n");
  ASSERT_EQ(mesh.group("corner", 0)->vertices.size(), 1u);
  EXPECT_EQ(mesh.point(mesh.group("corner", 0)->vertices[0])[2], 0);
  EXPECT_EQ(mesh.group("axis", 1)->vertices.size(), 8u);  // four edges
}

TEST(GroupsOfADeck, WorkInEveryDimensionAndOnCurvedCells) {
  const Mesh line =
      from_deck("[mesh]\nbox = { cells = [4], shape = \"interval\" }\n[[group]]\nname = \"end\"\nnormal = [1]\n");
  ASSERT_EQ(line.group("end", 0)->entities.size(), 1u);
  const Mesh square = from_deck(
      "[mesh]\nbox = { cells = [4, 4], shape = \"quad\" }\norder = 2\n[[group]]\nname = \"end\"\nnormal = [-1, 0]\n");
  EXPECT_NEAR(measure_of(square, "end", 1), 1, 1e-14);
}

TEST(GroupsOfADeck, ThatCatchNothingSayWhatCameNearest) {
  EXPECT_NE(refusal("name = \"a\"\nwhere = \"x < -1\"\n", ExitCode::mesh).find("none of 192 facets"),
            std::string::npos);
  EXPECT_NE(refusal("name = \"a\"\nwhere = \"x < 0.1 && z > 0.9\"\n", ExitCode::mesh).find("at some of their nodes"),
            std::string::npos);
  EXPECT_NE(refusal("name = \"a\"\nbox = { min = [3, 0, 0] }\n", ExitCode::mesh).find("reaches 2 out of it"),
            std::string::npos);
  EXPECT_NE(refusal("name = \"a\"\nnormal = [0, 1, 1]\n", ExitCode::mesh).find("45 degrees off"), std::string::npos);
  EXPECT_NE(refusal("name = \"a\"\nentities = [\"leftt\"]\n", ExitCode::mesh).find("did you mean 'left'"),
            std::string::npos);
}

TEST(GroupsOfADeck, ThatContradictThemselvesAreRefused) {
  for (const char* wrong :
       {"name = \"left\"\nwhere = \"x < 1\"\n", "name = \"rest\"\nwhere = \"x < 1\"\n", "name = \"a\"\n",
        "name = \"\"\nwhere = \"x < 1\"\n", "name = \"a\"\nwhere = \"x - 1\"\n", "name = \"a\"\nwhere = \"t < 1\"\n",
        "name = \"a\"\nnormal = [0, 1]\n", "name = \"a\"\nnormal = [0, 0, 0]\n",
        "name = \"a\"\nof = \"volumes\"\nnormal = [0, 0, 1]\n", "name = \"a\"\nbox = { }\n",
        "name = \"a\"\nbox = { min = [1, 1, 1], max = [0, 1, 1] }\n",
        "name = \"a\"\nof = \"faces\"\nwhere = \"x < 1\"\n", "name = \"a\"\nwhere = \"x < 0.1\"\nangle = 5\n"})
    refusal(wrong, ExitCode::usage);
  refusal("name = \"a\"\nof = \"volumes\"\nwhere = \"x < 1\"\n", ExitCode::usage,
          "[mesh]\nbox = { cells = [4, 4], shape = \"quad\" }\n");
  refusal("name = \"a\"\nwhere = \"z < 1\"\n", ExitCode::usage, "[mesh]\nbox = { cells = [4, 4], shape = \"quad\" }\n");
}

TEST(Rest, IsWhatNoNameHolds) {
  const Mesh mesh = from_deck(std::string(cube) + "[[group]]\nname = \"low\"\nof = \"volumes\"\nwhere = \"z < 0.5\"\n");
  const std::vector<std::string> sides{"left", "right", "no such name"}, cells{"low"}, all{"domain"};
  EXPECT_NEAR(measure(mesh, rest_of(mesh, 2, sides)), 4, 1e-14);
  EXPECT_NEAR(measure(mesh, rest_of(mesh, 3, cells)), 0.5, 1e-14);
  EXPECT_TRUE(rest_of(mesh, 3, all).entities.empty());
}

/// The cube in two layers without physical groups.
std::string bare_cube() {
  const std::string text = layered_cube;
  return text.substr(0, text.find("Physical"));
}

TEST(Entities, OfAGeometryAreNamedByKindAndTag) {
  TemporaryFolder folder;
  write_text(folder / "cube.geo", bare_cube());
  const std::string file = "[mesh]\nfile = \"" + (folder / "cube.geo").string() + "\"\n";
  for (const char* more : {"", "refine = 1\n", "numbering = \"file\"\n", "numbering = \"metis\"\norder = 2\n"}) {
    const Mesh mesh = from_deck(file + more);
    EXPECT_TRUE(mesh.groups.empty());
    EXPECT_NEAR(measure_of(mesh, "volume_1", 3), 0.5, 1e-12) << more;
    EXPECT_NEAR(measure_of(mesh, "volume_2", 3), 0.5, 1e-12) << more;
    const Group* floor = mesh.group("surface_1", 2);
    ASSERT_NE(floor, nullptr);
    for (Index facet : floor->entities) EXPECT_TRUE(mesh.facets.exterior[facet]);
    int inside = 0;
    for (const EntityRow& row : entity_rows(mesh)) {
      if (row.dim != 2) continue;
      inside += !row.exterior;
      if (row.exterior) {
        EXPECT_NEAR(std::hypot(row.normal[0], row.normal[1], row.normal[2]), 1, 1e-12) << row.name;
      }
      if (row.name == "surface_1") {
        EXPECT_NEAR(row.size, 1, 1e-12);
        EXPECT_NEAR(row.normal[2], -1, 1e-12);
        EXPECT_NEAR(row.centre[0], 0.5, 1e-12);
      }
    }
    EXPECT_EQ(inside, 1) << "the layers meet in one surface";
    EXPECT_EQ(mesh.group("curve_1", 1)->vertices.size() % 2, 0u);
    EXPECT_EQ(mesh.group("point_1", 0)->vertices.size(), 1u);
  }
}

TEST(Entities, StandBehindPhysicalGroupsOfTheSameName) {
  TemporaryFolder folder;
  write_text(folder / "cube.geo", bare_cube() + "Physical Surface(\"surface_1\") = {lower[0]};\n");
  const Mesh mesh = from_deck("[mesh]\nfile = \"" + (folder / "cube.geo").string() + "\"\n");
  const Group* group = mesh.group("surface_1", 2);
  ASSERT_NE(group, nullptr);
  EXPECT_FALSE(mesh.facets.exterior[group->entities.front()]);
  EXPECT_EQ(std::count_if(mesh.entities.begin(), mesh.entities.end(),
                          [](const Group& entity) { return entity.name == "surface_1" && entity.dim == 2; }),
            0);
}

TEST(Entities, AreFoundFromTheRestOfAMeshThatHasOnlyCells) {
  TemporaryFolder folder;
  Mesh bare = make_box({.min = {0, 0, 0}, .max = {1, 1, 1}, .cells = {2, 2, 2}, .shape = "tet", .where = {}}, 1);
  bare.groups.clear();
  write_msh(bare, folder / "bare.msh");
  const Mesh mesh = from_deck("[mesh]\nfile = \"" + (folder / "bare.msh").string() +
                              "\"\n[[group]]\nname = \"low\"\nwhere = \"z < 1e-6\"\n");
  EXPECT_NEAR(measure_of(mesh, "low", 2), 1, 1e-14);
}

TEST(GroupsOfADeck, AreWrittenAndReadBack) {
  TemporaryFolder folder;
  const Mesh mesh = from_deck(std::string(cube) +
                              "[[group]]\nname = \"half\"\nwhere = \"x < 1e-6 && y < 0.5\"\n"
                              "[[group]]\nname = \"inner\"\nof = \"volumes\"\nwhere = \"x < 0.5\"\n"
                              "[[group]]\nname = \"axis\"\nof = \"curves\"\nwhere = \"x == 0 && y == 0\"\n");
  write_msh(mesh, folder / "x.msh");
  const Mesh back = from_deck("[mesh]\nfile = \"" + (folder / "x.msh").string() + "\"\n");
  EXPECT_EQ(back.groups.size(), mesh.groups.size());
  for (const Group& group : mesh.groups) {
    const Group* same = back.group(group.name, group.dim);
    ASSERT_NE(same, nullptr) << group.name;
    EXPECT_EQ(same->entities.size(), group.entities.size()) << group.name;
    EXPECT_EQ(same->vertices.size(), group.vertices.size()) << group.name;
    if (group.dim > 1) {
      EXPECT_NEAR(measure(back, *same), measure(mesh, group), 1e-13) << group.name;
    }
  }
}

TEST(EntityTable, IsShortenedWhereItIsLong) {
  const Mesh mesh = from_deck(cube);
  const std::string all = entity_table(mesh, 0, true), some = entity_table(mesh, 3, true);
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 8);
  EXPECT_EQ(std::count(some.begin(), some.end(), '\n'), 5);
  EXPECT_NE(some.find("4 more: `tessera mesh DECK --list`"), std::string::npos);
  EXPECT_NE(all.find("(-1, 0, 0)"), std::string::npos);
}

}  // namespace
}  // namespace tessera::mesh
