#include "assembly/fields/derived.hpp"

#include <algorithm>
#include <eigen3/Eigen/Dense>

#include "assembly/space/quadrature.hpp"
#include "assembly/space/quadrature_points.hpp"

namespace tessera::assembly {

namespace {

using Table = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

const Quadrature& rule_of(const mesh::CellBlock& cells, int order) {
  return quadrature(cells.shape, quadrature_degree(cells, order));
}

Table tabulated(const Element& element, std::span<const double> points) {
  std::vector<double> phi, dphi;
  tabulate(element, points, phi, dphi);
  return Eigen::Map<const Table>(phi.data(), static_cast<Eigen::Index>(phi.size()) / element.nodes, element.nodes);
}

/// What carries values at the points of a rule to other points by the polynomial that is nearest to them in L2,
/// c = (Phi^T W Phi)^-1 Phi^T W f: the rule is exact for products of two of its functions. [n, points of the rule]
std::vector<double> nearest_polynomial(mesh::Shape shape, int order, const Quadrature& rule,
                                       std::span<const double> points) {
  const Element& element = lagrange(shape, order);
  const Eigen::Map<const Eigen::VectorXd> w(rule.weights.data(), rule.size());
  const Table phi = tabulated(element, rule.points);
  const Eigen::MatrixXd right = phi.transpose() * w.asDiagonal();
  const Table result = tabulated(element, points) * (right * phi).llt().solve(right);
  return {result.data(), result.data() + result.size()};
}

/// values [n, m] = weights [n, points] of_rule [points, m]
void carry(std::span<const double> weights, std::span<const double> of_rule, std::size_t m, double* values) {
  const std::size_t points = of_rule.size() / m;
  for (std::size_t n = 0; n < weights.size() / points; ++n) {
    std::fill_n(values + n * m, m, 0.0);
    for (std::size_t q = 0; q < points; ++q)
      for (std::size_t c = 0; c < m; ++c) values[n * m + c] += weights[n * points + q] * of_rule[q * m + c];
  }
}

}  // namespace

DerivedValues::DerivedValues(const mesh::CellBlock& cells, int order, std::span<const double> points, LineNodes nodes)
    : cells_(cells),
      at_{{cells, points}, {lagrange(cells.shape, order, nodes), points}},
      rule_{{cells, rule_of(cells, order).points},
            {lagrange(cells.shape, order, nodes), rule_of(cells, order).points}} {
  const Quadrature& rule = rule_of(cells, order);
  double measure = 0;
  for (const double weight : rule.weights) measure += weight;
  for (const double weight : rule.weights) mean_.push_back(weight / measure);
  carry_ = nearest_polynomial(cells.shape, order, rule, points);
  if (order > 1)
    lower_ = nearest_polynomial(cells.shape, order - 1, rule, points);
  else
    for (int n = 0; n < this->points(); ++n) lower_.insert(lower_.end(), mean_.begin(), mean_.end());
}

void DerivedValues::Places::derive(const mesh::Mesh& mesh, const mesh::CellBlock& cells, Index cell, const Index* dofs,
                                   const FieldView& u, const double* coefficients, int components, int outputs,
                                   const Derive& derive, Workspace& work, double* out, int count) const {
  const int m = u.components(), dim = mesh.dim;
  const Index* nodes = cells.cell(cell - cells.first_cell);
  work.state.resize(static_cast<std::size_t>(m) * (1 + dim));
  double* const value = work.state.data();
  double* const gradient = value + m;
  const bool is_linear = geometry.nodes == dim + 1 && field.nodes == dim + 1;  // the gradient is the same at all points
  double jacobian[9] = {}, inverse[9] = {}, x[3];
  for (int n = 0; n < count; ++n) {
    if (n == 0 || !is_linear) {
      geometry.jacobian(mesh, nodes, n, jacobian);
      GeometryMap::invert(jacobian, dim, inverse);
    }
    geometry.point(mesh, nodes, n, x);
    for (int c = 0; c < m; ++c) {
      const double* of_component = u.data() + c * u.layout().component_stride;
      value[c] = field.value(dofs, of_component, n, u.stride());
      if (n == 0 || !is_linear) field.gradient(dofs, of_component, n, inverse, gradient + c * dim, u.stride());
    }
    derive({cell, x, value, gradient, coefficients + n * components}, out + n * outputs);
  }
}

void DerivedValues::Places::solution(const mesh::Mesh& mesh, const Index* nodes, const Index* dofs, const FieldView& u,
                                     int count, Workspace& work) const {
  work.u.resize(static_cast<std::size_t>(count));
  work.gradient.assign(3 * static_cast<std::size_t>(count), 0.0);
  for (int q = 0; q < count; ++q) {
    double jacobian[9] = {}, inverse[9] = {};
    geometry.jacobian(mesh, nodes, q, jacobian);
    GeometryMap::invert(jacobian, mesh.dim, inverse);
    work.u[q] = field.value(dofs, u.data(), q, u.stride());
    field.gradient(dofs, u.data(), q, inverse, &work.gradient[3 * q], u.stride());
  }
}

void DerivedValues::operator()(const mesh::Mesh& mesh, Index cell, const Index* dofs, const FieldView& u,
                               const PointField& coefficient, int outputs, const Derive& derive, Workspace& work,
                               double* out) const {
  const auto m = static_cast<std::size_t>(coefficient.components), rule = mean_.size();
  const Index* nodes = cells_.cell(cell - cells_.first_cell);
  const bool constant = coefficient.is_constant && coefficient.is_constant(cell);
  const int count = constant ? 1 : static_cast<int>(rule);
  work.xyz.resize(3 * rule);
  work.of_rule.resize(rule * m);
  for (int q = 0; q < count; ++q) rule_.geometry.point(mesh, nodes, q, &work.xyz[3 * q]);
  deck::Points points_of_rule{work.xyz.data()};
  if (coefficient.of_solution) {
    rule_.solution(mesh, nodes, dofs, u, count, work);
    points_of_rule = {work.xyz.data(), work.u.data(), work.gradient.data()};
  }
  coefficient.evaluate(cell, count, points_of_rule, work.of_rule.data());
  work.at_points.resize(static_cast<std::size_t>(points()) * m);
  if (constant)
    for (int n = 0; n < points(); ++n) std::copy_n(work.of_rule.data(), m, &work.at_points[n * m]);
  else
    carry(carry_, work.of_rule, m, work.at_points.data());
  if (constant || describes(coefficient, work)) {
    at_.derive(mesh, cells_, cell, dofs, u, work.at_points.data(), coefficient.components, outputs, derive, work, out,
               points());
    return;
  }
  work.derived.resize(rule * static_cast<std::size_t>(outputs));
  std::fill(work.derived.begin(), work.derived.end(), 0.0);
  rule_.derive(mesh, cells_, cell, dofs, u, work.of_rule.data(), coefficient.components, outputs, derive, work,
               work.derived.data(), static_cast<int>(rule));
  carry(lower_, work.derived, static_cast<std::size_t>(outputs), out);
}

bool DerivedValues::describes(const PointField& coefficient, const Workspace& work) const {
  const auto m = static_cast<std::size_t>(coefficient.components);
  for (const int c : coefficient.positive) {
    double least = work.of_rule[c];
    for (std::size_t q = 1; q < mean_.size(); ++q) least = std::min(least, work.of_rule[q * m + c]);
    for (int n = 0; n < points(); ++n)
      if (!(work.at_points[n * m + c] >= 0.5 * least)) return false;
  }
  return true;
}

}  // namespace tessera::assembly
