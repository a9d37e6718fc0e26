#include "assembly/spectral/coarse_rule.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <eigen3/Eigen/Dense>

namespace tessera::assembly::spectral {

namespace {

/// Weights of which the sums of powers below the number of points are their integrals over [-1, 1].
CoarseRule make_coarse_rule(int degree) {
  const Rule& fine = rule(degree);
  CoarseRule coarse;
  const int m = coarse.points = coarse_points(fine.n);
  Eigen::MatrixXd powers(m, m);
  Eigen::VectorXd integrals(m);
  for (int k = 0; k < m; ++k) {
    integrals[k] = k % 2 == 0 ? 2.0 / (k + 1) : 0;
    for (int i = 0; i < m; ++i) powers(k, i) = std::pow(fine.points[coarse_node(fine.n, i)], k);
  }
  const Eigen::VectorXd weights = powers.partialPivLu().solve(integrals);
  for (int i = 0; i < m; ++i) {
    coarse.weights[i] = weights[i];
    coarse.ratio[i] = weights[i] / fine.weights[coarse_node(fine.n, i)];
  }
  return coarse;
}

}  // namespace

double CoarseRule::largest_ratio(int dim) const { return std::pow(*std::max_element(ratio, ratio + points), dim); }

const CoarseRule& coarse_rule(int degree) {
  static const std::array<CoarseRule, max_order + 1> rules = [] {
    std::array<CoarseRule, max_order + 1> all;
    for (int of = least_degree; of <= max_order; ++of) all[static_cast<std::size_t>(of)] = make_coarse_rule(of);
    return all;
  }();
  return rules.at(static_cast<std::size_t>(degree));
}

}  // namespace tessera::assembly::spectral
