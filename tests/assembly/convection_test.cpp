// Convection and diffusion: consistency of SUPG, invariants of the matrix, CUDA against threads.
#include <cmath>

#include "assembly/convection_support.hpp"
#include "base/error.hpp"
#include "forms/streamline.hpp"

namespace tessera {
namespace {

using forms::ConvectionData;
using testing::Backends;
using namespace testing::convection;

TEST(Convection, SupgAddsNothingWhereTheResidualVanishes) {
  Threads exec;
  for (const Case& c : cases()) {
    const mesh::Mesh mesh = mesh_of(c);
    const assembly::DofMap map = assembly::make_dof_map(mesh, c.order);
    const int degree = c.order / c.geometry;  // what the space has on curved cells
    ConvectionData data = varying_data(mesh, map, degree);
    const std::vector<double> analytic = data.divergence.values;
    data.divergence = forms::divergence_of(mesh, map, data.diffusion.k);  // linear k: the elements have it
    ASSERT_EQ(data.divergence.values.size(), analytic.size());
    for (std::size_t q = 0; q < analytic.size(); ++q)
      ASSERT_NEAR(data.divergence.values[q], analytic[q], 1e-9) << c.shape << c.order;
    const std::vector<double> points = assembly::dof_points(mesh, map);
    std::vector<double> u;
    for (Index dof = 0; dof < map.dofs; ++dof)
      u.push_back(polynomial(&points[3 * static_cast<std::size_t>(dof)], mesh.dim, degree).u);
    const Filled plain = fill(exec, mesh, map, data, false), supg = fill(exec, mesh, map, data, true);
    const std::vector<double> Au = plain.times(u), Su = supg.times(u);
    const double scale = supg.norm();
    double difference = 0;
    for (std::size_t i = 0; i < u.size(); ++i) {
      ASSERT_NEAR(Su[i] - supg.b[i], Au[i] - plain.b[i], 1e-11 * scale)
          << c.shape << " order " << c.order << " geometry " << c.geometry << " row " << i;
      difference = std::max(difference, std::abs(supg.b[i] - plain.b[i]));
    }
    EXPECT_GT(difference, 1e-6) << c.shape << ": tau is 0 everywhere";
  }
}

template <class Exec>
struct ConvectionOn : ::testing::Test {};
TYPED_TEST_SUITE(ConvectionOn, Backends);

TYPED_TEST(ConvectionOn, EqualsThreadsAndRepeats) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  Threads one(1);
  for (const Case& c : cases())
    for (bool supg : {false, true}) {
      const mesh::Mesh mesh = mesh_of(c);
      const assembly::DofMap map = assembly::make_dof_map(mesh, c.order);
      const ConvectionData data = varying_data(mesh, map, 1);
      const Filled expected = fill(one, mesh, map, data, supg), found = fill(exec, mesh, map, data, supg);
      const Filled again = fill(exec, mesh, map, data, supg);
      ASSERT_EQ(found.values, again.values) << c.shape << c.order;
      ASSERT_EQ(found.b, again.b) << c.shape << c.order;
      if (std::is_same_v<TypeParam, Threads>) {
        ASSERT_EQ(expected.values, found.values) << c.shape << c.order << ": depends on the number of threads";
        ASSERT_EQ(expected.b, found.b);
      }
      ASSERT_EQ(expected.col_ind, found.col_ind);
      const double scale = expected.norm();
      for (std::size_t k = 0; k < expected.values.size(); ++k)
        ASSERT_NEAR(found.values[k], expected.values[k], 1e-12 * scale)
            << c.shape << " order " << c.order << (supg ? " supg" : "");
      for (std::size_t k = 0; k < expected.b.size(); ++k) ASSERT_NEAR(found.b[k], expected.b[k], 1e-12 * scale);
    }
}

/// Meshes of many chunks and colours.
TEST(Convection, DoesNotDependOnTheNumberOfThreads) {
  for (const auto& [shape, cells] : {std::pair{"quad", 40}, {"triangle", 30}, {"hex", 10}, {"tet", 8}}) {
    mesh::Mesh mesh = testing::box(shape, cells);
    testing::deform(mesh);
    const assembly::DofMap map = assembly::make_dof_map(mesh, 1);
    const ConvectionData data = varying_data(mesh, map, 1);
    Threads one(1), two(2), five(5);
    const Filled expected = fill(one, mesh, map, data, true);
    for (Threads* exec : {&two, &five}) {
      const Filled found = fill(*exec, mesh, map, data, true);
      ASSERT_EQ(found.values, expected.values) << shape << exec->count();
      ASSERT_EQ(found.b, expected.b) << shape << exec->count();
    }
  }
}

TYPED_TEST(ConvectionOn, RowsSumToTheReaction) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const Case& c : cases()) {
    const mesh::Mesh mesh = mesh_of(c);
    const assembly::DofMap map = assembly::make_dof_map(mesh, c.order);
    ConvectionData data;
    data.diffusion.region.assign(static_cast<std::size_t>(mesh.cells()), 1);
    data.diffusion.k.values = {-1, 0.01};  // of two regions, one of them not used
    data.velocity = {mesh.dim, false, {}};
    for (int d = 0; d < mesh.dim; ++d) data.velocity.values.push_back(100);
    for (int d = 0; d < mesh.dim; ++d) data.velocity.values.push_back(1.0 + d);
    for (bool supg : {false, true}) {
      const Filled filled = fill(exec, mesh, map, data, supg);
      const double scale = filled.norm();
      const std::vector<double> ones(static_cast<std::size_t>(map.dofs), 1.0);
      for (double sum : filled.times(ones)) ASSERT_NEAR(sum, 0, 1e-12 * scale) << c.shape << c.order;
      for (double load : filled.b) ASSERT_EQ(load, 0);
    }
    // Galerkin with c: the rows sum to c int phi_i, all of them to c times the volume.
    data.diffusion.c.values = {0, 3};
    double sum = 0;
    for (double row :
         fill(exec, mesh, map, data, false).times(std::vector<double>(static_cast<std::size_t>(map.dofs), 1.0)))
      sum += row;
    EXPECT_NEAR(sum, 3, 2e-2) << c.shape << c.order;  // curved cells: the box up to its edges
  }
}

