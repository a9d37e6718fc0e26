#include "assembly/cells/tables.hpp"

#include <algorithm>

#include "assembly/cells/view.hpp"
#include "assembly/space/element.hpp"
#include "assembly/space/quadrature.hpp"
#include "assembly/space/quadrature_points.hpp"

namespace tessera::assembly {

namespace {

/// Reference matrices [terms, n, n] entry by entry of the upper half: [entries, terms].
std::vector<double> by_entry(const std::vector<double>& reference, int n) {
  const std::size_t size = static_cast<std::size_t>(n) * n, terms = reference.size() / size;
  std::vector<double> result;
  for (int i = 0; i < n && terms > 0; ++i)
    for (int j = i; j < n; ++j)
      for (std::size_t m = 0; m < terms; ++m) result.push_back(reference[m * size + i * n + j]);
  return result;
}

/// [points, dim + 1, n] to [points, 4, basis_stride(n)], the values at 3, zeros elsewhere: tiles of 4 x 8 without
/// edges.
std::vector<double> pad_basis(const std::vector<double>& basis, int points, int dim, int n) {
  const int width = basis_stride(n);
  std::vector<double> result(static_cast<std::size_t>(points) * 4 * width, 0.0);
  for (int q = 0; q < points; ++q)
    for (int a = 0; a <= dim; ++a)
      std::copy_n(&basis[static_cast<std::size_t>(q * (dim + 1) + a) * n], n,
                  &result[static_cast<std::size_t>(q * 4 + (a == dim ? 3 : a)) * width]);
  return result;
}

/// Second derivatives at points [n, dim], packed, mixed ones doubled: [n, dim (dim+1)/2, nodes]. A derivative of a
/// basis function lies in the space itself, so it is interpolated:  d_b d_a phi_j = sum_m (d_a phi_j)(x_m) d_b phi_m.
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

BlockTables make_tables(const mesh::CellBlock& cells, int order, LineNodes nodes, bool straight_simplex) {
  const Element& element = lagrange(cells.shape, order, nodes);
  const Element& geometry = lagrange(cells.shape, cells.order);
  const Quadrature& rule = quadrature(cells.shape, quadrature_degree(cells, order));
  const int dim = element.dim, n = element.nodes, g = geometry.nodes;
  BlockTables tables;
  tables.points = rule.size();
  tables.weights = rule.weights;
  std::vector<double> phi, dphi;
  tabulate(element, rule.points, phi, dphi);
  tables.basis.resize(static_cast<std::size_t>(rule.size()) * (dim + 1) * n);
  for (int q = 0; q < rule.size(); ++q)
    for (int i = 0; i < n; ++i) {
      for (int a = 0; a < dim; ++a) tables.basis[(q * (dim + 1) + a) * n + i] = dphi[(q * n + i) * dim + a];
      tables.basis[(q * (dim + 1) + dim) * n + i] = phi[q * n + i];
    }
  tables.load.assign(n, 0.0);
  for (int q = 0; q < rule.size(); ++q)
    for (int i = 0; i < n; ++i) tables.load[i] += rule.weights[q] * phi[q * n + i];
  if (straight_simplex) {
    // R_ab = sum_q w (d_a phi_i d_b phi_j + d_b phi_i d_a phi_j) for a < b, half of it for a = b; the mass last
    const int pairs = dim * (dim + 1) / 2;
    tables.reference.assign(static_cast<std::size_t>(pairs + 1) * n * n, 0.0);
    for (int q = 0; q < rule.size(); ++q)
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
          const double* di = &dphi[(q * n + i) * dim];
          const double* dj = &dphi[(q * n + j) * dim];
          const double w = rule.weights[q];
          for (int a = 0; a < dim; ++a)
            for (int b = a; b < dim; ++b)
              tables.reference[(packed(a, b, dim) * n + i) * n + j] +=
                  w * (a == b ? di[a] * dj[a] : di[a] * dj[b] + di[b] * dj[a]);
          tables.reference[(pairs * n + i) * n + j] += w * phi[q * n + i] * phi[q * n + j];
        }
  }
  tables.reference_entries = by_entry(tables.reference, n);
  tables.padded_basis = pad_basis(tables.basis, rule.size(), dim, n);
  tabulate(geometry, rule.points, phi, dphi);
  tables.map.resize(static_cast<std::size_t>(rule.size()) * dim * g);
  tables.map_columns.resize(tables.map.size());
  for (int q = 0; q < rule.size(); ++q)
    for (int i = 0; i < g; ++i)
      for (int a = 0; a < dim; ++a) {
        tables.map[(q * dim + a) * g + i] = dphi[(q * g + i) * dim + a];
        tables.map_columns[(i * dim + a) * rule.size() + q] = dphi[(q * g + i) * dim + a];
      }
  return tables;
}

int simplex_axes(mesh::Shape shape) {
  if (shape == mesh::Shape::triangle || shape == mesh::Shape::prism) return 2;
  return shape == mesh::Shape::tet ? 3 : 0;
}

int wide_rows(mesh::Shape shape, int order, bool second) {
  const int dim = mesh::dimension(shape);
  return dim + 1 + (second && !is_linear(shape, order) ? dim * (dim + 1) / 2 : 0);
}

WideTables make_wide_tables(const mesh::CellBlock& cells, int order, LineNodes nodes, bool second) {
  const Element& element = lagrange(cells.shape, order, nodes);
  const Quadrature& rule = quadrature(cells.shape, quadrature_degree(cells, order));
  const int dim = element.dim, n = element.nodes, pairs = dim * (dim + 1) / 2;
  WideTables tables;
  tables.rows = wide_rows(cells.shape, order, second);
  tables.width = wide_width(n);
  const bool has_second = tables.rows > dim + 1;
  tables.basis.assign(static_cast<std::size_t>(rule.size()) * tables.rows * tables.width, 0.0);
  std::vector<double> phi, dphi, ddphi;
  tabulate(element, rule.points, phi, dphi);
  if (has_second) ddphi = tabulate_second(element, rule.points);
  for (int q = 0; q < rule.size(); ++q) {
    const auto row = [&](int r) {
      return &tables.basis[(static_cast<std::size_t>(q) * tables.rows + r) * tables.width];
    };
    for (int j = 0; j < n; ++j) {
      for (int a = 0; a < dim; ++a) row(a)[j] = dphi[(q * n + j) * dim + a];
      row(dim)[j] = phi[q * n + j];
      for (int m = 0; has_second && m < pairs; ++m) row(dim + 1 + m)[j] = ddphi[(q * pairs + m) * n + j];
    }
  }
  if (second && !is_linear(cells.shape, cells.order))
    tables.map_second = tabulate_second(lagrange(cells.shape, cells.order), rule.points);
  return tables;
}

}  // namespace tessera::assembly
