// Coefficients evaluated at the quadrature points on the backend against expressions at points on the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "assembly/cells/coefficient_expressions.hpp"
#include "assembly/space/quadrature_points.hpp"
#include "assembly/support.hpp"
#include "base/error.hpp"

namespace tessera::testing {
namespace {

using assembly::RegionExpressions;
using deck::Expression;

/// A block of cells on the backend in an order of its own, nodes of a cell together or a column each.
template <class Space>
struct Placed {
  std::vector<Index> order;
  Array<Index, Space> geometry, cell, dofs;
  Array<double, Space> u;
  Array<double, Space> coordinates;
  assembly::PlacedCells view;

  Placed(const mesh::Mesh& mesh, std::size_t block, bool shuffled, bool by_columns) {
    const mesh::CellBlock& cells = mesh.blocks[block];
    const Index count = cells.cells(), nodes = cells.nodes_per_cell;
    order.resize(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    if (shuffled) std::shuffle(order.begin(), order.end(), std::minstd_rand(3));
    view.geometry_stride = by_columns ? 1 : nodes;
    view.geometry_step = by_columns ? count : 1;
    std::vector<Index> placed(static_cast<std::size_t>(count) * nodes);
    for (Index place = 0; place < count; ++place)
      for (Index g = 0; g < nodes; ++g)
        placed[static_cast<std::size_t>(place * view.geometry_stride + g * view.geometry_step)] =
            cells.cell(order[static_cast<std::size_t>(place)])[g];
    geometry = to_space<Space>(placed);
    cell = to_space<Space>(order);
    coordinates = to_space<Space>(mesh.points);
    view.geometry = geometry.data();
    view.coordinates = coordinates.data();
    if (shuffled) {
      view.cell = cell.data();
      view.order = order;
    }
  }

  void take_field(const assembly::DofMap& map, std::size_t block, const std::vector<double>& values, bool by_columns) {
    const auto& cells = map.blocks[block];
    const auto count = static_cast<Index>(order.size()), nodes = Index{cells.nodes};
    view.dof_stride = by_columns ? 1 : nodes;
    view.dof_step = by_columns ? count : 1;
    std::vector<Index> placed(order.size() * static_cast<std::size_t>(nodes));
    for (Index place = 0; place < count; ++place)
      for (Index i = 0; i < nodes; ++i)
        placed[static_cast<std::size_t>(place * view.dof_stride + i * view.dof_step)] =
            cells.cell(order[static_cast<std::size_t>(place)])[i];
    dofs = to_space<Space>(placed);
    u = to_space<Space>(values);
    view.dofs = dofs.data();
    view.u = u.data();
  }
};

template <class Exec>
class CoefficientEvaluator : public ::testing::Test {};
TYPED_TEST_SUITE(CoefficientEvaluator, Backends);

TYPED_TEST(CoefficientEvaluator, HasTheValuesOfExpressionsAtThePoints) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const std::vector<RegionExpressions> coefficients = {
      {{Expression("1 + x*y"), Expression("sin(z) + t"), Expression("2")},
       {Expression("3"), Expression("4"), Expression("exp(x)")},
       {Expression("-x"), Expression("x^2*y"), Expression("sin(z)")}},
      {{Expression("sin(z)*t")}, {Expression("0")}, {Expression("x < 0.5 ? 1 : 2")}}};
  for (const char* shape : {"interval", "triangle", "quad", "tet", "hex", "prism"})
    for (const int regions : {1, 3})
      for (const bool shuffled : {false, true}) {
        mesh::Mesh mesh = box(shape, 4);
        deform(mesh);
        const assembly::DofMap map = assembly::make_dof_map(mesh, 2);
        std::vector<Index> region;
        for (Index cell = 0; regions > 1 && cell < mesh.cells(); ++cell) region.push_back(cell * cell / 5 % regions);
        assembly::CoefficientEvaluator<TypeParam> evaluator(exec, mesh, map, region, coefficients);
        const assembly::QuadraturePoints points(mesh, map);
        const Placed<Space> placed(mesh, 0, shuffled, shuffled);
        const Offset count = points.before(1);
        Array<double, Space> k(3 * count), f(count);
        std::vector<double> xyz(static_cast<std::size_t>(3 * count));
        points.of_cells(0, 0, mesh.cells(), xyz.data());
        for (const double t : {0.25, 2.0}) {
          double* const values[] = {k.data(), f.data()};
          evaluator.evaluate(exec, 0, placed.view, t, values);
          const std::vector<double> k_found = to_vector(k), f_found = to_vector(f);
          for (std::size_t i = 0; i < f_found.size(); ++i) {
            const Index cell = static_cast<Index>(i) / points.per_cell(0);
            const std::size_t r = region.empty() ? 0 : static_cast<std::size_t>(region[static_cast<std::size_t>(cell)]);
            for (std::size_t c = 0; c < 3; ++c)
              ASSERT_NEAR(k_found[3 * i + c], deck::Evaluator(coefficients[0][r][c])(&xyz[3 * i], t), 1e-13)
                  << shape << " " << regions << " " << shuffled << " point " << i << " component " << c;
            ASSERT_NEAR(f_found[i], deck::Evaluator(coefficients[1][r][0])(&xyz[3 * i], t), 1e-13) << shape << i;
          }
        }
      }
}

/// u of order 2 is in the space of any cell with straight sides.
TYPED_TEST(CoefficientEvaluator, KnowsTheSolutionAndItsGradient) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const auto of = [](const char* text) { return Expression(text, {}, deck::Knows::gradient); };
  const std::vector<RegionExpressions> coefficients = {{{of("u + 10*ux"), of("x*uy")}, {of("t + uz"), of("u^2")}},
                                                       {{of("ux*uy + u*uz")}, {of("0")}}};
  for (const char* shape : {"interval", "triangle", "quad", "tet", "hex", "prism"})
    for (const int regions : {1, 2})
      for (const bool shuffled : {false, true}) {
        const mesh::Mesh mesh = box(shape, 4);
        const assembly::DofMap map = assembly::make_dof_map(mesh, 2);
        const std::vector<double> at = assembly::dof_points(mesh, map);
        std::vector<double> u;
        for (std::size_t i = 0; i < at.size(); i += 3)
          u.push_back(1 + at[i] * at[i] - 2 * at[i + 1] * at[i] + 3 * at[i + 2]);
        std::vector<Index> region;
        for (Index cell = 0; regions > 1 && cell < mesh.cells(); ++cell) region.push_back(cell * cell / 5 % regions);
        assembly::CoefficientEvaluator<TypeParam> evaluator(exec, mesh, map, region, coefficients);
        Placed<Space> placed(mesh, 0, shuffled, shuffled);
        placed.take_field(map, 0, u, shuffled);
        const assembly::QuadraturePoints points(mesh, map);
        const Offset count = points.before(1);
        std::vector<double> xyz(static_cast<std::size_t>(3 * count));
        points.of_cells(0, 0, mesh.cells(), xyz.data());
        Array<double, Space> k(2 * count);
        double* const values[] = {k.data(), nullptr};
        evaluator.evaluate(exec, 0, placed.view, 0.5, values);
        const std::vector<double> found = to_vector(k);
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
          const double x = xyz[3 * i], y = xyz[3 * i + 1], z = xyz[3 * i + 2], here = 1 + x * x - 2 * x * y + 3 * z;
          const double ux = 2 * x - 2 * y, uy = mesh.dim > 1 ? -2 * x : 0, uz = mesh.dim > 2 ? 3 : 0;
          const Index cell = static_cast<Index>(i) / points.per_cell(0);
          const bool second = regions > 1 && region[static_cast<std::size_t>(cell)] == 1;
          ASSERT_NEAR(found[2 * i], second ? 0.5 + uz : here + 10 * ux, 1e-11) << shape << regions << shuffled << i;
          ASSERT_NEAR(found[2 * i + 1], second ? here * here : x * uy, 1e-11) << shape << regions << shuffled << i;
        }
        assembly::PlacedCells without = placed.view;
        without.u = nullptr;
        EXPECT_THROW(evaluator.evaluate(exec, 0, without, 0.5, values), Error);
      }
}

