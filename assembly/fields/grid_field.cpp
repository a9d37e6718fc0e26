#include "assembly/fields/grid_field.hpp"

#include <eigen3/Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tessera::assembly {

namespace {

using Table = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The basis of an element at reference points [n, dim]: [n, nodes].
std::vector<double> basis_at(const Element& element, std::span<const double> points) {
  std::vector<double> phi, dphi;
  tabulate(element, points, phi, dphi);
  return phi;
}

/// What is given at the nodes of a cell, [nodes, width], by another basis: [rows of phi, width].
std::vector<double> combined(const std::vector<double>& phi, const Index* cell, std::size_t nodes,
                             const std::vector<double>& given, std::size_t width) {
  std::vector<double> result(phi.size() / nodes * width, 0.0);
  for (std::size_t row = 0; row < phi.size() / nodes; ++row)
    for (std::size_t n = 0; n < nodes; ++n)
      for (std::size_t c = 0; c < width; ++c)
        result[row * width + c] += phi[row * nodes + n] * given[static_cast<std::size_t>(cell[n]) * width + c];
  return result;
}

/// The cells of a block that are straight, and those that are not.
class Sorted {
 public:
  Sorted(const NodalGrid& grid, const NodalGrid::Cells& cells)
      : element_(lagrange(cells.shape, grid.order)),
        vertices_(static_cast<std::size_t>(mesh::vertex_count(cells.shape))),
        linear_(basis_at(lagrange(cells.shape, 1), element_.node_points)) {
    const auto nodes = static_cast<std::size_t>(element_.nodes);
    for (std::size_t first = 0; first + nodes <= cells.nodes.size(); first += nodes) {
      const Index* const cell = &cells.nodes[first];
      std::vector<Index>& to = is_straight(grid, cell) ? straight : curved;
      to.insert(to.end(), cell, cell + nodes);
    }
  }

  std::vector<Index> straight, curved;

 private:
  /// Whether all nodes are where the map of the vertices puts them.
  bool is_straight(const NodalGrid& grid, const Index* cell) const {
    if (grid.order == 1) return true;
    const std::vector<double> places = combined(linear_, cell, vertices_, grid.points, 3);
    double farthest = 0, extent = 0;
    for (int n = 0; n < element_.nodes; ++n)
      for (std::size_t d = 0; d < 3; ++d) {
        const double x = grid.points[3 * static_cast<std::size_t>(cell[n]) + d];
        farthest = std::max(farthest, std::abs(x - places[3 * static_cast<std::size_t>(n) + d]));
        extent = std::max(extent, std::abs(x - grid.points[3 * static_cast<std::size_t>(cell[0]) + d]));
      }
    constexpr double enough = 1e-12;
    return farthest <= enough * extent;
  }

  const Element& element_;
  std::size_t vertices_;
  std::vector<double> linear_;  ///< the basis of the vertices at the nodes
};

/// Nodes of cells of geometric order 2; above order 2 they are new points behind those of the mesh.
std::vector<Index> second_order(const NodalGrid& grid, mesh::Shape shape, const std::vector<Index>& cells,
                                std::vector<double>& points) {
  if (grid.order == 2) return cells;
  const auto nodes = static_cast<std::size_t>(lagrange(shape, grid.order).nodes);
  const std::vector<double> phi = basis_at(lagrange(shape, grid.order), mesh::reference_nodes(shape, 2));
  std::vector<Index> result;
  for (std::size_t first = 0; first < cells.size(); first += nodes) {
    const std::vector<double> places = combined(phi, &cells[first], nodes, grid.points, 3);
    for (std::size_t n = 0; n < phi.size() / nodes; ++n) result.push_back(static_cast<Index>(points.size() / 3 + n));
    points.insert(points.end(), places.begin(), places.end());
  }
  return result;
}

}  // namespace

