#pragma once
// Matrices of -div(k grad u) on a cube of n^3 cells with u = 0 on its surface, whose rows stay with their diagonal, as
// the program eliminates them.
#include <array>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "support/matrices.hpp"

namespace tessera::testing {

/// Each node couples with those of the cells around it: 27 slots.
class StencilMatrix {
 public:
  explicit StencilMatrix(int cells) : nodes_(cells + 1), slots_(static_cast<std::size_t>(nodes_ * nodes_ * nodes_)) {}

  int nodes() const { return nodes_; }
  Index number(std::array<int, 3> node) const { return (node[2] * nodes_ + node[1]) * nodes_ + node[0]; }
  bool on_surface(std::array<int, 3> node) const {
    for (int x : node)
      if (x == 0 || x == nodes_ - 1) return true;
    return false;
  }
  void add(std::array<int, 3> row, std::array<int, 3> col, double value) {
    Slot& slot = slots_[static_cast<std::size_t>(number(row))];
    const int at = (col[2] - row[2] + 1) * 9 + (col[1] - row[1] + 1) * 3 + col[0] - row[0] + 1;
    slot.value[static_cast<std::size_t>(at)] += value;
    slot.used[static_cast<std::size_t>(at)] = true;
  }

  /// `fixed`: rows of the surface keep their diagonal alone, and nobody has entries in their columns.
  HostMatrix matrix(bool fixed) const {
    HostMatrix A;
    A.rows = A.cols = static_cast<Index>(slots_.size());
    for_nodes([&](std::array<int, 3> node) {
      const Slot& slot = slots_[static_cast<std::size_t>(number(node))];
      for (int at = 0; at < 27; ++at) {
        const std::array<int, 3> other = {node[0] + at % 3 - 1, node[1] + at / 3 % 3 - 1, node[2] + at / 9 - 1};
        if (!slot.used[static_cast<std::size_t>(at)]) continue;
        const bool out = fixed && other != node && (on_surface(node) || on_surface(other));
        A.add(number(other), out ? 0.0 : slot.value[static_cast<std::size_t>(at)]);
      }
      A.end_row();
    });
    return A;
  }
  void for_nodes(const std::function<void(std::array<int, 3>)>& f) const {
    for (int z = 0; z < nodes_; ++z)
      for (int y = 0; y < nodes_; ++y)
        for (int x = 0; x < nodes_; ++x) f({x, y, z});
  }

 private:
  struct Slot {
    std::array<double, 27> value{};
    std::array<bool, 27> used{};
  };
  int nodes_;
  std::vector<Slot> slots_;
};

struct CubeProblem {
  int cells = 8;
  double jitter = 0;  ///< of inner nodes, in cell sizes
  double aspect = 1;  ///< of a cell: length in x over that in z
  double jump = 1;    ///< k is this in every other block of 8^3 cells, 1 elsewhere
  bool fixed = true;  ///< whether u = 0 is prescribed on the surface
  double k(int x, int y, int z) const { return (x / 8 + y / 8 + z / 8) % 2 ? jump : 1; }
};

/// P1 tets, Kuhn's six a cell.
inline HostMatrix p1_tets(const CubeProblem& problem) {
  using Point = std::array<double, 3>;
  StencilMatrix result(problem.cells);
  std::vector<Point> points;
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> shift(-problem.jitter, problem.jitter);
  result.for_nodes([&](std::array<int, 3> node) {
    Point x = {1.0 * node[0], 1.0 * node[1], 1.0 * node[2]};
    if (problem.jitter > 0 && !result.on_surface(node))
      for (double& value : x) value += shift(engine);
    points.push_back({x[0] * problem.aspect, x[1], x[2]});
  });
  constexpr int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  const auto cross = [](const Point& a, const Point& b) {
    return Point{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  };
  const auto dot = [](const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
  for (int z = 0; z < problem.cells; ++z)
    for (int y = 0; y < problem.cells; ++y)
      for (int x = 0; x < problem.cells; ++x)
        for (const auto& order : orders) {
          std::array<std::array<int, 3>, 4> node;
          node[0] = {x, y, z};
          for (std::size_t i = 0; i < 3; ++i) {
            node[i + 1] = node[i];
            ++node[i + 1][static_cast<std::size_t>(order[i])];
          }
          std::array<Point, 3> edge;
          for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t c = 0; c < 3; ++c)
              edge[i][c] = points[static_cast<std::size_t>(result.number(node[i + 1]))][c] -
                           points[static_cast<std::size_t>(result.number(node[0]))][c];
          const double volume6 = dot(edge[0], cross(edge[1], edge[2]));
          std::array<Point, 4> gradient{};
          for (std::size_t i = 0; i < 3; ++i) {
            const Point g = cross(edge[(i + 1) % 3], edge[(i + 2) % 3]);
            for (std::size_t c = 0; c < 3; ++c) {
              gradient[i + 1][c] = g[c] / volume6;
              gradient[0][c] -= g[c] / volume6;
            }
          }
          const double factor = problem.k(x, y, z) * std::abs(volume6) / 6;
          for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t j = 0; j < 4; ++j) result.add(node[i], node[j], factor * dot(gradient[i], gradient[j]));
        }
  return result.matrix(problem.fixed);
}

/// Q1 hexes, not jittered.
inline HostMatrix q1_hexes(const CubeProblem& problem) {
  StencilMatrix result(problem.cells);
  const std::array<double, 3> h = {problem.aspect, 1, 1};
  const auto stiffness = [&](int c, int i, int j) { return (i == j ? 1 : -1) / h[static_cast<std::size_t>(c)]; };
  const auto mass = [&](int c, int i, int j) { return h[static_cast<std::size_t>(c)] * (i == j ? 2 : 1) / 6; };
  for (int z = 0; z < problem.cells; ++z)
    for (int y = 0; y < problem.cells; ++y)
      for (int x = 0; x < problem.cells; ++x)
        for (int a = 0; a < 8; ++a)
          for (int b = 0; b < 8; ++b) {
            const std::array<int, 3> i = {a & 1, a >> 1 & 1, a >> 2}, j = {b & 1, b >> 1 & 1, b >> 2};
            double value = 0;
            for (int c = 0; c < 3; ++c) {
              double term = 1;
              for (int d = 0; d < 3; ++d) {
                const auto at = static_cast<std::size_t>(d);
                term *= c == d ? stiffness(d, i[at], j[at]) : mass(d, i[at], j[at]);
              }
              value += term;
            }
            result.add({x + i[0], y + i[1], z + i[2]}, {x + j[0], y + j[1], z + j[2]}, problem.k(x, y, z) * value);
          }
  return result.matrix(problem.fixed);
}

}  // namespace tessera::testing
