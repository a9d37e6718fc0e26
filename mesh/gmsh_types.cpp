#include "mesh/gmsh_types.hpp"

#include <algorithm>

namespace tessera::mesh {

namespace {

using VertexSets = std::vector<std::vector<int>>;

constexpr GmshType types[] = {
    {1, "2-node line", Shape::interval, 1, 2, true},
    {2, "3-node triangle", Shape::triangle, 1, 3, true},
    {3, "4-node quadrangle", Shape::quad, 1, 4, true},
    {4, "4-node tetrahedron", Shape::tet, 1, 4, true},
    {5, "8-node hexahedron", Shape::hex, 1, 8, true},
    {6, "6-node prism", Shape::prism, 1, 6, true},
    {7, "5-node pyramid", Shape::point, 1, 5, false},
    {8, "3-node second order line", Shape::interval, 2, 3, true},
    {9, "6-node second order triangle", Shape::triangle, 2, 6, true},
    {10, "9-node second order quadrangle", Shape::quad, 2, 9, true},
    {11, "10-node second order tetrahedron", Shape::tet, 2, 10, true},
    {12, "27-node second order hexahedron", Shape::hex, 2, 27, true},
    {13, "18-node second order prism", Shape::prism, 2, 18, true},
    {14, "14-node second order pyramid", Shape::point, 2, 14, false},
    {15, "1-node point", Shape::point, 1, 1, true},
    {16, "8-node serendipity quadrangle", Shape::quad, 2, 8, false},
    {17, "20-node serendipity hexahedron", Shape::hex, 2, 20, false},
    {18, "15-node serendipity prism", Shape::prism, 2, 15, false},
    {19, "13-node serendipity pyramid", Shape::point, 2, 13, false},
    {20, "9-node third order incomplete triangle", Shape::triangle, 3, 9, false},
    {21, "10-node third order triangle", Shape::triangle, 3, 10, false},
    {22, "12-node fourth order incomplete triangle", Shape::triangle, 4, 12, false},
    {23, "15-node fourth order triangle", Shape::triangle, 4, 15, false},
    {24, "15-node fifth order incomplete triangle", Shape::triangle, 5, 15, false},
    {25, "21-node fifth order triangle", Shape::triangle, 5, 21, false},
    {26, "4-node third order line", Shape::interval, 3, 4, false},
    {27, "5-node fourth order line", Shape::interval, 4, 5, false},
    {28, "6-node fifth order line", Shape::interval, 5, 6, false},
    {29, "20-node third order tetrahedron", Shape::tet, 3, 20, false},
    {30, "35-node fourth order tetrahedron", Shape::tet, 4, 35, false},
    {31, "56-node fifth order tetrahedron", Shape::tet, 5, 56, false},
    {36, "16-node third order quadrangle", Shape::quad, 3, 16, false},
    {37, "25-node fourth order quadrangle", Shape::quad, 4, 25, false},
    {38, "36-node fifth order quadrangle", Shape::quad, 5, 36, false},
    {39, "12-node third order serendipity quadrangle", Shape::quad, 3, 12, false},
    {40, "16-node fourth order serendipity quadrangle", Shape::quad, 4, 16, false},
    {90, "40-node third order prism", Shape::prism, 3, 40, false},
    {91, "75-node fourth order prism", Shape::prism, 4, 75, false},
    {92, "64-node third order hexahedron", Shape::hex, 3, 64, false},
    {93, "125-node fourth order hexahedron", Shape::hex, 4, 125, false},
    {118, "30-node third order pyramid", Shape::point, 3, 30, false},
    {119, "55-node fourth order pyramid", Shape::point, 4, 55, false},
};

// Edge, face and volume nodes that follow the vertices.
VertexSets beyond_vertices(Shape shape) {
  switch (shape) {
    case Shape::point: return {};
    case Shape::interval: return {{0, 1}};
    case Shape::triangle: return {{0, 1}, {1, 2}, {2, 0}};
    case Shape::quad: return {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 1, 2, 3}};
    case Shape::tet: return {{0, 1}, {1, 2}, {2, 0}, {3, 0}, {2, 3}, {1, 3}};
    case Shape::hex:
      return {{0, 1},
              {0, 3},
              {0, 4},
              {1, 2},
              {1, 5},
              {2, 3},
              {2, 6},
              {3, 7},
              {4, 5},
              {4, 7},
              {5, 6},
              {6, 7},
              {0, 3, 2, 1},
              {0, 1, 5, 4},
              {0, 4, 7, 3},
              {1, 2, 6, 5},
              {2, 3, 7, 6},
              {4, 5, 6, 7},
              {0, 1, 2, 3, 4, 5, 6, 7}};
    case Shape::prism:
      return {{0, 1}, {0, 2}, {0, 3}, {1, 2},       {1, 4},       {2, 5},
              {3, 4}, {3, 5}, {4, 5}, {0, 1, 4, 3}, {0, 3, 5, 2}, {1, 2, 5, 4}};
  }
  return {};
}

std::vector<int> mirrored_vertices(Shape shape) {
  switch (shape) {
    case Shape::point: return {0};
    case Shape::interval: return {1, 0};
    case Shape::triangle: return {0, 2, 1};
    case Shape::quad: return {0, 3, 2, 1};
    case Shape::tet: return {0, 2, 1, 3};
    case Shape::hex: return {0, 3, 2, 1, 4, 7, 6, 5};
    case Shape::prism: return {0, 2, 1, 3, 5, 4};
  }
  return {};
}

std::vector<int> mirror(Shape shape, int order) {
  const std::vector<int> vertices = mirrored_vertices(shape);
  if (order == 1) return vertices;
  const VertexSets& nodes = node_vertices(shape);
  std::vector<int> result;
  for (std::vector<int> set : nodes) {
    for (int& vertex : set) vertex = vertices[vertex];
    std::sort(set.begin(), set.end());
    const auto same = [&](std::vector<int> other) {
      std::sort(other.begin(), other.end());
      return other == set;
    };
    result.push_back(static_cast<int>(std::find_if(nodes.begin(), nodes.end(), same) - nodes.begin()));
  }
  return result;
}

}  // namespace

const GmshType* gmsh_type(int id) {
  for (const GmshType& type : types)
    if (type.id == id) return &type;
  return nullptr;
}

int gmsh_type_of(Shape shape, int order) {
  for (const GmshType& type : types)
    if (type.supported && type.shape == shape && (type.order == order || shape == Shape::point)) return type.id;
  return 0;
}

const std::vector<std::vector<int>>& node_vertices(Shape shape) {
  static const auto tables = [] {
    std::array<VertexSets, shape_count> result;
    for (int s = 0; s < shape_count; ++s) {
      for (int v = 0; v < vertex_count(static_cast<Shape>(s)); ++v) result[s].push_back({v});
      for (auto& set : beyond_vertices(static_cast<Shape>(s))) result[s].push_back(set);
    }
    return result;
  }();
  return tables[static_cast<int>(shape)];
}

const std::vector<int>& mirrored_nodes(Shape shape, int order) {
  static const auto tables = [] {
    std::array<std::array<std::vector<int>, 2>, shape_count> result;
    for (int s = 0; s < shape_count; ++s)
      for (int order : {1, 2}) result[s][order - 1] = mirror(static_cast<Shape>(s), order);
    return result;
  }();
  return tables[static_cast<int>(shape)][order - 1];
}

}  // namespace tessera::mesh
