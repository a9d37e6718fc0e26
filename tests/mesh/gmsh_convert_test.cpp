// Meshes of other programs: old formats, and cells that become others when they are read.
#include <cmath>

#include "base/log.hpp"
#include "mesh/geometry.hpp"
#include "mesh/gmsh_files.hpp"
#include "mesh/gmsh_reader.hpp"
#include "mesh/quality.hpp"

namespace tessera::mesh {
namespace {

/// Opens a file in Gmsh, meshes it where it is a geometry, and saves it with cells of another order.
void save_as(const std::filesystem::path& from, const std::filesystem::path& to, int order, bool incomplete) {
  gmsh::initialize(0, nullptr, false);
  gmsh::option::setNumber("General.Terminal", 0);
  gmsh::open(from.string());
  gmsh::option::setNumber("Mesh.SecondOrderIncomplete", incomplete);
  if (from.extension() == ".geo") gmsh::model::mesh::generate(gmsh::model::getDimension());
  gmsh::model::mesh::setOrder(order);
  gmsh::write(to.string());
  gmsh::finalize();
}

double exterior(const Mesh& mesh) {
  double sum = 0;
  for (Index f = 0; f < mesh.facets.size(); ++f)
    if (mesh.facets.exterior[f]) sum += facet_measure(mesh, f);
  return sum;
}

/// A quarter of a ring, radii 1 and 2, and what is extruded of it.
std::string ring(const std::string& recombine, const std::string& more) {
  return "Point(1) = {0,0,0}; Point(2) = {1,0,0}; Point(3) = {2,0,0}; Point(4) = {0,2,0}; Point(5) = {0,1,0};\n"
         "Line(1) = {2,3}; Circle(2) = {3,1,4}; Line(3) = {4,5}; Circle(4) = {5,1,2}; Curve Loop(1) = {1,2,3,4};\n"
         "Plane Surface(1) = {1}; Transfinite Curve{:} = 4; Transfinite Surface{1};\n" +
         recombine + "Physical Curve(\"outer\") = {2};\n" + more + "\n";
}
const std::string flat = "Physical Surface(\"ring\") = {1};";
const std::string up =
    "out[] = Extrude {0,0,1} { Surface{1}; Layers{2}; Recombine; };\nPhysical Volume(\"ring\") = {out[1]}; "
    "Physical Surface(\"floor\") = {1};";

TEST(GmshConvert, SerendipityCellsAreCompleted) {
  for (const auto& [geo, shape] : {std::pair{ring("Recombine Surface{1};", flat), Shape::quad},
                                   {ring("Recombine Surface{1};", up), Shape::hex},
                                   {ring("", up), Shape::prism}}) {
    TemporaryFolder folder;
    write_text(folder / "ring.geo", geo);
    save_as(folder / "ring.geo", folder / "full.msh", 2, false);
    save_as(folder / "ring.geo", folder / "less.msh", 2, true);
    clear_warnings();
    const Mesh full = read_gmsh(folder / "full.msh"), mesh = read_gmsh(folder / "less.msh");
    EXPECT_TRUE(warnings().empty());
    EXPECT_EQ(mesh.order, 2);
    ASSERT_EQ(mesh.blocks.size(), 1u);
    EXPECT_EQ(mesh.blocks[0].shape, shape);
    EXPECT_EQ(mesh.nodes(), full.nodes()) << name(shape);  // shared by neighbours, and none too many
    EXPECT_NEAR(measure(mesh), measure(full), 1e-5);
    EXPECT_NEAR(measure(mesh), 0.75 * M_PI, 2e-3);
    EXPECT_NEAR(exterior(mesh), exterior(full), 1e-5);
    EXPECT_NE(mesh.group(mesh.dim == 2 ? "outer" : "floor", mesh.dim - 1), nullptr);
    EXPECT_NO_THROW(check_cells(mesh));
  }
}

TEST(GmshConvert, HigherOrdersBecomeTheSecond) {
  for (const std::string& geo :
       {ring("", flat), ring("Recombine Surface{1};", flat), ring("Recombine Surface{1};", up)})
    for (int order : {3, 4}) {
      TemporaryFolder folder;
      write_text(folder / "ring.geo", geo);
      save_as(folder / "ring.geo", folder / "high.msh", order, false);
      clear_warnings();
      const Mesh mesh = read_gmsh(folder / "high.msh");
      EXPECT_EQ(mesh.order, 2);
      EXPECT_NEAR(measure(mesh), 0.75 * M_PI, 2e-3);
      EXPECT_EQ(measure(mesh, *mesh.group("ring", mesh.dim)), measure(mesh));
      EXPECT_NO_THROW(check_cells(mesh));
      ASSERT_EQ(warnings().size(), 1u);
      EXPECT_NE(warnings()[0].find("geometric order 2; their nodes move by"), std::string::npos) << warnings()[0];
    }
  clear_warnings();
}

/// A cube of six pyramids around its middle beside a hexahedron and a prism on top of that, numbered by `shuffle`.
std::string pyramids(int shuffle) {
  const int corners[12][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1},
                              {1, 1, 1}, {0, 1, 1}, {2, 0, 0}, {2, 1, 0}, {2, 0, 1}, {2, 1, 1}};
  const auto number = [&](int node) { return std::to_string(1 + node * shuffle % 17); };
  std::string text =
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n3 1 \"left\"\n3 2 \"right\"\n2 3 \"low\"\n"
      "$EndPhysicalNames\n$Nodes\n15\n";
  for (int n = 0; n < 12; ++n)
    text += number(n) + " " + std::to_string(corners[n][0]) + " " + std::to_string(corners[n][1]) + " " +
            std::to_string(corners[n][2]) + "\n";
  text += number(12) + " 0.5 0.5 0.5\n" + number(13) + " 1 0.5 2\n" + number(14) + " 2 0.5 2\n";
  text += "$EndNodes\n$Elements\n10\n";
  int element = 0;
  const auto add = [&](int type, int group, std::vector<int> nodes) {
    text += std::to_string(++element) + " " + std::to_string(type) + " 2 " + std::to_string(group) + " " +
            std::to_string(group);
    for (int n : nodes) text += " " + number(n);
    text += "\n";
  };
  for (const std::vector<int>& base : std::vector<std::vector<int>>{
           {0, 1, 2, 3}, {4, 7, 6, 5}, {0, 4, 5, 1}, {1, 5, 6, 2}, {2, 6, 7, 3}, {3, 7, 4, 0}}) {
    std::vector<int> nodes = base;
    nodes.push_back(12);
    add(7, 1, nodes);
  }
  add(5, 2, {1, 8, 9, 2, 5, 10, 11, 6});
  add(6, 2, {5, 6, 13, 10, 11, 14});
  add(3, 3, {0, 1, 2, 3});
  add(3, 3, {1, 8, 9, 2});
  return text + "$EndElements\n";
}

TEST(GmshConvert, PyramidsAndTheirNeighboursBecomeTetrahedra) {
  for (int shuffle : {1, 3, 5, 7, 11, 16}) {
    TemporaryFolder folder;
    write_text(folder / "p1.msh", pyramids(shuffle));
    save_as(folder / "p1.msh", folder / "p2.msh", 2, false);
    save_as(folder / "p1.msh", folder / "p2s.msh", 2, true);
    for (const char* file : {"p1.msh", "p2.msh", "p2s.msh"}) {
      const Mesh mesh = read_gmsh(folder / file);
      EXPECT_EQ(mesh.order, file[1] == '1' ? 1 : 2);
      ASSERT_EQ(mesh.blocks.size(), 1u);
      EXPECT_EQ(mesh.blocks[0].shape, Shape::tet);
      EXPECT_EQ(mesh.cells(), 6 * 2 + 6 + 3);
      EXPECT_NEAR(measure(mesh), 2.5, 1e-12);
      EXPECT_NEAR(measure(mesh, *mesh.group("left", 3)), 1, 1e-12);
      EXPECT_NEAR(measure(mesh, *mesh.group("right", 3)), 1.5, 1e-12);
      EXPECT_NEAR(measure(mesh, *mesh.group("low", 2)), 2, 1e-12);
      EXPECT_NEAR(exterior(mesh), 10 - 1 + 1 + std::sqrt(5.0), 1e-12);  // would be more if the cuts did not fit
      EXPECT_NO_THROW(check_cells(mesh));
    }
  }
}

TEST(GmshConvert, OldFormats) {
  TemporaryFolder folder;
  const std::string nodes = "4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n";
  write_text(folder / "one.msh",
             "$NOD\n" + nodes + "$ENDNOD\n$ELM\n3\n1 1 7 1 2 1 2\n2 2 9 1 3 1 2 3\n3 2 8 1 3 1 3 4\n$ENDELM\n");
  const Mesh one = read_gmsh(folder / "one.msh");
  EXPECT_EQ(measure(one, *one.group("tag_9", 2)), 0.5);  // although both triangles are in one entity
  EXPECT_EQ(measure(one, *one.group("tag_7", 1)), 1);
  write_text(folder / "two.msh",
             "$MeshFormat\n2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n7 \"floor\"\n9 \"body\"\n$EndPhysicalNames\n"
             "$Nodes\n" +
                 nodes + "$EndNodes\n$Elements\n3\n1 1 2 7 1 1 2\n2 2 2 9 1 1 2 3\n3 2 2 9 1 1 3 4\n$EndElements\n");
  const Mesh two = read_gmsh(folder / "two.msh");
  ASSERT_NE(two.group("body", 2), nullptr);
  EXPECT_EQ(measure(two, *two.group("body", 2)), 1);
  ASSERT_NE(two.group("floor", 1), nullptr);
  for (const char* damaged : {"$NOD\n5\n1 0 0 0\n", "$NOD\n1\n1 0 0 0\n$EndNOD\n",
                              "$NOD\n1\n1 0 0 0\n$ENDNOD\n$ELM\n1\n1 15 1 1 2 1\n$ENDELM\n",
                              "$NOD\n1\n1 0 0 0\n$ENDNOD\n$ELM\n1000000000\n1 15 1 1 1 1\n"}) {
    write_text(folder / "bad.msh", damaged);
    EXPECT_EQ(thrown_code([&] { read_gmsh(folder / "bad.msh"); }), ExitCode::mesh) << damaged;
  }
}

}  // namespace
}  // namespace tessera::mesh
