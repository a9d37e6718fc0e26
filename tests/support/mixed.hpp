#pragma once
// Conforming meshes of several shapes, with inner nodes on both sides of every interface.
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "mesh/box.hpp"
#include "mesh/facets.hpp"
#include "mesh/params.hpp"

namespace tessera::testing {

/// Order-1 meshes that meet node on node, as one mesh; nodes at the same place become one.
inline mesh::Mesh joined(const std::vector<mesh::Mesh>& parts) {
  mesh::Mesh mesh;
  mesh.dim = parts.front().dim;
  std::map<std::array<long, 3>, Index> numbers;
  Index first_cell = 0;
  for (const mesh::Mesh& part : parts) {
    std::vector<Index> to(static_cast<std::size_t>(part.nodes()));
    for (Index node = 0; node < part.nodes(); ++node) {
      const double* x = part.point(node);
      const std::array<long, 3> place{std::lround(x[0] * 1e9), std::lround(x[1] * 1e9), std::lround(x[2] * 1e9)};
      const auto [entry, is_new] = numbers.try_emplace(place, mesh.nodes());
      if (is_new) mesh.points.insert(mesh.points.end(), x, x + 3);
      to[node] = entry->second;
    }
    for (mesh::CellBlock block : part.blocks) {
      for (Index& node : block.nodes) node = to[node];
      block.first_cell = first_cell;
      first_cell += block.cells();
      mesh.blocks.push_back(std::move(block));
    }
  }
  mesh::find_exterior_facets(mesh);
  return mesh;
}

inline mesh::Mesh part(const std::string& shape, std::vector<double> min, std::vector<double> max,
                       std::vector<int> cells) {
  mesh::BoxParams params;
  params.shape = shape;
  params.min = std::move(min);
  params.max = std::move(max);
  params.cells = std::move(cells);
  return mesh::make_box(params);
}

/// The unit square: quads on the left, triangles on the right. n is even.
inline mesh::Mesh quads_and_triangles(int n) {
  return joined({part("quad", {0, 0}, {0.5, 1}, {n / 2, n}), part("triangle", {0.5, 0}, {1, 1}, {n / 2, n})});
}

/// The unit cube without its part x < 1/2, z > 1/2: hexes, prisms on their right, tets on top of the prisms. n is even.
/// Volume 3/4, surface 11/2.
inline mesh::Mesh hexes_prisms_and_tets(int n) {
  const std::vector<int> cells{n / 2, n, n / 2};
  return joined({part("hex", {0, 0, 0}, {0.5, 1, 0.5}, cells), part("prism", {0.5, 0, 0}, {1, 1, 0.5}, cells),
                 part("tet", {0.5, 0, 0.5}, {1, 1, 1}, cells)});
}

}  // namespace tessera::testing
