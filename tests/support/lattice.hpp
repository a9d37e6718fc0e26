#pragma once
#include <vector>

#include "mesh/mesh.hpp"

namespace tessera::testing {

/// Equispaced nodes of a Lagrange cell in Gmsh's reference cell, in lexicographic order: an order that is not VTK's.
inline std::vector<double> lattice(mesh::Shape shape, int order) {
  std::vector<double> points;
  auto unit = [&](int i) { return static_cast<double>(i) / order; };
  auto symmetric = [&](int i) { return 2.0 * i / order - 1; };
  const int dim = mesh::dimension(shape);
  const int kmax = dim > 2 ? order : 0, jmax = dim > 1 ? order : 0;
  for (int k = 0; k <= kmax; ++k)
    for (int j = 0; j <= jmax; ++j)
      for (int i = 0; i <= order; ++i) {
        if (shape == mesh::Shape::triangle && i + j > order) continue;
        if (shape == mesh::Shape::tet && i + j + k > order) continue;
        if (shape == mesh::Shape::prism && i + j > order) continue;
        const bool simplex = shape == mesh::Shape::triangle || shape == mesh::Shape::tet || shape == mesh::Shape::prism;
        points.push_back(simplex ? unit(i) : symmetric(i));
        if (dim > 1) points.push_back(simplex ? unit(j) : symmetric(j));
        if (dim > 2) points.push_back(shape == mesh::Shape::tet ? unit(k) : symmetric(k));
      }
  return points;
}

}  // namespace tessera::testing
