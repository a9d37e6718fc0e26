// Operators without a matrix of forms with several unknowns a node, by the form of elasticity: against assembled block
// rows, and against displacements whose forces are known.
#include <pthread.h>

#include <cmath>

#include "assembly/components_support.hpp"
#include "assembly/facets/integrals.hpp"
#include "assembly/matrix_free/fill_impl.hpp"
#include "assembly/matrix_free/operator.hpp"
#include "base/error.hpp"
#include "forms/traction.hpp"

namespace tessera::testing {
namespace {

using assembly::BoundaryData;
using forms::ElasticityData;
using namespace components;

template <class Exec>
using MatrixFree = assembly::MatrixFree<Exec, forms::Elasticity>;

std::vector<double> wave(Index size, double phase = 0) {
  std::vector<double> x(static_cast<std::size_t>(size));
  for (Index i = 0; i < size; ++i) x[i] = std::sin(phase + 7.3 * i);
  return x;
}

/// What solvers ask of an operator.
struct Answers {
  std::vector<double> product, diagonal, blocks, b;
};

template <class Exec, class T>
Answers ask(Exec& exec, const linalg::Operator<Exec, T>& A, View<const double> b) {
  using Space = typename Exec::Space;
  const int m = A.block_size();
  const std::vector<double> x = wave(A.rows());
  const auto in = to_space<Space>(std::vector<T>(x.begin(), x.end()));
  Array<T, Space> y(A.rows()), d(A.rows()), blocks(Offset{A.rows()} * m);
  Array<double, Space> kept(b.size());
  A.apply(exec, in.view(), y.view());
  A.diagonal(exec, d.view());
  EXPECT_TRUE(A.has_diagonal_blocks());
  A.diagonal_blocks(exec, blocks.view());
  linalg::copy(exec, b, kept.view());
  const auto wide = [](const Array<T, Space>& values) {
    const std::vector<T> v = to_vector(values);
    return std::vector<double>(v.begin(), v.end());
  };
  return {wide(y), wide(d), wide(blocks), to_vector(kept)};
}

void expect_close(const std::vector<double>& found, const std::vector<double>& expected, double tolerance,
                  const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  double size = 0;
  for (const double value : expected) size = std::max(size, std::abs(value));
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], tolerance * size) << what << " " << i;
}

void expect_close(const Answers& found, const Answers& expected, double tolerance, const std::string& what) {
  expect_close(found.product, expected.product, tolerance, what + " product");
  expect_close(found.diagonal, expected.diagonal, tolerance, what + " diagonal");
  expect_close(found.blocks, expected.blocks, tolerance, what + " blocks");
  expect_close(found.b, expected.b, tolerance, what + " load");
}

/// Tractions and springs on a side, [facets, points, ...].
struct Side {
  const mesh::Group* group = nullptr;
  std::vector<double> traction, spring;

  Side(const mesh::Mesh& mesh, const assembly::DofMap& map) : group(mesh.group("right", mesh.dim - 1)) {
    if (!group) return;
    const std::vector<double> xyz = assembly::facet_quadrature_points(mesh, map, *group);
    for (std::size_t q = 0; q < xyz.size(); q += 3)
      for (int c = 0; c < mesh.dim; ++c) {
        traction.push_back(1 + c + xyz[q + 1]);
        for (int d = c; d < mesh.dim; ++d) spring.push_back(c == d ? 3 + c + xyz[q + 2] : 0.5);
      }
  }
  forms::TractionData data() const { return {traction, spring}; }
};

/// Some components of the nodes of a side, with their values; a component of an inner node.
void fix(const mesh::Mesh& mesh, const assembly::DofMap& map, BoundaryData& boundary) {
  std::vector<Index> dofs{map.dofs / 2};
  if (const mesh::Group* left = mesh.group("left", mesh.dim - 1)) dofs = assembly::facet_dofs(mesh, map, *left);
  for (const Index dof : dofs)
    for (int c = 0; c < mesh.dim; ++c)
      if (c != 1 || dof % 2 == 0) boundary.fixed.push_back(dof * mesh.dim + c);
  boundary.fixed.push_back((map.dofs - 1) * mesh.dim);
  boundary.values = wave(static_cast<Index>(boundary.fixed.size()), 1);
}

template <class Exec>
Answers assembled(Exec& exec, const mesh::Mesh& mesh, const assembly::DofMap& map, const ElasticityData& data,
                  const Side* side, const BoundaryData& boundary) {
  using Space = typename Exec::Space;
  assembly::Assembler<Exec, forms::Elasticity> assembler(exec, mesh, map);
  linalg::BlockCrs<Space> A = assembler.make_block_matrix();
  Array<double, Space> b(A.rows);
  assembler.assemble(data, A, b.view());
  if (side) assembler.add_facets(forms::Traction{}, *side->group, side->data(), A, b.view());
  assembly::eliminate_dirichlet(exec, A, b.view(), boundary.fixed, boundary.values);
  const linalg::BlockCrsOperator<Exec> op(A);
  return ask(exec, op, std::as_const(b).view());
}

