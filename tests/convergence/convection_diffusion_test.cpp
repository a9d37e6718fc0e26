// Observed orders of convection-diffusion: Galerkin reaches k+1 in L2 where diffusion dominates; SUPG at least k+1/2
// where convection does, sharp layers without oscillations beside them, and nodal values that are exact on a line.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "assembly/space/quadrature_points.hpp"
#include "physics/forms/convection_data.hpp"
#include "solvers/krylov/gmres.hpp"
#include "support/backends.hpp"
#include "support/orders.hpp"
#include "support/poisson.hpp"

namespace tessera::testing {
namespace {

/// -k lap u + v . grad u + c u = f with u = exact on the whole boundary.
struct Convection {
  std::string exact, f;
  double k = 1, c = 0;
  std::vector<double> v;
};

template <class Exec>
Solved solve(const mesh::Mesh& mesh, int order, const Convection& problem, bool supg, double tolerance = 1e-11) {
  using Space = typename Exec::Space;
  Exec exec;
  Solved result;
  result.dofs = assembly::make_dof_map(mesh, order);
  assembly::Assembler<Exec, forms::Convection> assembler(exec, mesh, result.dofs, {}, {.supg = supg});
  linalg::Crs<Space> A = assembler.make_matrix();
  Array<double, Space> b(result.dofs.dofs), x(result.dofs.dofs);
  forms::ConvectionData data;
  data.diffusion.k.values = {problem.k};
  data.diffusion.c.values = {problem.c};
  data.velocity = {mesh.dim, false, {problem.v.begin(), problem.v.begin() + mesh.dim}};
  data.diffusion.f.per_point = true;
  const assembly::QuadraturePoints points(mesh, result.dofs);
  deck::Evaluator f{deck::Expression(problem.f)};
  for (std::size_t block = 0; block < mesh.blocks.size(); ++block) {
    std::vector<double> xyz(3 * static_cast<std::size_t>(mesh.blocks[block].cells()) * points.per_cell(block)),
        values(xyz.size() / 3);
    points.of_cells(block, 0, mesh.blocks[block].cells(), xyz.data());
    f.evaluate(xyz.data(), values.size(), 0, values.data());
    data.diffusion.f.values.insert(data.diffusion.f.values.end(), values.begin(), values.end());
  }
  assembler.set_data(data);
  assembler.refill(A, b.view());
  const deck::Expression u(problem.exact);
  const std::vector<Index> fixed = assembly::exterior_dofs(mesh, result.dofs);
  const std::vector<double> nodal = assembly::interpolate(mesh, result.dofs, u);
  std::vector<double> values;
  for (Index dof : fixed) values.push_back(nodal[dof]);
  assembly::eliminate_dirichlet(exec, A, b.view(), fixed, values);
  x.set_zero();
  solvers::SolverParams params{
      .type = "gmres", .tolerance = tolerance, .max_iterations = 5000, .method = solvers::GmresParams{.restart = 100}};
  result.report = solvers::solve(exec, A, View<const double>(b), x.view(), params);
  EXPECT_TRUE(result.report.converged) << result.report.failure << result.report.relative_residual;
  result.u = to_vector(x);
  result.errors = assembly::compute_errors(mesh, result.dofs, result.u, u);
  return result;
}

/// u = sin(pi x) sin(pi y) ... + x with what makes it the solution.
Convection sine(int dim, double k, double c, std::vector<double> v) {
  const char* axes[] = {"x", "y", "z"};
  std::string u = "1", gradient;
  for (int d = 0; d < dim; ++d) u += std::string("*sin(pi*") + axes[d] + ")";
  for (int d = 0; d < dim; ++d) {
    gradient += "+(" + fmt::format("{}", v[d]) + ")*pi";
    for (int e = 0; e < dim; ++e) gradient += std::string(d == e ? "*cos(pi*" : "*sin(pi*") + axes[e] + ")";
  }
  const std::string f = fmt::format("{}", dim) + "*pi^2*" + fmt::format("{}", k) + "*" + u + gradient + "+" +
                        fmt::format("{}", v[0]) + "+" + fmt::format("{}", c) + "*(" + u + "+x)";
  return {u + "+x", f, k, c, std::move(v)};
}

template <class Exec>
void expect_order(const std::string& shape, int order, int coarse, int fine, const Convection& problem, bool supg,
                  double least, int geometry = 1) {
  mesh::Mesh a = box(shape, coarse, geometry), b = box(shape, fine, geometry);
  distort(a, order < 4 ? 0.05 : 0.02);
  distort(b, order < 4 ? 0.05 : 0.02);
  const Solved first = solve<Exec>(a, order, problem, supg), second = solve<Exec>(b, order, problem, supg);
  EXPECT_GE(observed_order(first.errors.l2, second.errors.l2, static_cast<double>(fine) / coarse), least)
      << shape << " order " << order << (supg ? " supg" : " galerkin");
}

template <class Exec>
class ConvectionConvergence : public ::testing::Test {};
TYPED_TEST_SUITE(ConvectionConvergence, Backends);

TYPED_TEST(ConvectionConvergence, GalerkinReachesTheOrderOfTheElements) {
  TESSERA_REQUIRE(TypeParam);
  for (int order = 1; order <= 4; ++order) {
    for (const char* shape : {"interval", "triangle", "quad"})
      expect_order<TypeParam>(shape, order, order < 3 ? 8 : 5, order < 3 ? 16 : 10,
                              sine(mesh::dimension(mesh::shape_from_name(shape)), 1, 2, {1, -2, 3}), false,
                              order + 0.8);
    for (const char* shape : {"tet", "hex", "prism"})
      expect_order<TypeParam>(shape, order, order < 3 ? 4 : 2, order < 3 ? 8 : 4, sine(3, 1, 2, {1, -2, 3}), false,
                              order + (order < 3 ? 0.6 : 0.5));
  }
}

TYPED_TEST(ConvectionConvergence, SupgWhereConvectionDominates) {
  TESSERA_REQUIRE(TypeParam);
  for (int order = 1; order <= 4; ++order) {
    for (const char* shape : {"interval", "triangle", "quad"})
      expect_order<TypeParam>(shape, order, order < 3 ? 12 : 6, order < 3 ? 24 : 12,
                              sine(mesh::dimension(mesh::shape_from_name(shape)), 1e-6, 0, {1, 0.5, 0.3}), true,
                              order + 0.5);
    if (order > 2) continue;
    for (const char* shape : {"tet", "hex", "prism"})
      expect_order<TypeParam>(shape, order, order == 1 ? 6 : 4, order == 1 ? 12 : 8, sine(3, 1e-6, 0, {1, 0.5, 0.3}),
                              true, order + 0.4);
  }
}

/// Without it errors spread along the flow: of a smooth solution on triangles plain elements have several times the
/// error.
TYPED_TEST(ConvectionConvergence, SupgBeatsGalerkinWhereConvectionDominates) {
  TESSERA_REQUIRE(TypeParam);
  const Convection problem = sine(2, 1e-4, 0, {1, 0.5});
  for (int order : {1, 2}) {
    mesh::Mesh mesh = box("triangle", 12);
    distort(mesh);
    const Solved supg = solve<TypeParam>(mesh, order, problem, true),
                 plain = solve<TypeParam>(mesh, order, problem, false, 1e-6);
    EXPECT_GT(plain.errors.l2, 2 * supg.errors.l2) << order;
  }
}

TYPED_TEST(ConvectionConvergence, SupgOnCurvedCells) {
  TESSERA_REQUIRE(TypeParam);
  expect_order<TypeParam>("triangle", 2, 8, 16, sine(2, 1e-4, 1, {1, 0.5}), true, 2.5, 2);
  expect_order<TypeParam>("quad", 2, 8, 16, sine(2, 1e-4, 1, {1, 0.5}), true, 2.5, 2);
}

/// -eps u'' + u' = 0 with a layer at y = 1 that no cell resolves.
std::string layer(const std::string& axis, double eps) {
  return "(1-exp((" + axis + "-1)/" + fmt::format("{}", eps) + "))/(1-exp(-1/" + fmt::format("{}", eps) + "))";
}

TYPED_TEST(ConvectionConvergence, LinearSupgIsExactAtTheNodesOfALine) {
  TESSERA_REQUIRE(TypeParam);
  for (double eps : {1.0, 0.05, 0.002}) {
    const mesh::Mesh line = box("interval", 10), square = box("quad", 6);
    for (const auto& [mesh, axis, v] :
         {std::tuple{&line, "x", std::vector<double>{1}}, {&square, "y", std::vector<double>{0, 1}}}) {
      const Solved solved = solve<TypeParam>(*mesh, 1, {layer(axis, eps), "0", eps, 0, v}, true);
      const std::vector<double> exact = assembly::interpolate(*mesh, solved.dofs, deck::Expression(layer(axis, eps)));
      for (std::size_t i = 0; i < exact.size(); ++i) EXPECT_NEAR(solved.u[i], exact[i], 1e-8) << axis << " eps " << eps;
    }
  }
}

TYPED_TEST(ConvectionConvergence, LayersDoNotOscillateAwayFromThem) {
  TESSERA_REQUIRE(TypeParam);
  const double eps = 1e-4;
  for (int order = 1; order <= 4; ++order)
    for (const char* shape : {"triangle", "quad"}) {
      const mesh::Mesh mesh = box(shape, 12);
      const Convection problem{layer("y", eps), "0", eps, 0, {0, 1}};
      const Solved supg = solve<TypeParam>(mesh, order, problem, true, 1e-8),
                   plain = solve<TypeParam>(mesh, order, problem, false, 1e-8);
      const std::vector<double> points = assembly::dof_points(mesh, supg.dofs);
      double worst = 0, worst_plain = 0;
      for (std::size_t i = 0; i < supg.u.size(); ++i)
        if (points[3 * i + 1] < 1 - 2.5 / 12) {
          worst = std::max(worst, std::abs(supg.u[i] - 1));
          worst_plain = std::max(worst_plain, std::abs(plain.u[i] - 1));
        }
      EXPECT_LT(worst, 0.03) << shape << order;
      EXPECT_GT(worst_plain, 5 * worst) << shape << order;
    }
}

/// NIST-06: layers of width eps at x = 1 and y = 1 of (-1, 1)^2; resolved, the orders are those of smooth problems.
TYPED_TEST(ConvectionConvergence, Nist06) {
  TESSERA_REQUIRE(TypeParam);
  const std::string eps = "0.2", a = "(1-exp(-(1-x)/" + eps + "))", b = "(1-exp(-(1-y)/" + eps + "))",
                    c = "cos(pi*(x+y))", s = "sin(pi*(x+y))", ax = "(-exp(-(1-x)/" + eps + ")/" + eps + ")",
                    by = "(-exp(-(1-y)/" + eps + ")/" + eps + ")";
  const std::string ux = "(" + ax + "*" + b + "*" + c + "-pi*" + a + "*" + b + "*" + s + ")",
                    uy = "(" + a + "*" + by + "*" + c + "-pi*" + a + "*" + b + "*" + s + ")";
  // lap u: a'' = a'/eps, and the same for b
  const std::string lap = "(" + ax + "/" + eps + "*" + b + "*" + c + "+" + by + "/" + eps + "*" + a + "*" + c +
                          "-2*pi*(" + ax + "*" + b + "+" + a + "*" + by + ")*" + s + "-2*pi^2*" + a + "*" + b + "*" +
                          c + ")";
  const Convection problem{a + "*" + b + "*" + c, "-" + eps + "*" + lap + "+2*" + ux + "+" + uy, 0.2, 0, {2, 1}};
  for (const char* shape : {"triangle", "quad"})
    for (int order : {1, 2}) {
      mesh::BoxParams coarse, fine;
      coarse.shape = fine.shape = shape;
      coarse.min = fine.min = {-1, -1};
      coarse.max = fine.max = {1, 1};
      coarse.cells = {24, 24}, fine.cells = {48, 48};
      const Solved first = solve<TypeParam>(mesh::make_box(coarse), order, problem, true),
                   second = solve<TypeParam>(mesh::make_box(fine), order, problem, true);
      EXPECT_GE(observed_order(first.errors.l2, second.errors.l2), order + 0.8) << shape << order;
    }
}

}  // namespace
}  // namespace tessera::testing
