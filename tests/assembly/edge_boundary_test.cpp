// Normals of boundary nodes: the divergence theorem, and the residual of a uniform flow.
#include <set>

#include "assembly/edge/functions.hpp"
#include "assembly/edge_support.hpp"
#include "assembly/meshes.hpp"
#include "mesh/facets.hpp"
#include "physics/forms/euler_edges.hpp"

namespace tessera::testing {
namespace {

template <class Exec>
class EdgeBoundary : public ::testing::Test {};
TYPED_TEST_SUITE(EdgeBoundary, Backends);

template <class Space>
Eigen::MatrixXd dense_normals(const assembly::BoundaryNormals<Space>& normals, Index nodes, int d) {
  Eigen::MatrixXd s = Eigen::MatrixXd::Zero(nodes, nodes);
  const auto dofs = to_vector(normals.dofs), cols = to_vector(normals.cols);
  const auto row_ptr = to_vector(normals.row_ptr);
  const auto values = to_vector(normals.s);
  for (Index row = 0; row < normals.rows(); ++row)
    for (Offset k = row_ptr[row]; k < row_ptr[row + 1]; ++k) s(dofs[row], cols[k]) = values[d * cols.size() + k];
  return s;
}

template <class Exec>
void expect_divergence_theorem(const mesh::Mesh& mesh, int order, const std::string& what) {
  Exec exec;
  const assembly::DofMap map = assembly::make_dof_map(mesh, order);
  const HostEdges edges(assembly::make_edges(exec, mesh, map));
  const auto normals = assembly::make_boundary_normals(exec, mesh, map, assembly::exterior_group(mesh));
  const auto lumped = to_vector(normals.normal);
  const auto dofs = to_vector(normals.dofs);
  for (int d = 0; d < mesh.dim; ++d) {
    const Eigen::MatrixXd s = dense_normals(normals, map.dofs, d), c = edges.c[d];
    EXPECT_LE((s - c - c.transpose()).cwiseAbs().maxCoeff(), 1e-12 * c.cwiseAbs().maxCoeff()) << what;
    double sum = 0;
    for (Index row = 0; row < normals.rows(); ++row) {
      EXPECT_NEAR(lumped[d * dofs.size() + row], s.row(dofs[row]).sum(), 1e-13) << what;
      sum += lumped[d * dofs.size() + row];
    }
    EXPECT_NEAR(sum, 0, 1e-13) << what << ": the normals of a closed surface sum to zero";
  }
}

TYPED_TEST(EdgeBoundary, NormalsAreTheSymmetricPartOfC) {
  TESSERA_REQUIRE(TypeParam);
  for (const char* shape : {"interval", "triangle", "quad", "tet", "hex", "prism"})
    for (int order = 1; order <= 3; ++order) {
      mesh::Mesh mesh = prism_or_box(shape, 2);
      if (mesh.facets.size() == 0) mesh::find_exterior_facets(mesh);
      test_meshes::bend(mesh);
      if (mesh.dim == 3 && order == 3 && mesh.blocks[0].shape == mesh::Shape::hex) continue;
      expect_divergence_theorem<TypeParam>(mesh, order, std::string(shape) + " order " + std::to_string(order));
    }
  for (const char* shape : {"triangle", "quad", "tet", "hex"}) {
    mesh::Mesh curved = box(shape, 2, 2);
    test_meshes::bend(curved);
    expect_divergence_theorem<TypeParam>(curved, 2, std::string("curved ") + shape);
  }
  mesh::Mesh mixed = test_meshes::mixed_3d();
  mesh::find_exterior_facets(mixed);
  expect_divergence_theorem<TypeParam>(mixed, 1, "mixed");
}

TYPED_TEST(EdgeBoundary, ASideOfABoxHasItsOwnNormal) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const mesh::Mesh mesh = box("tet", 3);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 1);
  const auto normals = assembly::make_boundary_normals(exec, mesh, map, *mesh.group("right", 2));
  EXPECT_EQ(normals.rows(), 16);
  const auto n = to_vector(normals.normal);
  double sum = 0;
  for (Index row = 0; row < 16; ++row) {
    EXPECT_GT(n[row], 0);
    EXPECT_NEAR(n[16 + row], 0, 1e-15);
    EXPECT_NEAR(n[32 + row], 0, 1e-15);
    sum += n[row];
  }
  EXPECT_NEAR(sum, 1, 1e-14);
  EXPECT_THROW(assembly::make_boundary_normals(exec, mesh, map, *mesh.group("domain", 3)), Error);
}

