#pragma once
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "mesh/box.hpp"
#include "mesh/facets.hpp"
#include "mesh/mesh.hpp"

namespace tessera::mesh::testing {

/// Every shape of cell.
inline const std::vector<Shape> cell_shapes{Shape::interval, Shape::triangle, Shape::quad,
                                            Shape::tet,      Shape::hex,      Shape::prism};

/// The unit box, n, n+1, n+2 intervals along its axes.
inline Mesh unit_box(Shape shape, int n, int order = 1) {
  const std::size_t dim = static_cast<std::size_t>(dimension(shape));
  BoxParams params;
  params.shape = name(shape);
  params.min.assign(dim, 0.0);
  params.max.assign(dim, 1.0);
  params.cells.clear();
  for (std::size_t d = 0; d < dim; ++d) params.cells.push_back(n + static_cast<int>(d));
  return make_box(params, order);
}

/// A hex, a prism on its side x = 1 and a tet on the prism's top: volume 1 + 1/2 + 1/6, 9 + 1 vertices.
inline Mesh mixed_mesh() {
  Mesh mesh;
  mesh.points = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 2, 0, 0, 2, 0, 1, 1, 0, 2};
  mesh.blocks = {{Shape::hex, 1, 8, {0, 1, 2, 3, 4, 5, 6, 7}, 0},
                 {Shape::prism, 1, 6, {1, 8, 2, 5, 9, 6}, 1},
                 {Shape::tet, 1, 4, {5, 9, 6, 10}, 2}};
  set_facets(mesh, {{"between", {{5, 1, 6, 2}, {5, 9, 6, -1}}}, {"bottom", {{0, 1, 2, 3}, {1, 8, 2, -1}}}});
  mesh.groups.push_back({"solid", 3, {0, 1, 2}, {}});
  mesh.groups.push_back({"wire", 1, {}, {0, 1, 1, 8}});
  mesh.groups.push_back({"tip", 0, {}, {10}});
  return mesh;
}

/// A permutation of 0..n-1 that looks random and is the same everywhere.
inline std::vector<Index> shuffled(Index n) {
  std::vector<Index> p(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) p[i] = i;
  std::mt19937 random(7);
  for (Index i = n - 1; i > 0; --i) std::swap(p[i], p[random() % static_cast<unsigned>(i + 1)]);
  return p;
}

}  // namespace tessera::mesh::testing
