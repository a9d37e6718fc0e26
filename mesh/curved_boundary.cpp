#include "mesh/curved_boundary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "mesh/facets.hpp"

namespace tessera::mesh {
namespace {

/// Angles between facets that are a curve's and not a corner's, in degrees, and how many of all there must be.
constexpr double least_angle = 0.1, largest_angle = 40;
constexpr double least_share = 0.2;
constexpr int least_count = 3;

struct Joint {
  std::array<Index, 2> between;  ///< the vertex or edge at which facets meet
  std::array<double, 3> normal;
  bool operator<(const Joint& other) const { return between < other.between; }
};

std::array<double, 3> unit_normal(const Mesh& mesh, const FacetVertices& v) {
  const double *a = mesh.point(v[0]), *b = mesh.point(v[1]);
  std::array<double, 3> n{b[1] - a[1], a[0] - b[0], 0};
  if (mesh.dim == 3) {
    const double* c = mesh.point(v[2]);
    for (int d = 0; d < 3; ++d) {
      const int e = (d + 1) % 3, f = (d + 2) % 3;
      n[d] = (b[e] - a[e]) * (c[f] - a[f]) - (b[f] - a[f]) * (c[e] - a[e]);
    }
  }
  const double length = std::hypot(n[0], n[1], n[2]);
  for (double& x : n) x = length > 0 ? x / length : 0;
  return n;
}

bool curves(const Mesh& mesh, const Group& group) {
  std::vector<Joint> joints;
  for (const Index f : group.entities) {
    if (!mesh.facets.exterior[f]) continue;
    const FacetVertices v = side_vertices(mesh, mesh.facets.cell[f], mesh.facets.side[f]);
    const int n = static_cast<int>(std::count_if(v.begin(), v.end(), [](Index node) { return node >= 0; }));
    const auto normal = unit_normal(mesh, v);
    for (int i = 0; i < n; ++i) {
      const Index a = v[i], b = mesh.dim == 2 ? a : v[(i + 1) % n];
      joints.push_back({{std::min(a, b), std::max(a, b)}, normal});
    }
  }
  std::sort(joints.begin(), joints.end());
  int all = 0, bent = 0;
  for (std::size_t j = 1; j < joints.size(); ++j) {
    if (joints[j].between != joints[j - 1].between) continue;
    const auto &p = joints[j].normal, &q = joints[j - 1].normal;
    const double angle =
        std::acos(std::clamp(p[0] * q[0] + p[1] * q[1] + p[2] * q[2], -1.0, 1.0)) * 180 / std::numbers::pi;
    ++all;
    bent += angle > least_angle && angle < largest_angle;
  }
  return bent >= least_count && bent >= least_share * all;
}

}  // namespace

const Group* group_that_curves(const Mesh& mesh) {
  if (mesh.order > 1 || mesh.dim < 2) return nullptr;
  for (const Group& group : mesh.groups)
    if (group.dim == mesh.dim - 1 && curves(mesh, group)) return &group;
  return nullptr;
}

}  // namespace tessera::mesh
