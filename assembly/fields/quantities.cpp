#include "assembly/fields/quantities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "assembly/facets/side_tables.hpp"
#include "assembly/fields/side_loads.hpp"
#include "assembly/space/host_loop.hpp"
#include "base/error.hpp"
#include "mesh/geometry.hpp"

namespace tessera::assembly {
namespace {

constexpr Offset entities_per_chunk = 256;

/// All tables that a mesh needs, by block and side.
struct TableSet {
  std::map<std::pair<std::size_t, int>, SideTables> tables;

  TableSet(const mesh::Mesh& mesh, const DofMap& dofs, bool sides) {
    for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
      const int count = sides ? static_cast<int>(mesh::topology(mesh.blocks[b].shape).facets.size()) : 0;
      for (int side = sides ? 0 : -1; side < count; ++side)
        tables.emplace(std::piecewise_construct, std::forward_as_tuple(b, side),
                       std::forward_as_tuple(mesh.blocks[b], dofs.order, side, mesh.measure.weighs(), dofs.nodes));
    }
  }
};

std::size_t block_number(const mesh::Mesh& mesh, Index cell) {
  std::size_t b = 0;
  while (cell >= mesh.blocks[b].first_cell + mesh.blocks[b].cells()) ++b;
  return b;
}

/// Calls visit(sum, tables, block number, cell in block) for every entity and returns the sums added in order.
template <class Sum, class Visit>
Sum sum_entities(const mesh::Mesh& mesh, const DofMap& dofs, const mesh::Group* group, int threads, Visit visit) {
  const bool sides = group && group->dim == mesh.dim - 1;
  const TableSet set(mesh, dofs, sides);
  const Offset count = group ? static_cast<Offset>(group->entities.size()) : mesh.cells();
  std::vector<Sum> parts((count + entities_per_chunk - 1) / entities_per_chunk);
  for_chunks(count, entities_per_chunk, threads, [&](Offset chunk, Offset first, Offset last) {
    for (Offset i = first; i < last; ++i) {
      const Index entity = group ? group->entities[i] : static_cast<Index>(i);
      const Index cell = sides ? mesh.facets.cell[entity] : entity;
      const std::size_t b = block_number(mesh, cell);
      visit(parts[chunk], set.tables.at({b, sides ? mesh.facets.side[entity] : -1}), b,
            cell - mesh.blocks[b].first_cell);
    }
  });
  Sum total;
  for (const Sum& part : parts) total.add(part);
  return total;
}

}  // namespace

void check_components(const HostTensorField& field, int dim) {
  if (field.components != 1 && field.components != dim * (dim + 1) / 2)
    throw Error(ExitCode::internal, fmt::format("a coefficient of {} components on a {}-D mesh", field.components, dim),
                fmt::format("1 or {} components are expected", dim * (dim + 1) / 2));
}

std::array<double, 2> min_max(const mesh::Mesh& mesh, const DofMap& dofs, const FieldView& u,
                              const mesh::Group* group) {
  std::array<double, 2> result{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  const auto add = [&result](double value) {  // NaN stays
    if (value < result[0] || std::isnan(value)) result[0] = value;
    if (value > result[1] || std::isnan(value)) result[1] = value;
  };
  if (group)
    for (const Index dof : facet_dofs(mesh, dofs, *group)) add(u(dof));
  else
    for (Offset dof = 0; dof < u.nodes(); ++dof) add(u(dof));
  return result;
}

Moments moments(const mesh::Mesh& mesh, const DofMap& dofs, const FieldView& u, const mesh::Group* group, int threads) {
  if (group && group->dim < mesh.dim - 1)
    throw Error(ExitCode::usage,
                fmt::format("group '{}' has dimension {}, which has no integrals on a {}-D mesh", group->name,
                            group->dim, mesh.dim),
                "integrate over groups of cells or facets; min, max and value work on any group");
  const bool sides = group && group->dim == mesh.dim - 1;
  return sum_entities<Moments>(
      mesh, dofs, group, threads, [&](Moments& sum, const SideTables& tables, std::size_t b, Index local) {
        const Index* nodes = mesh.blocks[b].cell(local);
        for (int q = 0; q < tables.rule.size(); ++q) {
          double jacobian[9], inverse[9], n[3];
          const double det = tables.geometry.jacobian(mesh, nodes, q, jacobian);
          double scale = std::abs(det);
          if (sides) {
            GeometryMap::invert(jacobian, mesh.dim, inverse);
            scale = tables.scaled_normal(det, inverse, n);
          }
          double x[3] = {};
          if (mesh.measure.weighs()) tables.geometry.point(mesh, nodes, q, x);
          const double weight = tables.rule.weights[q] * scale * mesh.measure.at(x);
          const double value = tables.field.value(dofs.blocks[b].cell(local), u.data(), q, u.stride());
          sum.measure += weight;
          sum.integral += weight * value;
          sum.square += weight * value * value;
        }
      });
}

FieldStatistics field_statistics(const mesh::Mesh& mesh, const DofMap& dofs, const FieldView& u,
                                 const mesh::Group* group, int threads) {
  const Moments sums = moments(mesh, dofs, u, group, threads);
  const auto [low, high] = min_max(mesh, dofs, u, group);
  if (low > high)
    throw Error(ExitCode::usage, fmt::format("group '{}' has no dofs", group ? group->name : ""),
                "choose a group that is part of the mesh's cells");
  return {sums.measure, sums.integral, std::sqrt(sums.square), low, high};
}

double gradient_flux(const mesh::Mesh& mesh, const DofMap& dofs, std::span<const double> u, const HostTensorField& k,
                     std::span<const mesh::CellSide> sides, int threads) {
  const SideLoads loads = gradient_loads(mesh, dofs, u, k, sides, threads);
  double inward = 0;
  for (Offset s = 0; s < loads.sides(); ++s) inward += loads.total(s);
  return -inward;
}

Probe make_probe(const mesh::Mesh& mesh, const DofMap& dofs, const std::array<double, 3>& point) {
  return make_probe(mesh, dofs, mesh::PointLocator(mesh), point);
}

Probe make_probe(const mesh::Mesh& mesh, const DofMap& dofs, const mesh::PointLocator& locator,
                 const std::array<double, 3>& point) {
  const auto location = locator.find(point);
  if (!location) {
    const mesh::BoundingBox box = mesh::bounding_box(mesh);
    throw Error(
        ExitCode::usage, fmt::format("the point ({:g}, {:g}, {:g}) lies in no cell", point[0], point[1], point[2]),
        fmt::format("choose a point inside the mesh, whose bounding box is ({:g}, {:g}, {:g}) to ({:g}, {:g}, {:g})",
                    box.min[0], box.min[1], box.min[2], box.max[0], box.max[1], box.max[2]));
  }
  const DofBlock& block = dofs.block_of(location->cell);
  const FieldMap field(dofs.element(block.shape), {location->xi.data(), std::size_t(mesh.dim)});
  const Index* of_cell = block.cell(location->cell - block.first_cell);
  return {location->cell, {of_cell, of_cell + block.nodes}, field.phi};
}

double value_at(const mesh::Mesh& mesh, const DofMap& dofs, const FieldView& u, const std::array<double, 3>& point) {
  return make_probe(mesh, dofs, point).value(u);
}

}  // namespace tessera::assembly
