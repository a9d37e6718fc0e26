#include "assembly/matrix_free/line_tables.hpp"

#include <algorithm>

#include "assembly/matrix_free/element_tables.hpp"
#include "assembly/space/quadrature.hpp"

namespace tessera::assembly::matrix_free {

namespace {

LineTables tables_of(const std::vector<double>& nodes) {
  LineTables tables;
  const int n = tables.n = static_cast<int>(nodes.size());
  std::vector<double> points, weights;
  gauss_jacobi(n, 0, points, weights);
  std::copy(points.begin(), points.end(), tables.points);
  std::copy(weights.begin(), weights.end(), tables.weights);
  double unused[max_line];
  for (int q = 0; q < n; ++q) {
    tabulate_line(nodes, points[q], tables.basis + q * n, tables.derivative + q * n);
    tabulate_line(points, points[q], unused, tables.slope + q * n);
  }
  return tables;
}

}  // namespace

LineTables line_tables(int order) { return tables_of(lagrange(mesh::Shape::interval, order).line_nodes); }
LineTables line_tables(const DofMap& map) { return tables_of(map.element(mesh::Shape::interval).line_nodes); }

std::vector<int> lexicographic_nodes(const Element& element) {
  const int n = element.order + 1;
  std::vector<int> result(static_cast<std::size_t>(element.nodes));
  for (int node = 0; node < element.nodes; ++node) {
    int place = 0;
    for (int axis = element.dim - 1; axis >= 0; --axis) place = place * n + element.lattice[node][2 * axis + 1];
    result[place] = node;
  }
  return result;
}

}  // namespace tessera::assembly::matrix_free
