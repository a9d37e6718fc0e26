// Edge loops: every strategy against products with the matrices that the edges stand for.
#include "assembly/edge/loop.hpp"

#include <cstring>
#include <random>

#include "assembly/edge/functions.hpp"
#include "assembly/edge_support.hpp"
#include "assembly/meshes.hpp"
#include "physics/forms/euler_edges.hpp"

namespace tessera::testing {
namespace {

using assembly::EdgeStrategy;

template <class Exec>
class EdgeLoopOn : public ::testing::Test {};
TYPED_TEST_SUITE(EdgeLoopOn, Backends);

std::vector<double> random_nodal(Offset count, double low, double high, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> value(low, high);
  std::vector<double> result(static_cast<std::size_t>(count));
  for (double& v : result) v = value(engine);
  return result;
}

/// The edges of a mesh on a backend, with what the tests ask of them.
template <class Exec>
struct Edges {
  using Space = typename Exec::Space;
  Exec exec;
  mesh::Mesh mesh;
  assembly::DofMap map;
  assembly::EdgeList<Space> list;

  Edges(mesh::Mesh m, int order)
      : mesh(std::move(m)), map(assembly::make_dof_map(mesh, order)), list(assembly::make_edges(exec, mesh, map)) {}

  template <class F>
  std::vector<double> run(EdgeStrategy strategy, const F& function, const std::vector<double>& u) {
    auto loop = assembly::make_edge_loop(exec, list, strategy);
    return run(loop, function, u);
  }
  template <class F>
  std::vector<double> run(assembly::EdgeLoop<Space>& loop, const F& function, const std::vector<double>& u) {
    const auto there = to_space<Space>(u);
    Array<double, Space> f(Offset{map.dofs} * F::outputs);
    assembly::run_edges(exec, loop, function, View<const double>(there), f.view());
    exec.synchronize();
    return to_vector(f);
  }
  /// Dense, column-major.
  template <class G>
  std::vector<double> assemble(EdgeStrategy strategy, const G& function, const std::vector<double>& u) {
    auto loop = assembly::make_edge_loop(exec, list, strategy);
    linalg::Crs<Space> A = assembly::make_sparsity(exec, map);
    const auto there = to_space<Space>(u);
    assembly::assemble_edges(exec, loop, function, View<const double>(there), A);
    exec.synchronize();
    return columns(dense(A));
  }
};

template <int dim, class Exec>
void expect_products(Edges<Exec>& edges, const std::string& what) {
  const std::vector<double> u = random_nodal(edges.map.dofs, -1, 1, 1);
  const std::vector<double> v = random_nodal(Offset{edges.map.dofs} * dim, -1, 1, 2);
  const std::vector<double> w{0.5, -0.5, -1.5};
  const Products products(HostEdges(edges.list), dim, u, v, w);
  assembly::GroupFlux<dim, 1, assembly::LinearFlux<dim, 1>> flux{};
  for (int d = 0; d < dim; ++d) flux.flux.velocity[0][d] = w[d];
  const double stiff = 20 * largest(products.stiffness);
  for (const auto& entry : assembly::edge_strategies()) {
    const std::string label = what + " " + entry.name;
    const EdgeStrategy strategy = entry.strategy;
    expect_equal(edges.run(strategy, assembly::Laplacian<dim, 1>{}, u), products.laplacian, stiff, label);
    expect_equal(edges.run(strategy, assembly::ConsistentMass<dim>{}, u), products.mass, largest(products.mass), label);
    expect_equal(edges.run(strategy, flux, u), products.convected, 10 * largest(products.convected), label);
    expect_equal(edges.assemble(strategy, assembly::StiffnessMatrix<dim>{}, {}), products.stiffness, stiff, label);
    const std::vector<double> L = edges.assemble(strategy, assembly::DiscreteUpwinding<dim>{}, v);
    expect_equal(L, products.upwind, products.convection_size, label);
    expect_monotone(L, products, label);
  }
}

template <class Exec>
void expect_products_of(mesh::Mesh mesh, int order, const std::string& what) {
  Edges<Exec> edges(std::move(mesh), order);
  if (edges.mesh.dim == 1) expect_products<1>(edges, what);
  if (edges.mesh.dim == 2) expect_products<2>(edges, what);
  if (edges.mesh.dim == 3) expect_products<3>(edges, what);
}

TYPED_TEST(EdgeLoopOn, EqualsProductsOnEveryShapeAndOrder) {
  TESSERA_REQUIRE(TypeParam);
  for (const char* shape : {"interval", "triangle", "quad", "tet", "hex", "prism"})
    for (int order = 1; order <= 4; ++order) {
      const int dim = mesh::dimension(mesh::shape_from_name(shape));
      if (dim == 3 && order == 4 && shape != std::string("tet")) continue;
      mesh::Mesh mesh = prism_or_box(shape, order > 2 ? (dim == 3 ? 1 : 2) : dim == 3 ? 3 : 6);
      test_meshes::bend(mesh);
      expect_products_of<TypeParam>(mesh, order, std::string(shape) + " order " + std::to_string(order));
    }
}

TYPED_TEST(EdgeLoopOn, EqualsProductsOnMixedShuffledAndOneCellMeshes) {
  TESSERA_REQUIRE(TypeParam);
  for (int order = 1; order <= 2; ++order) {
    expect_products_of<TypeParam>(test_meshes::mixed_2d(), order, "mixed 2-D");
    expect_products_of<TypeParam>(test_meshes::mixed_3d(), order, "mixed 3-D");
    for (const char* shape : {"interval", "triangle", "quad", "tet", "hex", "prism"})
      expect_products_of<TypeParam>(one_cell(shape), order, std::string("one ") + shape);
  }
  for (const char* shape : {"triangle", "tet"}) {
    mesh::Mesh mesh = box(shape, shape == std::string("tet") ? 5 : 12);
    test_meshes::shuffle_nodes(mesh, 5);
    expect_products_of<TypeParam>(mesh, 1, std::string("shuffled ") + shape);
  }
}

TYPED_TEST(EdgeLoopOn, TheLaplacianIsTheAssemblersStiffness) {
  TESSERA_REQUIRE(TypeParam);
  for (const char* shape : {"interval", "triangle", "quad", "tet", "hex"})
    for (int order = 1; order <= 2; ++order) {
      mesh::Mesh mesh = box(shape, 3);
      deform(mesh);
      System<TypeParam> system(mesh, order);
      system.assemble({.region = {}, .k = constant(1), .c = {}, .f = {}});
      const std::vector<double> A = columns(system.matrix());
      Edges<TypeParam> edges(mesh, order);
      for (const auto& entry : assembly::edge_strategies()) {
        const std::vector<double> S = mesh.dim == 1 ? edges.assemble(entry.strategy, assembly::StiffnessMatrix<1>{}, {})
                                      : mesh.dim == 2
                                          ? edges.assemble(entry.strategy, assembly::StiffnessMatrix<2>{}, {})
                                          : edges.assemble(entry.strategy, assembly::StiffnessMatrix<3>{}, {});
        expect_equal(S, A, 10 * largest(A), shape);
      }
    }
}

TYPED_TEST(EdgeLoopOn, SeveralComponentsInColumns) {
  TESSERA_REQUIRE(TypeParam);
  auto check = [](auto function, mesh::Mesh mesh) {
    using F = decltype(function);
    Edges<TypeParam> edges(std::move(mesh), 1);
    const HostEdges matrices(edges.list);
    const Index nodes = edges.map.dofs;
    const std::vector<double> u = random_nodal(Offset{nodes} * F::inputs, -1, 1, 3);
    std::vector<double> expected;
    for (int c = 0; c < F::inputs; ++c) {  // each component is a scalar problem
      const std::vector<double> column(u.begin() + Offset{nodes} * c, u.begin() + Offset{nodes} * (c + 1));
      std::vector<double> w(3);
      for (int d = 0; d < 3; ++d) w[d] = 0.3 * c - 0.7 * d + 0.1;
      const Products products(matrices, F::dim, column, std::vector<double>(Offset{nodes} * F::dim), w);
      const bool convects = requires { function.flux; };
      const std::vector<double>& part = convects ? products.convected : products.laplacian;
      expected.insert(expected.end(), part.begin(), part.end());
      if constexpr (requires { function.flux; })
        for (int d = 0; d < F::dim; ++d) function.flux.velocity[c][d] = w[d];
    }
    for (const auto& entry : assembly::edge_strategies())
      expect_equal(edges.run(entry.strategy, function, u), expected, largest(expected) * 10, entry.name);
  };
  check(assembly::Laplacian<2, 4>{}, box("triangle", 7));
  check(assembly::Laplacian<3, 3>{}, box("tet", 4));
  check(assembly::Laplacian<3, 5>{}, box("hex", 3));
  check(assembly::GroupFlux<2, 4, assembly::LinearFlux<2, 4>>{}, box("quad", 7));
  check(assembly::GroupFlux<3, 5, assembly::LinearFlux<3, 5>>{}, box("tet", 4));
}

/// Density 1 to 2, pressure positive.
template <int dim>
std::vector<double> gas(Index nodes) {
  std::vector<double> u = random_nodal(Offset{nodes} * (dim + 2), 1, 2, 9);
  for (Index n = 0; n < nodes; ++n) u[Offset{nodes} * (dim + 1) + n] += 8;
  return u;
}

template <int dim, class Exec>
void expect_conservation(const char* shape, int cells) {
  Edges<Exec> edges(box(shape, cells), 1);
  const std::vector<double> u = gas<dim>(edges.map.dofs);
  const std::vector<double> reference = edges.run(EdgeStrategy::nodes, physics::euler::EulerRusanov<dim>{}, u);
  const std::size_t nodes = static_cast<std::size_t>(edges.map.dofs);
  for (const auto& entry : assembly::edge_strategies()) {
    const std::vector<double> f = edges.run(entry.strategy, physics::euler::EulerRusanov<dim>{}, u);
    expect_equal(f, reference, largest(reference), entry.name);
    for (int c = 0; c < dim + 2; ++c) {
      double sum = 0, size = 0;
      for (std::size_t n = 0; n < nodes; ++n) {
        sum += f[c * nodes + n];
        size += std::abs(f[c * nodes + n]);
      }
      EXPECT_LE(std::abs(sum), 1e-14 * size) << entry.name << " " << shape;
    }
  }
}

TYPED_TEST(EdgeLoopOn, FluxesAreConserved) {
  TESSERA_REQUIRE(TypeParam);
  expect_conservation<1, TypeParam>("interval", 50);
  expect_conservation<2, TypeParam>("triangle", 20);
  expect_conservation<3, TypeParam>("tet", 8);
}

TYPED_TEST(EdgeLoopOn, EulerRusanovKeepsAUniformFlowInside) {
  TESSERA_REQUIRE(TypeParam);
  Edges<TypeParam> edges(box("triangle", 8), 1);
  const Index nodes = edges.map.dofs;
  std::vector<double> u(Offset{nodes} * 4);
  const double state[4] = {1.2, 0.6, -0.3, 4.0};
  for (int c = 0; c < 4; ++c) std::fill_n(u.begin() + Offset{nodes} * c, nodes, state[c]);
  // R_i = -sum_j c_ij . F_j = 0; what the edges leave at the boundary is c_ii's share, zero inside.
  const std::vector<double> f = edges.run(EdgeStrategy::nodes, physics::euler::EulerRusanov<2>{}, u);
  for (Index n = 0; n < nodes; ++n) {
    const double* x = edges.mesh.point(n);
    if (x[0] <= 0 || x[0] >= 1 || x[1] <= 0 || x[1] >= 1) continue;
    for (int c = 0; c < 4; ++c) EXPECT_NEAR(f[Offset{nodes} * c + n], 0, 1e-14);
  }
}

TYPED_TEST(EdgeLoopOn, AllButAtomicRepeatBitwise) {
  TESSERA_REQUIRE(TypeParam);
  Edges<TypeParam> edges(box("tet", 12), 1);
  const std::vector<double> u = gas<3>(edges.map.dofs);
  const std::vector<double> v = random_nodal(Offset{edges.map.dofs} * 3, -1, 1, 4);
  for (const EdgeStrategy strategy : {EdgeStrategy::nodes, EdgeStrategy::two_pass, EdgeStrategy::colour}) {
    const std::vector<double> first = edges.run(strategy, physics::euler::EulerRusanov<3>{}, u);
    auto loop = assembly::make_edge_loop(edges.exec, edges.list, strategy);
    for (int repeat = 0; repeat < 3; ++repeat)
      EXPECT_EQ(edges.run(loop, physics::euler::EulerRusanov<3>{}, u), first) << assembly::name(strategy);
    // A function with more contributions on the same loop, then the first again.
    edges.run(loop, assembly::GroupFlux<3, 5, assembly::LinearFlux<3, 5>>{}, u);
    EXPECT_EQ(edges.run(loop, physics::euler::EulerRusanov<3>{}, u), first) << assembly::name(strategy);
  }
}

TEST(EdgeLoopThreads, ResultsDoNotDependOnTheirNumber) {
  const mesh::Mesh mesh = box("tet", 12);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 1);
  const std::vector<double> u = gas<3>(map.dofs);
  for (const EdgeStrategy strategy : {EdgeStrategy::nodes, EdgeStrategy::two_pass, EdgeStrategy::colour}) {
    std::vector<std::vector<double>> results;
    for (const int threads : {1, 2, 5}) {
      Threads exec(threads);
      const auto edges = assembly::make_edges(exec, mesh, map);
      auto loop = assembly::make_edge_loop(exec, edges, strategy);
      const auto there = to_space<Host>(u);
      Array<double> f(Offset{map.dofs} * 5);
      assembly::run_edges(exec, loop, physics::euler::EulerRusanov<3>{}, View<const double>(there), f.view());
      results.push_back(to_vector(f));
    }
    EXPECT_EQ(results[0], results[1]) << assembly::name(strategy);
    EXPECT_EQ(results[0], results[2]) << assembly::name(strategy);
  }
}

TYPED_TEST(EdgeLoopOn, ColoursShareNoNode) {
  TESSERA_REQUIRE(TypeParam);
  Edges<TypeParam> edges(box("tet", 12), 1);
  const auto loop = assembly::make_edge_loop(edges.exec, edges.list, EdgeStrategy::colour);
  const bool by_edge = loop.chunks.empty();
  const auto i = to_vector(by_edge ? loop.coloured.i : edges.list.i);
  const auto j = to_vector(by_edge ? loop.coloured.j : edges.list.j);
  ASSERT_GT(loop.colours(), 1);
  std::vector<int> seen(i.size(), 0);
  for (int c = 0; c < loop.colours(); ++c) {
    std::vector<Offset> owner(edges.map.dofs, -1);
    for (Offset m = loop.colour_ptr[c]; m < loop.colour_ptr[c + 1]; ++m) {
      const Offset first = by_edge ? m : Offset{loop.chunks[m]} * loop.chunk_edges;
      const Offset last = by_edge ? m + 1 : std::min<Offset>(edges.list.edges, first + loop.chunk_edges);
      for (Offset e = first; e < last; ++e) {
        ++seen[e];
        for (const Index node : {i[e], j[e]}) {
          ASSERT_TRUE(owner[node] == -1 || owner[node] == m) << "two of colour " << c << " share node " << node;
          owner[node] = m;
        }
      }
    }
  }
  EXPECT_EQ(seen, std::vector<int>(i.size(), 1));
}

TYPED_TEST(EdgeLoopOn, RefreshTakesOverNewCoefficients) {
  TESSERA_REQUIRE(TypeParam);
  TypeParam exec;
  mesh::Mesh mesh = box("triangle", 9);
  const assembly::DofMap map = assembly::make_dof_map(mesh, 1);
  assembly::EdgeBuilder<TypeParam> builder(exec, mesh, map);
  auto edges = builder.make();
  const auto u = to_space<typename TypeParam::Space>(gas<2>(map.dofs));
  for (const auto& entry : assembly::edge_strategies()) {
    if (entry.strategy == EdgeStrategy::atomic) continue;
    Array<double, typename TypeParam::Space> refreshed(Offset{map.dofs} * 4), fresh(Offset{map.dofs} * 4);
    auto loop = assembly::make_edge_loop(exec, edges, entry.strategy);
    test_meshes::bend(mesh);
    builder.refill(edges);
    assembly::refresh_edge_loop(exec, loop);
    assembly::run_edges(exec, loop, physics::euler::EulerRusanov<2>{}, View<const double>(u), refreshed.view());
    auto again = assembly::make_edge_loop(exec, edges, entry.strategy);
    assembly::run_edges(exec, again, physics::euler::EulerRusanov<2>{}, View<const double>(u), fresh.view());
    exec.synchronize();
    EXPECT_EQ(to_vector(refreshed), to_vector(fresh)) << entry.name;
  }
}

TYPED_TEST(EdgeLoopOn, SlicedLayoutsAreFilledDirectly) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  Edges<TypeParam> edges(box("tet", 5), 1);
  const std::vector<double> expected = edges.assemble(EdgeStrategy::nodes, assembly::StiffnessMatrix<3>{}, {});
  const auto pattern = assembly::make_sparsity(edges.exec, edges.map);
  const auto row_ptr = to_vector(pattern.row_ptr);
  const auto col_ind = to_vector(pattern.col_ind);
  constexpr Index slice = 32;
  std::vector<Offset> starts{0};
  for (Index first = 0; first < edges.map.dofs; first += slice) {
    Offset longest = 0;
    for (Index r = first; r < std::min(edges.map.dofs, first + slice); ++r)
      longest = std::max(longest, row_ptr[r + 1] - row_ptr[r]);
    starts.push_back(starts.back() + longest * slice);
  }
  const auto starts_there = to_space<Space>(starts);
  for (const auto& entry : assembly::edge_strategies()) {
    const auto values = to_space<Space>(std::vector<double>(starts.back(), -7.0));
    Array<double, Space> filled(values.size());
    copy(values, filled);
    auto loop = assembly::make_edge_loop(edges.exec, edges.list, entry.strategy);
    const linalg::RowLayout there{starts_there.data(), slice}, here{starts.data(), slice};
    assembly::assemble_edges(edges.exec, loop, assembly::StiffnessMatrix<3>{}, View<const double>(), there,
                             filled.view());
    edges.exec.synchronize();
    const auto result = to_vector(filled);
    std::vector<double> padding = result;
    for (Index r = 0; r < edges.map.dofs; ++r)
      for (Offset k = row_ptr[r]; k < row_ptr[r + 1]; ++k) {
        const Offset place = here.first(r) + (k - row_ptr[r]) * here.step();
        EXPECT_NEAR(result[place], expected[Offset{col_ind[k]} * edges.map.dofs + r], 1e-14) << entry.name;
        padding[place] = -7;
      }
    EXPECT_EQ(padding, std::vector<double>(starts.back(), -7.0)) << "padding was touched";
  }
}