/// The place of what has no value is that of a state.
TYPED_TEST(CoefficientEvaluator, NamesTheStateOfWhatIsNotFinite) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const mesh::Mesh mesh = box("triangle", 3);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 1);
  assembly::CoefficientEvaluator<TypeParam> evaluator(exec, mesh, map, {},
                                                      {{{Expression("sqrt(u)", {}, deck::Knows::gradient)}}});
  Placed<Space> placed(mesh, 0, false, false);
  placed.take_field(map, 0, std::vector<double>(static_cast<std::size_t>(map.dofs), -2.0), false);
  Array<double, Space> k(assembly::QuadraturePoints(mesh, map).before(1));
  double* const values[] = {k.data()};
  try {
    evaluator.evaluate(exec, 0, placed.view, 0, values);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("'sqrt(u)'"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("u = -2"), std::string::npos) << error.what();
  }
}

/// More points than are made at a time on CUDA.
TYPED_TEST(CoefficientEvaluator, TakesManyCells) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  const mesh::Mesh mesh = box("hex", 44);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 2);
  const assembly::QuadraturePoints points(mesh, map);
  const Offset count = points.before(1);
  ASSERT_GT(count, Offset{2} << 20);
  std::vector<double> xyz(static_cast<std::size_t>(3 * count)), expected[2];
  points.of_cells(0, 0, mesh.cells(), xyz.data());
  const Expression expressions[] = {Expression("x + 10*y + 100*z"), Expression("-x")};
  for (int r = 0; r < 2; ++r) {
    expected[r].resize(static_cast<std::size_t>(count));
    deck::Evaluator(expressions[r]).evaluate(xyz.data(), expected[r].size(), 0, expected[r].data());
  }
  for (const int regions : {1, 2})
    for (const bool shuffled : {false, true}) {
      std::vector<Index> region;
      for (Index cell = 0; regions > 1 && cell < mesh.cells(); ++cell) region.push_back(cell % 5 == 0);
      const Placed<Space> placed(mesh, 0, shuffled, shuffled);
      assembly::CoefficientEvaluator<TypeParam> evaluator(exec, mesh, map, region,
                                                          {{{expressions[0]}, {expressions[1]}}});
      Array<double, Space> k(count);
      double* const values[] = {k.data()};
      evaluator.evaluate(exec, 0, placed.view, 0, values);
      const std::vector<double> found = to_vector(k);
      for (std::size_t i = 0; i < found.size(); ++i) {
        const Index cell = static_cast<Index>(i) / points.per_cell(0);
        ASSERT_NEAR(found[i], expected[regions > 1 && cell % 5 == 0][i], 1e-12) << i << " " << regions << shuffled;
      }
    }
}

