#include "mesh/numbering.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <utility>

#include "base/thread_limit.hpp"
#include "mesh/geometry.hpp"
#include "mesh/quality.hpp"
#include "meshes.hpp"

namespace tessera::mesh {
namespace {

/// What no numbering changes.
void expect_same_mesh(const Mesh& a, const Mesh& b) {
  EXPECT_EQ(a.nodes(), b.nodes());
  EXPECT_NEAR(measure(a), measure(b), 1e-12);
  EXPECT_NEAR(quality(a).min, quality(b).min, 1e-12);
  ASSERT_EQ(a.groups.size(), b.groups.size());
  for (std::size_t g = 0; g < a.groups.size(); ++g) {
    if (a.groups[g].dim >= a.dim - 1) {
      EXPECT_NEAR(measure(a, a.groups[g]), measure(b, b.groups[g]), 1e-12);
    }
    EXPECT_TRUE(std::is_sorted(b.groups[g].entities.begin(), b.groups[g].entities.end()));
    for (std::size_t v = 0; v < a.groups[g].vertices.size(); ++v)
      for (int d = 0; d < 3; ++d) EXPECT_EQ(a.point(a.groups[g].vertices[v])[d], b.point(b.groups[g].vertices[v])[d]);
  }
  Mesh searched = b;
  find_exterior_facets(searched);
  EXPECT_EQ(searched.facets.cell, b.facets.cell);
  EXPECT_EQ(searched.facets.side, b.facets.side);
  EXPECT_EQ(searched.facets.exterior, b.facets.exterior);
}

TEST(Numbering, EveryNumberingLeavesTheMeshTheSame) {
  for (Shape shape : testing::cell_shapes)
    for (int order : {1, 2}) {
      const Mesh mesh = testing::unit_box(shape, 4, order);
      Mesh shuffled = mesh, cm, nd;
      renumber_nodes(shuffled, testing::shuffled(mesh.nodes()));
      expect_same_mesh(mesh, shuffled);
      renumber_rcm(cm = shuffled);
      expect_same_mesh(mesh, cm);
      renumber_metis(nd = shuffled);
      expect_same_mesh(mesh, nd);
      EXPECT_LE(spread(cm).bandwidth, spread(shuffled).bandwidth);
    }
}

TEST(Numbering, InteriorFacetsStayWithTheirLowerCell) {
  Mesh tets = testing::unit_box(Shape::tet, 3);
  tets.facets = {};
  std::erase_if(tets.groups, [](const Group& g) { return g.dim == 2; });
  std::vector<FacetVertices> inner;
  for (Index c = 0; c < tets.cells(); c += 5) inner.push_back(side_vertices(tets, c, 1));
  set_facets(tets, {{"some", inner}});
  Mesh mixed = testing::mixed_mesh();
  for (const Mesh& mesh : {tets, mixed}) {
    Mesh other = mesh;
    renumber_nodes(other, testing::shuffled(mesh.nodes()));
    expect_same_mesh(mesh, other);
  }
}

TEST(Numbering, RcmFindsTheBandwidthOfALineAndOfAGrid) {
  Mesh line = testing::unit_box(Shape::interval, 200);
  renumber_nodes(line, testing::shuffled(line.nodes()));
  EXPECT_GT(spread(line).bandwidth, 50);
  renumber_rcm(line);
  EXPECT_EQ(spread(line).bandwidth, 1);
  Mesh grid = testing::unit_box(Shape::triangle, 30);
  renumber_nodes(grid, testing::shuffled(grid.nodes()));
  const Spread before = spread(grid);
  renumber_rcm(grid);
  EXPECT_LE(spread(grid).bandwidth, 64);  // the diagonal of a 31 x 32 grid, give or take
  EXPECT_LT(spread(grid).profile, before.profile / 5);
}

/// Cuthill and McKee's walk from a node, by one thread; `widest`: the nodes of its widest level.
std::vector<Index> cuthill_mckee(const Adjacency& graph, Index start, std::size_t& widest) {
  std::vector<Index> order{start};
  std::vector<char> seen(static_cast<std::size_t>(graph.size()));
  seen[start] = 1;
  const auto by_degree = [&](Index a, Index b) {
    return std::pair(graph[a].size(), a) < std::pair(graph[b].size(), b);
  };
  for (std::size_t head = 0, end_of_level = 1; head < order.size(); ++head) {
    if (head == end_of_level) {
      widest = std::max(widest, order.size() - end_of_level);
      end_of_level = order.size();
    }
    const auto before = static_cast<std::ptrdiff_t>(order.size());
    for (const Index v : graph[order[head]])
      if (!std::exchange(seen[v], 1)) order.push_back(v);
    std::sort(order.begin() + before, order.end(), by_degree);
  }
  return order;
}

TEST(Numbering, RcmOfManyThreadsIsTheWalkOfOne) {
  const ThreadLimit several(3);
  Mesh cube = testing::unit_box(Shape::hex, 40);
  renumber_nodes(cube, testing::shuffled(cube.nodes()));
  const Adjacency graph = node_nodes(cube);
  const std::vector<Index> numbers = rcm(graph);
  const Index n = graph.size();
  const auto start = static_cast<Index>(std::find(numbers.begin(), numbers.end(), n - 1) - numbers.begin());
  std::size_t widest = 0;
  const std::vector<Index> order = cuthill_mckee(graph, start, widest);
  EXPECT_GT(widest, 4096u) << "no level that several threads walk";
  ASSERT_EQ(order.size(), static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) ASSERT_EQ(numbers[order[i]], n - 1 - i);
}

TEST(Numbering, GroupsOfManyCellsStaySorted) {
  Mesh cube = testing::unit_box(Shape::hex, 42);
  const auto all = std::find_if(cube.groups.begin(), cube.groups.end(), [](const Group& g) { return g.dim == 3; });
  ASSERT_NE(all, cube.groups.end());
  ASSERT_EQ(all->entities.size(), static_cast<std::size_t>(cube.cells()));
  std::erase_if(all->entities, [](Index cell) { return cell % 16 == 3; });
  ASSERT_GT(all->entities.size(), std::size_t{1} << 16);
  Mesh other = cube;
  renumber_nodes(other, testing::shuffled(cube.nodes()));
  expect_same_mesh(cube, other);
}

TEST(Numbering, PermutationsAreValidAndRepeatable) {
  // Two components and a lone node.
  const Adjacency graph{{0, 1, 2, 3, 4, 4}, {1, 0, 3, 2}};
  EXPECT_TRUE(is_permutation(rcm(graph)));
  EXPECT_EQ(rcm(graph), rcm(graph));
  EXPECT_TRUE(is_permutation(nested_dissection(graph)));
  EXPECT_FALSE(is_permutation(std::vector<Index>{0, 0, 1}));
  EXPECT_FALSE(is_permutation(std::vector<Index>{0, 3, 1}));
}

volatile std::sig_atomic_t terms = 0;

TEST(Numbering, MetisLeavesSignalsToTheProgram) {
  const Adjacency graph = node_nodes(testing::unit_box(Shape::hex, 12));
  auto* old = std::signal(SIGTERM, [](int) { terms = terms + 1; });
  terms = 0;
  const auto ask = [] {
    if (terms == 0) std::raise(SIGTERM);  // while METIS works
    return false;
  };
  EXPECT_TRUE(is_permutation(nested_dissection(graph, ask)));
  EXPECT_EQ(terms, 1);
  std::signal(SIGTERM, old);
  ExitCode code = ExitCode::ok;
  try {
    nested_dissection(graph, [] { return true; });
  } catch (const Error& error) {
    code = error.code();
  }
  EXPECT_EQ(code, ExitCode::interrupted);
}

}  // namespace
}  // namespace tessera::mesh