template <class Exec>
class ComponentsMatrixFree : public ::testing::Test {};
TYPED_TEST_SUITE(ComponentsMatrixFree, Backends);

TYPED_TEST(ComponentsMatrixFree, EqualsTheAssembledOperator) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  Threads host;
  TypeParam exec;
  for (const Problem& problem : problems()) {
    const mesh::Mesh& mesh = problem.mesh;
    const assembly::DofMap map = assembly::make_dof_map(mesh, problem.order);
    MatrixFree<TypeParam> A(exec, mesh, map);
    EXPECT_EQ(A.block_size(), mesh.dim);
    EXPECT_EQ(A.rows(), map.dofs * mesh.dim);
    for (const bool hoop : {false, true})
      for (const bool varying : {false, true})
        for (const bool bounded : {true, false}) {  // the last assembly forgets the conditions of the one before
          if (hoop && mesh.dim != 2) continue;
          const ElasticityData data = data_of(mesh, map, varying, hoop);
          const Side side(mesh, map);
          const bool has_side = bounded && side.group;
          BoundaryData boundary;
          if (has_side)
            assembly::add_facet_terms(mesh, map, *side.group, forms::Traction{}, side.data(), boundary.terms);
          if (bounded) fix(mesh, map, boundary);
          const Answers expected = assembled(host, mesh, map, data, has_side ? &side : nullptr, boundary);
          Array<double, Space> b(A.rows());
          A.assemble(exec, data, boundary, b.view());
          const std::string name =
              problem.name + (varying ? " varying" : "") + (hoop ? " hoop" : "") + (bounded ? " bounded" : "");
          expect_close(ask(exec, A, std::as_const(b).view()), expected, 1e-12, name);
          const auto single = A.to_float(exec);
          EXPECT_EQ(single->block_size(), mesh.dim);
          expect_close(ask(exec, *single, std::as_const(b).view()), expected, 3e-6, name + " float");
        }
  }
}

TYPED_TEST(ComponentsMatrixFree, EveryMethodAndGeometryGivesTheSame) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  for (const char* shape : {"quad", "hex"})
    for (int order = 1; order <= 3; ++order) {
      mesh::Mesh mesh = box(shape, 2);
      deform(mesh);
      const assembly::DofMap map = assembly::make_dof_map(mesh, order);
      const ElasticityData data = data_of(mesh, map, true, mesh.dim == 2);
      BoundaryData boundary;
      fix(mesh, map, boundary);
      const auto answers = [&](const assembly::MatrixFreeOptions& options) {
        MatrixFree<TypeParam> A(exec, mesh, map, options);
        Array<double, Space> b(A.rows());
        A.assemble(exec, data, boundary, b.view());
        Array<Index, Space> dofs(static_cast<Offset>(map.blocks[0].dofs.size()));
        A.copy_cell_dofs(exec, dofs.view());
        EXPECT_EQ(to_vector(dofs), std::vector<Index>(map.blocks[0].dofs.begin(), map.blocks[0].dofs.end())) << shape;
        return ask(exec, A, std::as_const(b).view());
      };
      const Answers expected = answers({.method = "local_matrices", .geometry = "auto"});
      const std::string name = shape + std::to_string(order);
      expect_close(answers({.method = "sum_factorisation", .geometry = "auto"}), expected, 1e-12, name);
      expect_close(answers({.method = "sum_factorisation", .geometry = "stored"}), expected, 1e-12, name + " stored");
    }
}

TYPED_TEST(ComponentsMatrixFree, AssemblesInSinglePrecision) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  for (const char* shape : {"hex", "tet"}) {
    const mesh::Mesh mesh = box(shape, 2);
    const assembly::DofMap map = assembly::make_dof_map(mesh, 2);
    const ElasticityData data = data_of(mesh, map, false, false);
    BoundaryData boundary;
    fix(mesh, map, boundary);
    MatrixFree<TypeParam> wide(exec, mesh, map);
    assembly::MatrixFree<TypeParam, forms::BasicElasticity<float>> narrow(exec, mesh, map);
    Array<double, Space> b(wide.rows()), converted(wide.rows());
    Array<float, Space> of_narrow(wide.rows());
    wide.assemble(exec, data, boundary, b.view());
    narrow.assemble(exec, data, boundary, of_narrow.view());
    linalg::convert(exec, std::as_const(of_narrow).view(), converted.view());
    expect_close(ask(exec, narrow, std::as_const(converted).view()), ask(exec, wide, std::as_const(b).view()), 3e-6,
                 shape);
  }
}

