#include "mesh/periodic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "base/error.hpp"
#include "mesh/facet_map.hpp"
#include "mesh/point_tree.hpp"
#include "mesh/side_table.hpp"

namespace tessera::mesh {
namespace {

/// How far a partner may lie from where the map says, by the shortest edge of the side there.
constexpr double reach_of_edge = 1e-3;

std::string text(const double* x) { return fmt::format("({:g}, {:g}, {:g})", x[0], x[1], x[2]); }

/// The vertices of a side and its facets as keys of vertices.
struct SideOfMesh {
  std::vector<Index> vertices;        ///< sorted
  std::vector<double> edge;           ///< [vertices] shortest edge of the side there
  std::vector<Vector3> around;        ///< [vertices] mean of the middles of the facets there
  std::vector<FacetVertices> facets;  ///< sorted keys, sorted

  SideOfMesh(const Mesh& mesh, const Group& group) {
    for (const Index f : group.entities) {
      facets.push_back(sorted_key(side_vertices(mesh, mesh.facets.cell[f], mesh.facets.side[f])));
      for (const Index v : facets.back())
        if (v >= 0) vertices.push_back(v);
    }
    std::sort(facets.begin(), facets.end());
    std::sort(vertices.begin(), vertices.end());
    vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
    take_middles(mesh);
    edge.assign(vertices.size(), std::numeric_limits<double>::infinity());
    for (const FacetVertices& facet : facets)
      for (const Index a : facet)
        for (const Index b : facet) {
          if (a < 0 || b < 0 || a == b) continue;
          const double *x = mesh.point(a), *y = mesh.point(b);
          double& shortest = edge[position(a)];
          shortest = std::min(shortest, std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]));
        }
  }
  std::size_t position(Index vertex) const {
    return static_cast<std::size_t>(std::lower_bound(vertices.begin(), vertices.end(), vertex) - vertices.begin());
  }

 private:
  void take_middles(const Mesh& mesh) {
    around.resize(vertices.size());
    std::vector<int> facets_at(vertices.size(), 0);
    for (const FacetVertices& facet : facets) {
      const auto count = std::count_if(facet.begin(), facet.end(), [](Index v) { return v >= 0; });
      Vector3 middle{};
      for (int v = 0; v < count; ++v)
        for (int d = 0; d < 3; ++d) middle[d] += mesh.point(facet[v])[d] / static_cast<double>(count);
      for (int v = 0; v < count; ++v) {
        const std::size_t at = position(facet[v]);
        ++facets_at[at];
        for (int d = 0; d < 3; ++d) around[at][d] += middle[d];
      }
    }
    for (std::size_t v = 0; v < vertices.size(); ++v)
      for (double& x : around[v]) x /= facets_at[v];
  }
};

BoundingBox box_of(const Mesh& mesh, const std::vector<Index>& vertices) {
  const double* first = mesh.point(vertices.front());
  BoundingBox box{{first[0], first[1], first[2]}, {first[0], first[1], first[2]}};
  for (const Index v : vertices)
    for (int d = 0; d < 3; ++d) {
      box.min[d] = std::min(box.min[d], mesh.point(v)[d]);
      box.max[d] = std::max(box.max[d], mesh.point(v)[d]);
    }
  return box;
}

AffineMap translation(const Mesh& mesh, const SideOfMesh& from, const SideOfMesh& to) {
  const BoundingBox a = box_of(mesh, from.vertices), b = box_of(mesh, to.vertices);
  AffineMap map;
  for (int d = 0; d < 3; ++d) map.rows[4 * d + 3] = 0.5 * (b.min[d] + b.max[d] - a.min[d] - a.max[d]);
  return map;
}

