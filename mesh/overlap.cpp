#include "mesh/overlap.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "mesh/geometry.hpp"
#include "mesh/point_tree.hpp"

namespace tessera::mesh {
namespace {

/// Normals of sides that lie on each other look against each other; those around a corner do not.
constexpr double most_cosine = -0.5;
/// How near, by the size of the facet, is the same place: files written with seven digits still touch.
constexpr double same = 1e-6;
/// Of its facet; smaller overlaps are those of neighbours, by rounding, and so is what two others cover together.
constexpr double least_share = 1e-9;
/// Of the height of a cell: what lies deeper behind its side is another side of the body.
constexpr double most_depth = 0.5;

CellSide side_of(const Mesh& mesh, Index facet) { return {mesh.facets.cell[facet], mesh.facets.side[facet]}; }

/// The overlap of two facets, along the normal of the first.
class Pair {
 public:
  Pair(const FacetMap& first, const FacetMap& second) : first_(first), second_(second), frame_(first) {
    for (int v = 0; v < first.vertices(); ++v) ours_.push_back(frame_.project(first.x[v]));
    for (int v = 0; v < second.vertices(); ++v) theirs_.push_back(frame_.project(second.x[v]));
  }

  bool are_one() const {
    if (first_.shape == Shape::point) return true;
    if (ours_.size() != theirs_.size()) return false;
    const double reach = same * first_.diameter();
    return std::all_of(ours_.begin(), ours_.end(), [&](const Corner& p) {
      return std::any_of(theirs_.begin(), theirs_.end(),
                         [&](const Corner& q) { return std::hypot(p[0] - q[0], p[1] - q[1]) <= reach; });
    });
  }

  /// What they have in common; of points nothing.
  Polygon common() const {
    if (first_.shape == Shape::point) return {};
    if (are_one()) return ours_;
    Polygon subject = theirs_;
    if (area(subject) < 0) std::reverse(subject.begin(), subject.end());
    return clipped(subject, ours_, least_share * area(ours_));
  }

  /// How far the plane of the second facet lies before the middle of a part of the first.
  double apart(const Polygon& part) const {
    Corner middle{};
    for (const Corner& corner : part)
      for (std::size_t d = 0; d < 2; ++d) middle[d] += corner[d] / static_cast<double>(part.size());
    const Vector3 from = first_.shape == Shape::point ? first_.x[0] : frame_.lift(middle);
    const Vector3 to{second_.x[0][0] - from[0], second_.x[0][1] - from[1], second_.x[0][2] - from[2]};
    return dot(to, second_.normal) / dot(first_.normal, second_.normal);
  }

  double area_of_first() const { return area(ours_); }

 private:
  const FacetMap &first_, &second_;
  FacetFrame frame_;
  Polygon ours_, theirs_;
};

/// Boxes of facets, and their centres.
struct Boxes {
  std::vector<BoundingBox> boxes;
  std::vector<PointTree::Point> centres;
  std::vector<double> sizes;
  double largest = 0;       ///< half of an extent
  double largest_size = 0;  ///< of a facet

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
      sizes.push_back(facet_size(mesh, facet));
      largest_size = std::max(largest_size, sizes.back());
    }
  }
};

bool are_near(const BoundingBox& a, const BoundingBox& b, double reach) {
  for (int d = 0; d < 3; ++d)
    if (a.min[d] > b.max[d] + reach || b.min[d] > a.max[d] + reach) return false;
  return true;
}

/// How far the cell of a facet reaches behind it.
double height(const Mesh& mesh, Index facet, const FacetMap& map) {
  const CellBlock& block = mesh.block_of(mesh.facets.cell[facet]);
  const Index* const cell = block.cell(mesh.facets.cell[facet] - block.first_cell);
  double result = 0;
  for (int v = 0; v < vertex_count(block.shape); ++v) {
    const double* const x = mesh.point(cell[v]);
    result = std::max(result, dot({map.x[0][0] - x[0], map.x[0][1] - x[1], map.x[0][2] - x[2]}, map.normal));
  }
  return result;
}

class Search {
 public:
  Search(const Mesh& mesh, const std::vector<Index>& first, const std::vector<Index>& second, double reach)
      : mesh_(mesh),
        first_(first),
        second_(second),
        reach_(reach),
        ours_(mesh, first),
        theirs_(mesh, second),
        tree_(theirs_.centres) {
    double largest = 0;
    for (const double x : mesh.points) largest = std::max(largest, std::abs(x));
    round_off_ = 16 * std::numeric_limits<double>::epsilon() * largest;
  }

  /// The overlaps of a facet of the first side, appended.
  void append(std::size_t f, std::vector<Overlap>& result) const;

 private:
  struct Candidate {
    Overlap overlap;
    double apart = 0;
    bool is_deep = false;  ///< it lies behind our facet by more than sides go into each other
    auto order() const { return std::tuple(is_deep, std::abs(apart), overlap.second); }
  };

  double touching(double size) const { return same * size + round_off_; }
  double reach(double size, double other) const {
    const double larger = std::max(size, other);
    return reach_ < 0 ? near_facets * larger : std::max(reach_, touching(larger));
  }
  std::vector<Index> around(std::size_t f) const;
  bool is_before(const FacetMap& ours, const FacetMap& theirs, Candidate& candidate) const;

