#include "mesh/plane_facets.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tessera::mesh {

std::optional<OuterPlane> plane_of_facet(const Mesh& mesh, Index facet, double tolerance) {
  const CellBlock& block = mesh.block_of(mesh.facets.cell[facet]);
  const Index* const cell = block.cell(mesh.facets.cell[facet] - block.first_cell);
  const auto nodes = facet_nodes(block.shape, mesh.facets.side[facet], block.order);
  for (int a = 0; a < mesh.dim; ++a) {
    const double first = mesh.point(cell[nodes[0]])[a];
    bool flat = true;
    for (const std::int8_t node : nodes) flat = flat && std::abs(mesh.point(cell[node])[a] - first) <= tolerance;
    if (!flat) continue;
    double middle = 0;
    for (int i = 0; i < block.nodes_per_cell; ++i) middle += mesh.point(cell[i])[a] / block.nodes_per_cell;
    const double sign = first > middle ? 1 : -1;
    return OuterPlane{a, sign, sign * first};
  }
  return std::nullopt;
}

std::string describe_plane(int axis, double sign, double coordinate) {
  return fmt::format("{} = {:g}", "xyz"[axis], sign * coordinate);
}

}  // namespace tessera::mesh
