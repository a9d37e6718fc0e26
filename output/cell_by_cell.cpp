#include "output/cell_by_cell.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "mesh/point_tree.hpp"

namespace tessera::output {
namespace {

using Point = mesh::PointTree::Point;

std::vector<Point> centres(const VtuFile& file) {
  std::vector<Point> result(file.types.size());
  for (std::size_t c = 0; c < result.size(); ++c) {
    result[c].fill(0);
    for (Offset n = file.offsets[c]; n < file.offsets[c + 1]; ++n)
      for (std::size_t axis = 0; axis < 3; ++axis)
        result[c][axis] += file.points[3 * static_cast<std::size_t>(file.connectivity[n]) + axis];
    for (double& x : result[c]) x /= static_cast<double>(std::max<Offset>(1, file.offsets[c + 1] - file.offsets[c]));
  }
  return result;
}

/// Half of the edge of the box around a cell in which the centre of its partner is looked for: far below its size.
double reach(const VtuFile& file, std::size_t cell) {
  Point low, high;
  low.fill(std::numeric_limits<double>::infinity());
  high.fill(-std::numeric_limits<double>::infinity());
  for (Offset n = file.offsets[cell]; n < file.offsets[cell + 1]; ++n)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double x = file.points[3 * static_cast<std::size_t>(file.connectivity[n]) + axis];
      low[axis] = std::min(low[axis], x), high[axis] = std::max(high[axis], x);
    }
  return 1e-6 * std::max({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
}

/// [cells of a] the cell of b that lies there; empty: one has none.
std::vector<Index> partners(const VtuFile& a, const VtuFile& b) {
  if (a.types.size() != b.types.size()) return {};
  const std::vector<Point> of_a = centres(a);
  const mesh::PointTree tree(centres(b));
  std::vector<Index> result(of_a.size(), -1);
  std::vector<char> taken(of_a.size(), 0);
  for (std::size_t c = 0; c < of_a.size(); ++c) {
    mesh::BoundingBox box{of_a[c], of_a[c]};
    const double r = reach(a, c);
    for (std::size_t axis = 0; axis < 3; ++axis) box.min[axis] -= r, box.max[axis] += r;
    tree.in_box(box, [&](Index other) {
      const auto o = static_cast<std::size_t>(other);
      const bool fits =
          !taken[o] && b.types[o] == a.types[c] && b.offsets[o + 1] - b.offsets[o] == a.offsets[c + 1] - a.offsets[c];
      if (fits) result[c] = other;
    });
    if (result[c] < 0) return {};
    taken[static_cast<std::size_t>(result[c])] = 1;
  }
  return result;
}

std::vector<double> values_of(const std::vector<double>& values, int components, const std::vector<Offset>& items) {
  const auto width = static_cast<std::size_t>(components);
  std::vector<double> result;
  result.reserve(items.size() * width);
  for (const Offset item : items) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(item) * width);
    result.insert(result.end(), first, first + components);
  }
  return result;
}

/// The cells in this order, each with points of its own.
void rearrange(VtuFile& file, const std::vector<Index>& order) {
  std::vector<Offset> points, cells, offsets{0};
  std::vector<int> types;
  for (const Index cell : order) {
    const auto c = static_cast<std::size_t>(cell);
    cells.push_back(cell);
    types.push_back(file.types[c]);
    points.insert(points.end(), file.connectivity.begin() + file.offsets[c],
                  file.connectivity.begin() + file.offsets[c + 1]);
    offsets.push_back(static_cast<Offset>(points.size()));
  }
  file.points = values_of(file.points, 3, points);
  for (Field& field : file.point_fields) field.values = values_of(field.values, field.components, points);
  for (Field& field : file.cell_fields) field.values = values_of(field.values, field.components, cells);
  file.types = std::move(types);
  file.offsets = std::move(offsets);
  file.connectivity.resize(points.size());
  std::iota(file.connectivity.begin(), file.connectivity.end(), Offset{0});
}

}  // namespace

bool put_cell_by_cell(VtuFile& a, VtuFile& b) {
  const std::vector<Index> of_b = partners(a, b);
  if (of_b.size() != a.types.size()) return false;
  std::vector<Index> of_a(of_b.size());
  std::iota(of_a.begin(), of_a.end(), 0);
  rearrange(a, of_a);
  rearrange(b, of_b);
  return true;
}

}  // namespace tessera::output
