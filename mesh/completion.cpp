#include "mesh/completion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "mesh/gmsh_types.hpp"

namespace tessera::mesh {

namespace {

using Point = std::array<double, 3>;

Point evaluate(const std::vector<double>& points, const Index* cell, const double* basis, int nodes) {
  Point x{};
  for (int n = 0; n < nodes; ++n)
    for (int axis = 0; axis < 3; ++axis) x[axis] += basis[n] * points[3 * static_cast<std::size_t>(cell[n]) + axis];
  return x;
}

}  // namespace

Index SharedNodes::operator()(const Index* cell, const std::vector<int>& set, const double* basis, int nodes) {
  if (set.size() == 1) return cell[set[0]];
  if (set.size() > 4) return node_at(cell, basis, nodes);  // within the cell: nobody's but its own
  Key key{-1, -1, -1, -1};
  for (std::size_t v = 0; v < set.size(); ++v) key[v] = cell[set[v]];
  std::sort(key.begin(), key.begin() + static_cast<std::ptrdiff_t>(set.size()));
  const auto [found, added] = nodes_.try_emplace(key, -1);
  if (added) found->second = node_at(cell, basis, nodes);
  return found->second;
}

Index SharedNodes::node_at(const Index* cell, const double* basis, int nodes) {
  for (int n = 0; n < nodes; ++n)
    if (std::abs(basis[n] - 1) < 1e-12) return cell[n];  // a Lagrange basis: the cell has a node there
  const std::size_t fresh = points_.size() / 3;
  if (fresh >= static_cast<std::size_t>(std::numeric_limits<Index>::max()))
    throw Error(ExitCode::mesh, "the converted mesh has more nodes than 32-bit numbers count", "use a coarser mesh");
  const Point x = evaluate(points_, cell, basis, nodes);
  points_.insert(points_.end(), x.begin(), x.end());
  return static_cast<Index>(fresh);
}

double complete_cell(const Completion& completion, const Index* cell, Index* made, std::vector<double>& points,
                     SharedNodes& shared) {
  const std::vector<std::vector<int>>& sets = node_vertices(completion.shape);
  const int old_width = completion.nodes, width = static_cast<int>(sets.size());
  for (int n = 0; n < width; ++n) made[n] = shared(cell, sets[n], completion.at_new.data() + n * old_width, old_width);
  double farthest = 0;
  for (int n = 0; n < old_width; ++n) {
    const Point x = evaluate(points, made, completion.at_old.data() + n * width, width);
    const double* old = points.data() + 3 * static_cast<std::size_t>(cell[n]);
    farthest = std::max(farthest, std::hypot(x[0] - old[0], x[1] - old[1], x[2] - old[2]));
  }
  return farthest;
}

}  // namespace tessera::mesh