TYPED_TEST(ConvectionOn, WithoutVelocityItIsDiffusion) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  using Space = typename TypeParam::Space;
  for (const Case& c : cases()) {
    const mesh::Mesh mesh = mesh_of(c);
    const assembly::DofMap map = assembly::make_dof_map(mesh, c.order);
    ConvectionData data = varying_data(mesh, map, 1);
    data.velocity = {};
    const Filled found = fill(exec, mesh, map, data, true);
    assembly::Assembler<TypeParam, forms::Diffusion> assembler(exec, mesh, map, {.strategy = "colour"});
    linalg::Crs<Space> A = assembler.make_matrix();
    Array<double, Space> b(map.dofs);
    assembler.assemble(data.diffusion, A, b.view());
    const std::vector<double> expected = to_vector(A.values), load = to_vector(b);
    // Straight linear simplices of the diffusion kernels take the mean of k and c on CUDA, which is another quadrature.
    const bool means = c.order == 1 && (c.shape == "interval" || c.shape == "triangle" || c.shape == "tet") &&
                       !std::is_same_v<TypeParam, Threads>;
    const double tolerance = (means ? 2e-2 : 1e-12) * found.norm();
    for (std::size_t k = 0; k < expected.size(); ++k)
      ASSERT_NEAR(found.values[k], expected[k], tolerance) << c.shape << c.order;
    for (std::size_t k = 0; k < load.size(); ++k) ASSERT_NEAR(found.b[k], load[k], tolerance) << c.shape << c.order;
  }
}

