#include "assembly/fields/flux_in_simplices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "assembly/fields/errors.hpp"
#include "assembly/fields/flux.hpp"
#include "meshes.hpp"

namespace {

using namespace tessera;
using namespace tessera::assembly;
using deck::Expression;
using mesh::Mesh;
using mesh::Shape;

/// A constant of three regions, by a table and without one.
struct Regions {
  std::vector<Index> region;
  HostTensorField by_cells;
  RegionTensors by_regions;

  Regions(const Mesh& mesh, int components) : region(static_cast<std::size_t>(mesh.cells())) {
    for (Index cell = 0; cell < mesh.cells(); ++cell) region[static_cast<std::size_t>(cell)] = cell % 3;
    by_cells = {.components = components,
                .evaluate =
                    [components](Index cell, int count, const deck::Points&, double* k) {
                      for (int i = 0; i < count * components; ++i) k[i] = value(cell % 3, i % components);
                    },
                .is_constant = [](Index) { return true; }};
    by_regions = {.components = components, .values = {}, .region = region};
    for (int r = 0; r < 3; ++r)
      for (int i = 0; i < components; ++i) by_regions.values.push_back(value(r, i));
  }
  static double value(Index region, int component) { return 2 + region + 0.1 * component; }
};

Mesh moved_box(Shape shape) {
  Mesh mesh = test_meshes::box(shape, 9);  // of tetrahedra 18 chunks of cells
  for (std::size_t i = 0; i < mesh.points.size(); ++i)
    if (i % 3 < static_cast<std::size_t>(mesh.dim)) mesh.points[i] += 0.01 * std::sin(17.0 * static_cast<double>(i));
  return mesh;
}

/// Point i becomes the point number[i].
Mesh renumbered(const Mesh& mesh, const std::vector<Index>& number) {
  Mesh result = mesh;
  for (std::size_t i = 0; i < number.size(); ++i)
    std::copy_n(&mesh.points[3 * i], 3, &result.points[3 * static_cast<std::size_t>(number[i])]);
  for (mesh::CellBlock& block : result.blocks)
    for (Index& node : block.nodes) node = number[static_cast<std::size_t>(node)];
  return result;
}

const Shape simplices[] = {Shape::interval, Shape::triangle, Shape::tet};

TEST(FluxInSimplices, IsThatOfGeneralFormulas) {
  for (const Shape shape : simplices) {
    const Mesh mesh = moved_box(shape);
    const DofMap dofs = make_dof_map(mesh, 1);
    ASSERT_TRUE(are_linear_simplices(mesh, dofs));
    const auto u = interpolate(mesh, dofs, Expression("exp(x)*sin(4*x) + y*y - x*z"));
    for (const int components : {1, mesh.dim * (mesh.dim + 1) / 2}) {
      const Regions k(mesh, components);
      const auto general = flux_field(mesh, dofs, u, k.by_cells),
                 quick = flux_in_simplices(mesh, dofs, u, k.by_regions, 1);
      ASSERT_EQ(quick.size(), general.size());
      for (std::size_t i = 0; i < quick.size(); ++i)
        ASSERT_NEAR(quick[i], general[i], 1e-12 * 50) << mesh::name(shape) << " " << components << " " << i;
      for (const int threads : {2, 3, 16}) {
        // Whatever is in memory that it is given, and however much.
        std::vector<double> used(quick.size() / (threads == 3 ? 2 : 1), std::numeric_limits<double>::quiet_NaN());
        EXPECT_EQ(quick, flux_in_simplices(mesh, dofs, u, k.by_regions, threads, used)) << threads;
      }
    }
  }
}

/// Cells of which each touches the nodes of several threads.
TEST(FluxInSimplices, DoesNotDependOnHowNodesAreNumbered) {
  for (const Shape shape : simplices) {
    const Mesh mesh = moved_box(shape);
    std::vector<Index> number(mesh.points.size() / 3);
    std::iota(number.begin(), number.end(), 0);
    std::shuffle(number.begin(), number.end(), std::mt19937(7));
    const Mesh other = renumbered(mesh, number);
    const DofMap dofs = make_dof_map(mesh, 1), of_other = make_dof_map(other, 1);
    const Expression u("cos(3*x) + y*x - z*z");
    const Regions k(mesh, 1);
    const auto flux = flux_in_simplices(mesh, dofs, interpolate(mesh, dofs, u), k.by_regions, 2);
    const auto shuffled = flux_in_simplices(other, of_other, interpolate(other, of_other, u), k.by_regions, 5);
    for (std::size_t i = 0; i < number.size(); ++i)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto at = static_cast<std::size_t>(dofs.vertex_dofs[i]);
        const auto there = static_cast<std::size_t>(of_other.vertex_dofs[static_cast<std::size_t>(number[i])]);
        ASSERT_NEAR(flux[3 * at + axis], shuffled[3 * there + axis], 1e-12) << mesh::name(shape) << " " << i;
      }
  }
}

TEST(FluxInSimplices, IsNotForCellsWithGradientsThatVary) {
  const Mesh tets = moved_box(Shape::tet);
  EXPECT_FALSE(are_linear_simplices(tets, make_dof_map(tets, 2)));
  for (const Shape shape : {Shape::quad, Shape::hex, Shape::prism}) {
    const Mesh mesh = test_meshes::box(shape, 2);
    EXPECT_FALSE(are_linear_simplices(mesh, make_dof_map(mesh, 1))) << mesh::name(shape);
  }
  const Mesh curved = test_meshes::box(Shape::triangle, 2, 2);
  EXPECT_FALSE(are_linear_simplices(curved, make_dof_map(curved, 1)));
}

}  // namespace
