#include "assembly/spectral/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "assembly/matrix_free/host_setup.hpp"
#include "assembly/space/geometry_map.hpp"
#include "assembly/spectral/layer_cells.hpp"
#include "base/error.hpp"

namespace tessera::assembly::spectral {

namespace {

std::array<int, 3> lattice_of(int place, int n) { return {place % n, place / n % n, place / (n * n)}; }

/// [places, dim]
std::vector<double> reference_points(int dim, const Rule& rule, int places) {
  std::vector<double> points;
  for (int q = 0; q < places; ++q)
    for (int axis = 0; axis < dim; ++axis) points.push_back(rule.points[lattice_of(q, rule.n)[axis]]);
  return points;
}

double weight(int place, int dim, const Rule& rule) {
  double product = 1;
  for (int axis = 0; axis < dim; ++axis) product *= rule.weights[lattice_of(place, rule.n)[axis]];
  return product;
}

/// Calls visit(cell, place, J [dim, dim], |J|, point) for all places of the cells [first, last); cells in parallel, and
/// of a cell the places in their order.
template <class Visit>
void at_places(const mesh::Mesh& mesh, const Cells& cells, Index first, Index last, Visit visit) {
  const Rule& line = rule(cells.n - 1);
  const std::vector<double> points = reference_points(cells.dim, line, cells.places);
  for (const mesh::CellBlock& block : mesh.blocks) {
    const Index begin = std::max(first, block.first_cell), end = std::min(last, block.first_cell + block.cells());
    if (begin >= end) continue;
    const GeometryMap map(block, points);
    parallel_for(default_threads(), end - begin, [&](Offset i) {
      const Index cell = begin + static_cast<Index>(i);
      const Index* const nodes = block.cell(cell - block.first_cell);
      for (int q = 0; q < cells.places; ++q) {
        double J[9] = {}, x[3] = {};
        const double det = map.jacobian(mesh, nodes, q, J);
        map.point(mesh, nodes, q, x);
        visit(cell, q, J, det, x);
      }
    });
  }
}

void refuse_degree(const DofMap& dofs) {
  if (dofs.order >= least_degree && dofs.order <= max_order && dofs.nodes == LineNodes::lobatto) return;
  throw Error(ExitCode::usage, fmt::format("no spectral elements of degree {}", dofs.order),
              fmt::format("degrees {} to {} are there", least_degree, max_order));
}

void refuse_folded(const mesh::Mesh& mesh, const Cells& cells) {
  std::vector<std::array<double, 3>> where(static_cast<std::size_t>(cells.cells));
  std::vector<char> folded(static_cast<std::size_t>(cells.cells), 0);
  at_places(mesh, cells, 0, cells.cells, [&](Index cell, int, const double*, double det, const double* x) {
    if (det > 0 || folded[static_cast<std::size_t>(cell)]) return;
    folded[static_cast<std::size_t>(cell)] = 1;
    where[static_cast<std::size_t>(cell)] = {x[0], x[1], x[2]};
  });
  const auto first = std::find(folded.begin(), folded.end(), 1);
  if (first == folded.end()) return;
  const std::array<double, 3>& x = where[static_cast<std::size_t>(first - folded.begin())];
  throw Error(ExitCode::mesh,
              fmt::format("cell {} is folded at ({:g}, {:g}, {:g}), a node of degree {}: the determinant of its map is "
                          "not positive there",
                          first - folded.begin() + 1, x[0], x[1], x[2], cells.n - 1),
              "smooth the mesh, or mesh the place anew with smaller or straight cells");
}

}  // namespace

Cells make_cells(const mesh::Mesh& mesh, const DofMap& dofs) {
  refuse_degree(dofs);
  Cells cells;
  cells.dim = mesh.dim;
  cells.n = dofs.order + 1;
  cells.places = mesh.dim == 2 ? cells.n * cells.n : cells.n * cells.n * cells.n;
  cells.cells = mesh.cells();
  cells.dofs.reserve(static_cast<std::size_t>(cells.cells) * static_cast<std::size_t>(cells.places));
  for (const DofBlock& block : dofs.blocks) {
    const std::vector<int> nodes = matrix_free::lexicographic_nodes(dofs.element(block.shape));
    for (Index c = 0; c < block.cells(); ++c)
      for (int q = 0; q < cells.places; ++q) cells.dofs.push_back(block.cell(c)[nodes[static_cast<std::size_t>(q)]]);
  }
  refuse_folded(mesh, cells);
  return cells;
}

std::string describe(const Cells& cells, const mesh::CellBlock& block, bool stored, const Coefficients& material) {
  return fmt::format("degree {}, {} {}, {}, material {}", cells.n - 1, block.cells(),
                     cells.dim == 2 ? "quads" : "hexes", stored ? "geometry stored" : "geometry from the vertices",
                     material.at_places ? "at the nodes" : "of cells");
}

std::vector<double> diagonal_mass(const mesh::Mesh& mesh, const DofMap& dofs, const Cells& cells,
                                  const Coefficients& factor) {
  const Rule& line = rule(cells.n - 1);
  std::vector<double> of_places(cells.dofs.size()), mass(static_cast<std::size_t>(dofs.dofs), 0.0);
  at_places(mesh, cells, 0, cells.cells, [&](Index cell, int q, const double*, double det, const double*) {
    of_places[static_cast<std::size_t>(Offset{cell} * cells.places + q)] =
        weight(q, cells.dim, line) * det * factor.at(cells, cell, q);
  });
  for (std::size_t i = 0; i < of_places.size(); ++i) mass[static_cast<std::size_t>(cells.dofs[i])] += of_places[i];
  return mass;
}

std::vector<double> stored_geometry(const mesh::Mesh& mesh, const Cells& cells, Index first, Index count) {
  const Rule& line = rule(cells.n - 1);
  const int dim = cells.dim, entries = dim * dim + 1;
  std::vector<double> result(static_cast<std::size_t>(Offset{count} * entries * cells.places));
  at_places(mesh, cells, first, first + count, [&](Index cell, int q, const double* J, double det, const double*) {
    double inverse[9] = {};
    GeometryMap::invert(J, dim, inverse);
    double* const of_cell = result.data() + Offset{cell - first} * entries * cells.places + q;
    for (int i = 0; i < dim * dim; ++i) of_cell[Offset{i} * cells.places] = inverse[i];
    of_cell[Offset{dim * dim} * cells.places] = weight(q, dim, line) * det;
  });
  return result;
}

namespace {

/// Of each cell the largest value(cell, place, J) and where it is.
template <class Value>
std::vector<Most> largest_of_cells(const mesh::Mesh& mesh, const Cells& cells, Value value) {
  std::vector<Most> of_cells(static_cast<std::size_t>(cells.cells));
  at_places(mesh, cells, 0, cells.cells, [&](Index cell, int q, const double* J, double, const double* x) {
    const double here = value(cell, q, J);
    Most& most = of_cells[static_cast<std::size_t>(cell)];
    if (here > most.value) most = {here, {x[0], x[1], x[2]}};
  });
  return of_cells;
}

/// Of all; of equal ones that of the first cell.
Most largest(const std::vector<Most>& of_cells) {
  Most result;
  for (const Most& most : of_cells)
    if (most.value > result.value) result = most;
  return result;
}

std::vector<Most> frequencies(const mesh::Mesh& mesh, const Cells& cells, const Coefficients& speed) {
  const int dim = cells.dim;
  const double of_axis = rule(cells.n - 1).largest_eigenvalue;
  return largest_of_cells(mesh, cells, [&](Index cell, int q, const double* J) {
    double inverse[9] = {}, sum = 0;
    GeometryMap::invert(J, dim, inverse);
    for (int a = 0; a < dim; ++a)
      for (int b = 0; b < dim; ++b) {
        double g = 0;
        for (int d = 0; d < dim; ++d) g += inverse[a * dim + d] * inverse[b * dim + d];
        sum += std::abs(g);
      }
    return speed.at(cells, cell, q) * std::sqrt(of_axis * sum);
  });
}

}  // namespace

Most highest_frequency(const mesh::Mesh& mesh, const Cells& cells, const Coefficients& speed) {
  return largest(frequencies(mesh, cells, speed));
}

std::vector<double> highest_frequencies(const mesh::Mesh& mesh, const Cells& cells, const Coefficients& speed) {
  std::vector<double> result;
  for (const Most& most : frequencies(mesh, cells, speed)) result.push_back(most.value);
  return result;
}

Most longest_passage(const mesh::Mesh& mesh, const Cells& cells, const Coefficients& speed) {
  const int dim = cells.dim;
  return largest(largest_of_cells(mesh, cells, [&](Index cell, int q, const double* J) {
    double longest = 0;
    for (int a = 0; a < dim; ++a) {
      double square = 0;
      for (int d = 0; d < dim; ++d) square += J[d * dim + a] * J[d * dim + a];
      longest = std::max(longest, 2 * std::sqrt(square));
    }
    return longest / speed.at(cells, cell, q);
  }));
}

void for_each_side_node(const mesh::Mesh& mesh, const DofMap& dofs, const Cells& cells, std::span<const CellSide> sides,
                        const std::function<void(const SideNode&)>& visit) {
  const Rule& line = rule(cells.n - 1);
  for (const mesh::CellBlock& block : mesh.blocks) {
    const Element& element = dofs.element(block.shape);
    std::vector<int> place_of(static_cast<std::size_t>(element.nodes));
    const std::vector<int> lexicographic = matrix_free::lexicographic_nodes(element);
    for (int q = 0; q < cells.places; ++q) place_of[static_cast<std::size_t>(lexicographic[q])] = q;
    for (int side = 0; side < static_cast<int>(mesh::topology(block.shape).facets.size()); ++side) {
      const std::vector<int>& nodes = facet_local_dofs(block.shape, dofs.order, side);
      std::vector<double> points;
      for (const int node : nodes)
        for (int axis = 0; axis < cells.dim; ++axis) points.push_back(element.node_points[node * cells.dim + axis]);
      const GeometryMap map(block, points);
      const std::array<double, 3> reference = reference_normal(block.shape, side);
      for (const auto& [cell, of_cell] : sides) {
        if (of_cell != side || cell < block.first_cell || cell >= block.first_cell + block.cells()) continue;
        for (std::size_t k = 0; k < nodes.size(); ++k) {
          double J[9] = {}, inverse[9] = {};
          const double det = map.jacobian(mesh, block.cell(cell - block.first_cell), static_cast<int>(k), J);
          GeometryMap::invert(J, cells.dim, inverse);
          const int place = place_of[static_cast<std::size_t>(nodes[k])];
          // The weights of the axes along the side: that across it is w_0 of an end.
          const double w = weight(place, cells.dim, line) / line.weights[0];
          SideNode node{cell, place, cells.cell(cell)[place], {}};
          for (int d = 0; d < cells.dim; ++d)
            for (int a = 0; a < cells.dim; ++a) node.normal[d] += w * det * inverse[a * cells.dim + d] * reference[a];
          visit(node);
        }
      }
    }
  }
}

void for_each_side_node(const mesh::Mesh& mesh, const DofMap& dofs, const Cells& cells, const mesh::Group& group,
                        const std::function<void(const SideNode&)>& visit) {
  std::vector<CellSide> sides;
  for (const Index facet : group.entities) sides.push_back({mesh.facets.cell[facet], mesh.facets.side[facet]});
  for_each_side_node(mesh, dofs, cells, sides, visit);
}

std::optional<ElementPoint> element_point(const mesh::Mesh& mesh, const DofMap& dofs, const mesh::PointLocator& locator,
                                          const std::array<double, 3>& point) {
  const auto location = locator.find(point);
  if (!location) return std::nullopt;
  const mesh::CellBlock& cells = mesh.block_of(location->cell);
  const DofBlock& block = dofs.block_of(location->cell);
  const int dim = mesh.dim;
  const std::span<const double> xi(location->xi.data(), static_cast<std::size_t>(dim));
  const GeometryMap map(cells, xi);
  const FieldMap field(dofs.element(block.shape), xi);
  const Index* const nodes = cells.cell(location->cell - cells.first_cell);
  double J[9] = {}, inverse[9] = {}, x[3] = {};
  map.jacobian(mesh, nodes, 0, J);
  map.point(mesh, nodes, 0, x);
  GeometryMap::invert(J, dim, inverse);
  ElementPoint result;
  result.cell = location->cell;
  result.distance = std::hypot(x[0] - point[0], x[1] - point[1], x[2] - point[2]);
  result.dofs.assign(block.cell(location->cell - block.first_cell),
                     block.cell(location->cell - block.first_cell) + block.nodes);
  result.values = field.phi;
  for (int node = 0; node < block.nodes; ++node) {
    std::array<double, 3> slope{};
    for (int d = 0; d < dim; ++d)
      for (int a = 0; a < dim; ++a) slope[d] += inverse[a * dim + d] * field.dphi[node * dim + a];
    result.slopes.push_back(slope);
  }
  return result;
}

}  // namespace tessera::assembly::spectral
