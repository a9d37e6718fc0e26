#include "physics/wave/slopes.hpp"

#include <array>

#include "base/team.hpp"

namespace tessera::physics::wave {

namespace {

using Slopes = std::array<std::array<double, 3>, 3>;  // [component][axis]

/// d x_c / d xi_a at a place of a cell, by the rule's derivatives.
Slopes along_axes(const Problem& problem, const Index* nodes, int place, std::span<const double> x) {
  const int dim = problem.cells.dim, n = problem.cells.n;
  const assembly::spectral::Rule& rule = assembly::spectral::rule(n - 1);
  Slopes along{};
  for (int axis = 0, step = 1; axis < dim; ++axis, step *= n) {
    const int at = place / step % n, line = place - at * step;
    for (int m = 0; m < n; ++m) {
      const double slope = rule.slope[at * n + m];
      const double* const of_node = &x[static_cast<std::size_t>(problem.row(nodes[line + m * step], 0))];
      for (std::size_t c = 0; c < static_cast<std::size_t>(dim); ++c)
        along[c][static_cast<std::size_t>(axis)] += slope * of_node[c];
    }
  }
  return along;
}

/// Means of what take(slopes, values [width]) makes of the slopes of x at the nodes: [dofs, width].
template <std::size_t width, class Take>
std::vector<double> means(const Problem& problem, std::span<const double> x, Take take) {
  constexpr Index together = 4096;  // cells whose values are in memory at a time
  const assembly::spectral::Cells& cells = problem.cells;
  const int dim = cells.dim;
  const auto dofs = static_cast<std::size_t>(problem.space.dofs.dofs);
  std::vector<double> sums(dofs * width, 0.0), volume(dofs, 0.0);
  for (Index first = 0; first < cells.cells; first += together) {
    const Index count = std::min(together, cells.cells - first);
    const std::vector<double> geometry = assembly::spectral::stored_geometry(problem.mesh(), cells, first, count);
    std::vector<double> values(static_cast<std::size_t>(Offset{count} * cells.places) * width);
    const auto inverse = [&](Index c) { return geometry.data() + Offset{c} * (dim * dim + 1) * cells.places; };
    parallel_ranges(problem.space.threads, count, [&](Offset begin, Offset end, int) {
      for (auto c = static_cast<Index>(begin); c < static_cast<Index>(end); ++c)
        for (int q = 0; q < cells.places; ++q) {
          const Slopes along = along_axes(problem, cells.cell(first + c), q, x);
          Slopes slopes{};
          for (int k = 0; k < dim; ++k)
            for (int d = 0; d < dim; ++d)
              for (int a = 0; a < dim; ++a)
                slopes[static_cast<std::size_t>(k)][static_cast<std::size_t>(d)] +=
                    inverse(c)[Offset{a * dim + d} * cells.places + q] *
                    along[static_cast<std::size_t>(k)][static_cast<std::size_t>(a)];
          take(slopes, &values[static_cast<std::size_t>(Offset{c} * cells.places + q) * width]);
        }
    });
    for (Index c = 0; c < count; ++c)
      for (int q = 0; q < cells.places; ++q) {
        const auto dof = static_cast<std::size_t>(cells.cell(first + c)[q]);
        const double weight = inverse(c)[Offset{dim * dim} * cells.places + q];
        volume[dof] += weight;
        for (std::size_t k = 0; k < width; ++k)
          sums[dof * width + k] += weight * values[static_cast<std::size_t>(Offset{c} * cells.places + q) * width + k];
      }
  }
  for (std::size_t dof = 0; dof < dofs; ++dof)
    for (std::size_t k = 0; k < width && volume[dof] > 0; ++k) sums[dof * width + k] /= volume[dof];
  return sums;
}

}  // namespace

std::vector<double> divergence(const Problem& problem, std::span<const double> x) {
  return means<1>(problem, x,
                  [](const Slopes& slope, double* value) { *value = slope[0][0] + slope[1][1] + slope[2][2]; });
}

std::vector<double> curl(const Problem& problem, std::span<const double> x) {
  return means<3>(problem, x, [](const Slopes& slope, double* value) {
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t a = (k + 1) % 3, b = (k + 2) % 3;
      value[k] = slope[b][a] - slope[a][b];
    }
  });
}

}  // namespace tessera::physics::wave