/// The inverse of a map whose linear part is a rotation or reflection (its transpose is its inverse); none of another
/// one.
std::optional<AffineMap> inverse(const AffineMap& map) {
  AffineMap result;
  for (int i = 0; i < 3; ++i) {
    double shift = 0;
    for (int j = 0; j < 3; ++j) {
      double product = 0;
      for (int k = 0; k < 3; ++k) product += map.rows[4 * i + k] * map.rows[4 * j + k];
      if (std::abs(product - (i == j)) > 1e-6) return {};
      result.rows[4 * i + j] = map.rows[4 * j + i];
      shift -= map.rows[4 * j + i] * map.rows[4 * j + 3];
    }
    result.rows[4 * i + 3] = shift;
  }
  return result;
}

/// Partners of the vertices of one side, by a map; -1: none.
struct Match {
  std::vector<Index> partner;
  std::size_t missing = 0, first_missing = 0;
};

Match match(const Mesh& mesh, const SideOfMesh& from, const SideOfMesh& to, const PointTree& tree,
            const AffineMap& map) {
  Match result;
  const BoundingBox box = box_of(mesh, to.vertices), start = box_of(mesh, from.vertices);
  double size = 0;
  for (int d = 0; d < 3; ++d) size = std::max({size, box.max[d] - start.min[d], start.max[d] - box.min[d]});
  for (std::size_t v = 0; v < from.vertices.size(); ++v) {
    const std::array<double, 3> image = map(mesh.point(from.vertices[v]));
    const double reach = reach_of_edge * std::min(from.edge[v], size);
    BoundingBox around;
    for (int d = 0; d < 3; ++d) {
      around.min[d] = image[d] - reach;
      around.max[d] = image[d] + reach;
    }
    Index nearest = -1;
    double least = std::numeric_limits<double>::infinity();
    // Where sides of a contact or a crack end, vertices of either lie at one place: their facets tell them apart.
    const Vector3 image_around = map(from.around[v].data());
    tree.in_box(around, [&](Index other) {
      const double apart = distance(tree.point(other), image) + distance(to.around[other], image_around);
      if (apart < least || (apart == least && other < nearest)) {
        least = apart;
        nearest = other;
      }
    });
    if (nearest < 0 && result.missing++ == 0) result.first_missing = v;
    result.partner.push_back(nearest < 0 ? -1 : to.vertices[nearest]);
  }
  return result;
}

/// The first facet whose image is no facet of the other side.
const FacetVertices* facet_without_image(const SideOfMesh& from, const SideOfMesh& to, const Match& match) {
  for (const FacetVertices& facet : from.facets) {
    FacetVertices image{-1, -1, -1, -1};
    for (int v = 0; v < 4 && facet[v] >= 0; ++v) image[v] = match.partner[from.position(facet[v])];
    if (!std::binary_search(to.facets.begin(), to.facets.end(), sorted_key(image))) return &facet;
  }
  return nullptr;
}

constexpr const char* periodic_help =
    "the mesh of one side must be the image of the other's: in Gmsh, Periodic Curve or Periodic Surface before meshing";

Match partners(const Mesh& mesh, const Group& from, const Group& to, const std::vector<AffineMap>& maps) {
  const SideOfMesh a(mesh, from), b(mesh, to);
  std::vector<PointTree::Point> points;
  for (const Index v : b.vertices) points.push_back({mesh.point(v)[0], mesh.point(v)[1], mesh.point(v)[2]});
  const PointTree tree(std::move(points));
  std::vector<AffineMap> candidates{translation(mesh, a, b)};
  for (const AffineMap& map : maps) {
    candidates.push_back(map);
    if (const auto back = inverse(map)) candidates.push_back(*back);
  }
  Match shifted;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    Match found = match(mesh, a, b, tree, candidates[c]);
    const bool whole = found.missing == 0 && a.vertices.size() == b.vertices.size();
    if (whole && !facet_without_image(a, b, found)) return found;
    if (c == 0) shifted = std::move(found);
  }
  if (shifted.missing == 0 && a.vertices.size() == b.vertices.size()) {
    const Index v = (*facet_without_image(a, b, shifted))[0];
    throw Error(
        ExitCode::mesh,
        fmt::format("periodic sides '{}' and '{}' have the same vertices, but not the same facets: one at {} has "
                    "no image",
                    from.name, to.name, text(mesh.point(v))),
        periodic_help);
  }
  const AffineMap& map = candidates.front();
  const double shift[3] = {map.rows[3], map.rows[7], map.rows[11]};
  if (shifted.missing == 0)
    throw Error(ExitCode::mesh,
                fmt::format("periodic sides do not fit: '{}' has {} vertices, '{}' has {}", from.name,
                            a.vertices.size(), to.name, b.vertices.size()),
                periodic_help);
  throw Error(
      ExitCode::mesh,
      fmt::format("periodic sides do not fit: {} of {} vertices of '{}' have no partner on '{}'; the first is {}, "
                  "moved by {}",
                  shifted.missing, a.vertices.size(), from.name, to.name,
                  text(mesh.point(a.vertices[shifted.first_missing])), text(shift)),
      periodic_help);
}

}  // namespace