TEST(Convection, ParameterOfStreamlineDiffusion) {
  // On [-1, 1] a cell of length h has J = h/2: one dimension, h = 0.1, b = 2, so T = h/b and tau = T/2 (coth Pe -
  // 1/Pe).
  const double h = 0.1, b = 2;
  for (double k : {1e-9, 0.01, 0.1, 100.0}) {
    const double flow[1] = {b * 2 / h}, K[1] = {k * 4 / (h * h)};
    const double peclet = b * h / (2 * k), expected = h / (2 * b) * (1 / std::tanh(peclet) - 1 / peclet);
    EXPECT_NEAR(forms::stabilisation<1>(1, 0, false, flow, b * b, b * b * k, K, 0), expected, 1e-6 * expected) << k;
  }
  // Along the diagonal of a unit triangle's leg: the chord of direction (1, 0) is 1 long, of (1, -1) sqrt(2), of (1, 1)
  // half of that.
  const double none[3] = {};
  const auto convective = [&](double x, double y) {
    const double flow[2] = {x, y};
    return forms::stabilisation<2>(1, 2, false, flow, x * x + y * y, 0, none, 0);
  };
  EXPECT_DOUBLE_EQ(convective(1, 0), 0.5);
  EXPECT_DOUBLE_EQ(convective(1, -1), 0.5);
  EXPECT_DOUBLE_EQ(convective(1, 1), 0.25);
  // Order p has cells of h/p; a reaction c leaves at most 1/(2 c); no velocity, no parameter.
  const double flow[2] = {1, 0}, still[2] = {0, 0};
  EXPECT_DOUBLE_EQ(forms::stabilisation<2>(4, 2, false, flow, 1, 0, none, 0), 0.125);
  EXPECT_DOUBLE_EQ(forms::stabilisation<2>(1, 2, false, flow, 1, 0, none, -50), 0.01);
  EXPECT_EQ(forms::stabilisation<2>(1, 2, false, still, 0, 0, none, 0), 0);
  // Stretched cells of higher order: at most the inverse estimate of the short side.
  const double K[3] = {1e-3, 0, 10};
  EXPECT_DOUBLE_EQ(forms::stabilisation<2>(2, 0, true, flow, 1, 1e-3, K, 0), 1 / (3 * 4 * 10.0));
}

/// tau = T/2 where there is no diffusion: chords through tets, hexes and prisms.
TEST(Convection, LongestChords) {
  const double none[6] = {};
  const auto time = [&](int simplex_axes, double x, double y, double z) {
    const double flow[3] = {x, y, z};
    return 2 * forms::stabilisation<3>(1, simplex_axes, false, flow, x * x + y * y + z * z, 0, none, 0);
  };
  EXPECT_DOUBLE_EQ(time(3, 1, 0, 0), 1);        // an edge of the unit tet
  EXPECT_DOUBLE_EQ(time(3, 1, -1, 0), 1);       // another
  EXPECT_DOUBLE_EQ(time(3, 1, 1, 1), 1.0 / 3);  // from the corner to the far face
  EXPECT_DOUBLE_EQ(time(0, 0, 2, 0), 1);        // [-1, 1] along an axis
  EXPECT_DOUBLE_EQ(time(0, 1, 1, 1), 2);        // its diagonal
  EXPECT_DOUBLE_EQ(time(0, 1, 4, 2), 0.5);      // the fastest axis ends it
  EXPECT_DOUBLE_EQ(time(2, 0, 0, 1), 2);        // a prism along its axis
  EXPECT_DOUBLE_EQ(time(2, 1, 0, 0.1), 1);      // out of the triangle first
  EXPECT_DOUBLE_EQ(time(2, 0.1, 0, 1), 2);      // out of the top first
}