  const Mesh& mesh_;
  const std::vector<Index>&first_, &second_;
  double reach_;
  Boxes ours_, theirs_;
  PointTree tree_;
  double round_off_ = 0;
};

/// Facets of the second side, by their place in it, whose boxes are near enough.
std::vector<Index> Search::around(std::size_t f) const {
  BoundingBox box = ours_.boxes[f];
  const double most = theirs_.largest + reach(ours_.sizes[f], theirs_.largest_size);
  for (int d = 0; d < 3; ++d) {
    box.min[d] -= most;
    box.max[d] += most;
  }
  std::vector<Index> found;
  tree_.in_box(box, [&](Index other) {
    if (are_near(ours_.boxes[f], theirs_.boxes[other], reach(ours_.sizes[f], theirs_.sizes[other])))
      found.push_back(other);
  });
  std::sort(found.begin(), found.end());
  return found;
}

bool Search::is_before(const FacetMap& ours, const FacetMap& theirs, Candidate& candidate) const {
  const Overlap& overlap = candidate.overlap;
  const double rounding = touching(std::max(facet_size(mesh_, overlap.first), facet_size(mesh_, overlap.second)));
  if (candidate.apart >= -rounding) return true;
  const double depth = most_depth * std::min(height(mesh_, overlap.first, ours), height(mesh_, overlap.second, theirs));
  candidate.is_deep = candidate.apart < -depth;
  return -candidate.apart <= overlap.reach && (reach_ >= 0 || !candidate.is_deep);
}

void Search::append(std::size_t f, std::vector<Overlap>& result) const {
  const FacetMap map(mesh_, side_of(mesh_, first_[f]));
  std::vector<Candidate> candidates;
  double whole_area = 0;
  for (const Index other : around(f)) {
    const FacetMap opposite(mesh_, side_of(mesh_, second_[other]));
    if (dot(map.normal, opposite.normal) > most_cosine) continue;
    const Pair pair(map, opposite);
    Candidate candidate;
    candidate.overlap = {first_[f], second_[other], pair.are_one(), pair.common(),
                         reach(ours_.sizes[f], theirs_.sizes[other])};
    if (mesh_.dim > 1 && candidate.overlap.corners.empty()) continue;
    candidate.apart = pair.apart(candidate.overlap.corners);
    whole_area = pair.area_of_first();
    if (is_before(map, opposite, candidate)) candidates.push_back(std::move(candidate));
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.order() < b.order(); });
  if (mesh_.dim == 1 && candidates.size() > 1) candidates.resize(1);
  std::vector<Overlap> found;
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    const Polygon& common = candidates[c].overlap.corners;
    const double least = std::min(least_share * whole_area, 0.5 * area(common));
    std::vector<Polygon> pieces{common};
    for (std::size_t nearer = 0; nearer < c; ++nearer) {
      const Polygon& shadow = candidates[nearer].overlap.corners;
      if (clipped(common, shadow, least).empty()) continue;
      candidates[c].overlap.whole = false;
      std::vector<Polygon> left;
      for (const Polygon& piece : pieces)
        for (Polygon& part : without(piece, shadow, least_share * whole_area)) left.push_back(std::move(part));
      pieces = std::move(left);
    }
    for (const Polygon& piece : pieces) {
      found.push_back(candidates[c].overlap);
      found.back().corners = piece;
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Overlap& a, const Overlap& b) { return a.second < b.second; });
  std::move(found.begin(), found.end(), std::back_inserter(result));
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
  const Search search(mesh, first, second, reach);
  std::vector<Overlap> result;
  for (std::size_t f = 0; f < first.size(); ++f) search.append(f, result);
  return result;
}

std::vector<Overlap> find_copies(const Mesh& mesh, const std::vector<Index>& first, const std::vector<Index>& second) {
  using Places = std::array<Vector3, 4>;
  const auto places = [&](Index facet) {
    Places result{};
    std::size_t count = 0;
    for (const Index v : side_vertices(mesh, mesh.facets.cell[facet], mesh.facets.side[facet]))
      if (v >= 0) result[count++] = {mesh.point(v)[0], mesh.point(v)[1], mesh.point(v)[2]};
    std::sort(result.begin(), result.begin() + static_cast<std::ptrdiff_t>(count));
    return result;
  };
  std::vector<std::pair<Places, Index>> theirs;
  for (const Index facet : second) theirs.emplace_back(places(facet), facet);
  std::sort(theirs.begin(), theirs.end());
  std::vector<Overlap> result;
  for (const Index facet : first) {
    const Places ours = places(facet);
    const auto found = std::lower_bound(theirs.begin(), theirs.end(), ours,
                                        [](const auto& a, const Places& b) { return a.first < b; });
    if (found == theirs.end() || found->first != ours) continue;
    const double size = std::max(facet_size(mesh, facet), facet_size(mesh, found->second));
    result.push_back({facet, found->second, true, {}, near_facets * size});
  }
  return result;
}

}  // namespace tessera::mesh
