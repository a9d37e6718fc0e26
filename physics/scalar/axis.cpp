#include "physics/scalar/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/counted.hpp"
#include "base/log.hpp"
#include "mesh/geometry.hpp"
#include "physics/entry.hpp"
#include "physics/evaluate.hpp"

namespace tessera::physics::scalar {

void weigh(forms::Coefficient& coefficient, const std::vector<Index>& region, const mesh::Mesh& mesh,
           const assembly::QuadraturePoints& points, int threads) {
  if (!mesh.measure.weighs() || coefficient.values.empty()) return;
  spread_over_points(coefficient, region, mesh, points);
  const int components = coefficient.components;
  for_each_points(mesh, points, threads, [&](std::size_t block, Index first, Index, std::span<const double> xyz) {
    double* value =
        coefficient.values.data() + (points.before(block) + Offset{first} * points.per_cell(block)) * components;
    for (std::size_t at = 0; at < xyz.size(); at += 3) {
      const double weight = mesh.measure.at(&xyz[at]);
      for (int c = 0; c < components; ++c) *value++ *= weight;
    }
  });
}

void weigh(std::vector<double>& values, std::span<const double> points, const mesh::Measure& measure) {
  if (!measure.weighs() || values.empty()) return;
  const std::size_t components = values.size() / (points.size() / 3);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= measure.at(&points[3 * (i / components)]);
}

void check_on_axis(const Problem& problem) {
  const mesh::Mesh& mesh = problem.mesh;
  if (!mesh.measure.weighs()) return;
  for (const FacetTerm& term : problem.facets) {
    const BoundaryParams& boundary = *term.boundary;
    if (is_zero(boundary.value) && is_zero(boundary.alpha)) continue;  // what holds on the axis anyway
    if (mesh::on_axis(mesh, term.group))
      throw Error(ExitCode::usage,
                  fmt::format("the {} boundary on '{}' has no effect: it lies on the axis, where it has no area",
                              boundary.type, term.group.name),
                  "leave it out: without a condition the solution is smooth on the axis; nothing flows through it",
                  boundary.where);
  }
  for (const BoundaryParams& boundary : problem.params.boundaries) {
    if (boundary.type != "dirichlet") continue;
    for (const std::string& name : boundary.on) {
      const mesh::Group* group = mesh.group(name, mesh.dim - 1);
      const Index count = group ? mesh::facets_on_axis(mesh, *group) : 0;
      if (count > 0)
        warn(
            fmt::format("{}{} of {} of '{}' {} on the axis: a value there holds along a line in space, near "
                        "which the solution depends on the cells; without a condition it is smooth there",
                        boundary.where ? fmt::format("{}:{}: ", boundary.where->file, boundary.where->line) : "", count,
                        counted(group->entities.size(), "facet"), name, count == 1 ? "lies" : "lie"));
    }
  }
  for (const QuantityParams& quantity : problem.params.quantities) {
    if (quantity.kind != "average" || quantity.on.empty()) continue;
    if (mesh::on_axis(mesh, united_groups(mesh, quantity.on, -1, quantity.where)))
      throw Error(ExitCode::usage,
                  fmt::format("quantity '{}': '{}' lies on the axis and has no area to take an average over",
                              quantity.name, fmt::join(quantity.on, ", ")),
                  "use min, max or value, or a [[line]] along the axis", quantity.where);
  }
}

void check_periodic_distances(const std::vector<BoundaryParams>& periodic, const mesh::Mesh& mesh,
                              const std::vector<Index>& same) {
  if (!mesh.measure.weighs()) return;
  const int r = mesh.measure.radius;
  const double tolerance = 1e-6 * mesh::bounding_box(mesh).max[r];  // periodic sides fit to about as much
  for (const BoundaryParams& boundary : periodic) {
    mesh::Group sides;
    for (const std::string& name : boundary.on) {
      const mesh::Group& group = find_group(mesh, name, mesh.dim - 1, boundary.where);
      sides.entities.insert(sides.entities.end(), group.entities.begin(), group.entities.end());
    }
    for (const Index facet : sides.entities) {
      const Index cell = mesh.facets.cell[facet];
      const mesh::CellBlock& block = mesh.block_of(cell);
      for (const int vertex : mesh::facet_nodes(block.shape, mesh.facets.side[facet], 1)) {
        const Index node = block.cell(cell - block.first_cell)[vertex];
        const double here = mesh.point(node)[r], there = mesh.point(same[node])[r];
        if (std::abs(here - there) <= tolerance) continue;
        throw Error(
            ExitCode::usage,
            fmt::format("'{}' and '{}' are periodic but lie at different distances from the axis: {:g} and {:g}",
                        boundary.on[0], boundary.on[1], std::min(here, there), std::max(here, there)),
            fmt::format("a body of revolution repeats along its axis {}: name its two ends, such as \"{}\" "
                        "and \"{}\" of a box",
                        mesh.measure.axis(), r == 0 ? "bottom" : "left", r == 0 ? "top" : "right"),
            boundary.where);
      }
    }
  }
}

}  // namespace tessera::physics::scalar
