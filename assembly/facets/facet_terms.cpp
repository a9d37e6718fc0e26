#include "assembly/facets/facet_terms.hpp"

#include <algorithm>
#include <cmath>

#include "assembly/facets/integrals.hpp"
#include "assembly/space/geometry_map.hpp"
#include "assembly/space/quadrature.hpp"

namespace tessera::assembly {

namespace {

/// ds at the points of a side: |det J| |J^-T n| w  (Nanson).
double surface_measure(const GeometryMap& map, const mesh::Mesh& mesh, const Index* cell, int q, double weight,
                       const std::array<double, 3>& normal) {
  double jacobian[9], inverse[9], square = 0;
  const int dim = map.dim;
  const double det = map.jacobian(mesh, cell, q, jacobian);
  GeometryMap::invert(jacobian, dim, inverse);
  for (int d = 0; d < dim; ++d) {
    double component = 0;
    for (int a = 0; a < dim; ++a) component += inverse[a * dim + d] * normal[a];
    square += component * component;
  }
  return std::abs(det) * std::sqrt(square) * weight;
}

/// One side of the cells of one block.
struct SideTables {
  const Quadrature& rule;
  GeometryMap map;
  std::array<double, 3> normal;
  const std::vector<int>& local;
  std::vector<double> phi;  ///< [points, side dofs]

  SideTables(const mesh::CellBlock& cells, int order, int side)
      : rule(rule_of(cells, order, side)),
        map(cells, facet_to_cell(cells.shape, side, rule.points)),
        normal(reference_normal(cells.shape, side)),
        local(facet_local_dofs(cells.shape, order, side)) {
    std::vector<double> dphi;
    tabulate(lagrange(mesh::topology(cells.shape).facets[side].shape, order), rule.points, phi, dphi);
  }
  /// That of the assembled path.
  static const Quadrature& rule_of(const mesh::CellBlock& cells, int order, int side) {
    const mesh::Shape shape = mesh::topology(cells.shape).facets[side].shape;
    return quadrature(shape, 2 * std::max(order, cells.order) + (shape == mesh::Shape::triangle ? 0 : 1));
  }
};

}  // namespace

void visit_facets(const mesh::Mesh& mesh, const DofMap& map, const mesh::Group& group,
                  const std::function<void(const FacetPoints&)>& visit) {
  std::map<std::pair<const mesh::CellBlock*, int>, SideTables> tables;
  std::vector<Index> dofs;
  std::vector<double> ds;
  const int stride = facet_points_per_facet(mesh, map, group);
  for (std::size_t f = 0; f < group.entities.size(); ++f) {
    const Index cell = mesh.facets.cell[group.entities[f]];
    const int number = mesh.facets.side[group.entities[f]];
    const mesh::CellBlock& cells = mesh.block_of(cell);
    const SideTables& side = tables.try_emplace({&cells, number}, cells, map.order, number).first->second;
    const Index* of_cell = map.block_of(cell).cell(cell - cells.first_cell);
    dofs.clear();
    for (const int i : side.local) dofs.push_back(of_cell[i]);
    ds.clear();
    for (int q = 0; q < side.rule.size(); ++q)
      ds.push_back(
          surface_measure(side.map, mesh, cells.cell(cell - cells.first_cell), q, side.rule.weights[q], side.normal));
    visit({static_cast<Index>(f), stride, dofs, ds, side.phi});
  }
}

}  // namespace tessera::assembly
