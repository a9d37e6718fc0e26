#include "assembly/spectral/rule.hpp"

#include <array>
#include <eigen3/Eigen/Eigenvalues>

#include "assembly/space/quadrature.hpp"

namespace tessera::assembly::spectral {

namespace {

Rule make_rule(int degree) {
  Rule rule;
  const int n = rule.n = degree + 1;
  std::vector<double> nodes;
  gauss_lobatto(n, nodes);
  std::copy(nodes.begin(), nodes.end(), rule.points);
  // Legendre's P_degree at the nodes by its recurrence; w_i = 2 / (degree (degree + 1) P(x_i)^2).
  for (int i = 0; i < n; ++i) {
    double before = 1, now = nodes[static_cast<std::size_t>(i)];
    for (int k = 1; k < degree; ++k) {
      const double next = ((2 * k + 1) * rule.points[i] * now - k * before) / (k + 1);
      before = now;
      now = next;
    }
    rule.weights[i] = 2 / (degree * n * now * now);
    double unused[max_line];
    tabulate_line(nodes, rule.points[i], unused, rule.slope + i * n);
  }
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Matrix> D(rule.slope, n, n);
  const Eigen::Map<const Eigen::VectorXd> w(rule.weights, n);
  const Eigen::VectorXd scale = w.cwiseSqrt().cwiseInverse();
  const Matrix K = scale.asDiagonal() * (D.transpose() * w.asDiagonal() * D) * scale.asDiagonal();
  rule.largest_eigenvalue = Eigen::SelfAdjointEigenSolver<Matrix>(K, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff();
  return rule;
}

}  // namespace

const Rule& rule(int degree) {
  static const std::array<Rule, max_order + 1> rules = [] {
    std::array<Rule, max_order + 1> all;
    for (int degree = 1; degree <= max_order; ++degree) all[static_cast<std::size_t>(degree)] = make_rule(degree);
    return all;
  }();
  return rules.at(static_cast<std::size_t>(degree));
}

}  // namespace tessera::assembly::spectral
