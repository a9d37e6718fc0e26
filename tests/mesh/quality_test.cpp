#include "mesh/quality.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "meshes.hpp"

namespace tessera::mesh {
namespace {

/// The ideal cell of a shape, scaled: its quality is one.
Mesh ideal(Shape shape, double scale) {
  Mesh mesh;
  mesh.dim = dimension(shape);
  const double r3 = std::sqrt(3.0);
  switch (shape) {
    case Shape::interval: mesh.points = {0, 0, 0, 1, 0, 0}; break;
    case Shape::triangle: mesh.points = {0, 0, 0, 1, 0, 0, 0.5, r3 / 2, 0}; break;
    case Shape::quad: mesh.points = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0}; break;
    case Shape::tet: mesh.points = {0, 0, 0, 1, 0, 0, 0.5, r3 / 2, 0, 0.5, r3 / 6, std::sqrt(2.0 / 3)}; break;
    case Shape::hex: mesh.points = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1}; break;
    default: mesh.points = {0, 0, 0, 1, 0, 0, 0.5, r3 / 2, 0, 0, 0, 1, 1, 0, 1, 0.5, r3 / 2, 1};
  }
  for (double& x : mesh.points) x *= scale;
  CellBlock block{shape, 1, vertex_count(shape), std::vector<Index>(vertex_count(shape)), 0};
  std::iota(block.nodes.begin(), block.nodes.end(), 0);
  mesh.blocks = {block};
  return mesh;
}

TEST(Quality, IdealCellsHaveQualityOneAtEveryScale) {
  for (Shape shape : testing::cell_shapes)
    for (double scale : {1e-120, 1e-9, 1.0, 1e9})
      EXPECT_NEAR(cell_quality(ideal(shape, scale), 0), 1, 1e-12) << name(shape);
}

TEST(Quality, IsInvariantUnderScaleAndNeverAboveOne) {
  for (Shape shape : testing::cell_shapes)
    for (int order : {1, 2}) {
      Mesh mesh = testing::unit_box(shape, 3, order);
      const QualityReport report = quality(mesh);
      EXPECT_GT(report.min, 0.3) << name(shape);
      EXPECT_LE(report.max, 1 + 1e-12);
      EXPECT_EQ(report.inverted + report.degenerate, 0);
      EXPECT_EQ(std::accumulate(report.histogram.begin(), report.histogram.end(), 0), mesh.cells());
      for (double& x : mesh.points) x *= 1e-7;
      EXPECT_NEAR(quality(mesh).min, report.min, 1e-12);
      EXPECT_NO_THROW(check_cells(mesh));
    }
}

TEST(Quality, MirroredMeshIsInvertedAndFlatOneDegenerate) {
  for (Shape shape : testing::cell_shapes)
    for (int order : {1, 2}) {
      Mesh mirrored = testing::unit_box(shape, 3, order), flat = mirrored;
      for (std::size_t i = 0; i < mirrored.points.size(); i += 3) mirrored.points[i] *= -1, flat.points[i] = 0.25;
      EXPECT_EQ(quality(mirrored).inverted, mirrored.cells()) << name(shape);
      EXPECT_EQ(quality(flat).degenerate, flat.cells()) << name(shape);
    }
}

TEST(Quality, SummaryOfABoxIsThatOfAllItsCells) {
  for (Shape shape : testing::cell_shapes)
    for (int order : {1, 2}) {
      Mesh mesh = testing::unit_box(shape, 3, order);
      for (std::size_t i = 0; i < mesh.points.size(); i += 3) mesh.points[i] = 5 * mesh.points[i] + 7;
      ASSERT_GT(mesh.box_cells[0], 0);
      const QualityReport all = quality(mesh);
      const QualitySummary box = summarise_quality(mesh);
      mesh.box_cells.fill(0);  // a mesh like others: every cell is looked at
      const QualitySummary mesh_of_cells = summarise_quality(mesh);
      for (const QualitySummary& summary : {box, mesh_of_cells}) {
        EXPECT_NEAR(summary.min, all.min, 1e-12) << name(shape);
        EXPECT_NEAR(summary.mean, all.mean, 1e-12) << name(shape);
      }
    }
  EXPECT_EQ(summarise_quality(Mesh{}).min, 0);
}

TEST(Quality, ABoxWhosePlanesCoincideIsRefusedAsAnyMesh) {
  const auto refusal = [](auto check, const Mesh& mesh) {
    try {
      check(mesh);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  for (Shape shape : testing::cell_shapes) {
    Mesh box = testing::unit_box(shape, 3, 1);
    EXPECT_NO_THROW(check_box(box));
    for (std::size_t i = 0; i < box.points.size(); i += 3)  // far away its last two planes are one number
      if (box.points[i] == 1) box.points[i] = 2.0 / 3;
    EXPECT_NE(refusal(check_cells, box), "") << name(shape);
    EXPECT_EQ(refusal(check_box, box), refusal(check_cells, box)) << name(shape);
    for (std::size_t i = 0; i < box.points.size(); i += 3) box.points[i] = 0;
    EXPECT_EQ(refusal(check_box, box), refusal(check_cells, box)) << name(shape);
  }
}

TEST(Quality, FoldedSecondOrderCellIsFoundThoughItsVerticesAreFine) {
  Mesh mesh = testing::unit_box(Shape::triangle, 2, 2);
  const Index middle = mesh.blocks[0].cell(3)[3];
  mesh.points[3 * middle] += 0.6;
  mesh.points[3 * middle + 1] += 0.6;
  EXPECT_GT(quality(mesh).inverted, 0);
}

TEST(Quality, ErrorNamesTheFirstBadCellItsShapeAndTheCount) {
  Mesh mesh = ideal(Shape::hex, 1);
  mesh.blocks[0].nodes = {0, 1, 2, 3, 4, 5, 6, 7, 0, 3, 2, 1, 4, 7, 6, 5};
  try {
    check_cells(mesh);
    FAIL();
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(error.code(), ExitCode::mesh);
    EXPECT_NE(text.find("1 of 2 cells"), std::string::npos) << text;
    EXPECT_NE(text.find("cell 1, a hex near (0.5, 0.5, 0.5), inverted"), std::string::npos) << text;
    EXPECT_FALSE(error.help().empty());
  }
}

TEST(Quality, AnglesOfTheEquilateralTriangleAndTheSquare) {
  const QualityReport triangle = quality(ideal(Shape::triangle, 1)), square = quality(ideal(Shape::quad, 1));
  EXPECT_NEAR(triangle.min_angle, 60, 1e-10);
  EXPECT_NEAR(triangle.max_angle, 60, 1e-10);
  EXPECT_NEAR(square.max_angle, 90, 1e-10);
}

}  // namespace
}  // namespace tessera::mesh