/// A cell is the same however its vertices are numbered: a triangle with a flat corner, where the bound of order > 1
/// holds tau.
TEST(Convection, TheParameterDoesNotDependOnTheOrderOfVertices) {
  const double x[3][2] = {{0, 0}, {1, 0.05}, {2, 0}}, b[2] = {1, 0.3}, k[1] = {0.1};
  std::vector<double> found;
  for (int first = 0; first < 3; ++first)
    for (int step : {1, 2}) {
      double J[2][2], inverse[2][2], K[3], flow[2] = {};
      for (int d = 0; d < 2; ++d)
        for (int a = 0; a < 2; ++a) J[d][a] = x[(first + (a + 1) * step) % 3][d] - x[first][d];
      forms::invert<2, double>(J, inverse);
      forms::pull_back<2>(k, 1, inverse, 1, K);
      for (int a = 0; a < 2; ++a)
        for (int d = 0; d < 2; ++d) flow[a] += inverse[a][d] * b[d];
      found.push_back(forms::stabilisation<2>(2, 2, true, flow, 1.09, 1.09 * k[0], K, 0));
    }
  for (double tau : found) EXPECT_NEAR(tau, found[0], 1e-12 * found[0]);
  // The flat corner lies 0.05 above the opposite side.
  EXPECT_NEAR(found[0], 0.05 * 0.05 / (12 * 4 * k[0]), 1e-12);
}

TEST(Convection, LargestPecletNumberOfACell) {
  for (const auto& [shape, chord] :
       {std::pair{"interval", 0.25}, {"triangle", 0.25}, {"quad", 0.25}, {"tet", 0.25}, {"hex", 0.25}, {"prism", 0.25}})
    for (int order : {1, 2}) {
      const mesh::Mesh mesh = testing::box(shape, 4);
      const assembly::DofMap map = assembly::make_dof_map(mesh, order);
      ConvectionData data;
      data.diffusion.k.values = {0.01, 1};
      data.diffusion.region.assign(static_cast<std::size_t>(mesh.cells()), 1);
      EXPECT_EQ(forms::largest_peclet(mesh, map, data), 0);
      data.velocity = {mesh.dim, false, {}};
      for (int region : {0, 1})
        for (int d = 0; d < mesh.dim; ++d) data.velocity.values.push_back(d == 0 ? 3.0 + region : 0.0);
      EXPECT_NEAR(forms::largest_peclet(mesh, map, data), 4 * chord / (2 * order), 1e-12) << shape;
      data.diffusion.region[0] = 0;  // its first cell: 3 chord / (2 p 0.01)
      EXPECT_NEAR(forms::largest_peclet(mesh, map, data), 3 * chord / (2 * order * 0.01), 1e-10) << shape;
      const ConvectionData varying = varying_data(mesh, map, 1);
      EXPECT_EQ(forms::largest_peclet(mesh, map, varying, 1), forms::largest_peclet(mesh, map, varying, 3));
      EXPECT_GT(forms::largest_peclet(mesh, map, varying), 0);
    }
}

TEST(Convection, RefusesWhatDoesNotFit) {
  Threads exec;
  const mesh::Mesh mesh = testing::box("triangle", 2);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 1);
  try {
    assembly::Assembler<Threads, forms::Convection>(exec, mesh, map, {.strategy = "magic"});
    FAIL() << "magic was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("magic"), std::string::npos);
    for (const assembly::StrategyEntry& entry : assembly::strategy_table())
      EXPECT_NE(std::string(error.help()).find(entry.name), std::string::npos);
  }
  assembly::Assembler<Threads, forms::Convection> assembler(exec, mesh, map);
  const auto refuses = [&](const ConvectionData& data) {
    try {
      assembler.set_data(data);
    } catch (const Error& error) {
      return error.code() == ExitCode::internal;
    }
    return false;
  };
  ConvectionData data;
  data.diffusion.k.values = {1};
  data.velocity = {3, false, {1, 2, 3}};
  EXPECT_TRUE(refuses(data));
  data.velocity = {2, true, {1, 2}};
  EXPECT_TRUE(refuses(data));
  data.velocity = {2, false, {1}};
  EXPECT_TRUE(refuses(data));
  data.velocity = {2, false, {1, 2}};
  EXPECT_FALSE(refuses(data));
  linalg::Crs<Host> A = assembler.make_matrix();
  Array<double> b(3);
  EXPECT_THROW(assembler.refill(A, b.view()), Error);
}

}  // namespace
}  // namespace tessera