template <int dim, class Exec>
void expect_free_stream(mesh::Mesh mesh, int order) {
  using Space = typename Exec::Space;
  Exec exec;
  test_meshes::bend(mesh);
  const assembly::DofMap map = assembly::make_dof_map(mesh, order);
  const auto edges = assembly::make_edges(exec, mesh, map);
  const auto normals = assembly::make_boundary_normals(exec, mesh, map, assembly::exterior_group(mesh));
  const double state[5] = {1.2, 0.6, -0.3, 0.4, 4.0};
  std::vector<double> u;
  for (int c = 0; c < dim + 2; ++c) u.insert(u.end(), map.dofs, c == dim + 1 ? 4.0 : state[c]);
  const auto there = to_space<Space>(u);
  for (const auto& entry : assembly::edge_strategies()) {
    Array<double, Space> f(there.size());
    auto loop = assembly::make_edge_loop(exec, edges, entry.strategy);
    assembly::run_edges(exec, loop, physics::euler::EulerRusanov<dim>{}, View<const double>(there), f.view());
    assembly::run_boundary(exec, normals, physics::euler::EulerBoundary<dim>{}, View<const double>(there), f.view());
    exec.synchronize();
    for (const double v : to_vector(f)) EXPECT_NEAR(v, 0, 1e-14) << entry.name;
  }
  // Lumped normals see a uniform flow as the full ones do.
  Array<double, Space> full(there.size()), lumped(there.size());
  full.set_zero();
  lumped.set_zero();
  for (const bool wall : {false, true}) {
    assembly::run_boundary(exec, normals, physics::euler::EulerBoundary<dim>{1.4, wall}, View<const double>(there),
                           full.view());
    assembly::run_boundary(exec, normals, physics::euler::EulerBoundary<dim>{1.4, wall}, View<const double>(there),
                           lumped.view(), true);
  }
  exec.synchronize();
  const auto a = to_vector(full), b = to_vector(lumped);
  double size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_NEAR(a[i], b[i], 1e-13);
    size = std::max(size, std::abs(a[i]));
  }
  EXPECT_GT(size, 0.01);
}

TYPED_TEST(EdgeBoundary, AUniformFlowStaysUniform) {
  TESSERA_REQUIRE(TypeParam);
  expect_free_stream<1, TypeParam>(box("interval", 7), 1);
  expect_free_stream<2, TypeParam>(box("triangle", 5), 1);
  expect_free_stream<2, TypeParam>(box("quad", 3), 2);
  expect_free_stream<3, TypeParam>(box("tet", 3), 1);
  expect_free_stream<3, TypeParam>(box("hex", 3), 1);
}

TYPED_TEST(EdgeBoundary, BoundsOfNeighbours) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  TypeParam exec;
  mesh::Mesh mesh = box("triangle", 9);
  test_meshes::shuffle_nodes(mesh, 2);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 1);
  const auto edges = assembly::make_edges(exec, mesh, map);
  std::vector<double> u(map.dofs);
  for (Index n = 0; n < map.dofs; ++n) u[n] = std::sin(1.7 * n);
  std::vector<double> expected(2 * map.dofs);
  for (Index n = 0; n < map.dofs; ++n) expected[n] = expected[map.dofs + n] = u[n];
  const auto i = to_vector(edges.i), j = to_vector(edges.j);
  for (std::size_t e = 0; e < i.size(); ++e)
    for (const auto& [a, b] : {std::pair{i[e], j[e]}, {j[e], i[e]}}) {
      expected[a] = std::min(expected[a], u[b]);
      expected[map.dofs + a] = std::max(expected[map.dofs + a], u[b]);
    }
  const auto there = to_space<Space>(u);
  for (const auto& entry : assembly::edge_strategies()) {
    auto loop = assembly::make_edge_loop(exec, edges, entry.strategy);
    Array<double, Space> f(2 * map.dofs);
    auto run = [&] {
      assembly::run_edges(exec, loop, assembly::NeighbourBounds<2>{}, View<const double>(there), f.view());
    };
    if (entry.strategy == assembly::EdgeStrategy::atomic) {
      EXPECT_THROW(run(), Error);
      continue;
    }
    run();
    exec.synchronize();
    EXPECT_EQ(to_vector(f), expected) << entry.name;
  }
}

}  // namespace
}  // namespace tessera::testing
