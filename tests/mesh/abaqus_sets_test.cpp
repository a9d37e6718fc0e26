// Sets and surfaces of an input deck become groups.
#include <fmt/format.h>

#include <cmath>

#include "base/log.hpp"
#include "mesh/facets.hpp"
#include "mesh/geometry.hpp"
#include "mesh/gmsh_files.hpp"
#include "mesh/gmsh_reader.hpp"

namespace tessera::mesh {
namespace {

/// Two cubes side by side along x, elements 1 and 2; node i + 3 j + 6 k + 1 at (i, j, k).
std::string nodes(const std::string& parameters = "") {
  std::string text = "*NODE" + parameters + "\n";
  for (int k = 0; k < 2; ++k)
    for (int j = 0; j < 2; ++j)
      for (int i = 0; i < 3; ++i) text += fmt::format("{}, {}, {}, {}\n", i + 3 * j + 6 * k + 1, i, j, k);
  return text;
}
const std::string cubes = "*ELEMENT, TYPE=C3D8, ELSET=body\n1, 1, 2, 5, 4, 7, 8, 11, 10\n2, 2, 3, 6, 5, 8, 9, 12, 11\n";
const std::string left = "1, 4, 7, 10", right = "3, 6, 9, 12";

class AbaqusSets : public ::testing::Test {
 protected:
  Mesh read(const std::string& text) {
    write_text(folder_ / "deck.inp", text);
    clear_warnings();
    return read_gmsh(folder_ / "deck.inp");
  }
  Mesh read_cubes(const std::string& sets) { return read(nodes() + cubes + sets); }
  TemporaryFolder folder_;
};

/// Volume, area or number of points of a group, to 12 digits; -1: there is none.
double size(const Mesh& mesh, const std::string& name, int dim) {
  const Group* group = mesh.group(name, dim);
  if (!group) return -1;
  return dim >= mesh.dim - 1 ? std::round(1e12 * measure(mesh, *group)) / 1e12
                             : static_cast<double>(group->vertices.size() / (dim + 1));
}
/// Mean x of the vertices of a group of facets; -1: there is none.
double mean_x(const Mesh& mesh, const std::string& name) {
  double sum = 0;
  int count = 0;
  const Group* group = mesh.group(name, mesh.dim - 1);
  if (!group) return -1;
  for (Index f : group->entities)
    for (Index v : side_vertices(mesh, mesh.facets.cell[f], mesh.facets.side[f]))
      if (v >= 0) sum += mesh.point(v)[0], ++count;
  return sum / count;
}

TEST_F(AbaqusSets, OfElementsAreGroupsOfCells) {
  const Mesh mesh =
      read_cubes("*ELSET, ELSET=first\n1\n*elset , Elset = \"the second\"\n2,\n*ELSET, ELSET=both\nfirst, 2\n");
  EXPECT_EQ(size(mesh, "body", 3), 2);
  EXPECT_EQ(size(mesh, "first", 3), 1);
  EXPECT_EQ(size(mesh, "the second", 3), 1);
  EXPECT_EQ(size(mesh, "both", 3), 2);
  EXPECT_TRUE(warnings().empty());
}

TEST_F(AbaqusSets, GrowWithEachOfTheirKeywords) {
  const Mesh mesh = read_cubes("*ELSET, ELSET=A\n1\n*ELSET, ELSET=B\n1\n*ELSET, ELSET=a\n2\n");
  EXPECT_EQ(size(mesh, "A", 3), 2);
  EXPECT_EQ(size(mesh, "B", 3), 1);
}

TEST_F(AbaqusSets, MayBeGenerated) {
  const Mesh mesh = read_cubes("*NSET, NSET=left, GENERATE\n1, 10, 3\n*ELSET, ELSET=all, GENERATE\n1, 2147483647\n");
  EXPECT_EQ(size(mesh, "left", 2), 1);
  EXPECT_EQ(mean_x(mesh, "left"), 0);
  EXPECT_EQ(size(mesh, "all", 3), 2);
}

TEST_F(AbaqusSets, OfNodesAreTheBoundaryFacetsWithinThem) {
  const Mesh mesh =
      read_cubes("*NSET, NSET=left\n" + left + "\n*NSET, NSET=right\n" + right +
                 "\n*NSET, NSET=ends\nleft, RIGHT\n*NSET, NSET=middle\n2, 5, 8, 11\n*NSET, NSET=all, GENERATE\n"
                 "1, 12, 1\n*NSET, NSET=edge\n1, 2\n");
  EXPECT_EQ(size(mesh, "left", 2), 1);
  EXPECT_EQ(mean_x(mesh, "left"), 0);
  EXPECT_EQ(mean_x(mesh, "right"), 2);
  EXPECT_EQ(size(mesh, "ends", 2), 2);
  EXPECT_EQ(size(mesh, "all", 2), 10);
  EXPECT_EQ(size(mesh, "middle", 2), -1);  // inside: no boundary
  EXPECT_EQ(size(mesh, "middle", 0), 4);
  EXPECT_EQ(size(mesh, "edge", 0), 2);
}

TEST_F(AbaqusSets, OfNodesMayBeThoseOfElements) {
  const Mesh mesh = read_cubes("*ELSET, ELSET=first\n1\n*NSET, NSET=near, ELSET=first\n");
  EXPECT_EQ(size(mesh, "near", 2), 5);
  EXPECT_EQ(size(read(nodes(", NSET=every") + cubes), "every", 2), 10);
}

TEST_F(AbaqusSets, OfNodesNeedTheMidsideNodesToo) {
  // A square of one CPS8: corners 1 to 4, then the edges.
  const std::string square =
      "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n5,.5,0\n6,1,.5\n7,.5,1\n8,0,.5\n*ELEMENT, TYPE=CPS8\n"
      "1,1,2,3,4,5,6,7,8\n*NSET, NSET=bottom\n1,5,2\n*NSET, NSET=corners\n2,3\n";
  const Mesh mesh = read(square);
  EXPECT_EQ(mesh.order, 2);
  EXPECT_EQ(size(mesh, "bottom", 1), 1);
  EXPECT_EQ(size(mesh, "corners", 1), -1);
  EXPECT_EQ(size(mesh, "corners", 0), 2);
}

TEST_F(AbaqusSets, OfNodesHoldWhereCellsAreCut) {
  // A pyramid on a cube: all becomes tetrahedra, and the floor two triangles.
  const Mesh mesh = read(
      "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n9,.5,.5,2\n"
      "*ELEMENT, TYPE=C3D8, ELSET=cube\n1,1,2,3,4,5,6,7,8\n*ELEMENT, TYPE=C3D5, ELSET=roof\n2,5,6,7,8,9\n"
      "*NSET, NSET=floor\n1,2,3,4\n*SURFACE, NAME=ground\ncube, S1\n");
  EXPECT_EQ(mesh.blocks[0].shape, Shape::tet);
  EXPECT_NEAR(size(mesh, "cube", 3), 1, 1e-14);
  EXPECT_NEAR(size(mesh, "roof", 3), 1. / 3, 1e-12);
  EXPECT_NEAR(size(mesh, "floor", 2), 1, 1e-14);
  EXPECT_NEAR(size(mesh, "ground", 2), 1, 1e-14);
}

TEST_F(AbaqusSets, OfOneNameAndSeveralKindsDoNotMix) {
  const Mesh mesh = read_cubes("*ELSET, ELSET=left\n1\n*NSET, NSET=left\n" + left + "\n");
  EXPECT_EQ(size(mesh, "left", 3), 1);
  EXPECT_EQ(size(mesh, "left", 2), 1);
}

TEST_F(AbaqusSets, OfAnElementsSurfaceGoBeforeThoseOfNodes) {
  const Mesh mesh = read_cubes("*SURFACE, NAME=end\nbody, S4\n*NSET, NSET=end\n" + left + "\n");
  EXPECT_EQ(mean_x(mesh, "end"), 1.5);  // x = 1 inside, x = 2
}

TEST_F(AbaqusSets, OfElementsOfSeveralDimensionsAreAGroupOfEach) {
  const Mesh mesh = read_cubes(
      "*ELEMENT, TYPE=S4, ELSET=skin\n11, 1, 4, 10, 7\n12, 2, 5, 11, 8\n"
      "*ELEMENT, TYPE=T3D2, ELSET=rod\n21, 1, 2\n*ELSET, ELSET=mix\nbody, skin, rod\n");
  EXPECT_EQ(size(mesh, "skin", 2), 2);
  EXPECT_EQ(size(mesh, "mix", 3), 2);
  EXPECT_EQ(size(mesh, "mix", 2), 2);
  EXPECT_EQ(size(mesh, "mix", 1), 1);
  EXPECT_EQ(size(mesh, "rod", 1), 1);
  EXPECT_EQ(mesh.group("skin", 2)->entities.size(), 2u);
}

TEST_F(AbaqusSets, AreNotedWhereTheyNameWhatIsNotThere) {
  const Mesh mesh = read_cubes("*ELSET, ELSET=some\n1, 77\n*NSET, NSET=none\n99\n");
  EXPECT_EQ(size(mesh, "some", 3), 1);
  EXPECT_EQ(size(mesh, "none", 0), -1);
}

TEST_F(AbaqusSets, SurfacesAreSidesOfElementsAndOfSets) {
  const Mesh mesh = read_cubes(
      "*SURFACE, TYPE=ELEMENT, NAME=floor\nbody, S1\n*SURFACE, NAME=ends\n1, S6\n2, s4\n"
      "*SURFACE, TYPE=NODE, NAME=tip\n3\n");
  EXPECT_EQ(size(mesh, "floor", 2), 2);
  EXPECT_EQ(size(mesh, "ends", 2), 2);
  EXPECT_EQ(mean_x(mesh, "ends"), 1);
  EXPECT_EQ(size(mesh, "tip", 0), 1);
}

TEST_F(AbaqusSets, SurfacesOfNodesAreListedOneALine) {
  const Mesh mesh = read_cubes("*NSET, NSET=L\n" + left + "\n*SURFACE, TYPE=NODE, NAME=left\nL, 1.0\n");
  EXPECT_EQ(size(mesh, "left", 2), 1);
}

TEST_F(AbaqusSets, SurfacesOfShellsAreTheShells) {
  const Mesh mesh = read_cubes(
      "*ELEMENT, TYPE=S4R, ELSET=skin\n11, 1, 4, 10, 7\n*SURFACE, NAME=wall\nskin, SPOS\n"
      "*SURFACE, NAME=rim\nskin, E1\n");
  EXPECT_EQ(size(mesh, "wall", 2), 1);
  EXPECT_EQ(size(mesh, "rim", 1), 1);
}

TEST_F(AbaqusSets, InternalSetsThatSurfacesAreMadeOfAreNoGroups) {
  const Mesh mesh = read_cubes(
      "*ELSET, ELSET=_top_S2, INTERNAL\n1, 2\n*ELSET, ELSET=_picked, INTERNAL\n1\n"
      "*SURFACE, NAME=top\n_top_S2, S2\n");
  EXPECT_EQ(size(mesh, "top", 2), 2);
  EXPECT_EQ(size(mesh, "_top_S2", 3), -1);
  EXPECT_EQ(size(mesh, "_picked", 3), 1);
}

TEST_F(AbaqusSets, SurfacesThatCannotBeAreLeftOutWithAWarning) {
  const Mesh mesh = read_cubes(
      "*SURFACE, NAME=free\nbody\n*SURFACE, TYPE=REVOLUTION, NAME=tool\n0,0,0\n"
      "*SURFACE, NAME=sum, COMBINE=UNION\na, b\n");
  EXPECT_EQ(mesh.cells(), 2);
  ASSERT_EQ(warnings().size(), 3u);
  EXPECT_NE(warnings()[0].find("'free'"), std::string::npos) << warnings()[0];
  EXPECT_NE(warnings()[1].find("REVOLUTION"), std::string::npos) << warnings()[1];
  EXPECT_NE(warnings()[2].find("combines"), std::string::npos) << warnings()[2];
}

TEST_F(AbaqusSets, WithoutAnyTheMeshIsOneEntity) {
  const Mesh mesh = read(nodes() + "*ELEMENT, TYPE=C3D8\n1, 1, 2, 5, 4, 7, 8, 11, 10\n");
  EXPECT_TRUE(mesh.groups.empty());
  EXPECT_EQ(size(mesh, "volume_1", 3), 1);
}

// What Abaqus/CAE writes: a part, its instance, sets of either, a reference point.
std::string assembly(const std::string& place = "") {
  return "*Heading\n** Job name: job\n*Preprint, echo=NO\n**\n*Part, name=\"my part\"\n" + nodes() +
         "*Element, type=C3D8R\n1, 1, 2, 5, 4, 7, 8, 11, 10\n2, 2, 3, 6, 5, 8, 9, 12, 11\n"
         "*Nset, nset=Set-1, generate\n1, 10, 3\n*Elset, elset=Set-2\n1\n"
         "*Solid Section, elset=Set-2, material=steel\n,\n*End Part\n**\n*Assembly, name=Assembly\n**\n"
         "*Instance, name=part-1, part=\"my part\"\n" +
         place +
         "*End Instance\n*Node\n1, 5., 5., 5.\n*Nset, nset=reference\n1,\n*Nset, nset=Set-1, instance=part-1\n" +
         right +
         "\n*Elset, elset=_top_S2, internal, instance=part-1\n1, 2\n*Surface, type=ELEMENT, name=top\n_top_S2, S2\n"
         "*Nset, nset=far\nPart-1.Set-1\n*Nset, nset=corner\npart-1.12\n"
         "*Element, type=MASS, elset=weight\n1, 1\n*End Assembly\n"
         "*Material, name=steel\n*Elastic\n210000., 0.3\n*Step, name=Step-1\n*Static\n0.1, 1.\n*Boundary\nSet-1, 1, "
         "3\n*End Step\n";
}

TEST_F(AbaqusSets, AnAssemblyOfOneInstanceIsRead) {
  const Mesh mesh = read(assembly());
  EXPECT_TRUE(warnings().empty());
  EXPECT_EQ(mesh.nodes(), 12);
  EXPECT_EQ(size(mesh, "Set-2", 3), 1);
  EXPECT_EQ(mean_x(mesh, "Set-1"), 2);         // that of the assembly
  EXPECT_EQ(mean_x(mesh, "part-1.Set-1"), 0);  // that of the part
  EXPECT_EQ(mean_x(mesh, "far"), 0);
  EXPECT_EQ(size(mesh, "top", 2), 2);
  EXPECT_EQ(size(mesh, "corner", 0), 1);
  EXPECT_EQ(size(mesh, "reference", 0), -1);
}

TEST_F(AbaqusSets, AnInstanceMayHaveTheMeshItself) {
  const Mesh mesh = read("*Part, name=P\n*End Part\n*Assembly, name=A\n*Instance, name=I, part=P\n0., 0., 0.\n" +
                         nodes() + cubes + "*Nset, nset=left\n" + left +
                         "\n*End Instance\n*Nset, nset=right, instance=I\n" + right + "\n*End Assembly\n");
  EXPECT_EQ(mean_x(mesh, "left"), 0);
  EXPECT_EQ(mean_x(mesh, "right"), 2);
  EXPECT_EQ(size(mesh, "body", 3), 2);
}

TEST_F(AbaqusSets, AnInstanceThatIsMovedIsRefused) {
  std::string message;
  for (const char* place : {"0., 0., 1.\n", "0.,0.,0.\n0.,0.,0., 0.,0.,1., 90.\n"}) {
    EXPECT_EQ(thrown_code([&] { read(assembly(place)); }, &message), ExitCode::mesh);
    EXPECT_NE(message.find("the *INSTANCE 'part-1' is moved"), std::string::npos) << message;
    EXPECT_NE(message.find("deck.inp:"), std::string::npos) << message;
  }
}

TEST_F(AbaqusSets, FilesMayBeIncluded) {
  write_text(folder_ / "nodes.txt", nodes().substr(6));  // without its keyword
  write_text(folder_ / "cubes.inc", cubes + "*INCLUDE, INPUT=sets.inc\n");
  write_text(folder_ / "sets.inc", "*NSET, NSET=left\n" + left);
  write_text(folder_ / "right.inc", right + "\n");
  const Mesh mesh = read(
      "** comment\n*NODE\n*include, input = nodes.txt\n*INCLUDE,\nINPUT=\"cubes.inc\"\n*NSET, NSET=right, "
      "INPUT=right.inc\n");
  EXPECT_EQ(mesh.cells(), 2);
  EXPECT_EQ(mean_x(mesh, "left"), 0);
  EXPECT_EQ(mean_x(mesh, "right"), 2);
}

TEST_F(AbaqusSets, AFileIsIncludedWhereItIsNamed) {
  write_text(folder_ / "left.inc", left + "\n");
  const Mesh mesh = read_cubes("*NSET, NSET=left\n*INCLUDE, INPUT=left.inc,\n*NSET, NSET=right\n" + right + "\n");
  EXPECT_EQ(mean_x(mesh, "left"), 0);
  EXPECT_EQ(mean_x(mesh, "right"), 2);
}

TEST_F(AbaqusSets, TextMayBeWrittenInManyWays) {
  std::string text = "\xEF\xBB\xBF** comment\r\n\r\n  *Node\r\n";
  text +=
      "1,0.,0.,0.\r\n2,+1.0D+0,0,0\r\n\t3 , 1d0 , .1E1,0\r\n4,0,1.\r\n** "
      "within\r\n5,0,0,1e0\r\n6,1,0,1\r\n7,1,1,1\r\n8,0,1,1,0,0,1\r\n";
  text += "* element ,\r\n type = c3d8 ,\r\n elset = \"a, b\"\r\n1,1,2,3,4,\r\n5,6,7,8\r\n*NSET,NSET=tiny\r\n1";
  const Mesh mesh = read(text);
  EXPECT_NEAR(measure(mesh), 1, 1e-14);
  EXPECT_EQ(size(mesh, "a, b", 3), 1);
  EXPECT_EQ(read("*NODE\n1, 1d-400\n2, 1\n*ELEMENT, TYPE=T2D2\n1, 1, 2\n").point(0)[0], 0);
}

TEST_F(AbaqusSets, OfNodesAreEndsOfALine) {
  const Mesh mesh = read(
      "*NODE\n1, 0\n2, 1\n3, 2\n*ELEMENT, TYPE=B31\n1, 1, 2\n2, 2, 3, 1\n*NSET, NSET=end\n3\n*NSET, NSET=mid\n2\n"
      "*SURFACE, NAME=start\n1, END1\n");
  EXPECT_EQ(mesh.dim, 1);
  EXPECT_EQ(size(mesh, "end", 0), 1);
  EXPECT_EQ(size(mesh, "start", 0), 1);
  EXPECT_EQ(size(mesh, "mid", 0), -1);
}

// The sets of Gmsh's own writer, which ends each line of a set with a comma.
TEST_F(AbaqusSets, OfADeckThatGmshWrote) {
  write_text(folder_ / "cube.geo", layered_cube);
  for (int order : {1, 2}) {
    gmsh::initialize(0, nullptr, false);
    gmsh::option::setNumber("General.Terminal", 0);
    gmsh::open((folder_ / "cube.geo").string());
    gmsh::model::mesh::generate(3);
    gmsh::model::mesh::setOrder(order);
    gmsh::option::setNumber("Mesh.SaveGroupsOfNodes", 1);
    gmsh::write((folder_ / "cube.inp").string());
    gmsh::write((folder_ / "cube.msh").string());
    gmsh::finalize();
    const Mesh mesh = read_gmsh(folder_ / "cube.inp"), same = read_gmsh(folder_ / "cube.msh");
    EXPECT_EQ(mesh.cells(), same.cells());
    EXPECT_EQ(mesh.nodes(), same.nodes());
    EXPECT_EQ(mesh.order, order);
    for (const char* name : {"all", "low"}) EXPECT_NEAR(size(mesh, name, 3), size(same, name, 3), 1e-11) << name;
    for (const char* name : {"floor", "middle", "flat"})
      EXPECT_NEAR(size(mesh, name, 2), size(same, name, 2), 1e-11) << name;
  }
}

}  // namespace
}  // namespace tessera::mesh
