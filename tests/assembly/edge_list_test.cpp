// The coefficients of edges: identities, and element loops written plainly.
#include "assembly/edge/list.hpp"

#include <cmath>

#include "assembly/edge_support.hpp"
#include "assembly/meshes.hpp"

namespace tessera::testing {
namespace {

template <class Exec>
class EdgeListOn : public ::testing::Test {};
TYPED_TEST_SUITE(EdgeListOn, Backends);

template <class Exec>
void expect_coefficients_of(const mesh::Mesh& mesh, int order, const std::string& what) {
  Exec exec;
  const assembly::DofMap map = assembly::make_dof_map(mesh, order);
  assembly::EdgeParams params;
  params.k = {1.0, 2.5};
  for (Index cell = 0; cell < mesh.cells(); ++cell) params.region.push_back(cell % 2);
  expect_coefficients(HostEdges(assembly::make_edges(exec, mesh, map, params)), mesh, map, params, what);
}

TYPED_TEST(EdgeListOn, CoefficientsEqualElementLoops) {
  TESSERA_REQUIRE(TypeParam);
  for (const char* shape : {"interval", "triangle", "quad", "tet", "hex", "prism"})
    for (int order = 1; order <= 4; ++order) {
      const int dim = mesh::dimension(mesh::shape_from_name(shape));
      if (dim == 3 && order == 4) continue;
      mesh::Mesh mesh = prism_or_box(shape, dim == 3 && order > 2 ? 1 : dim == 3 ? 2 : 3);
      test_meshes::bend(mesh);
      expect_coefficients_of<TypeParam>(mesh, order, std::string(shape) + " order " + std::to_string(order));
    }
}

TYPED_TEST(EdgeListOn, CurvedMixedAndTurnedCells) {
  TESSERA_REQUIRE(TypeParam);
  for (const char* shape : {"triangle", "quad", "tet", "hex"}) {
    mesh::Mesh curved = box(shape, 2, 2);
    test_meshes::bend(curved);
    expect_coefficients_of<TypeParam>(curved, 2, std::string("curved ") + shape);
    mesh::Mesh turned = box(shape, 2);
    test_meshes::turn_cells(turned, 3);
    test_meshes::shuffle_nodes(turned, 4);
    test_meshes::bend(turned);
    expect_coefficients_of<TypeParam>(turned, 1, std::string("turned ") + shape);
  }
  for (int order = 1; order <= 2; ++order) {
    expect_coefficients_of<TypeParam>(test_meshes::mixed_2d(), order, "mixed 2-D");
    expect_coefficients_of<TypeParam>(test_meshes::mixed_3d(), order, "mixed 3-D");
  }
}

TYPED_TEST(EdgeListOn, SlotsNameTheEntriesOfTheMatrix) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  for (const auto& [shape, order] : {std::pair{"triangle", 1}, {"tet", 1}, {"quad", 2}}) {
    mesh::Mesh mesh = box(shape, 4);
    test_meshes::shuffle_nodes(mesh, 7);
    const assembly::DofMap map = assembly::make_dof_map(mesh, order);
    const auto edges = assembly::make_edges(exec, mesh, map);
    const auto pattern = assembly::make_sparsity(exec, map);
    const auto row_ptr = to_vector(pattern.row_ptr);
    const auto col_ind = to_vector(pattern.col_ind);
    const auto i = to_vector(edges.i), j = to_vector(edges.j);
    const auto slot_ij = to_vector(edges.slot_ij), slot_ji = to_vector(edges.slot_ji);
    const auto node_slot = to_vector(edges.node_slot), degree = to_vector(edges.degree);
    ASSERT_EQ(2 * Offset{edges.edges} + edges.nodes, pattern.nnz());
    for (Index e = 0; e < edges.edges; ++e) {
      ASSERT_LT(i[e], j[e]);
      ASSERT_EQ(col_ind[row_ptr[i[e]] + slot_ij[e]], j[e]);
      ASSERT_EQ(col_ind[row_ptr[j[e]] + slot_ji[e]], i[e]);
      ASSERT_LE(i[std::max(e - 1, 0)] / edges.slice, i[e] / edges.slice)
          << "edges are sorted by slices of their lower node";
    }
    for (Index node = 0; node < edges.nodes; ++node) {
      ASSERT_EQ(col_ind[row_ptr[node] + node_slot[node]], node);
      ASSERT_EQ(degree[node], row_ptr[node + 1] - row_ptr[node] - 1);
    }
  }
}

TYPED_TEST(EdgeListOn, RefillFollowsThePointsAndTheDiffusivity) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  mesh::Mesh mesh = box("quad", 3);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 2);
  assembly::EdgeBuilder<TypeParam> builder(exec, mesh, map);
  auto edges = builder.make();
  test_meshes::bend(mesh);
  builder.refill(edges, {{}, {3.0}});
  const HostEdges refilled(edges), fresh(assembly::make_edges(exec, mesh, map, {{}, {3.0}}));
  EXPECT_EQ(columns(refilled.mass), columns(fresh.mass));
  EXPECT_EQ(columns(refilled.c[0]), columns(fresh.c[0]));
  EXPECT_EQ(columns(refilled.stiffness), columns(fresh.stiffness));
}

TYPED_TEST(EdgeListOn, EmptyAndOneCellMeshes) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  mesh::Mesh empty;
  const auto none = assembly::make_edges(exec, empty, assembly::make_dof_map(empty, 1));
  EXPECT_EQ(none.edges, 0);
  EXPECT_EQ(none.nodes, 0);
  for (const char* shape : {"interval", "triangle", "quad", "tet", "hex", "prism"}) {
    mesh::Mesh mesh = one_cell(shape);
    for (int order = 1; order <= 2; ++order)
      expect_coefficients_of<TypeParam>(mesh, order, std::string("one ") + shape);
  }
}

TYPED_TEST(EdgeListOn, WrongParametersAreRefused) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  const mesh::Mesh mesh = box("triangle", 1);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 1);
  EXPECT_THROW(assembly::make_edges(exec, mesh, map, {{0}, {1.0}}), Error);
  EXPECT_THROW(assembly::make_edges(exec, mesh, map, {{0, 1}, {1.0}}), Error);
  EXPECT_THROW(assembly::make_edges(exec, mesh, map, {{}, {}}), Error);
}

}  // namespace
}  // namespace tessera::testing
