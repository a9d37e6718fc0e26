// Refinement of geometries puts new nodes onto them; sizes that no memory holds are refused before Gmsh starts.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "mesh/curved_boundary.hpp"
#include "mesh/facets.hpp"
#include "mesh/geometry.hpp"
#include "mesh/gmsh_files.hpp"
#include "mesh/gmsh_reader.hpp"
#include "mesh/meshes.hpp"

namespace tessera::mesh {
namespace {

const char* const disk = R"(
Point(1) = {0,0,0,0.7}; Point(2) = {1,0,0,0.7}; Point(3) = {0,1,0,0.7}; Point(4) = {-1,0,0,0.7};
Point(5) = {0,-1,0,0.7};
Circle(1) = {2,1,3}; Circle(2) = {3,1,4}; Circle(3) = {4,1,5}; Circle(4) = {5,1,2};
Curve Loop(1) = {1,2,3,4}; Plane Surface(1) = {1};
Physical Curve("rim") = {1,2,3,4}; Physical Surface("disk") = {1};
)";
const char* const ball = R"(
SetFactory("OpenCASCADE");
Sphere(1) = {0, 0, 0, 1};
Physical Surface("rim") = {1}; Physical Volume("ball") = {1};
)";

Mesh read(const std::filesystem::path& file, int refine, int order, std::optional<double> size = {}) {
  GmshOptions options;
  options.refine = refine;
  options.order = order;
  options.size = size;
  return read_gmsh(file, options);
}

/// The vertices of a group's facets lie at distance 1 from the origin.
void expect_on_unit_sphere(const Mesh& mesh) {
  for (const Index f : mesh.group("rim", mesh.dim - 1)->entities)
    for (const Index v : side_vertices(mesh, mesh.facets.cell[f], mesh.facets.side[f]))
      if (v >= 0) {
        const double* x = mesh.point(v);
        ASSERT_NEAR(std::hypot(x[0], x[1], x[2]), 1, 1e-6);
      }
}

TEST(RefineGeometry, PutsNewNodesOntoTheCircleAndTheSphere) {
  const TemporaryFolder folder;
  write_text(folder / "disk.geo", disk);
  write_text(folder / "ball.geo", ball);
  for (const char* name : {"disk.geo", "ball.geo"})
    for (const int order : {1, 2}) {
      const bool flat = std::string(name) == "disk.geo";
      const double exact = std::numbers::pi * (flat ? 1 : 4.0 / 3);
      double coarse = 0;
      for (const int refine : {0, 1, 2}) {
        const Mesh mesh = read(folder / name, refine, order, flat ? std::nullopt : std::optional(0.4));
        expect_on_unit_sphere(mesh);
        EXPECT_EQ(mesh.order, order);
        const double error = std::abs(measure(mesh) - exact);
        // A polygon that was kept would keep its error.
        if (refine > 0 && order == 1) {
          EXPECT_LT(error, 0.35 * coarse) << name << refine;
        }
        if (refine > 0 && order == 2) {
          EXPECT_LT(error, 0.2 * coarse) << name << refine;
        }
        coarse = error;
      }
    }
}

TEST(RefineGeometry, ALinearMeshOfACurveIsKnownAsSuch) {
  const TemporaryFolder folder;
  write_text(folder / "disk.geo", disk);
  write_text(folder / "ball.geo", ball);
  for (const char* name : {"disk.geo", "ball.geo"}) {
    const Mesh mesh = read(folder / name, 1, 1, std::string(name) == "disk.geo" ? std::nullopt : std::optional(0.4));
    ASSERT_NE(group_that_curves(mesh), nullptr) << name;
    EXPECT_EQ(group_that_curves(mesh)->name, "rim");
    EXPECT_EQ(group_that_curves(read(folder / name, 0, 2)), nullptr) << name;
  }
  for (const Shape shape : testing::cell_shapes)
    EXPECT_EQ(group_that_curves(testing::unit_box(shape, 4)), nullptr) << name(shape);
}

TEST(MeshSize, ThatNoMemoryHoldsIsRefusedFirst) {
  const TemporaryFolder folder;
  write_text(folder / "disk.geo", disk);
  write_text(folder / "ball.geo", ball);
  std::string text;
  EXPECT_EQ(thrown_code([&] { read(folder / "disk.geo", 0, 1, 1e-10); }, &text), ExitCode::usage);
  EXPECT_NE(text.find("mesh.size = 1e-10 makes at least"), std::string::npos) << text;
  EXPECT_NE(text.find("more than 32-bit numbers count"), std::string::npos) << text;
  EXPECT_EQ(thrown_code([&] { read(folder / "disk.geo", 12, 1, 1e-6); }, &text), ExitCode::usage);
  EXPECT_NE(text.find("refined 12 times"), std::string::npos) << text;
  EXPECT_EQ(thrown_code([&] { read(folder / "ball.geo", 0, 1, 1.1e-3); }, &text), ExitCode::memory);
  EXPECT_NE(text.find("are free"), std::string::npos) << text;
}

}  // namespace
}  // namespace tessera::mesh