TYPED_TEST(EdgeLoopOn, AnEmptyMeshHasNothingToDo) {
  TESSERA_REQUIRE(TypeParam);
  Edges<TypeParam> edges(mesh::Mesh{}, 1);
  for (const auto& entry : assembly::edge_strategies()) {
    EXPECT_EQ(edges.run(entry.strategy, physics::euler::EulerRusanov<3>{}, {}).size(), 0);
    EXPECT_EQ(edges.assemble(entry.strategy, assembly::DiscreteUpwinding<3>{}, {}).size(), 0);
  }
}

TYPED_TEST(EdgeLoopOn, WrongSizesAreRefused) {
  TESSERA_REQUIRE(TypeParam);
  using Space = typename TypeParam::Space;
  Edges<TypeParam> edges(box("triangle", 2), 1);
  auto loop = assembly::make_edge_loop(edges.exec, edges.list, EdgeStrategy::nodes);
  Array<double, Space> right(9), wrong(8);
  const View<const double> u(right.view()), short_u(wrong.view());
  EXPECT_THROW(assembly::run_edges(edges.exec, loop, assembly::Laplacian<2, 1>{}, short_u, right.view()), Error);
  EXPECT_THROW(assembly::run_edges(edges.exec, loop, assembly::Laplacian<2, 1>{}, u, wrong.view()), Error);
  EXPECT_THROW(assembly::run_edges(edges.exec, loop, assembly::Laplacian<3, 1>{}, u, right.view()), Error);
  EXPECT_THROW(assembly::assemble_edges(edges.exec, loop, assembly::StiffnessMatrix<2>{}, View<const double>(), {},
                                        wrong.view()),
               Error);
  EXPECT_THROW(assembly::edge_strategy_from_name("node"), Error);
  for (const auto& entry : assembly::edge_strategies())
    EXPECT_EQ(assembly::edge_strategy_from_name(entry.name), entry.strategy);
}

}  // namespace
}  // namespace tessera::testing
