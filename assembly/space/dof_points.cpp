// Where dofs lie.
#include <algorithm>
#include <span>

#include "assembly/space/dof_map.hpp"
#include "assembly/space/first_cells.hpp"
#include "assembly/space/geometry_map.hpp"
#include "base/team.hpp"
#include "base/touch.hpp"

namespace tessera::assembly {

namespace {

/// The first cell of a dof gives its place: points of the block's element in its node order.
template <class PointsOf>
std::vector<double> place_dofs(const mesh::Mesh& mesh, const DofMap& dofs, PointsOf points_of) {
  const int threads = default_threads();
  std::vector<double> result;
  resize_by_all(result, static_cast<std::size_t>(dofs.dofs) * 3, threads);
  const std::vector<Index> first_cell = first_cells(dofs);
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const mesh::CellBlock& block = mesh.blocks[b];
    const Element& element = dofs.element(block.shape);
    const GeometryMap geometry(block, points_of(element));
    parallel_for(threads, block.cells(), [&](Index c) {
      // Backwards: of a dof that the cell has twice the first node counts.
      for (int n = element.nodes - 1; n >= 0; --n) {
        const Index dof = dofs.blocks[b].cell(c)[n];
        if (first_cell[dof] == block.first_cell + c)
          geometry.point(mesh, block.cell(c), n, &result[static_cast<std::size_t>(dof) * 3]);
      }
    });
  }
  return result;
}

/// Whether the nodes of the mesh are the dofs, number by number.
bool nodes_are_dofs(const mesh::Mesh& mesh, const DofMap& dofs) {
  if (dofs.order != 1 || dofs.dofs != mesh.nodes()) return false;
  return parallel_reduce(
      default_threads(), Offset{mesh.nodes()}, true,
      [&](Offset first, Offset last) {
        bool same = true;
        for (Offset node = first; node < last; ++node) same = same && dofs.vertex_dofs[node] == node;
        return same;
      },
      [](bool a, bool b) { return a && b; });
}

}  // namespace

std::vector<double> dof_points(const mesh::Mesh& mesh, const DofMap& dofs) {
  if (nodes_are_dofs(mesh, dofs)) {
    std::vector<double> points;
    resize_by_all(points, mesh.points.size(), default_threads());
    parallel_ranges(default_threads(), static_cast<Offset>(points.size()), [&](Offset first, Offset last, int) {
      std::copy(mesh.points.data() + first, mesh.points.data() + last, points.data() + first);
    });
    return points;
  }
  return place_dofs(mesh, dofs, [](const Element& element) { return element.node_points; });
}

std::vector<double> equispaced_dof_points(const mesh::Mesh& mesh, const DofMap& dofs) {
  return place_dofs(mesh, dofs, [](const Element& element) { return equispaced_points(element); });
}

std::vector<double> equispaced_values(const DofMap& dofs, std::span<const double> u, int components) {
  std::vector<double> result(u.begin(), u.end());
  if (dofs.is_equispaced()) return result;
  // Neighbours agree, as values of a side need the side's dofs only: the first cell of a dof gives its value.
  const std::vector<Index> first_cell = first_cells(dofs);
  Index first = 0;
  for (const DofBlock& block : dofs.blocks) {
    const Element& element = dofs.element(block.shape);
    std::vector<double> phi, dphi;
    tabulate(element, equispaced_points(element), phi, dphi);
    parallel_for(default_threads(), block.cells(), [&](Index c) {
      const Index* cell = block.cell(c);
      for (int n = element.nodes - 1; n >= 0; --n) {
        if (first_cell[cell[n]] != first + c) continue;
        for (int i = 0; i < components; ++i) {
          double sum = 0;
          for (int m = 0; m < element.nodes; ++m)
            sum += phi[std::size_t(n) * element.nodes + m] * u[std::size_t(cell[m]) * components + i];
          result[std::size_t(cell[n]) * components + i] = sum;
        }
      }
    });
    first += block.cells();
  }
  return result;
}

}  // namespace tessera::assembly
