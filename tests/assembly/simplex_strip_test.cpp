// The walk over the cells around a vertex: whatever stands there, every cell comes once and is made of its vertices.
#include "assembly/cells/simplex_strip.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <vector>

#include "assembly/meshes.hpp"

namespace tessera::testing {
namespace {

using assembly::StripCell;
using assembly::StripWalk;

/// The other vertices of each cell around a vertex.
template <int dim>
using Star = std::vector<std::array<int, dim>>;

template <class Vertices>
Vertices sorted(Vertices vertices) {
  std::sort(vertices.begin(), vertices.end());
  return vertices;
}

/// Walks and does what the words say, nothing else. Returns the number of pushes without a cell.
template <int dim>
int expect_every_cell_once(const Star<dim>& star) {
  StripWalk<dim> walk;
  for (const auto& cell : star) {
    StripCell<dim> there;
    for (int a = 0; a < dim; ++a) there.set(a, cell[a]);
    walk.add(there);
  }
  std::array<int, dim> held;
  held.fill(-1);
  std::vector<int> visits(star.size(), 0);
  int pushes = 0, without_cell = 0;
  const int steps = walk.walk([&](int cell, std::uint16_t word) {
    const bool drops_second = word & assembly::strip_drops_second;
    std::vector<int> now(held.begin(), held.end());
    now.erase(now.begin() + (drops_second ? 1 : 0));
    now.push_back(word & assembly::strip_column);
    std::copy(now.begin(), now.end(), held.begin());
    EXPECT_TRUE(dim == 3 || !drops_second);
    EXPECT_EQ(cell < 0, (word & assembly::strip_no_cell) != 0);
    EXPECT_TRUE(pushes >= dim - 1 || cell < 0) << "the first vertices make no cell";
    ++pushes;
    if (cell < 0) {
      ++without_cell;
      return;
    }
    ASSERT_LT(cell, static_cast<int>(star.size()));
    ++visits[cell];
    EXPECT_EQ(sorted(held), sorted(star[cell]));
  });
  EXPECT_EQ(steps, pushes);
  EXPECT_EQ(visits, std::vector<int>(star.size(), 1));
  EXPECT_LE(steps, dim * static_cast<int>(star.size()));
  return without_cell;
}

/// The same for the cells in any order, with any numbering; returns the most pushes without a cell.
template <int dim>
int expect_in_any_order(Star<dim> star) {
  std::mt19937 random(5);
  int most = 0;
  for (int trial = 0; trial < 50; ++trial) {
    most = std::max(most, expect_every_cell_once<dim>(star));
    std::vector<int> number(1000);
    std::iota(number.begin(), number.end(), 0);
    std::shuffle(number.begin(), number.end(), random);
    std::shuffle(star.begin(), star.end(), random);
    for (auto& cell : star) {
      for (int& vertex : cell) vertex = number[vertex];
      std::shuffle(cell.begin(), cell.end(), random);
    }
  }
  return most;
}

/// The sides of an octahedron; its vertices are numbered from `first`, but for the first, which is `top`.
void add_octahedron(Star<3>& star, int top, int first) {
  for (const int x : {top, first + 1})
    for (const int y : {first + 2, first + 3})
      for (const int z : {first + 4, first + 5}) star.push_back({x, y, z});
}

/// Triangles between `rings` circles of `n` vertices: an annulus.
Star<3> annulus(int rings, int n) {
  Star<3> star;
  for (int r = 0; r + 1 < rings; ++r)
    for (int k = 0; k < n; ++k) {
      const int a = r * n + k, b = r * n + (k + 1) % n;
      star.push_back({a, b, a + n});
      star.push_back({b, b + n, a + n});
    }
  return star;
}

TEST(SimplexStrip, OfTriangles) {
  EXPECT_EQ(expect_in_any_order<2>({}), 0);
  EXPECT_EQ(expect_in_any_order<2>({{0, 1}}), 1);
  Star<2> fan;
  for (int k = 0; k < 7; ++k) fan.push_back({k, k + 1});
  EXPECT_EQ(expect_in_any_order<2>(fan), 1) << "open, begun at an end";
  fan.push_back({7, 0});
  EXPECT_EQ(expect_in_any_order<2>(fan), 1) << "closed";
  fan.push_back({8, 9});
  fan.push_back({9, 10});
  EXPECT_EQ(expect_in_any_order<2>(fan), 2) << "two fans that touch in the vertex";
  expect_in_any_order<2>({{0, 1}, {0, 2}, {0, 3}, {0, 4}});  // no surface
  expect_in_any_order<2>({{0, 1}, {1, 0}, {1, 2}});          // one twice
}

TEST(SimplexStrip, OfIntervals) {
  EXPECT_EQ(expect_in_any_order<1>({}), 0);
  EXPECT_EQ(expect_in_any_order<1>({{0}}), 0);
  EXPECT_EQ(expect_in_any_order<1>({{0}, {1}}), 0);
  EXPECT_EQ(expect_in_any_order<1>({{0}, {1}, {2}, {3}, {4}}), 0) << "a star";
}

TEST(SimplexStrip, OfTetsAroundAnInnerVertex) {
  Star<3> star;
  add_octahedron(star, 0, 0);
  EXPECT_LE(expect_in_any_order<3>(star), 3);
  expect_in_any_order<3>(annulus(4, 20));
}

TEST(SimplexStrip, OfTetsAroundAVertexOfTheBoundary) {
  EXPECT_EQ(expect_in_any_order<3>({}), 0);
  EXPECT_EQ(expect_in_any_order<3>({{0, 1, 2}}), 2);
  EXPECT_EQ(expect_in_any_order<3>({{0, 1, 2}, {1, 2, 3}}), 2);
  Star<3> disk;
  for (int k = 0; k < 6; ++k) disk.push_back({0, 1 + k, 1 + (k + 1) % 6});
  EXPECT_EQ(expect_in_any_order<3>(disk), 2);
}

TEST(SimplexStrip, OfTetsWhereTheMeshTouchesItself) {
  Star<3> spheres;
  add_octahedron(spheres, 0, 0);
  add_octahedron(spheres, 0, 10);
  expect_in_any_order<3>(spheres);  // in an edge
  add_octahedron(spheres, 20, 20);
  expect_in_any_order<3>(spheres);                                       // in the vertex
  expect_in_any_order<3>({{0, 1, 2}, {0, 1, 3}, {0, 1, 4}, {0, 1, 5}});  // four in a triangle
  expect_in_any_order<3>({{0, 1, 2}, {0, 1, 2}, {1, 2, 3}});             // one twice
  expect_in_any_order<3>({{0, 1, 2}, {0, 3, 4}, {0, 5, 6}, {7, 8, 9}});
}

TEST(SimplexStrip, OfAnyTriangles) {
  std::mt19937 random(9);
  for (const int vertices : {5, 9, 40})
    for (const int cells : {1, 10, 60, assembly::most_strip_cells}) {
      Star<3> star;
      while (static_cast<int>(star.size()) < cells) {
        const int a = random() % vertices, b = random() % vertices, c = random() % vertices;
        if (a != b && b != c && a != c) star.push_back({a, b, c});
      }
      expect_every_cell_once<3>(star);
      Star<2> flat;
      for (const auto& cell : star) flat.push_back({cell[0], cell[1]});
      expect_every_cell_once<2>(flat);
    }
}

/// The cells around every vertex of a mesh, numbered by the vertices of the mesh.
template <int dim>
std::vector<Star<dim>> stars(const mesh::Mesh& mesh) {
  std::vector<Star<dim>> result(mesh.nodes());
  const mesh::CellBlock& block = mesh.blocks[0];
  for (Index cell = 0; cell < block.cells(); ++cell)
    for (int own = 0; own <= dim; ++own) {
      std::array<int, dim> others;
      for (int a = 0; a < dim; ++a) others[a] = block.cell(cell)[a < own ? a : a + 1];
      result[block.cell(cell)[own]].push_back(others);
    }
  return result;
}

/// On the meshes that boxes are cut into nothing is pushed in vain: 26 steps for 24 tets.
TEST(SimplexStrip, OfBoxesIsWhole) {
  for (const auto& star : stars<3>(test_meshes::box(mesh::Shape::tet, 4)))
    EXPECT_EQ(expect_every_cell_once<3>(star), 2);
  for (const auto& star : stars<2>(test_meshes::box(mesh::Shape::triangle, 8)))
    EXPECT_EQ(expect_every_cell_once<2>(star), 1);
}

}  // namespace
}  // namespace tessera::testing
