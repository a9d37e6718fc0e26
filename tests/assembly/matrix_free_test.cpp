#include "assembly/matrix_free/operator.hpp"

#include <cmath>

#include "assembly/fields/errors.hpp"
#include "assembly/matrix_free/host_setup.hpp"
#include "assembly/meshes.hpp"
#include "assembly/support.hpp"
#include "base/error.hpp"
#include "support/orders.hpp"

namespace tessera::testing {
namespace {

template <class Exec>
using MatrixFree = assembly::MatrixFree<Exec, forms::Diffusion>;
using mesh::Shape;

/// An operator and its mesh, with products of host vectors.
template <class Exec>
struct Problem {
  using Space = typename Exec::Space;
  Exec exec;
  mesh::Mesh mesh;
  assembly::DofMap map;
  MatrixFree<Exec> A;
  std::vector<double> b;

  Problem(mesh::Mesh m, int order, Exec e = Exec())
      : exec(std::move(e)), mesh(std::move(m)), map(assembly::make_dof_map(mesh, order)), A(exec, mesh, map) {}

  void assemble(const forms::DiffusionData& data, const assembly::BoundaryData& boundary = {}) {
    Array<double, Space> load(map.dofs);
    A.assemble(exec, data, boundary, load.view());
    b = to_vector(load);
  }
  std::vector<double> apply(const std::vector<double>& x) {
    const auto in = to_space<Space>(x);
    Array<double, Space> out(map.dofs);
    A.apply(exec, in.view(), out.view());
    return to_vector(out);
  }
  std::vector<double> diagonal() {
    Array<double, Space> d(map.dofs);
    A.diagonal(exec, d.view());
    return to_vector(d);
  }
};

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

std::vector<double> wave(Index size, double phase) {
  std::vector<double> x(static_cast<std::size_t>(size));
  for (Index i = 0; i < size; ++i) x[i] = std::sin(phase + 7.3 * i);
  return x;
}

mesh::Mesh bent(Shape shape, int cells, int order = 1) {
  mesh::Mesh mesh = test_meshes::box(shape, cells, order);
  test_meshes::bend(mesh, 0.15);
  return mesh;
}

struct Case {
  Shape shape;
  int order, cells;
};
const Case all[] = {{Shape::interval, 2, 3}, {Shape::interval, 8, 2}, {Shape::triangle, 3, 2}, {Shape::quad, 1, 3},
                    {Shape::quad, 5, 2},     {Shape::quad, 8, 2},     {Shape::tet, 2, 1},      {Shape::prism, 2, 1},
                    {Shape::hex, 1, 2},      {Shape::hex, 2, 2},      {Shape::hex, 5, 1},      {Shape::hex, 8, 1}};

template <class Exec>
class MatrixFreeOperator : public ::testing::Test {};
TYPED_TEST_SUITE(MatrixFreeOperator, Backends);

TYPED_TEST(MatrixFreeOperator, IsSymmetricAndConstantsAreItsKernel) {
  TESSERA_REQUIRE(TypeParam);
  for (const Case& c : all) {
    Problem<TypeParam> problem(bent(c.shape, c.cells), c.order);
    problem.assemble({.region = {}, .k = constant(2), .c = {}, .f = {}});
    const std::vector<double> x = wave(problem.map.dofs, 0), y = wave(problem.map.dofs, 1);
    const std::vector<double> Ax = problem.apply(x), Ay = problem.apply(y);
    EXPECT_NEAR(dot(x, Ay), dot(y, Ax), 1e-12 * dot(x, Ax)) << mesh::name(c.shape) << c.order;
    EXPECT_GT(dot(x, Ax), 0);
    for (const double value : problem.apply(std::vector<double>(x.size(), 1.0)))
      EXPECT_NEAR(value, 0, 1e-11) << mesh::name(c.shape) << c.order;
  }
}

TYPED_TEST(MatrixFreeOperator, KnowsTheEnergyOfALinearFunctionAndTheIntegralOfItsSource) {
  TESSERA_REQUIRE(TypeParam);
  for (const Case& c : all) {
    Problem<TypeParam> problem(bent(c.shape, c.cells), c.order);
    problem.assemble({.region = {}, .k = {}, .c = constant(1), .f = constant(3)});
    const std::vector<double> ones(static_cast<std::size_t>(problem.map.dofs), 1.0);
    const double volume = dot(ones, problem.apply(ones));
    EXPECT_NEAR(dot(ones, problem.b), 3 * volume, 1e-12);
    problem.assemble({.region = {}, .k = constant(5), .c = {}, .f = {}});
    std::vector<double> x(ones.size());
    const std::vector<double> points = assembly::dof_points(problem.mesh, problem.map);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = points[3 * i];
    EXPECT_NEAR(dot(x, problem.apply(x)), 5 * volume, 1e-11) << mesh::name(c.shape) << c.order;  // int k |grad x|^2
    EXPECT_EQ(dot(problem.b, problem.b), 0);
  }
}

TYPED_TEST(MatrixFreeOperator, IsTheSameWhereNobodyAsksForLoads) {
  TESSERA_REQUIRE(TypeParam);
  for (const Case& c : all) {
    Problem<TypeParam> problem(bent(c.shape, c.cells), c.order);
    const forms::DiffusionData data{.region = {}, .k = constant(2), .c = constant(1), .f = constant(3)};
    const assembly::BoundaryData boundary{.facets = {}, .fixed = {0, 1}, .values = {2, 3}};
    problem.assemble(data, boundary);
    const std::vector<double> x = wave(problem.map.dofs, 0), Ax = problem.apply(x), diagonal = problem.diagonal();
    problem.A.assemble(problem.exec, data, boundary, View<double>());
    EXPECT_EQ(problem.apply(x), Ax) << mesh::name(c.shape) << c.order;
    EXPECT_EQ(problem.diagonal(), diagonal) << mesh::name(c.shape) << c.order;
  }
}

TYPED_TEST(MatrixFreeOperator, HasTheDiagonalOfItsProducts) {
  TESSERA_REQUIRE(TypeParam);
  for (const Case& c : all) {
    Problem<TypeParam> problem(bent(c.shape, c.cells), c.order);
    forms::Coefficient k = constant(1);
    if (mesh::dimension(c.shape) == 2) k = {3, false, {2, 0.5, 1}};
    if (mesh::dimension(c.shape) == 3) k = {6, false, {2, 0.5, 0.2, 1, -0.3, 1.5}};
    assembly::BoundaryData boundary;
    boundary.fixed = {0};
    boundary.values = {3.0};
    problem.assemble({.region = {}, .k = k, .c = constant(0.7), .f = constant(1)}, boundary);
    const std::vector<double> diagonal = problem.diagonal();
    const Index step = std::max<Index>(1, problem.map.dofs / 40);
    for (Index i = 0; i < problem.map.dofs; i += step) {
      std::vector<double> unit(static_cast<std::size_t>(problem.map.dofs), 0.0);
      unit[i] = 1;
      const std::vector<double> column = problem.apply(unit);
      EXPECT_NEAR(column[i], diagonal[i], 1e-12 * std::abs(diagonal[i]))
          << mesh::name(c.shape) << c.order << " dof " << i;
      for (Index j = 1; i == 0 && j < problem.map.dofs; ++j) EXPECT_EQ(column[j], 0);
    }
    EXPECT_EQ(problem.b[0], diagonal[0] * 3.0);
  }
}

/// Cells far from the origin, so that coordinates are rounded.
mesh::Mesh parallelepipeds(Shape shape, int cells) {
  mesh::Mesh mesh = test_meshes::box(shape, cells);
  for (Index node = 0; node < mesh.nodes(); ++node) {
    double* x = mesh.points.data() + 3 * static_cast<std::size_t>(node);
    const double at[3] = {x[0], x[1], x[2]};
    for (int d = 0; d < mesh.dim; ++d) x[d] = 10.1 + (d + 1.3) * at[d] + 0.31 * at[(d + 1) % mesh.dim];
  }
  return mesh;
}

TEST(MatrixFree, MapsOfParallelepipedsHaveNoProductsOfAxesAndThoseOfOthersDo) {
  for (const Shape shape : {Shape::quad, Shape::hex})
    for (const bool straight : {true, false}) {
      const mesh::Mesh mesh = straight ? parallelepipeds(shape, 7) : bent(shape, 7);
      const std::vector<double> maps = assembly::matrix_free::multilinear_maps(mesh, mesh.blocks[0]);
      const std::size_t dim = static_cast<std::size_t>(mesh.dim), numbers = dim * ((1U << dim) - 1);
      bool products = false;
      for (std::size_t i = 0; i < maps.size(); ++i) {
        const std::size_t axes = i % numbers / dim + 1;
        if ((axes & (axes - 1)) != 0) products = products || maps[i] != 0;
      }
      EXPECT_NE(products, straight) << mesh::name(shape);
    }
}

TYPED_TEST(MatrixFreeOperator, OfParallelepipedsIsThatOfTensorsAtPoints) {
  TESSERA_REQUIRE(TypeParam);
  Threads threads;
  for (const Shape shape : {Shape::quad, Shape::hex})
    for (int order = 2; order <= 8; ++order) {
      Problem<TypeParam> problem(parallelepipeds(shape, 2), order);
      MatrixFree<TypeParam> stored(problem.exec, problem.mesh, problem.map, {.method = "auto", .geometry = "stored"});
      const std::size_t points = assembly::Assembler<Threads, forms::Diffusion>(threads, problem.mesh, problem.map)
                                     .quadrature_points()
                                     .size() /
                                 3;
      forms::DiffusionData data{.region = {}, .k = {1, true, {}}, .c = constant(0.7), .f = {}};
      for (std::size_t i = 0; i < points; ++i) data.k.values.push_back(2 + std::sin(5.0 * static_cast<double>(i)));
      const std::vector<double> x = wave(problem.map.dofs, 0);
      const auto in = to_space<typename TypeParam::Space>(x);
      Array<double, typename TypeParam::Space> out(problem.map.dofs);
      for (const bool tensor : {false, true}) {
        if (tensor && shape == Shape::quad) data.k = {3, false, {2, 0.5, 1}};
        if (tensor && shape == Shape::hex) data.k = {6, false, {2, 0.5, 0.2, 1, -0.3, 1.5}};
        problem.assemble(data);
        stored.assemble(problem.exec, data, {}, View<double>());
        stored.apply(problem.exec, in.view(), out.view());
        const std::vector<double> found = problem.apply(x), expected = to_vector(out);
        const double size = std::sqrt(dot(expected, expected) / static_cast<double>(expected.size()));
        for (std::size_t i = 0; i < found.size(); ++i)
          ASSERT_NEAR(found[i], expected[i], 1e-11 * size) << mesh::name(shape) << order << ' ' << tensor << ' ' << i;
      }
    }
}

TYPED_TEST(MatrixFreeOperator, HasTheDofsOfItsCells) {
  TESSERA_REQUIRE(TypeParam);
  for (const Case& c : all)
    for (const char* method : {"auto", "local_matrices"}) {
      Problem<TypeParam> problem(bent(c.shape, c.cells), c.order);
      MatrixFree<TypeParam> A(problem.exec, problem.mesh, problem.map, {.method = method, .geometry = "auto"});
      const assembly::BoundaryData boundary{.facets = {}, .fixed = {0, 2}, .values = {2, 3}};
      A.assemble(problem.exec, {.region = {}, .k = constant(1), .c = {}, .f = {}}, boundary, View<double>());
      std::vector<Index> expected;
      for (const assembly::DofBlock& block : problem.map.blocks)
        expected.insert(expected.end(), block.dofs.begin(), block.dofs.end());
      Array<Index, typename TypeParam::Space> dofs(static_cast<Offset>(expected.size()));
      A.copy_cell_dofs(problem.exec, dofs.view());
      EXPECT_EQ(to_vector(dofs), expected) << mesh::name(c.shape) << c.order << ' ' << method;
    }
}

TYPED_TEST(MatrixFreeOperator, ForgetsTheConditionsOfThePreviousAssembly) {
  TESSERA_REQUIRE(TypeParam);
  const forms::DiffusionData data{.region = {}, .k = constant(1), .c = constant(1), .f = constant(1)};
  for (const Shape shape : {Shape::hex, Shape::tet}) {
    Problem<TypeParam> fresh(bent(shape, 2), 3), reused(bent(shape, 2), 3);
    fresh.assemble(data);
    assembly::BoundaryData boundary;
    boundary.fixed = assembly::exterior_dofs(reused.mesh, reused.map);
    boundary.values.assign(boundary.fixed.size(), 1.0);
    const mesh::Group* top = reused.mesh.group("top", 2);
    const std::size_t points = top->entities.size() * (shape == Shape::hex ? 16 : 12);
    boundary.facets = {{top, std::vector<double>(points, 1.0), {}}};
    reused.assemble(data, boundary);
    EXPECT_NE(reused.A.describe().find("facets"), std::string::npos);
    reused.assemble(data);
    const std::vector<double> x = wave(fresh.map.dofs, 0);
    EXPECT_EQ(fresh.apply(x), reused.apply(x));
    EXPECT_EQ(fresh.b, reused.b);
  }
}

TYPED_TEST(MatrixFreeOperator, DeclaresTheBytesItReads) {
  TESSERA_REQUIRE(TypeParam);
  Problem<TypeParam> problem(bent(Shape::hex, 3), 4);
  problem.assemble({.region = {}, .k = constant(1), .c = {}, .f = {}});
  const double dofs = problem.map.dofs, cells = 27;
  EXPECT_GE(problem.A.bytes(), 16 * dofs + cells * (4 * 125 + 21 * 8));
  EXPECT_GT(problem.A.kept_bytes(), 8 * cells * 125);
  EXPECT_EQ(problem.A.format(), "matrix_free");
  EXPECT_EQ(problem.A.describe(), "sum factorisation of 27 hexes of order 4");
}

/// CG with the diagonal, on host vectors.
template <class Exec>
std::vector<double> solve(Problem<Exec>& problem) {
  const std::vector<double> d = problem.diagonal();
  std::vector<double> x(d.size(), 0.0), r = problem.b, z(d.size()), p(d.size(), 0.0);
  double previous = 1;
  const double target = 1e-26 * dot(r, r);
  for (int i = 0; i < 2000 && dot(r, r) > target; ++i) {
    for (std::size_t j = 0; j < d.size(); ++j) z[j] = r[j] / d[j];
    const double rz = dot(r, z);
    for (std::size_t j = 0; j < d.size(); ++j) p[j] = z[j] + (i > 0 ? rz / previous : 0) * p[j];
    const std::vector<double> q = problem.apply(p);
    const double alpha = rz / dot(p, q);
    for (std::size_t j = 0; j < d.size(); ++j) x[j] += alpha * p[j], r[j] -= alpha * q[j];
    previous = rz;
  }
  return x;
}

template <class Exec>
double error_of(Shape shape, int order, int cells) {
  Problem<Exec> problem(test_meshes::box(shape, cells), order);
  const int dim = problem.mesh.dim;
  const std::string exact = dim == 1 ? "sin(4*x)" : dim == 2 ? "sin(4*x)*cos(y)" : "sin(4*x)*cos(y)*cos(z)";
  Threads threads;
  const std::vector<double> points =
      assembly::Assembler<Threads, forms::Diffusion>(threads, problem.mesh, problem.map).quadrature_points();
  forms::DiffusionData data{.region = {}, .k = constant(1), .c = {}, .f = {1, true, {}}};
  for (std::size_t i = 0; i < points.size(); i += 3) {  // -lap u = (16 + dim - 1) u
    double value = (15 + dim) * std::sin(4 * points[i]);
    for (int axis = 1; axis < dim; ++axis) value *= std::cos(points[i + axis]);
    data.f.values.push_back(value);
  }
  const deck::Expression u(exact);
  assembly::BoundaryData boundary;
  boundary.fixed = assembly::exterior_dofs(problem.mesh, problem.map);
  const std::vector<double> nodal = assembly::interpolate(problem.mesh, problem.map, u);
  for (const Index dof : boundary.fixed) boundary.values.push_back(nodal[dof]);
  problem.assemble(data, boundary);
  return assembly::compute_errors(problem.mesh, problem.map, solve(problem), u).l2;
}

TYPED_TEST(MatrixFreeOperator, ConvergesWithOneMoreThanItsOrder) {
  TESSERA_REQUIRE(TypeParam);
  for (const Shape shape : {Shape::interval, Shape::quad, Shape::hex})
    for (int order = 5; order <= (shape == Shape::hex ? 6 : 8); ++order) {
      const double coarse = error_of<TypeParam>(shape, order, 2), fine = error_of<TypeParam>(shape, order, 4);
      EXPECT_GT(testing::observed_order(coarse, fine), order + 0.7)
          << mesh::name(shape) << order << ": " << coarse << ' ' << fine;
      EXPECT_LT(fine, 1e-6);
    }
}

TEST(MatrixFree, DoesNotDependOnTheNumberOfThreads) {
  for (const Case& c : all) {
    Problem<Threads> one(bent(c.shape, 3), c.order, Threads(1)), three(bent(c.shape, 3), c.order, Threads(3));
    const forms::DiffusionData data{.region = {}, .k = constant(1), .c = constant(1), .f = constant(1)};
    one.assemble(data);
    three.assemble(data);
    const std::vector<double> x = wave(one.map.dofs, 0);
    EXPECT_EQ(one.apply(x), three.apply(x)) << mesh::name(c.shape) << c.order;
    EXPECT_EQ(one.b, three.b);
    EXPECT_EQ(one.diagonal(), three.diagonal());
  }
}

TEST(MatrixFree, RefusesUnknownOptionsAndWrongSizes) {
  Threads exec;
  const mesh::Mesh mesh = test_meshes::box(Shape::quad, 2);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 2);
  try {
    MatrixFree<Threads>(exec, mesh, map, {.method = "magic", .geometry = "auto"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("magic"), std::string::npos);
    EXPECT_NE(error.help().find("local_matrices"), std::string::npos);
  }
  MatrixFree<Threads> A(exec, mesh, map);
  Array<double> b(map.dofs);
  assembly::BoundaryData boundary;
  boundary.fixed = {0, 1};
  boundary.values = {0};
  EXPECT_THROW(A.assemble(exec, {.region = {}, .k = constant(1), .c = {}, .f = {}}, boundary, b.view()), Error);
  boundary = {};
  boundary.facets = {{mesh.group("left", 1), {1.0}, {}}};
  EXPECT_THROW(A.assemble(exec, {.region = {}, .k = constant(1), .c = {}, .f = {}}, boundary, b.view()), Error);
}

}  // namespace
}  // namespace tessera::testing
