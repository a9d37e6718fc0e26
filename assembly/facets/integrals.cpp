#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "assembly/facets/integrals_impl.hpp"
#include "assembly/facets/side_tables.hpp"
#include "assembly/space/geometry_map.hpp"
#include "assembly/space/host_loop.hpp"
#include "assembly/space/quadrature.hpp"
#include "base/error.hpp"
#include "mesh/colouring.hpp"

namespace tessera::assembly {
namespace {

/// Rule on a side of a cell: degree 2k, for quads Gauss points of the order of the cell's rule.
const Quadrature& side_rule(const mesh::CellBlock& cells, int order, int side) {
  const mesh::Shape shape = mesh::topology(cells.shape).facets[side].shape;
  return quadrature(shape, 2 * std::max(order, cells.order) + (shape == mesh::Shape::triangle ? 0 : 1));
}

/// Facets that a thread takes at a time.
constexpr Offset facets_per_chunk = 1024;

/// Where a facet lies. Facets of one kind (block of cells, side of the cell) share tables.
struct FacetPlace {
  Index cell;  ///< in its block
  int kind;    ///< block * most_sides + side
};

FacetPlace place_of(const mesh::Mesh& mesh, Index facet) {
  const Index cell = mesh.facets.cell[facet];
  const mesh::CellBlock& cells = mesh.block_of(cell);
  return {cell - cells.first_cell,
          static_cast<int>(&cells - mesh.blocks.data()) * most_sides + mesh.facets.side[facet]};
}

/// visit(kind, cells, side) for the kinds that a group has, ascending.
template <class Visit>
void for_each_kind(const mesh::Mesh& mesh, const mesh::Group& group, Visit visit) {
  std::vector<unsigned char> present(mesh.blocks.size() * most_sides, 0);
  for (const Index facet : group.entities) present[place_of(mesh, facet).kind] = 1;
  for (std::size_t kind = 0; kind < present.size(); ++kind)
    if (present[kind])
      visit(static_cast<int>(kind), mesh.blocks[kind / most_sides], static_cast<int>(kind % most_sides));
}

}  // namespace

void check_facet_values(std::size_t points, std::span<const std::span<const double>> values,
                        std::span<const int> components) {
  for (std::size_t k = 0; k < values.size(); ++k)
    if (const std::size_t expected = points * components[k]; !values[k].empty() && values[k].size() != expected)
      throw Error(ExitCode::internal, fmt::format("{} facet values where {} are needed", values[k].size(), expected),
                  "give the values for each of facet_points()");
}

int facet_points_per_facet(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group) {
  int most = 0;
  for_each_kind(mesh, group, [&](int, const mesh::CellBlock& cells, int side) {
    most = std::max(most, side_rule(cells, map.order, side).size());
  });
  return most;
}

namespace {

/// visit(map, side, nodes of the cell, tabulated point, out) at every quadrature point of the facets of a group; out
/// [facets, points, 3].
template <class Visit>
std::vector<double> at_facet_points(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group, int threads,
                                    Visit visit) {
  const int stride = facet_points_per_facet(mesh, map, group);
  std::vector<std::optional<GeometryMap>> maps(mesh.blocks.size() * most_sides);
  std::vector<int> points(maps.size(), 0);
  for_each_kind(mesh, group, [&](int kind, const mesh::CellBlock& cells, int side) {
    const Quadrature& rule = side_rule(cells, map.order, side);
    maps[kind].emplace(cells, facet_to_cell(cells.shape, side, rule.points));
    points[kind] = rule.size();
  });
  std::vector<double> result(group.entities.size() * stride * 3);
  for_chunks(static_cast<Offset>(group.entities.size()), facets_per_chunk, threads,
             [&](Offset, Offset first, Offset last) {
               double* out = result.data() + first * stride * 3;
               for (Offset f = first; f < last; ++f) {
                 const FacetPlace place = place_of(mesh, group.entities[f]);
                 const Index* nodes = mesh.blocks[place.kind / most_sides].cell(place.cell);
                 for (int q = 0; q < stride; ++q, out += 3)
                   visit(*maps[place.kind], place.kind, nodes, std::min(q, points[place.kind] - 1), out);
               }
             });
  return result;
}

}  // namespace

std::vector<double> facet_quadrature_points(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group,
                                            int threads) {
  return at_facet_points(mesh, map, group, threads,
                         [&](const GeometryMap& geometry, int, const Index* nodes, int q, double* out) {
                           geometry.point(mesh, nodes, q, out);
                         });
}

std::vector<double> facet_normals(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group, int threads) {
  const auto normal = [&](const GeometryMap& geometry, int kind, const Index* nodes, int q, double* out) {
    const std::array<double, 3> reference = reference_normal(mesh.blocks[kind / most_sides].shape, kind % most_sides);
    double J[9] = {}, inverse[9] = {}, square = 0;
    geometry.jacobian(mesh, nodes, q, J);
    GeometryMap::invert(J, mesh.dim, inverse);
    for (int d = 0; d < 3; ++d) {
      out[d] = 0;
      for (int a = 0; d < mesh.dim && a < mesh.dim; ++a) out[d] += inverse[a * mesh.dim + d] * reference[a];
      square += out[d] * out[d];
    }
    for (int d = 0; d < 3; ++d) out[d] /= std::sqrt(square);
  };
  return at_facet_points(mesh, map, group, threads, normal);
}

namespace {

SideView make_side(const mesh::CellBlock& cells, const DofMap& dofs, int side, std::vector<double>& tables) {
  const int order = dofs.order;
  const Quadrature& rule = side_rule(cells, order, side);
  const std::vector<double> points = facet_to_cell(cells.shape, side, rule.points);
  const Element& element = dofs.element(cells.shape);
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

FacetPlan list_facets(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group) {
  FacetPlan plan;
  std::vector<std::int32_t> side_of(mesh.blocks.size() * most_sides, -1);
  std::vector<const std::vector<int>*> local(side_of.size());
  for_each_kind(mesh, group, [&](int kind, const mesh::CellBlock& cells, int side) {
    side_of[kind] = static_cast<std::int32_t>(plan.sides.size());
    local[kind] = &facet_local_dofs(cells.shape, map.order, side);
    plan.sides.push_back(make_side(cells, map, side, plan.tables));
  });
  plan.facets.reserve(group.entities.size());
  for (std::size_t f = 0; f < group.entities.size(); ++f) {
    const FacetPlace place = place_of(mesh, group.entities[f]);
    const mesh::CellBlock& cells = mesh.blocks[place.kind / most_sides];
    plan.facets.push_back({static_cast<Index>(f), side_of[place.kind], static_cast<Offset>(plan.dofs.size()),
                           static_cast<Offset>(plan.geometry.size())});
    const Index* dofs = map.blocks[place.kind / most_sides].cell(place.cell);
    for (const int i : *local[place.kind]) plan.dofs.push_back(dofs[i]);
    const Index* nodes = cells.cell(place.cell);
    plan.geometry.insert(plan.geometry.end(), nodes, nodes + cells.nodes_per_cell);
  }
  return plan;
}

FacetPlan plan_facets(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group) {
  FacetPlan plan = list_facets(mesh, map, group);
  const std::vector<FacetView> facets = std::move(plan.facets);
  std::vector<Offset> dof_ptr;
  dof_ptr.reserve(facets.size() + 1);
  for (const FacetView& facet : facets) dof_ptr.push_back(facet.first_dof);
  dof_ptr.push_back(static_cast<Offset>(plan.dofs.size()));
  const mesh::Colouring colouring =
      mesh::colour_cells(static_cast<Index>(facets.size()), map.dofs, dof_ptr.data(), plan.dofs.data());
  plan.colour_ptr = colouring.ptr;
  plan.facets.clear();
  plan.facets.reserve(facets.size());
  for (const Index f : colouring.cells) plan.facets.push_back(facets[f]);
  return plan;
}

}  // namespace tessera::assembly
