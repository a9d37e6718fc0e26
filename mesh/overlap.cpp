#include "mesh/overlap.hpp"

#include <algorithm>
#include <cmath>

#include "mesh/geometry.hpp"
#include "mesh/point_tree.hpp"

namespace tessera::mesh {
namespace {

using Corner = std::array<double, 2>;
using Polygon = std::vector<Corner>;

/// Normals of sides that lie on each other look against each other; those around a corner do not.
constexpr double most_cosine = -0.5;
/// How near, by the size of the facet, vertices are the same.
constexpr double same = 1e-6;
/// Of its facet; smaller overlaps are those of neighbours, by rounding.
constexpr double least_share = 1e-12;

CellSide side_of(const Mesh& mesh, Index facet) { return {mesh.facets.cell[facet], mesh.facets.side[facet]}; }

double area(const Polygon& p) {
  double twice = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Corner &a = p[i], &b = p[(i + 1) % p.size()];
    twice += a[0] * b[1] - a[1] * b[0];
  }
  return 0.5 * twice;
}

/// What of `subject` lies inside `clip`, both convex and counter-clockwise (I. E. Sutherland, G. W. Hodgman, Commun.
/// ACM 17 (1974) 32-42).
Polygon clipped(Polygon subject, const Polygon& clip) {
  for (std::size_t edge = 0; edge < clip.size() && !subject.empty(); ++edge) {
    const Corner &a = clip[edge], &b = clip[(edge + 1) % clip.size()];
    const auto inside = [&](const Corner& p) { return (b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]); };
    Polygon kept;
    for (std::size_t i = 0; i < subject.size(); ++i) {
      const Corner &from = subject[i], &to = subject[(i + 1) % subject.size()];
      const double d = inside(from), e = inside(to);
      if (d >= 0) kept.push_back(from);
      if ((d > 0 && e < 0) || (d < 0 && e > 0)) {
        const double share = d / (d - e);
        kept.push_back({from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1])});
      }
    }
    subject = std::move(kept);
  }
  return subject;
}

/// The overlap of two facets; its corners are empty where there is none.
class Pair {
 public:
  Pair(const FacetMap& first, const FacetMap& second) : first_(first), frame_(first) {
    for (int v = 0; v < first.vertices(); ++v) ours_.push_back(frame_.project(first.x[v]));
    for (int v = 0; v < second.vertices(); ++v) theirs_.push_back(frame_.project(second.x[v]));
  }

  bool are_one() const {
    if (ours_.size() != theirs_.size()) return false;
    const double reach = same * first_.diameter();
    return std::all_of(ours_.begin(), ours_.end(), [&](const Corner& p) {
      return std::any_of(theirs_.begin(), theirs_.end(),
                         [&](const Corner& q) { return std::hypot(p[0] - q[0], p[1] - q[1]) <= reach; });
    });
  }

  Polygon common() const {
    if (first_.shape == Shape::interval) {
      const double from = std::max(0.0, std::min(theirs_[0][0], theirs_[1][0]));
      const double to = std::min(ours_[1][0], std::max(theirs_[0][0], theirs_[1][0]));
      return to - from > least_share * ours_[1][0] ? Polygon{{from, 0}, {to, 0}} : Polygon{};
    }
    Polygon subject = theirs_;
    if (area(subject) < 0) std::reverse(subject.begin(), subject.end());
    Polygon result = clipped(std::move(subject), ours_);
    return result.size() > 2 && area(result) > least_share * area(ours_) ? result : Polygon{};
  }

 private:
  const FacetMap& first_;
  FacetFrame frame_;
  Polygon ours_, theirs_;
};

/// Boxes of facets, and a tree of their centres.
struct Boxes {
  std::vector<BoundingBox> boxes;
  std::vector<PointTree::Point> centres;
  double largest = 0;  ///< half of an extent

  Boxes(const Mesh& mesh, const std::vector<Index>& facets) {
    for (const Index facet : facets) {
      const FacetMap map(mesh, side_of(mesh, facet));
      BoundingBox box{map.x[0], map.x[0]};
      for (int n = 1; n < map.nodes; ++n)
        for (int d = 0; d < 3; ++d) {
          box.min[d] = std::min(box.min[d], map.x[n][d]);
          box.max[d] = std::max(box.max[d], map.x[n][d]);
        }
      boxes.push_back(box);
      PointTree::Point centre;
      for (int d = 0; d < 3; ++d) {
        centre[d] = 0.5 * (box.min[d] + box.max[d]);
        largest = std::max(largest, 0.5 * (box.max[d] - box.min[d]));
      }
      centres.push_back(centre);
    }
  }
};

bool are_near(const BoundingBox& a, const BoundingBox& b, double reach) {
  for (int d = 0; d < 3; ++d)
    if (a.min[d] > b.max[d] + reach || b.min[d] > a.max[d] + reach) return false;
  return true;
}

}  // namespace

double facet_size(const Mesh& mesh, Index facet) {
  const CellSide side = side_of(mesh, facet);
  if (mesh.dim > 1) return FacetMap(mesh, side).diameter();
  const CellBlock& block = mesh.block_of(side.cell);
  const Index* const cell = block.cell(side.cell - block.first_cell);
  return std::abs(mesh.point(cell[1])[0] - mesh.point(cell[0])[0]);
}

std::vector<Overlap> find_overlaps(const Mesh& mesh, const std::vector<Index>& first, const std::vector<Index>& second,
                                   double reach) {
  const Boxes ours(mesh, first), theirs(mesh, second);
  std::vector<double> sizes;
  double largest_size = 0;
  for (const Index facet : second) {
    sizes.push_back(facet_size(mesh, facet));
    largest_size = std::max(largest_size, sizes.back());
  }
  const PointTree tree(theirs.centres);
  std::vector<Overlap> result;
  std::vector<Index> candidates;
  for (std::size_t f = 0; f < first.size(); ++f) {
    const double size = facet_size(mesh, first[f]);
    const auto reach_of = [&](double other) { return reach >= 0 ? reach : near_facets * std::max(size, other); };
    BoundingBox around = ours.boxes[f];
    for (int d = 0; d < 3; ++d) {
      around.min[d] -= theirs.largest + reach_of(largest_size);
      around.max[d] += theirs.largest + reach_of(largest_size);
    }
    candidates.clear();
    tree.in_box(around, [&](Index other) {
      if (are_near(ours.boxes[f], theirs.boxes[other], reach_of(sizes[other]))) candidates.push_back(other);
    });
    std::sort(candidates.begin(), candidates.end());
    const FacetMap map(mesh, side_of(mesh, first[f]));
    for (const Index other : candidates) {
      const FacetMap opposite(mesh, side_of(mesh, second[other]));
      if (dot(map.normal, opposite.normal) > most_cosine) continue;
      Overlap overlap{first[f], second[other], false, {}};
      if (mesh.dim == 1) {
        overlap.whole = true;
      } else {
        const Pair pair(map, opposite);
        overlap.whole = pair.are_one();
        overlap.corners = pair.common();
        if (!overlap.whole && overlap.corners.empty()) continue;
      }
      result.push_back(std::move(overlap));
    }
  }
  return result;
}

}  // namespace tessera::mesh
