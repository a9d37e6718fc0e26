#include "physics/run/shown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "output/pieces.hpp"

namespace tessera::physics {
namespace {

/// Nodes of a cell on one of its sides, as the element of the side counts them.
std::vector<int> nodes_of_side(const assembly::DofMap& dofs, mesh::Shape shape, int side) {
  const assembly::Element& cell = dofs.element(shape);
  const mesh::Shape facet = mesh::topology(shape).facets[static_cast<std::size_t>(side)].shape;
  const std::vector<double> lattice = assembly::equispaced_points(cell);
  const std::vector<double> on_side =
      assembly::facet_to_cell(shape, side, assembly::equispaced_points(assembly::lagrange(facet, dofs.order)));
  const auto dim = static_cast<std::size_t>(cell.dim);
  std::vector<int> result;
  for (std::size_t at = 0; at < on_side.size(); at += dim) {
    int nearest = 0;
    double least = 1e300;
    for (int node = 0; node < cell.nodes; ++node) {
      double distance = 0;
      for (std::size_t d = 0; d < dim; ++d)
        distance += std::abs(lattice[static_cast<std::size_t>(node) * dim + d] - on_side[at + d]);
      if (distance < least) {
        least = distance;
        nearest = node;
      }
    }
    result.push_back(nearest);
  }
  return result;
}

/// Facets in the place of cells; points and their fields stay.
void take_facets(const mesh::Mesh& mesh, const assembly::DofMap& dofs, const std::vector<Index>& facets,
                 output::VtkData& data) {
  std::map<std::pair<mesh::Shape, int>, std::vector<int>> sides;
  std::map<mesh::Shape, std::vector<Index>> conn, parents;  // by the shape of the facets
  for (const Index facet : facets) {
    const Index cell = mesh.facets.cell[static_cast<std::size_t>(facet)];
    const auto side = static_cast<unsigned char>(mesh.facets.side[static_cast<std::size_t>(facet)]);
    const assembly::DofBlock& block = dofs.block_of(cell);
    const auto [found, is_new] = sides.try_emplace({block.shape, side});
    if (is_new) found->second = nodes_of_side(dofs, block.shape, side);
    const mesh::Shape shape = mesh::topology(block.shape).facets[static_cast<std::size_t>(side)].shape;
    for (const int node : found->second) conn[shape].push_back(block.cell(cell - block.first_cell)[node]);
    parents[shape].push_back(cell);
  }
  data.blocks.clear();
  std::vector<Index> rows;
  for (const auto& [shape, of_shape] : conn) {
    const std::vector<double> nodes = assembly::equispaced_points(assembly::lagrange(shape, dofs.order));
    data.blocks.push_back(output::vtk_cells(shape, dofs.order, nodes, of_shape));
    rows.insert(rows.end(), parents[shape].begin(), parents[shape].end());
  }
  for (output::Field& field : data.cell_fields) field = output::taken(field, rows);
}

}  // namespace

void check_shown(const OutputParams& output, const mesh::Mesh& mesh, GroupList list) {
  if (output.on.empty()) return;
  const mesh::Group group = united_groups(mesh, output.on, -1, output.where, list);
  if (group.dim == mesh.dim || (group.dim == mesh.dim - 1 && mesh.dim > 1)) return;
  throw Error(ExitCode::usage,
              fmt::format("'{}' ({}) is neither a part of the mesh nor a side of it that files can show", group.name,
                          entity_name(group.dim)),
              "name groups of cells or of facets; [[probe]] and [[line]] have values at points", output.where);
}

Shown shown_part(const OutputParams& output, const mesh::Mesh& mesh, const assembly::DofMap& dofs, output::VtkData data,
                 std::span<const char> own) {
  const auto is_own = [&](Index cell) { return own.empty() || own[static_cast<std::size_t>(cell)]; };
  if (output.on.empty() && own.empty()) return {std::move(data)};
  std::vector<Index> shown;
  if (output.on.empty()) {
    output::VtkData part = output::of_cells(data, own, shown);
    return {std::move(part), std::move(shown)};
  }
  const mesh::Group group = united_groups(mesh, output.on, -1, output.where);
  std::vector<char> marked;
  if (group.dim == mesh.dim) {
    marked.assign(static_cast<std::size_t>(mesh.cells()), 0);
    for (const Index cell : group.entities) marked[static_cast<std::size_t>(cell)] = is_own(cell);
  } else {
    std::vector<Index> facets;
    for (const Index facet : group.entities)
      if (is_own(mesh.facets.cell[static_cast<std::size_t>(facet)])) facets.push_back(facet);
    take_facets(mesh, dofs, facets, data);
    marked.assign(facets.size(), 1);
  }
  output::VtkData part = output::of_cells(data, marked, shown);
  return {std::move(part), std::move(shown)};
}

}  // namespace tessera::physics
