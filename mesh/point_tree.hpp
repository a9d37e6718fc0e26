#pragma once
#include <array>
#include <vector>

#include "mesh/geometry.hpp"

namespace tessera::mesh {

/// Points in a balanced tree of boxes: those within a box are found in O(log n), however unevenly they lie. Unlike a
/// grid of bins it does not mind a mesh that is graded over ten orders of magnitude.
class PointTree {
 public:
  using Point = std::array<double, 3>;

  explicit PointTree(std::vector<Point> points);

  /// Calls visit(number of the point) for every point in the closed box, in an order of its own.
  template <class Visit>
  void in_box(const BoundingBox& box, Visit visit) const {
    if (!nodes_.empty()) descend(0, box, visit);
  }

  const Point& point(Index number) const { return points_[number]; }
  Index size() const { return static_cast<Index>(points_.size()); }

 private:
  /// Points [first, last) of `order_`; its children follow at `this + 1` and at `right`, a leaf has right = 0.
  struct Node {
    BoundingBox box;
    Index first, last, right;
  };

  void build(Index first, Index last);

  static bool apart(const BoundingBox& a, const BoundingBox& b) {
    for (int d = 0; d < 3; ++d)
      if (a.max[d] < b.min[d] || b.max[d] < a.min[d]) return true;
    return false;
  }

  template <class Visit>
  void descend(Index at, const BoundingBox& box, Visit& visit) const {
    const Node& node = nodes_[at];
    if (apart(node.box, box)) return;
    if (node.right > 0) {
      descend(at + 1, box, visit);
      descend(node.right, box, visit);
      return;
    }
    for (Index i = node.first; i < node.last; ++i) {
      const Point& x = points_[order_[i]];
      if (!apart({x, x}, box)) visit(order_[i]);
    }
  }

  std::vector<Point> points_;
  std::vector<Index> order_;
  std::vector<Node> nodes_;
};

}  // namespace tessera::mesh