std::array<double, 3> AffineMap::operator()(const double* x) const {
  std::array<double, 3> y{};
  for (int d = 0; d < 3; ++d)
    y[d] = rows[4 * d] * x[0] + rows[4 * d + 1] * x[1] + rows[4 * d + 2] * x[2] + rows[4 * d + 3];
  return y;
}

void join_sides(const Mesh& mesh, const Group& from, const Group& to, const std::vector<AffineMap>& maps,
                std::vector<Index>& same) {
  if (from.entities.empty() || to.entities.empty())
    throw Error(ExitCode::mesh,
                fmt::format("the periodic side '{}' has no facets", from.entities.empty() ? from.name : to.name),
                "name two groups of facets");
  const Match match = partners(mesh, from, to, maps);
  const std::vector<Index> vertices = SideOfMesh(mesh, from).vertices;
  const auto root = [&](Index v) {
    while (same[v] != v) v = same[v] = same[same[v]];
    return v;
  };
  for (std::size_t v = 0; v < vertices.size(); ++v) {
    const Index a = root(vertices[v]), b = root(match.partner[v]);
    same[std::max(a, b)] = std::min(a, b);
  }
  for (Index v = 0; v < mesh.nodes(); ++v) same[v] = same[same[v]];  // roots are lower, so they are known already
}

void check_joined(const Mesh& mesh, const std::vector<Index>& same, int order) {
  std::vector<char> joined(same.size(), 0);
  for (std::size_t v = 0; v < same.size(); ++v)
    if (same[v] != static_cast<Index>(v)) joined[v] = joined[same[v]] = 1;
  /// An edge by what its ends became, then by its own ends.
  std::vector<std::array<Index, 4>> edges;
  const auto refuse = [&](const double* x) {
    throw Error(ExitCode::mesh, fmt::format("too few cells lie between periodic sides near {}", text(x)),
                fmt::format("order {} needs {} cells across", order, order > 1 ? "three" : "two"));
  };
  for (const CellBlock& block : mesh.blocks) {
    const int vertices = vertex_count(block.shape);
    for (Index c = 0; c < block.cells(); ++c) {
      const Index* cell = block.cell(c);
      if (std::none_of(cell, cell + vertices, [&](Index v) { return joined[v]; })) continue;
      for (int i = 0; i < vertices; ++i)
        for (int j = 0; j < i; ++j)
          if (same[cell[i]] == same[cell[j]]) refuse(mesh.point(cell[i]));
      if (order < 2 || mesh.dim < 2) continue;
      for (const auto& edge : topology(block.shape).edges) {
        Index a = cell[edge[0]], b = cell[edge[1]];
        if (same[a] > same[b]) std::swap(a, b);
        edges.push_back({same[a], same[b], a, b});
      }
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  for (std::size_t first = 0, last = 0; first < edges.size(); first = last)
    for (; last < edges.size() && edges[last][0] == edges[first][0] && edges[last][1] == edges[first][1]; ++last)
      for (std::size_t other = first; other < last; ++other)
        // Images of one edge have no end in common; two that have one are different edges.
        if (edges[other][2] == edges[last][2] || edges[other][3] == edges[last][3]) refuse(mesh.point(edges[last][2]));
}

}  // namespace tessera::mesh