/// u_c = a_c s^k of s = x . w, and its force.
struct Polynomial {
  int dim, order;
  std::vector<double> D;
  double at(int c, const double* x) const { return (c + 1) * std::pow(s(x), order); }
  double force(int c, const double* x) const {
    double sum = 0;
    for (int a = 0; a < dim; ++a)
      for (int d = 0; d < dim; ++d)
        for (int b = 0; b < dim; ++b) {
          const int row = forms::voigt_index(dim, false, c, a), col = forms::voigt_index(dim, false, d, b);
          sum -= D[forms::packed_symmetric(row, col, forms::voigt_size(dim, false))] * (d + 1) * w(a) * w(b);
        }
    return sum * order * (order - 1) * std::pow(s(x), order - 2);
  }

 private:
  double w(int a) const { return (1.0 + a) / (dim * (dim + 1)); }
  double s(const double* x) const {
    double sum = 0.2;
    for (int a = 0; a < dim; ++a) sum += w(a) * x[a];
    return sum;
  }
};

TYPED_TEST(ComponentsMatrixFree, PolynomialsOfTheOrderSolveTheirEquation) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  for (const char* shape : {"interval", "quad", "hex"})
    for (int order = 5; order <= 8; ++order) {
      const mesh::Mesh mesh = box(shape, 2);
      const int m = mesh.dim, n = forms::voigt_size(m, false);
      const assembly::DofMap map = assembly::make_dof_map(mesh, order);
      const Polynomial exact{m, order, stiffness(n)};
      ElasticityData data;
      data.stiffness = {n * (n + 1) / 2, false, exact.D};
      data.force = {m, true, {}};
      const assembly::QuadraturePoints points(mesh, map);
      std::vector<double> xyz(3 * static_cast<std::size_t>(mesh.cells()) * points.per_cell(0));
      points.of_cells(0, 0, mesh.cells(), xyz.data());
      for (std::size_t q = 0; q < xyz.size(); q += 3)
        for (int c = 0; c < m; ++c) data.force.values.push_back(exact.force(c, &xyz[q]));
      const std::vector<double> at = assembly::dof_points(mesh, map);
      std::vector<double> u;
      for (Index dof = 0; dof < map.dofs; ++dof)
        for (int c = 0; c < m; ++c) u.push_back(exact.at(c, &at[3 * static_cast<std::size_t>(dof)]));
      BoundaryData boundary;
      for (const Index dof : assembly::exterior_dofs(mesh, map))
        for (int c = 0; c < m; ++c) boundary.fixed.push_back(dof * m + c), boundary.values.push_back(u[dof * m + c]);
      MatrixFree<TypeParam> A(exec, mesh, map);
      Array<double, Space> b(A.rows()), y(A.rows());
      A.assemble(exec, data, boundary, b.view());
      const auto x = to_space<Space>(u);
      A.apply(exec, x.view(), y.view());
      expect_close(to_vector(y), to_vector(b), 1e-12, shape + std::to_string(order));
      const std::vector<double> load = to_vector(b);
      EXPECT_GT(std::abs(load[load.size() / 2]), 0);
    }
}

/// Of a linear displacement the stress is constant, so that no inner node has a force, whatever the mesh.
TYPED_TEST(ComponentsMatrixFree, LinearDisplacementsPassThePatchTest) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  for (const char* shape : {"quad", "hex"})
    for (int order = 1; order <= 8; ++order) {
      mesh::Mesh mesh = box(shape, 2);
      deform(mesh);
      const int m = mesh.dim, n = forms::voigt_size(m, false);
      const assembly::DofMap map = assembly::make_dof_map(mesh, order);
      ElasticityData data;
      data.stiffness = {n * (n + 1) / 2, false, stiffness(n)};
      const std::vector<double> at = assembly::dof_points(mesh, map);
      std::vector<double> u;
      for (Index dof = 0; dof < map.dofs; ++dof)
        for (int c = 0; c < m; ++c) u.push_back(at[3 * dof] + 2 * at[3 * dof + 1] - c * at[3 * dof + 2]);
      MatrixFree<TypeParam> A(exec, mesh, map);
      Array<double, Space> b(A.rows()), y(A.rows());
      A.assemble(exec, data, {}, b.view());
      const auto x = to_space<Space>(u);
      A.apply(exec, x.view(), y.view());
      const std::vector<double> forces = to_vector(y);
      std::vector<char> outside(static_cast<std::size_t>(map.dofs), 0);
      for (const Index dof : assembly::exterior_dofs(mesh, map)) outside[dof] = 1;
      double most = 0;
      for (const double force : forces) most = std::max(most, std::abs(force));
      EXPECT_GT(most, 0.01);
      for (std::size_t i = 0; i < forces.size(); ++i)
        if (!outside[i / m]) {
          ASSERT_NEAR(forces[i], 0, 1e-12 * most) << shape << order << " " << i;
        }
    }
}

