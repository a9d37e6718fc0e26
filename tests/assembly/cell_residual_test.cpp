// The residual of cells is what their assembled rows say, and parts of a mesh add up to it.
#include "assembly/cells/residual.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "assembly/components_support.hpp"
#include "assembly/convection_support.hpp"
#include "assembly/space/mesh_part.hpp"
#include "assembly/space/quadrature_points.hpp"

namespace tessera::testing {
namespace {

using forms::Coefficient;
using forms::ConvectionData;

/// Values at all points, by a function of the point.
template <class F>
Coefficient at_points(const std::vector<double>& points, int components, F f) {
  Coefficient result{components, true, {}};
  for (std::size_t p = 0; p < points.size(); p += 3)
    for (int c = 0; c < components; ++c) result.values.push_back(f(&points[p], c));
  return result;
}

ConvectionData varying(const mesh::Mesh& mesh, const assembly::DofMap& map, bool convects) {
  const assembly::QuadraturePoints points(mesh, map);
  std::vector<double> xyz;
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    std::vector<double> of_block(3 * static_cast<std::size_t>(points.before(b + 1) - points.before(b)));
    points.of_cells(b, 0, mesh.blocks[b].cells(), of_block.data());
    xyz.insert(xyz.end(), of_block.begin(), of_block.end());
  }
  ConvectionData data;
  data.diffusion.k = at_points(xyz, 1, [](const double* x, int) { return 1 + x[0]; });
  data.diffusion.c = at_points(xyz, 1, [](const double* x, int) { return 2 + x[0] * x[1]; });
  data.diffusion.f = at_points(xyz, 1, [](const double* x, int) { return std::exp(x[0]) - x[2]; });
  if (!convects) return data;
  data.velocity = at_points(xyz, mesh.dim, [](const double* x, int c) { return 3 * c - 5 * x[0] + x[c]; });
  data.divergence = forms::divergence_of(mesh, map, data.diffusion.k);
  return data;
}

ConvectionData constant(int dim, bool convects) {
  ConvectionData data;
  data.diffusion.k.values = {2};
  data.diffusion.c.values = {0.5};
  data.diffusion.f.values = {-3};
  if (convects) data.velocity = {dim, false, std::vector<double>(static_cast<std::size_t>(dim), 4.0)};
  return data;
}

std::vector<double> some_field(Index count) {
  std::vector<double> u(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < u.size(); ++i) u[i] = std::sin(1.0 + 0.7 * static_cast<double>(i));
  return u;
}

std::vector<double> residual(const mesh::Mesh& mesh, const assembly::DofMap& map, const ConvectionData& data, bool supg,
                             const std::vector<double>& u, int threads = 0) {
  std::vector<Index> slot(u.size());
  std::iota(slot.begin(), slot.end(), 0);
  std::vector<double> result(u.size(), 0.0);
  assembly::add_residual(mesh, map, data, forms::Convection{.supg = supg}, u, slot, result, threads);
  return result;
}

struct Case {
  const char* shape;
  int order, geometry;
};
const Case cases[] = {{"interval", 1, 1}, {"interval", 3, 1}, {"triangle", 1, 1}, {"triangle", 2, 2}, {"quad", 1, 1},
                      {"quad", 3, 1},     {"tet", 1, 1},      {"tet", 2, 1},      {"hex", 2, 2},      {"prism", 2, 1}};

TEST(CellResidual, IsThatOfTheAssembledRows) {
  Threads exec;
  for (const Case& c : cases) {
    mesh::Mesh mesh = box(c.shape, 2, c.geometry);
    deform(mesh);
    const assembly::DofMap map = assembly::make_dof_map(mesh, c.order);
    const std::vector<double> u = some_field(map.dofs);
    for (const bool convects : {false, true})
      for (const bool varies : {false, true}) {
        const ConvectionData data = varies ? varying(mesh, map, convects) : constant(mesh.dim, convects);
        const bool supg = convects;
        const convection::Filled filled = convection::fill(exec, mesh, map, data, supg);
        const std::vector<double> times = filled.times(u), r = residual(mesh, map, data, supg, u);
        double most = 0;
        for (std::size_t i = 0; i < u.size(); ++i) most = std::max(most, std::abs(r[i] - (times[i] - filled.b[i])));
        EXPECT_LT(most, 1e-12 * (1 + filled.norm())) << c.shape << c.order << convects << varies;
        // The functions of the dofs add up to one, so the rows add up to the sums over the cells.
        const forms::CellSums sums = forms::sum_cells(mesh, map, data, u);
        EXPECT_NEAR(std::accumulate(r.begin(), r.end(), 0.0), sums.reaction + sums.convection - sums.source,
                    1e-11 * (1 + filled.norm()))
            << c.shape << c.order << convects << varies;
      }
  }
}

TEST(CellResidual, AnEmptyFieldIsZero) {
  for (const Case& c : cases) {
    mesh::Mesh mesh = box(c.shape, 2, c.geometry);
    deform(mesh);
    const assembly::DofMap map = assembly::make_dof_map(mesh, c.order);
    for (const bool varies : {false, true}) {
      const ConvectionData data = varies ? varying(mesh, map, true) : constant(mesh.dim, true);
      const std::vector<double> zero(static_cast<std::size_t>(map.dofs), 0.0);
      std::vector<Index> slot(zero.size());
      std::iota(slot.begin(), slot.end(), 0);
      std::vector<double> of_empty(zero.size(), 0.0);
      assembly::add_residual(mesh, map, data, forms::Convection{.supg = true}, {}, slot, of_empty);
      EXPECT_EQ(of_empty, residual(mesh, map, data, true, zero)) << c.shape << c.order << varies;
    }
    const forms::ElasticityData elastic = components::data_of(mesh, map, true, false);
    const std::vector<double> zero(static_cast<std::size_t>(map.dofs) * mesh.dim, 0.0);
    std::vector<Index> slot(zero.size());
    std::iota(slot.begin(), slot.end(), 0);
    std::vector<double> of_empty(zero.size(), 0.0), of_zero(zero.size(), 0.0);
    assembly::add_residual(mesh, map, elastic, forms::Elasticity{}, {}, slot, of_empty);
    assembly::add_residual(mesh, map, elastic, forms::Elasticity{}, zero, slot, of_zero);
    EXPECT_EQ(of_empty, of_zero) << c.shape << c.order;
  }
}

TEST(CellResidual, PartsOfTheMeshAddUpAndThreadsChangeNothing) {
  const mesh::Mesh mesh = box("tet", 3);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 2);
  const std::vector<double> u = some_field(map.dofs);
  const ConvectionData data = constant(3, true);
  const std::vector<double> whole = residual(mesh, map, data, true, u, 1);
  EXPECT_EQ(whole, residual(mesh, map, data, true, u, 3));
  std::vector<double> sum(u.size(), 0.0);
  for (const Index odd : {0, 1}) {
    std::vector<Index> cells;
    for (Index cell = odd; cell < mesh.cells(); cell += 2) cells.push_back(cell);
    const assembly::MeshPart part = assembly::part_of(mesh, map, cells);
    const std::vector<double> of_part = residual(part.mesh, part.dofs, data, true, u);
    for (std::size_t i = 0; i < u.size(); ++i) sum[i] += of_part[i];
  }
  for (std::size_t i = 0; i < u.size(); ++i) EXPECT_NEAR(sum[i], whole[i], 1e-12);
}

}  // namespace
}  // namespace tessera::testing