void take_element_nodes(NodalGrid& grid) {
  const auto convert = [&](std::vector<double>& given, std::size_t width) {
    const std::vector<double> before = given;
    for (const NodalGrid::Cells& cells : grid.blocks) {
      const Element& element = lagrange(cells.shape, grid.order);
      const std::vector<double> equispaced = equispaced_points(element);
      if (equispaced == element.node_points) continue;
      // Values at the equispaced points are E c, with the basis there and the values c at the nodes of the element.
      const std::vector<double> there = basis_at(element, equispaced);
      const Table inverse = Eigen::Map<const Table>(there.data(), element.nodes, element.nodes).inverse();
      const std::vector<double> phi(inverse.data(), inverse.data() + inverse.size());
      const auto nodes = static_cast<std::size_t>(element.nodes);
      for (std::size_t first = 0; first + nodes <= cells.nodes.size(); first += nodes) {
        const std::vector<double> own = combined(phi, &cells.nodes[first], nodes, before, width);
        for (std::size_t n = 0; n < nodes; ++n)
          std::copy_n(&own[n * width], width, &given[static_cast<std::size_t>(cells.nodes[first + n]) * width]);
      }
    }
  };
  if (grid.order <= max_simplex_order) return;
  convert(grid.points, 3);
  convert(grid.values, static_cast<std::size_t>(grid.components));
}

GridField::GridField(NodalGrid grid) : grid_(std::move(grid)) {
  mesh_.dim = grid_.dim;
  mesh_.points = grid_.points;
  const auto add = [&](mesh::Shape shape, int order, std::vector<Index> nodes, std::vector<Index> of_grid) {
    if (nodes.empty()) return;
    mesh_.blocks.push_back({shape, order, mesh::node_count(shape, order), std::move(nodes), mesh_.cells()});
    nodes_.push_back(std::move(of_grid));
  };
  for (NodalGrid::Cells& cells : grid_.blocks) {
    Sorted sorted(grid_, cells);
    const auto nodes = static_cast<std::size_t>(lagrange(cells.shape, grid_.order).nodes);
    const auto vertices = static_cast<std::size_t>(mesh::vertex_count(cells.shape));
    std::vector<Index> corners;
    for (std::size_t first = 0; first < sorted.straight.size(); first += nodes)
      corners.insert(corners.end(), &sorted.straight[first], &sorted.straight[first] + vertices);
    add(cells.shape, 1, std::move(corners), std::move(sorted.straight));
    std::vector<Index> bent = second_order(grid_, cells.shape, sorted.curved, mesh_.points);
    add(cells.shape, 2, std::move(bent), std::move(sorted.curved));
    cells.nodes = {};
  }
  double largest = 0;
  for (const double x : grid_.points) largest = std::max(largest, std::abs(x));
  rounding_ = 16 * std::numeric_limits<double>::epsilon() * largest;
  locator_ = std::make_unique<const mesh::PointLocator>(mesh_);
}

std::optional<mesh::Location> GridField::find_towards(const std::array<double, 3>& inside,
                                                      const std::array<double, 3>& point) const {
  auto place = locator_->find(inside);
  if (!place) return find(point);
  const mesh::CellBlock& block = mesh_.block_of(place->cell);
  if (!mesh::reference_coordinates(mesh_, block, place->cell - block.first_cell, point, place->xi)) return find(point);
  return place;
}

void GridField::prepare_nearest() {
  if (!nearest_) nearest_ = std::make_unique<const mesh::NearestPoints>(mesh_);
}

void GridField::evaluate(const mesh::Location& at, const std::array<double, 3>& point, double* values) const {
  std::size_t b = 0;
  while (b + 1 < mesh_.blocks.size() && at.cell >= mesh_.blocks[b + 1].first_cell) ++b;
  const mesh::CellBlock& block = mesh_.blocks[b];
  const Element& element = lagrange(block.shape, grid_.order);
  const Index* const cell =
      &nodes_[b][static_cast<std::size_t>(at.cell - block.first_cell) * static_cast<std::size_t>(element.nodes)];
  const auto width = static_cast<std::size_t>(grid_.components);
  for (int n = 0; n < element.nodes; ++n) {
    const double* const x = &grid_.points[3 * static_cast<std::size_t>(cell[n])];
    bool same = true;
    for (int d = 0; d < grid_.dim; ++d) same = same && std::abs(x[d] - point[static_cast<std::size_t>(d)]) <= rounding_;
    if (same) {
      std::copy_n(&grid_.values[static_cast<std::size_t>(cell[n]) * width], width, values);
      return;
    }
  }
  const std::vector<double> phi = basis_at(element, {at.xi.data(), static_cast<std::size_t>(grid_.dim)});
  const std::vector<double> result = combined(phi, cell, static_cast<std::size_t>(element.nodes), grid_.values, width);
  std::copy(result.begin(), result.end(), values);
}

}  // namespace tessera::assembly
