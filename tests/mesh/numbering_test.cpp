#include "mesh/numbering.hpp"

#include <gtest/gtest.h>

#include <csignal>

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
