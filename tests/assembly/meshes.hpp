#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "assembly/space/element.hpp"
#include "mesh/box.hpp"
#include "mesh/mesh.hpp"

/// Small meshes whose orientations and numberings are anything but regular.
namespace tessera::test_meshes {

inline mesh::Mesh box(mesh::Shape shape, std::vector<int> cells, int order = 1) {
  mesh::BoxParams params;
  params.shape = mesh::name(shape);
  params.cells = std::move(cells);
  params.min.resize(params.cells.size());
  params.max.resize(params.cells.size());
  return mesh::make_box(params, order);
}

inline mesh::Mesh box(mesh::Shape shape, int cells, int order = 1) {
  return box(shape, std::vector<int>(mesh::dimension(shape), cells), order);
}

/// Renumbers the nodes at random.
inline void shuffle_nodes(mesh::Mesh& mesh, unsigned seed) {
  std::vector<Index> to(mesh.nodes());
  std::iota(to.begin(), to.end(), 0);
  std::shuffle(to.begin(), to.end(), std::mt19937(seed));
  std::vector<double> points(mesh.points.size());
  for (Index n = 0; n < mesh.nodes(); ++n) std::copy_n(mesh.point(n), 3, &points[3 * std::size_t(to[n])]);
  mesh.points = points;
  for (auto& block : mesh.blocks)
    for (Index& node : block.nodes) node = to[node];
  for (auto& group : mesh.groups)
    for (Index& node : group.vertices) node = to[node];
}

/// Turns the vertices of every cell of an order-1 mesh by a random rotation of its shape; facets are dropped.
inline void turn_cells(mesh::Mesh& mesh, unsigned seed) {
  using mesh::Shape;
  std::mt19937 random(seed);
  for (auto& block : mesh.blocks) {
    std::vector<std::vector<int>> turns;
    switch (block.shape) {
      case Shape::triangle: turns = {{1, 2, 0}}; break;
      case Shape::quad: turns = {{1, 2, 3, 0}}; break;
      case Shape::tet: turns = {{1, 2, 0, 3}, {0, 2, 3, 1}}; break;
      case Shape::hex: turns = {{1, 2, 3, 0, 5, 6, 7, 4}, {4, 5, 1, 0, 7, 6, 2, 3}}; break;
      case Shape::prism: turns = {{1, 2, 0, 4, 5, 3}, {3, 5, 4, 0, 2, 1}}; break;
      default: break;
    }
    if (turns.empty()) continue;
    for (Index c = 0; c < block.cells(); ++c)
      for (int times = int(random() % 6); times > 0; --times) {
        const auto& turn = turns[random() % turns.size()];
        const std::vector<Index> old(block.cell(c), block.cell(c) + block.nodes_per_cell);
        for (int v = 0; v < block.nodes_per_cell; ++v)
          block.nodes[std::size_t(c) * block.nodes_per_cell + v] = old[turn[v]];
      }
  }
  mesh.facets = {};
  mesh.groups.clear();
}

/// Bends the mesh smoothly; cells of geometric order 2 become curved.
inline void bend(mesh::Mesh& mesh, double amount = 0.1) {
  for (Index n = 0; n < mesh.nodes(); ++n) {
    double* x = &mesh.points[3 * std::size_t(n)];
    const double s = std::sin(3 * x[0] + 2 * x[1] + x[2]);
    for (int axis = 0; axis < mesh.dim; ++axis) x[axis] += amount * s * (axis + 1) / 3;
  }
}

/// A hex, a prism on its right, and a tet on the prism's back.
inline mesh::Mesh mixed_3d() {
  mesh::Mesh mesh;
  mesh.points = {0, 0,   0, 1, 0,   0, 1,   1,   0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1,  // the hex
                 2, 0.5, 0, 2, 0.5, 1, 1.3, 0.5, 2};
  mesh.blocks = {{mesh::Shape::hex, 1, 8, {0, 1, 2, 3, 4, 5, 6, 7}, 0},
                 {mesh::Shape::prism, 1, 6, {1, 8, 2, 5, 9, 6}, 1},
                 {mesh::Shape::tet, 1, 4, {5, 9, 6, 10}, 2}};
  return mesh;
}

/// Triangles around a vertex, or tets around an edge: rows as long as there are cells. Every other cell is turned over.
inline mesh::Mesh fan(int dim, int cells) {
  mesh::Mesh mesh;
  mesh.dim = dim;
  const int hub = dim - 1;  // vertices that all cells share
  mesh.points = {0, 0, 0};
  if (dim == 3) mesh.points.insert(mesh.points.end(), {0.1, 0.2, 1});
  for (int k = 0; k < cells; ++k) {
    const double angle = 2 * M_PI * k / cells, radius = 1 + 0.3 * std::sin(5 * k);
    const double point[] = {radius * std::cos(angle), radius * std::sin(angle), dim == 3 ? 0.4 + 0.1 * std::cos(k) : 0};
    mesh.points.insert(mesh.points.end(), point, point + 3);
  }
  mesh::CellBlock block;
  block.shape = dim == 2 ? mesh::Shape::triangle : mesh::Shape::tet;
  block.nodes_per_cell = dim + 1;
  for (int k = 0; k < cells; ++k) {
    Index ring[] = {Index(hub + k), Index(hub + (k + 1) % cells)};
    if (k % 2) std::swap(ring[0], ring[1]);
    for (int h = 0; h < hub; ++h) block.nodes.push_back(h);
    block.nodes.insert(block.nodes.end(), ring, ring + 2);
  }
  mesh.blocks.push_back(block);
  return mesh;
}

/// Two quads with two triangles on their right.
inline mesh::Mesh mixed_2d() {
  mesh::Mesh mesh;
  mesh.dim = 2;
  mesh.points = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0, 1, 2, 0, 2, 1, 0};
  mesh.blocks = {{mesh::Shape::quad, 1, 4, {0, 1, 3, 2, 2, 3, 5, 4}, 0},
                 {mesh::Shape::triangle, 1, 3, {1, 6, 3, 3, 6, 5}, 2}};
  return mesh;
}

}  // namespace tessera::test_meshes
