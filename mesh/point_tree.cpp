#include "mesh/point_tree.hpp"

#include <algorithm>
#include <numeric>

namespace tessera::mesh {

namespace {
constexpr Index leaf_points = 8;
}

PointTree::PointTree(std::vector<Point> points) : points_(std::move(points)), order_(points_.size()) {
  std::iota(order_.begin(), order_.end(), 0);
  if (!points_.empty()) build(0, size());
}

void PointTree::build(Index first, Index last) {
  Node node{{points_[order_[first]], points_[order_[first]]}, first, last, 0};
  for (Index i = first; i < last; ++i)
    for (int d = 0; d < 3; ++d) {
      node.box.min[d] = std::min(node.box.min[d], points_[order_[i]][d]);
      node.box.max[d] = std::max(node.box.max[d], points_[order_[i]][d]);
    }
  const std::size_t at = nodes_.size();
  nodes_.push_back(node);
  if (last - first <= leaf_points) return;
  int axis = 0;
  for (int d = 1; d < 3; ++d)
    if (node.box.max[d] - node.box.min[d] > node.box.max[axis] - node.box.min[axis]) axis = d;
  const Index middle = first + (last - first) / 2;
  std::nth_element(order_.begin() + first, order_.begin() + middle, order_.begin() + last,
                   [&](Index a, Index b) { return points_[a][axis] < points_[b][axis]; });
  build(first, middle);
  nodes_[at].right = static_cast<Index>(nodes_.size());
  build(middle, last);
}

}  // namespace tessera::mesh
