#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "assembly/boundary_impl.hpp"
#include "assembly/geometry_map.hpp"
#include "assembly/quadrature.hpp"
#include "base/error.hpp"
#include "mesh/colouring.hpp"

namespace tessera::assembly {
namespace {

/// Rule on a side of a cell: degree 2k, for quads Gauss points of the order of the cell's rule.
const Quadrature& side_rule(const mesh::CellBlock& cells, int order, int side) {
  const mesh::Shape shape = mesh::topology(cells.shape).facets[side].shape;
  return quadrature(shape, 2 * std::max(order, cells.order) + (shape == mesh::Shape::triangle ? 0 : 1));
}

std::size_t block_index(const mesh::Mesh& mesh, Index cell) {
  return static_cast<std::size_t>(&mesh.block_of(cell) - mesh.blocks.data());
}

}  // namespace

void check_facet_values(std::size_t expected, std::size_t alpha, std::size_t g) {
  for (const std::size_t count : {alpha, g})
    if (count != 0 && count != expected)
      throw Error(ExitCode::internal, fmt::format("{} facet values where {} are needed", count, expected),
                  "give one value for each of facet_points()");
}

int facet_points_per_facet(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group) {
  int most = 0;
  for (const Index facet : group.entities)
    most = std::max(most, side_rule(mesh.block_of(mesh.facets.cell[facet]), map.order, mesh.facets.side[facet]).size());
  return most;
}

std::vector<double> facet_quadrature_points(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group) {
  const int stride = facet_points_per_facet(mesh, map, group);
  std::vector<double> result(group.entities.size() * stride * 3);
  std::map<std::pair<std::size_t, int>, GeometryMap> maps;
  double* out = result.data();
  for (const Index facet : group.entities) {
    const Index cell = mesh.facets.cell[facet];
    const int side = mesh.facets.side[facet];
    const std::size_t b = block_index(mesh, cell);
    const mesh::CellBlock& cells = mesh.blocks[b];
    const Quadrature& rule = side_rule(cells, map.order, side);
    const auto found =
        maps.try_emplace({b, side}, cells, std::span<const double>(facet_to_cell(cells.shape, side, rule.points))).first;
    for (int q = 0; q < stride; ++q, out += 3)
      found->second.point(mesh, cells.cell(cell - cells.first_cell), std::min(q, rule.size() - 1), out);
  }
  return result;
}

namespace {

SideView make_side(const mesh::CellBlock& cells, int order, int side, std::vector<double>& tables) {
  const Quadrature& rule = side_rule(cells, order, side);
  const std::vector<double> points = facet_to_cell(cells.shape, side, rule.points);
  const Element& element = lagrange(cells.shape, order);
  const std::vector<int>& local = facet_local_dofs(cells.shape, order, side);
  const GeometryMap map(cells, points);
  SideView view;
  view.dim = element.dim;
  view.points = rule.size();
  view.nodes = static_cast<int>(local.size());
  view.geometry_nodes = map.nodes;
  const std::array<double, 3> normal = reference_normal(cells.shape, side);
  std::copy(normal.begin(), normal.end(), view.normal);
  std::vector<double> phi, dphi;
  tabulate(element, points, phi, dphi);
  view.basis = static_cast<Offset>(tables.size());
  for (int q = 0; q < rule.size(); ++q)
    for (const int i : local) tables.push_back(phi[q * element.nodes + i]);
  view.map = static_cast<Offset>(tables.size());
  tables.insert(tables.end(), map.dphi.begin(), map.dphi.end());
  view.weights = static_cast<Offset>(tables.size());
  tables.insert(tables.end(), rule.weights.begin(), rule.weights.end());
  return view;
}

}  // namespace

FacetPlan plan_facets(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group) {
  FacetPlan plan;
  std::map<std::pair<std::size_t, int>, std::int32_t> known;
  std::vector<FacetView> facets;
  std::vector<Offset> dof_ptr{0};
  for (std::size_t f = 0; f < group.entities.size(); ++f) {
    const Index facet = group.entities[f];
    const Index cell = mesh.facets.cell[facet];
    const int side = mesh.facets.side[facet];
    const std::size_t b = block_index(mesh, cell);
    const mesh::CellBlock& cells = mesh.blocks[b];
    const auto [found, fresh] = known.try_emplace({b, side}, static_cast<std::int32_t>(plan.sides.size()));
    if (fresh) plan.sides.push_back(make_side(cells, map.order, side, plan.tables));
    facets.push_back({static_cast<Index>(f), found->second, static_cast<Offset>(plan.dofs.size()),
                      static_cast<Offset>(plan.geometry.size())});
    const Index* dofs = map.blocks[b].cell(cell - cells.first_cell);
    for (const int i : facet_local_dofs(cells.shape, map.order, side)) plan.dofs.push_back(dofs[i]);
    const Index* nodes = cells.cell(cell - cells.first_cell);
    plan.geometry.insert(plan.geometry.end(), nodes, nodes + cells.nodes_per_cell);
    dof_ptr.push_back(static_cast<Offset>(plan.dofs.size()));
  }
  const mesh::Colouring colouring =
      mesh::colour_cells(static_cast<Index>(facets.size()), map.dofs, dof_ptr.data(), plan.dofs.data());
  plan.colour_ptr = colouring.ptr;
  plan.facets.reserve(facets.size());
  for (const Index f : colouring.cells) plan.facets.push_back(facets[f]);
  return plan;
}

}  // namespace tessera::assembly