TYPED_TEST(CoefficientEvaluator, NamesExpressionAndPointOfWhatIsNotFinite) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  mesh::Mesh mesh = box("tet", 3);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 1);
  const assembly::QuadraturePoints points(mesh, map);
  const Offset count = points.before(1);
  std::vector<Index> region(static_cast<std::size_t>(mesh.cells()), 0);
  for (Index cell = 60; cell < mesh.cells(); ++cell) region[static_cast<std::size_t>(cell)] = 1;
  const std::vector<RegionExpressions> coefficients = {{{Expression("x")}, {Expression("1/(x - x) + t")}}};
  for (const bool shuffled : {false, true}) {
    const Placed<Space> placed(mesh, 0, shuffled, false);
    assembly::CoefficientEvaluator<TypeParam> evaluator(exec, mesh, map, region, coefficients);
    Array<double, Space> k(count);
    double* const values[] = {k.data()};
    // The first place on threads, the least cell on CUDA.
    Index cell = 60;
    if (shuffled && std::is_same_v<Space, Host>)
      cell = *std::find_if(placed.order.begin(), placed.order.end(), [](Index one) { return one >= 60; });
    std::vector<double> xyz(3 * static_cast<std::size_t>(points.per_cell(0)));
    points.of_cells(0, cell, 1, xyz.data());
    try {
      evaluator.evaluate(exec, 0, placed.view, 0.5, values);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      const std::string what = error.what();
      EXPECT_NE(what.find("'1/(x - x) + t'"), std::string::npos) << what;
      const std::size_t at = what.find("(x, y, z) = (") + 13;
      EXPECT_NEAR(std::stod(what.substr(at)), xyz[0], 1e-12) << what << " " << shuffled;
      EXPECT_NE(what.find("t = 0.5"), std::string::npos) << what;
    }
  }
}

TYPED_TEST(CoefficientEvaluator, RefusesARegionWithoutExpression) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const mesh::Mesh mesh = box("triangle", 2);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 1);
  const std::vector<Index> region(static_cast<std::size_t>(mesh.cells()), 1);
  EXPECT_THROW(assembly::CoefficientEvaluator<TypeParam>(exec, mesh, map, region, {{{Expression("x")}}}), Error);
}

}  // namespace
}  // namespace tessera::testing
