#include "mesh/gmsh_reader.hpp"

#include <omp.h>

#include <csignal>

#include "base/log.hpp"
#include "mesh/geometry.hpp"
#include "mesh/gmsh_files.hpp"
#include "mesh/gmsh_types.hpp"
#include "mesh/quality.hpp"

namespace tessera::mesh {
namespace {

void expect_layered_cube(const Mesh& mesh) {
  EXPECT_EQ(mesh.dim, 3);
  EXPECT_NEAR(measure(mesh), 1, 1e-12);
  EXPECT_NO_THROW(check_cells(mesh));
  const auto size = [&](const char* name, int dim) {
    const Group* group = mesh.group(name, dim);
    EXPECT_NE(group, nullptr) << name;
    return group ? measure(mesh, *group) : -1;
  };
  EXPECT_NEAR(size("all", 3), 1, 1e-12);
  EXPECT_NEAR(size("low", 3), 0.5, 1e-12);
  EXPECT_NEAR(size("floor", 2), 1, 1e-12);
  EXPECT_NEAR(size("middle", 2), 1, 1e-12);
  EXPECT_NEAR(size("flat", 2), 3, 1e-12);
  EXPECT_NEAR(size("tag_77", 2), 1, 1e-12);
  ASSERT_NE(mesh.group("edge", 1), nullptr);
  EXPECT_EQ(mesh.group("edge", 1)->vertices.size(), 4u);  // two segments
  ASSERT_NE(mesh.group("corner", 0), nullptr);
  ASSERT_EQ(mesh.group("corner", 0)->vertices.size(), 1u);
  for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(mesh.point(mesh.group("corner", 0)->vertices[0])[axis], 0);
  double exterior = 0;
  for (Index facet = 0; facet < mesh.facets.size(); ++facet) {
    if (mesh.facets.exterior[facet]) exterior += facet_measure(mesh, facet);
    if (facet > 0) {
      const auto key = [&](Index f) { return std::pair(mesh.facets.cell[f], mesh.facets.side[f]); };
      EXPECT_LT(key(facet - 1), key(facet));
    }
  }
  EXPECT_NEAR(exterior, 6, 1e-12);
  EXPECT_EQ(mesh.box_cells[0], 0);
}

struct FileCase {
  double version;
  bool binary;
  int order;
};
class MshFiles : public ::testing::TestWithParam<FileCase> {};

TEST_P(MshFiles, GiveTheSameMeshAsTheGeometry) {
  TemporaryFolder folder;
  const auto [version, binary, order] = GetParam();
  write_text(folder / "cube.geo", layered_cube);
  gmsh_save(folder / "cube.geo", folder / "cube.msh", 3, version, binary, order);
  const Mesh mesh = read_gmsh(folder / "cube.msh");
  EXPECT_EQ(mesh.order, order);
  expect_layered_cube(mesh);
  const Mesh direct = read_gmsh(folder / "cube.geo", {.order = order});
  expect_layered_cube(direct);
  EXPECT_EQ(mesh.cells(), direct.cells());
  EXPECT_EQ(mesh.nodes(), direct.nodes());
  EXPECT_EQ(mesh.facets.size(), direct.facets.size());
}

INSTANTIATE_TEST_SUITE_P(Formats, MshFiles,
                         ::testing::Values(FileCase{2.2, false, 1}, FileCase{2.2, true, 1}, FileCase{4.1, false, 1},
                                           FileCase{4.1, true, 1}, FileCase{2.2, false, 2}, FileCase{2.2, true, 2},
                                           FileCase{4.1, false, 2}, FileCase{4.1, true, 2}),
                         [](const auto& info) {
                           return std::string(info.param.version < 3 ? "v2" : "v4") +
                                  (info.param.binary ? "binary" : "ascii") + std::to_string(info.param.order);
                         });

TEST(GmshReader, SizeOfAGeometry) {
  TemporaryFolder folder;
  write_text(folder / "cube.geo", layered_cube);
  EXPECT_GT(read_gmsh(folder / "cube.geo", {.size = 0.15}).cells(),
            4 * read_gmsh(folder / "cube.geo", {.size = 0.5}).cells());
}

TEST(GmshReader, OpenCascadeAndItsFiles) {
  TemporaryFolder folder;
  write_text(folder / "ball.geo",
             "SetFactory(\"OpenCASCADE\");\nSphere(1) = {0,0,0,1};\nPhysical Volume(\"ball\") = {1};\n");
  const Mesh ball = read_gmsh(folder / "ball.geo", {.size = 0.4, .order = 2});
  EXPECT_EQ(ball.order, 2);
  EXPECT_NEAR(measure(ball), 4.18879, 0.02);
  gmsh::initialize(0, nullptr, false);
  gmsh::option::setNumber("General.Terminal", 0);
  gmsh::model::occ::addBox(0, 0, 0, 1, 2, 3);
  gmsh::model::occ::synchronize();
  gmsh::write((folder / "box.step").string());
  gmsh::write((folder / "box.brep").string());
  gmsh::model::mesh::generate(2);
  gmsh::write((folder / "box.stl").string());
  gmsh::finalize();
  EXPECT_NEAR(measure(read_gmsh(folder / "box.brep", {.size = 0.5})), 6, 1e-9);
  const double step = measure(read_gmsh(folder / "box.step"));  // in the unit of the file: metres or millimetres
  EXPECT_NEAR(step > 100 ? step * 1e-9 : step, 6, 1e-6);
  const Mesh solid = read_gmsh(folder / "box.stl", {.size = 0.5});
  EXPECT_EQ(solid.dim, 3);
  EXPECT_NEAR(measure(solid), 6, 1e-9);
  EXPECT_TRUE(solid.groups.empty());
}

TEST(GmshReader, MixedShapesInThePlane) {
  TemporaryFolder folder;
  write_text(folder / "mixed.geo", R"(
SetFactory("OpenCASCADE");
Rectangle(1) = {0,0,0.25,1,1}; Rectangle(2) = {1,0,0.25,1,1}; Coherence;
Transfinite Curve{:} = 4; Transfinite Surface{1}; Recombine Surface{1};
Physical Surface("quads") = {1}; Physical Surface("triangles") = {2};
)");
  for (int order : {1, 2}) {
    const Mesh mesh = read_gmsh(folder / "mixed.geo", {.order = order});
    EXPECT_EQ(mesh.dim, 2);
    ASSERT_EQ(mesh.blocks.size(), 2u);
    EXPECT_NEAR(measure(mesh), 2, 1e-12);
    EXPECT_NEAR(measure(mesh, *mesh.group("quads", 2)), 1, 1e-12);
    EXPECT_NEAR(measure(mesh, *mesh.group("triangles", 2)), 1, 1e-12);
    EXPECT_EQ(mesh.point(0)[2], 0);  // z = 0.25 is dropped
  }
}

// Gmsh's order of the nodes of order 2: in straight cells each is the mean of the vertices that our table names.
TEST(GmshReader, SecondOrderNodesOfEveryShape) {
  TemporaryFolder folder;
  const auto layers = [&](const char* recombine, const char* extrude) {
    write_text(folder / "layers.geo", std::string(R"(
h = 0.5; Point(1) = {0,0,0,h}; Point(2) = {1,0,0,h}; Point(3) = {1,1,0,h}; Point(4) = {0,1,0,h};
Line(1) = {1,2}; Line(2) = {2,3}; Line(3) = {3,4}; Line(4) = {4,1}; Curve Loop(1) = {1,2,3,4}; Plane Surface(1) = {1};
Transfinite Curve{:} = 3; Transfinite Surface{1};
)") + recombine + extrude + "\n");
    return read_gmsh(folder / "layers.geo", {.order = 2});
  };
  const char* up = "Extrude {0,0,1} { Surface{1}; Layers{2}; Recombine; }";
  for (const auto& [mesh, shape] : {std::pair{layers("Recombine Surface{1};", up), Shape::hex},
                                    {layers("", up), Shape::prism},
                                    {layers("", "Extrude {0,0,1} { Surface{1}; }"), Shape::tet},
                                    {layers("Recombine Surface{1};", ""), Shape::quad},
                                    {layers("", ""), Shape::triangle}}) {
    ASSERT_EQ(mesh.blocks.size(), 1u);
    const CellBlock& block = mesh.blocks[0];
    ASSERT_EQ(block.shape, shape);
    const auto& sets = node_vertices(shape);
    for (Index c = 0; c < block.cells(); ++c)
      for (int n = 0; n < block.nodes_per_cell; ++n)
        for (int axis = 0; axis < 3; ++axis) {
          double mean = 0;
          for (int vertex : sets[n])
            mean += mesh.point(block.cell(c)[vertex])[axis] / static_cast<double>(sets[n].size());
          ASSERT_NEAR(mesh.point(block.cell(c)[n])[axis], mean, 1e-9) << name(shape) << " node " << n;
        }
    EXPECT_NEAR(measure(mesh), 1, 1e-9);
  }
}

TEST(GmshReader, OnlyGroupedCellsOfAGeometry) {
  TemporaryFolder folder;
  write_text(folder / "two.geo", R"(
SetFactory("OpenCASCADE");
Rectangle(1) = {0,0,0,1,1}; Rectangle(2) = {1,0,0,1,1}; Coherence;
Physical Surface("kept") = {1};
)");
  EXPECT_NEAR(measure(read_gmsh(folder / "two.geo")), 1, 1e-12);
}

TEST(GmshReader, LinesAreOneDimensional) {
  TemporaryFolder folder;
  write_text(folder / "line.geo", R"(
Point(1) = {0,0,0,0.1}; Point(2) = {2,0,0,0.1}; Line(1) = {2,1};
Physical Curve("domain") = {1}; Physical Point("left") = {1}; Physical Point("right") = {2};
)");
  const Mesh mesh = read_gmsh(folder / "line.geo");
  EXPECT_EQ(mesh.dim, 1);
  EXPECT_NEAR(measure(mesh), 2, 1e-12);
  EXPECT_EQ(mesh.group("left", 0)->entities.size(), 1u);
  EXPECT_EQ(mesh.facets.size(), 2);
  EXPECT_NO_THROW(check_cells(mesh));  // the line ran against x
}

const char* header2 = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";

TEST(GmshReader, InvertedRepeatedAndUnusedElements) {
  TemporaryFolder folder;
  // A clockwise triangle, listed once for each of its two groups; node 9 belongs to nothing, tags have gaps.
  write_text(folder / "t.msh", std::string(header2) + R"($PhysicalNames
2
2 1 "a"
2 2 "b"
$EndPhysicalNames
$Nodes
4
10 0 0 0
20 1 0 0
30 0 1 0
9 5 5 0
$EndNodes
$Elements
3
1 2 2 1 1 10 30 20
2 2 2 2 1 10 30 20
3 1 2 7 3 10 20
$EndElements
)");
  const Mesh mesh = read_gmsh(folder / "t.msh");
  EXPECT_EQ(mesh.nodes(), 3);
  EXPECT_EQ(mesh.cells(), 1);
  EXPECT_DOUBLE_EQ(measure(mesh), 0.5);
  EXPECT_EQ(mesh.group("a", 2)->entities, std::vector<Index>{0});
  EXPECT_EQ(mesh.group("b", 2)->entities, std::vector<Index>{0});
  ASSERT_NE(mesh.group("tag_7", 1), nullptr);
  EXPECT_EQ(mesh.group("tag_7", 1)->entities.size(), 1u);
}

// Files of other programs put all elements into one entity and name the group at each element.
TEST(GmshReader, GroupsOfElementsInOneEntity) {
  TemporaryFolder folder;
  write_text(folder / "one.msh", std::string(header2) + R"($Nodes
4
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
$EndNodes
$Elements
8
1 1 2 1 1 1 2
2 1 2 2 1 2 3
3 1 2 3 1 3 4
4 1 2 1 1 4 1
5 1 2 4 1 1 2
6 2 2 8 1 1 2 3
7 2 2 9 1 1 3 4
8 2 2 8 1 1 3 4
$EndElements
)");
  const Mesh mesh = read_gmsh(folder / "one.msh");
  EXPECT_EQ(mesh.cells(), 2);
  const auto size = [&](const char* name, int dim) { return measure(mesh, *mesh.group(name, dim)); };
  EXPECT_DOUBLE_EQ(size("tag_1", 1), 2);
  EXPECT_DOUBLE_EQ(size("tag_2", 1), 1);
  EXPECT_DOUBLE_EQ(size("tag_3", 1), 1);
  EXPECT_DOUBLE_EQ(size("tag_4", 1), 1);
  EXPECT_DOUBLE_EQ(size("tag_8", 2), 1);
  EXPECT_DOUBLE_EQ(size("tag_9", 2), 0.5);
}

void expect_refused(const std::filesystem::path& file, const std::vector<std::string>& words,
                    ExitCode code = ExitCode::mesh) {
  std::string message;
  EXPECT_EQ(thrown_code([&] { read_gmsh(file); }, &message), code) << file << "\n" << message;
  for (const std::string& word : words) EXPECT_NE(message.find(word), std::string::npos) << word << " in:\n" << message;
}

TEST(GmshReader, RefusesUnsupportedElements) {
  TemporaryFolder folder;
  const auto write = [&](const char* name, int nodes, const std::string& elements) {
    std::string text = std::string(header2) + "$Nodes\n" + std::to_string(nodes) + "\n";
    for (int n = 1; n <= nodes; ++n)
      text += std::to_string(n) + " " + std::to_string(n % 2) + " " + std::to_string(n / 2 % 2) + " " +
              std::to_string(n / 4) + "\n";
    write_text(folder / name, text + "$EndNodes\n$Elements\n1\n" + elements + "\n$EndElements\n");
    return folder / name;
  };
  expect_refused(write("triangle9.msh", 9, "1 20 2 1 1 1 2 3 4 5 6 7 8 9"), {"third order", "Mesh.ElementOrder"});
  expect_refused(write("points.msh", 2, "1 15 2 1 1 1"), {"no cells"});
  expect_refused(write("space.msh", 6, "1 2 2 1 1 1 2 6"), {"surface meshes are not supported"});
  expect_refused(write("unknown.msh", 4, "1 555 2 1 1 1 2 3 4"), {"type 555"});
  expect_refused(write("no_node.msh", 4, "1 2 2 1 1 1 2 40"), {"node 40"});
}

TEST(GmshReader, FacetsAtNoCellAreLeftOut) {
  TemporaryFolder folder;
  write_text(folder / "loose.msh", std::string(header2) + R"($PhysicalNames
2
2 1 "domain"
1 2 "loose"
$EndPhysicalNames
$Nodes
5
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
5 2 2 0
$EndNodes
$Elements
3
1 2 2 1 1 1 2 3
2 2 2 1 1 1 3 4
3 1 2 2 2 2 4
$EndElements
)");
  clear_warnings();
  const Mesh mesh = read_gmsh(folder / "loose.msh");
  EXPECT_EQ(mesh.cells(), 2);
  EXPECT_EQ(mesh.group("loose", 1), nullptr);  // so that a condition on it is refused
  ASSERT_EQ(warnings().size(), 1u);
  EXPECT_NE(warnings()[0].find("1 of the 1 elements of group 'loose'"), std::string::npos) << warnings()[0];
  clear_warnings();
}

TEST(GmshReader, RefusesFilesThatAreNone) {
  TemporaryFolder folder;
  expect_refused(folder / "missing.msh", {"does not exist"}, ExitCode::file_system);
  std::filesystem::create_directory(folder / "folder.msh");
  expect_refused(folder / "folder.msh", {"is a folder"}, ExitCode::file_system);
  write_text(folder / "empty.msh", "");
  expect_refused(folder / "empty.msh", {"is empty"});
  write_text(folder / "notes.txt", "hello");
  expect_refused(folder / "notes.txt", {"unknown mesh format '.txt'", ".msh"});
  write_text(folder / "text.msh", "hello\nworld\n");
  expect_refused(folder / "text.msh", {"not a Gmsh mesh", "text.msh:1:1"});
  write_text(folder / "old.msh", "$MeshFormat\n1.7 0 8\n$EndMeshFormat\n");
  expect_refused(folder / "old.msh", {"version 1.7", "4.1 or 2.2"});
  write_text(folder / "wrong.geo", "Point(1) = {0,0,0\nBox(;\n");
  expect_refused(folder / "wrong.geo", {"Gmsh says"});
  write_text(folder / "wrong.step", "this is no STEP file\n");
  expect_refused(folder / "wrong.step", {"wrong.step"});
  const Position where{"case.toml", 3, 8, "file = \"missing.msh\"", 13};
  std::string message;
  thrown_code([&] { read_gmsh(folder / "missing.msh", {.order = 1, .where = where}); }, &message);
  EXPECT_NE(message.find("case.toml:3:8"), std::string::npos) << message;
}

TEST(GmshReader, LeavesSignalsAndThreadsAlone) {
  TemporaryFolder folder;
  write_text(folder / "cube.geo", layered_cube);
  const auto handler = [](int) {};
  auto* old = std::signal(SIGINT, handler);
  const int threads = omp_get_max_threads();
  omp_set_num_threads(3);
  read_gmsh(folder / "cube.geo");
  EXPECT_EQ(omp_get_max_threads(), 3);
  omp_set_num_threads(threads);
  EXPECT_EQ(std::signal(SIGINT, old), static_cast<void (*)(int)>(handler));
}

TEST(GmshReader, IsQuietAndRepeatable) {
  TemporaryFolder folder;
  write_text(folder / "cube.geo", layered_cube);
  ::testing::internal::CaptureStdout();
  const Mesh first = read_gmsh(folder / "cube.geo", {.size = 0.2}),
             second = read_gmsh(folder / "cube.geo", {.size = 0.2});
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(first.points, second.points);
  EXPECT_EQ(first.blocks[0].nodes, second.blocks[0].nodes);
}

}  // namespace
}  // namespace tessera::mesh
