#include "mesh/node_orders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "mesh/gmsh_types.hpp"

namespace tessera::mesh {

namespace {

/// Gmsh's nodes of a type of order 1 or 2 beyond the vertices (Gmsh manual, "Node ordering").
VertexSets gmsh_sets(const GmshType& type) {
  if (type.pyramid()) {
    VertexSets sets{{0, 1}, {0, 3}, {0, 4}, {1, 2}, {1, 4}, {2, 3}, {2, 4}, {3, 4}};
    sets.resize(static_cast<std::size_t>(type.nodes - type.vertices()));
    return sets;
  }
  const VertexSets& all = node_vertices(type.shape);  // serendipity cells have the first of them
  return {all.begin() + type.vertices(), all.begin() + type.nodes};
}

}  // namespace

const VertexSets& common_edges(int gmsh_type) {
  static const VertexSets none, line{{0, 1}}, triangle{{0, 1}, {1, 2}, {2, 0}}, quad{{0, 1}, {1, 2}, {2, 3}, {3, 0}},
      tet{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}},
      hex{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6}, {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}},
      prism{{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}},
      pyramid{{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}};
  const GmshType& type = *mesh::gmsh_type(gmsh_type);
  if (type.order != 2) return none;
  if (type.pyramid()) return pyramid;
  switch (type.shape) {
    case Shape::point: return none;
    case Shape::interval: return line;
    case Shape::triangle: return triangle;
    case Shape::quad: return quad;
    case Shape::tet: return tet;
    case Shape::hex: return hex;
    case Shape::prism: return prism;
  }
  return none;
}

std::vector<int> places_of_nodes(int gmsh_type, const VertexSets& beyond) {
  const GmshType& type = *mesh::gmsh_type(gmsh_type);
  std::vector<int> places;
  for (int v = 0; v < type.vertices(); ++v) places.push_back(v);
  for (const std::vector<int>& set : gmsh_sets(type)) {
    const auto same = [&](const std::vector<int>& other) {
      return std::is_permutation(set.begin(), set.end(), other.begin(), other.end());
    };
    const auto found = std::find_if(beyond.begin(), beyond.end(), same);
    if (found == beyond.end())
      throw Error(ExitCode::internal, fmt::format("a {} has a node that the other program has not", type.name));
    places.push_back(type.vertices() + static_cast<int>(found - beyond.begin()));
  }
  return places;
}

}  // namespace tessera::mesh
