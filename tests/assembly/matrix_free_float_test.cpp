// The copy in single precision of an operator without a matrix: what is done to the operator later does not reach it.
#include <cmath>

#include "assembly/components_support.hpp"
#include "assembly/facets/integrals.hpp"
#include "assembly/matrix_free/operator.hpp"
#include "forms/traction.hpp"
#include "solvers/linear_solver.hpp"

namespace tessera::testing {
namespace {

using assembly::BoundaryData;
using assembly::MatrixFree;

template <class Exec>
std::vector<float> product(Exec& exec, const linalg::Operator<Exec, float>& A) {
  using Space = typename Exec::Space;
  std::vector<float> x;
  for (Index i = 0; i < A.rows(); ++i) x.push_back(static_cast<float>(std::sin(1 + 7.3 * i)));
  const auto in = to_space<Space>(x);
  Array<float, Space> y(A.rows());
  A.apply(exec, in.view(), y.view());
  return to_vector(y);
}

/// Regions of the cells, one after the other or in two halves.
std::vector<Index> regions(const mesh::Mesh& mesh, bool halves) {
  std::vector<Index> region;
  for (Index cell = 0; cell < mesh.cells(); ++cell) region.push_back(halves ? 2 * cell / mesh.cells() : cell % 2);
  return region;
}

/// The unknowns of a side, all fixed.
BoundaryData fixed_on(const mesh::Mesh& mesh, const assembly::DofMap& map, const char* side, int components) {
  BoundaryData boundary;
  for (const Index dof : assembly::facet_dofs(mesh, map, *mesh.group(side, mesh.dim - 1)))
    for (int c = 0; c < components; ++c) boundary.fixed.push_back(dof * components + c), boundary.values.push_back(0);
  return boundary;
}

/// Diffusion in two regions with terms over facets.
struct Scalar {
  using Form = forms::Diffusion;
  static constexpr const char* preconditioner = "jacobi";

  static forms::DiffusionData data(const mesh::Mesh& mesh, const assembly::DofMap&, bool second) {
    return {
        .region = regions(mesh, second), .k = {1, false, {1, 3}}, .c = {1, false, {0.5, 1}}, .f = {1, false, {1, 2}}};
  }
  static BoundaryData boundary(const mesh::Mesh& mesh, const assembly::DofMap& map, bool second) {
    BoundaryData boundary = fixed_on(mesh, map, second ? "bottom" : "left", 1);
    const mesh::Group* side = mesh.group(second ? "left" : "right", mesh.dim - 1);
    const std::size_t points = side->entities.size() * assembly::facet_points_per_facet(mesh, map, *side);
    boundary.facets = {{side, std::vector<double>(points, 2.0), {}}};
    return boundary;
  }
};

/// Elasticity in two regions with springs.
struct Vector {
  using Form = forms::Elasticity;
  static constexpr const char* preconditioner = "block_jacobi";

  static forms::ElasticityData data(const mesh::Mesh& mesh, const assembly::DofMap& map, bool second) {
    forms::ElasticityData data = components::data_of(mesh, map, false, false);
    data.region = regions(mesh, second);
    return data;
  }
  static BoundaryData boundary(const mesh::Mesh& mesh, const assembly::DofMap& map, bool second) {
    BoundaryData boundary = fixed_on(mesh, map, second ? "bottom" : "left", mesh.dim);
    const mesh::Group* side = mesh.group(second ? "left" : "right", mesh.dim - 1);
    const std::size_t points = side->entities.size() * assembly::facet_points_per_facet(mesh, map, *side);
    std::vector<double> spring;
    for (std::size_t q = 0; q < points; ++q)
      for (int c = 0; c < mesh.dim; ++c)
        for (int d = c; d < mesh.dim; ++d) spring.push_back(c == d ? 2.0 : 0.5);
    assembly::add_facet_terms(mesh, map, *side, forms::Traction{}, {{}, spring}, boundary.terms);
    return boundary;
  }
};

template <class E, class P>
struct Case {
  using Exec = E;
  using Problem = P;
};
template <class>
struct Cases;
template <class... Execs>
struct Cases<::testing::Types<Execs...>> {
  using Type = ::testing::Types<Case<Execs, Scalar>..., Case<Execs, Vector>...>;
};

template <class C>
class MatrixFreeInFloat : public ::testing::Test {};
TYPED_TEST_SUITE(MatrixFreeInFloat, Cases<Backends>::Type);

TYPED_TEST(MatrixFreeInFloat, StaysWhatItWasWhenTheOperatorIsAssembledAgain) {
  using Exec = typename TypeParam::Exec;
  using P = typename TypeParam::Problem;
  TESSERA_REQUIRE(Exec);
  Exec exec;
  for (const char* shape : {"hex", "tet", "quad"})
    for (const char* geometry : {"auto", "stored"}) {
      SCOPED_TRACE(std::string(shape) + " " + geometry);
      const mesh::Mesh mesh = box(shape, 4);
      const assembly::DofMap map = assembly::make_dof_map(mesh, 2);
      auto A = std::make_unique<MatrixFree<Exec, typename P::Form>>(
          exec, mesh, map, assembly::MatrixFreeOptions{.method = "sum_factorisation", .geometry = geometry});
      Array<double, typename Exec::Space> b(A->rows());
      A->assemble(exec, P::data(mesh, map, false), P::boundary(mesh, map, false), b.view());
      const auto single = A->to_float(exec);
      const std::vector<float> before = product(exec, *single);
      A->assemble(exec, P::data(mesh, map, true), P::boundary(mesh, map, true), b.view());
      EXPECT_EQ(product(exec, *single), before);
      const auto second = A->to_float(exec);
      const std::vector<float> other = product(exec, *second);
      EXPECT_NE(other, before);
      A->assemble(exec, P::data(mesh, map, false), P::boundary(mesh, map, false), b.view());
      EXPECT_EQ(product(exec, *single), before);
      EXPECT_EQ(product(exec, *second), other);
      EXPECT_EQ(product(exec, *A->to_float(exec)), before);
      A.reset();
      EXPECT_EQ(product(exec, *single), before);
    }
}

TYPED_TEST(MatrixFreeInFloat, ServesTheNextAssemblyWhereASolverKeepsIt) {
  using Exec = typename TypeParam::Exec;
  using P = typename TypeParam::Problem;
  using Space = typename Exec::Space;
  TESSERA_REQUIRE(Exec);
  Exec exec;
  const mesh::Mesh mesh = box("hex", 6);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 2);
  MatrixFree<Exec, typename P::Form> A(exec, mesh, map);
  Array<double, Space> b(A.rows()), x(A.rows());
  for (const char* precision : {"mixed", "float"}) {
    SCOPED_TRACE(precision);
    solvers::SolverParams params;
    params.preconditioner = P::preconditioner;
    params.precision = precision;
    params.tolerance = precision == std::string("float") ? 1e-4 : 1e-9;
    solvers::LinearSolver<Exec> solver(exec, params);
    std::vector<double> first;
    for (int step = 0; step < 3; ++step) {
      A.assemble(exec, P::data(mesh, map, false), P::boundary(mesh, map, false), b.view());
      x.set_zero();
      solver.set_operator(A, step == 0 ? solvers::Reuse::nothing : solvers::Reuse::all);
      const solvers::Report report = solver.solve(b.view(), x.view());
      EXPECT_TRUE(report.converged) << report.failure;
      if (step == 0) first = to_vector(x);
      EXPECT_EQ(to_vector(x), first);
    }
  }
}

}  // namespace
}  // namespace tessera::testing
