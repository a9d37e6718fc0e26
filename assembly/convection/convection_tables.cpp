#include "assembly/convection/convection_tables.hpp"

#include "assembly/cells/data.hpp"
#include "assembly/convection/convection_form.hpp"
#include "assembly/space/element.hpp"
#include "assembly/space/quadrature.hpp"

namespace tessera::assembly {
namespace {

/// Second derivatives at points [n, dim], packed, mixed ones doubled: [n, dim (dim+1)/2, nodes]. A derivative of a basis function
/// lies in the space itself, so it is interpolated:  d_b d_a phi_j = sum_m (d_a phi_j)(x_m) d_b phi_m.
std::vector<double> tabulate_second(const Element& element, const std::vector<double>& points) {
  const int dim = element.dim, n = element.nodes, pairs = dim * (dim + 1) / 2;
  const std::size_t count = points.size() / dim;
  std::vector<double> phi, at_nodes, at_points;
  tabulate(element, element.node_points, phi, at_nodes);
  tabulate(element, points, phi, at_points);
  std::vector<double> second(count * pairs * n, 0.0);
  for (std::size_t q = 0; q < count; ++q)
    for (int a = 0; a < dim; ++a)
      for (int b = a; b < dim; ++b)
        for (int j = 0; j < n; ++j) {
          double sum = 0;
          for (int m = 0; m < n; ++m) sum += at_nodes[(m * n + j) * dim + a] * at_points[(q * n + m) * dim + b];
          second[(q * pairs + packed(a, b, dim)) * n + j] = a == b ? sum : 2 * sum;
        }
  return second;
}

/// Whether the elements of an order are linear functions: then second derivatives vanish.
bool is_linear(mesh::Shape shape, int order) {
  return order == 1 && mesh::vertex_count(shape) == mesh::dimension(shape) + 1;
}

}  // namespace

int simplex_axes(mesh::Shape shape) {
  if (shape == mesh::Shape::triangle || shape == mesh::Shape::prism) return 2;
  return shape == mesh::Shape::tet ? 3 : 0;
}

ConvectionTables make_convection_tables(const mesh::CellBlock& cells, int order, bool residual) {
  const Element& element = lagrange(cells.shape, order);
  const Quadrature& rule = quadrature(cells.shape, quadrature_degree(cells, order));
  const int dim = element.dim, n = element.nodes, pairs = dim * (dim + 1) / 2;
  const bool second = residual && !is_linear(cells.shape, order);
  ConvectionTables tables;
  tables.simplex_axes = simplex_axes(cells.shape);
  tables.rows = dim + 1 + (second ? pairs : 0);
  tables.width = (n + 7) / 8 * 8;  // a vector register, or the side of a tile
  tables.basis.assign(static_cast<std::size_t>(rule.size()) * tables.rows * tables.width, 0.0);
  std::vector<double> phi, dphi, ddphi;
  tabulate(element, rule.points, phi, dphi);
  if (second) ddphi = tabulate_second(element, rule.points);
  for (int q = 0; q < rule.size(); ++q) {
    const auto row = [&](int r) {
      return &tables.basis[(static_cast<std::size_t>(q) * tables.rows + r) * tables.width];
    };
    for (int j = 0; j < n; ++j) {
      for (int a = 0; a < dim; ++a) row(a)[j] = dphi[(q * n + j) * dim + a];
      row(dim)[j] = phi[q * n + j];
      for (int m = 0; second && m < pairs; ++m) row(dim + 1 + m)[j] = ddphi[(q * pairs + m) * n + j];
    }
  }
  if (residual && !is_linear(cells.shape, cells.order))
    tables.map_second = tabulate_second(lagrange(cells.shape, cells.order), rule.points);
  return tables;
}

}  // namespace tessera::assembly
