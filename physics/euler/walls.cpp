#include "physics/euler/walls.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "physics/conservation/sides.hpp"

namespace tessera::physics::euler {

namespace {

using assembly::FacetNormal;
using Vector = std::array<double, 3>;

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double size(const Vector& a) { return std::sqrt(dot(a, a)); }

/// A facet of a wall at one of its nodes.
struct WallFacet {
  Vector n;                  ///< int phi n
  Vector along;              ///< from the node to the centre of the facet
  std::vector<Index> nodes;  ///< its dofs
};

WallFacet wall_facet(const Discretisation& space, const FacetNormal& of) {
  const mesh::Mesh& mesh = space.mesh;
  const Index number = mesh.facets.cell[static_cast<std::size_t>(of.facet)];
  const mesh::CellBlock& cells = mesh.block_of(number);
  const mesh::Topology::Facet& side =
      mesh::topology(cells.shape)
          .facets[static_cast<std::size_t>(mesh.facets.side[static_cast<std::size_t>(of.facet)])];
  WallFacet facet{of.n, conservation::centre_of(mesh, of.facet), {}};
  const double* at = nullptr;  // its own vertex: where sides are joined another one has the same dof
  for (int v = 0; v < mesh::vertex_count(side.shape); ++v) {
    const Index vertex = cells.cell(number - cells.first_cell)[side.vertices[static_cast<std::size_t>(v)]];
    facet.nodes.push_back(space.dofs.vertex_dofs[static_cast<std::size_t>(vertex)]);
    if (facet.nodes.back() == of.dof) at = mesh.point(vertex);
  }
  if (at)
    for (std::size_t d = 0; d < 3; ++d) facet.along[d] -= at[d];
  return facet;
}

/// The cosine of the angle between the normals of walls at an edge of 60 degrees.
constexpr double sharp = -0.5;

/// Whether two facets meet at an edge that stands out into the gas. Facets that share the node alone say nothing about
/// each other: another wall may lie between them.
bool stand_out(const WallFacet& a, const WallFacet& b, int dim) {
  constexpr double flat = 1e-6;
  const auto shared = std::count_if(a.nodes.begin(), a.nodes.end(), [&](Index node) {
    return std::find(b.nodes.begin(), b.nodes.end(), node) != b.nodes.end();
  });
  const auto is_behind = [](const WallFacet& plane, const WallFacet& other) {
    return dot(plane.n, other.along) > flat * size(plane.n) * size(other.along);
  };
  return shared >= dim - 1 && is_behind(a, b) && is_behind(b, a);
}

/// Whether two facets at a node are of one wall: their normals are within 45 degrees, or they meet at an edge that
/// stands out into the gas and is not sharp.
bool is_one_wall(const WallFacet& a, const WallFacet& b, int dim) {
  constexpr double smooth = 0.7;
  const double cosine = dot(a.n, b.n) / (size(a.n) * size(b.n));
  return cosine > smooth || (cosine >= sharp && stand_out(a, b, dim));
}

/// Of two walls that meet at a sharp edge, as those of a thin profile do, the difference of both normals takes the
/// place of both: the gas leaves the edge, or meets it, in the plane between them, where their sum would let it rest.
void join_at_sharp_edges(const std::vector<WallFacet>& facets, const std::vector<std::size_t>& wall_of,
                         std::vector<Vector>& walls, const std::vector<std::size_t>& number, int dim) {
  for (std::size_t a = 0; a < facets.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      Vector& one = walls[number[wall_of[a]]];
      Vector& other = walls[number[wall_of[b]]];
      const double of_one = size(one), of_other = size(other);
      if (wall_of[a] == wall_of[b] || !(of_one > 0) || !(of_other > 0)) continue;
      if (dot(one, other) >= sharp * of_one * of_other || !stand_out(facets[a], facets[b], dim)) continue;
      for (std::size_t d = 0; d < 3; ++d) {
        one[d] = one[d] / of_one - other[d] / of_other;
        other[d] = 0;
      }
    }
}

}  // namespace

std::vector<Vector> wall_normals(const Discretisation& space, std::span<const FacetNormal> facets) {
  std::vector<WallFacet> at_node;
  for (const FacetNormal& facet : facets) at_node.push_back(wall_facet(space, facet));
  std::vector<std::size_t> wall_of(at_node.size());
  std::iota(wall_of.begin(), wall_of.end(), std::size_t{0});
  for (std::size_t a = 0; a < at_node.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (wall_of[a] != wall_of[b] && is_one_wall(at_node[a], at_node[b], space.mesh.dim))
        std::replace(wall_of.begin(), wall_of.end(), std::max(wall_of[a], wall_of[b]),
                     std::min(wall_of[a], wall_of[b]));
  std::vector<Vector> walls;
  std::vector<std::size_t> number(at_node.size());  // of a wall among them
  for (std::size_t wall = 0; wall < at_node.size(); ++wall) {
    if (std::find(wall_of.begin(), wall_of.end(), wall) == wall_of.end()) continue;
    number[wall] = walls.size();
    walls.emplace_back();
    for (std::size_t a = 0; a < at_node.size(); ++a)
      for (std::size_t d = 0; d < 3; ++d) walls.back()[d] += wall_of[a] == wall ? at_node[a].n[d] : 0;
  }
  join_at_sharp_edges(at_node, wall_of, walls, number, space.mesh.dim);
  std::vector<Vector> normals;  // orthonormal, by Gram and Schmidt
  for (Vector& wall : walls) {
    const double length = size(wall);
    for (const Vector& n : normals) {
      const double by = dot(wall, n);
      for (std::size_t d = 0; d < 3; ++d) wall[d] -= by * n[d];
    }
    constexpr double parallel = 1e-6;
    const double rest = size(wall);
    if (!(rest > parallel * length)) continue;
    for (double& x : wall) x /= rest;
    normals.push_back(wall);
  }
  normals.resize(std::min(normals.size(), static_cast<std::size_t>(space.mesh.dim)));
  return normals;
}

}  // namespace tessera::physics::euler
