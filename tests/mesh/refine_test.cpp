#include "mesh/refine.hpp"

#include <gtest/gtest.h>

#include "mesh/geometry.hpp"
#include "mesh/quality.hpp"
#include "meshes.hpp"

namespace tessera::mesh {
namespace {

using testing::cell_shapes;
using testing::mixed_mesh;
using testing::unit_box;

TEST(Refine, KeepsVolumeAreasAndQualityOfBoxes) {
  for (Shape shape : cell_shapes)
    for (int order : {1, 2}) {
      const Mesh coarse = unit_box(shape, 2, order);
      Mesh fine = refine(coarse);
      EXPECT_EQ(fine.cells(), coarse.cells() << coarse.dim);
      EXPECT_EQ(fine.order, order);
      EXPECT_EQ(fine.box_cells, (std::array<Index, 3>{0, 0, 0}));
      fine = refine(fine);
      EXPECT_NEAR(measure(fine), 1, 1e-12) << name(shape);
      EXPECT_NEAR(quality(fine).min, quality(coarse).min, 1e-10) << name(shape);
      for (const Group& group : coarse.groups)
        if (group.dim >= coarse.dim - 1 && group.dim > 0) {
          EXPECT_NEAR(measure(fine, *fine.group(group.name, group.dim)), measure(coarse, group), 1e-12) << group.name;
        }
      // Conforming: the search finds the facets that refinement carried along.
      const Facets carried = fine.facets;
      find_exterior_facets(fine);
      EXPECT_EQ(fine.facets.cell, carried.cell);
      EXPECT_EQ(fine.facets.side, carried.side);
      EXPECT_EQ(fine.facets.exterior, carried.exterior);
    }
}

TEST(Refine, AgreesWithABoxOfTwiceTheCells) {
  for (Shape shape : cell_shapes)
    for (int order : {1, 2}) {
      BoxParams params;
      params.shape = name(shape);
      const auto dim = static_cast<std::size_t>(dimension(shape));
      params.min.resize(dim);
      params.max.resize(dim);
      params.cells.assign(dim, 2);
      const Mesh fine = refine(make_box(params, order));
      params.cells.assign(dim, 4);
      const Mesh box = make_box(params, order);
      EXPECT_EQ(fine.nodes(), box.nodes()) << name(shape) << order;
      EXPECT_EQ(fine.facets.size(), box.facets.size()) << name(shape) << order;
    }
}

TEST(Refine, MixedMeshStaysConformingAndCarriesLowGroups) {
  const Mesh coarse = mixed_mesh();
  Mesh fine = refine(refine(coarse));
  EXPECT_NEAR(measure(fine), 1 + 0.5 + 1.0 / 6, 1e-13);
  EXPECT_NEAR(measure(fine, *fine.group("between", 2)), 1.5, 1e-13);
  EXPECT_NEAR(measure(fine, *fine.group("bottom", 2)), 1.5, 1e-13);
  EXPECT_EQ(fine.group("tip", 0)->vertices, std::vector<Index>{10});
  const auto& wire = fine.group("wire", 1)->vertices;
  ASSERT_EQ(wire.size(), 16u);
  double length = 0;
  for (std::size_t i = 0; i < wire.size(); i += 2)
    length += std::abs(fine.point(wire[i + 1])[0] - fine.point(wire[i])[0]);
  EXPECT_NEAR(length, 2, 1e-14);
  const Facets carried = fine.facets;
  find_exterior_facets(fine);
  EXPECT_EQ(fine.facets.cell, carried.cell);
  EXPECT_NO_THROW(check_cells(fine));
}

TEST(Refine, CurvedCellsKeepTheirShape) {
  for (Shape shape : {Shape::triangle, Shape::quad, Shape::tet, Shape::hex, Shape::prism}) {
    Mesh coarse = unit_box(shape, 2, 2);
    for (Index v = 0; v < coarse.nodes(); ++v) {
      double* x = coarse.points.data() + 3 * v;
      x[1] += 0.2 * x[0] * (1 - x[0]);
      if (coarse.dim == 3) x[2] += 0.1 * x[0] * x[0];
    }
    const Mesh fine = refine(coarse);
    // A child's map is the parent's map, cell by cell: measures and facets' measures agree to round-off.
    EXPECT_NEAR(measure(fine), measure(coarse), 1e-12) << name(shape);
    const Index per_cell = Index{1} << coarse.dim;
    for (Index c = 0; c < coarse.cells(); ++c) {
      double sum = 0;
      for (Index k = 0; k < per_cell; ++k) sum += cell_measure(fine, c * per_cell + k);
      EXPECT_NEAR(sum, cell_measure(coarse, c), 1e-14);
    }
  }
}

TEST(Refine, TetsOfAnyFormKeepBoundedQuality) {
  Mesh mesh;
  mesh.points = {0, 0, 0, 3, 0.2, 0.1, 0.4, 1, 0, 0.3, 0.5, 0.8};
  mesh.blocks = {{Shape::tet, 1, 4, {0, 1, 2, 3}, 0}};
  find_exterior_facets(mesh);
  const double volume = measure(mesh);
  const double first = quality(refine(mesh)).min;
  for (int level = 0; level < 5; ++level) mesh = refine(mesh);
  EXPECT_NEAR(measure(mesh), volume, 1e-12);
  EXPECT_GT(quality(mesh).min, 0.5 * first);
}

}  // namespace
}  // namespace tessera::mesh