TEST(ComponentsMatrixFreeOnThreads, DoesNotDependOnTheNumberOfThreads) {
  for (const Problem& problem : problems()) {
    const assembly::DofMap map = assembly::make_dof_map(problem.mesh, problem.order);
    const ElasticityData data = data_of(problem.mesh, map, false, false);
    const auto answers = [&](int threads) {
      Threads exec(threads);
      BoundaryData boundary;
      fix(problem.mesh, map, boundary);
      MatrixFree<Threads> A(exec, problem.mesh, map);
      Array<double> b(A.rows());
      A.assemble(exec, data, boundary, b.view());
      return ask(exec, A, std::as_const(b).view());
    };
    const Answers one = answers(1), three = answers(3);
    EXPECT_EQ(one.product, three.product) << problem.name;
    EXPECT_EQ(one.diagonal, three.diagonal) << problem.name;
    EXPECT_EQ(one.blocks, three.blocks) << problem.name;
    EXPECT_EQ(one.b, three.b) << problem.name;
  }
}

/// What a batch of cells needs is half a megabyte at the highest order, and threads have small stacks on some systems.
TEST(ComponentsMatrixFreeOnThreads, NeedsLittleStackAtAnyOrder) {
  const mesh::Mesh mesh = box("hex", 1);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 8);
  Threads exec(1);
  MatrixFree<Threads> A(exec, mesh, map);
  Array<double> x(A.rows()), y(A.rows());
  A.assemble(exec, data_of(mesh, map, false, false), {}, y.view());
  x.set_zero();
  auto apply = [&] { A.apply(exec, x.view(), y.view()); };
  pthread_attr_t small;
  ASSERT_EQ(pthread_attr_init(&small), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&small, 256 * 1024), 0);
  pthread_t thread;
  const auto run = [](void* of) -> void* {
    (*static_cast<decltype(apply)*>(of))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &small, run, &apply), 0);
  EXPECT_EQ(pthread_join(thread, nullptr), 0);
  pthread_attr_destroy(&small);
  EXPECT_EQ(y[0], 0);
}

/// C is asked for once a cell where it is the same at all points, whatever loads do.
TEST(ComponentsMatrixFreeOnThreads, LoadsThatVaryLeaveTangentsConstantInACell) {
  const std::vector<double> values(21, 1.0);
  forms::Elasticity form;
  form.stiffness = {values.data(), 21, false};
  form.force = {values.data(), 3, true};
  form.initial = {values.data(), 6, true};
  std::vector<Array<float>> fields;
  for (const Offset size : {21, 0, 0, 0}) fields.emplace_back(size);
  forms::BasicElasticity<float> narrow;
  assembly::matrix_free::convert_form(form, fields, narrow);
  EXPECT_EQ(narrow.stiffness.values, fields[0].data());
  EXPECT_TRUE(narrow.force.empty());
  EXPECT_TRUE(narrow.constant());
  form.stiffness.per_point = true;
  assembly::matrix_free::convert_form(form, fields, narrow);
  EXPECT_FALSE(narrow.constant());
}

TEST(ComponentsMatrixFreeOnThreads, SaysWhatItIsAndWhatItReads) {
  Threads exec;
  const mesh::Mesh mesh = box("hex", 3);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 4);
  MatrixFree<Threads> A(exec, mesh, map);
  Array<double> b(A.rows());
  A.assemble(exec, data_of(mesh, map, false, false), {}, b.view());
  const double rows = 3.0 * map.dofs, cells = 27;
  EXPECT_GE(A.bytes(), 16 * rows + cells * (4 * 3 * 125 + 21 * 8));
  EXPECT_GT(A.kept_bytes(), 8 * cells * 3 * 125);
  EXPECT_EQ(A.describe(), "sum factorisation of 27 hexes of order 4");
}

TEST(ComponentsMatrixFreeOnThreads, RefusesTermsOfOtherComponents) {
  Threads exec;
  const mesh::Mesh mesh = box("quad", 2);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 2);
  MatrixFree<Threads> A(exec, mesh, map);
  Array<double> b(A.rows());
  const ElasticityData data = data_of(mesh, map, false, false);
  const mesh::Group* left = mesh.group("left", 1);
  const std::size_t points = left->entities.size() * assembly::facet_points_per_facet(mesh, map, *left);
  BoundaryData boundary;
  boundary.facets = {{left, std::vector<double>(points, 1.0), {}}};
  EXPECT_THROW(A.assemble(exec, data, boundary, b.view()), Error);
  boundary.facets.clear();
  const std::vector<double> short_of_values(points, 1.0);
  EXPECT_THROW(assembly::add_facet_terms(mesh, map, *left, forms::Traction{}, {short_of_values, {}}, boundary.terms),
               Error);
}

}  // namespace
}  // namespace tessera::testing
