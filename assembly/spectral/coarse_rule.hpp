#pragma once
// Points of spectral elements that remember their strain: a rule of few of the points of Gauss and Lobatto of each
// axis.
#include "assembly/spectral/rule.hpp"
#include "base/types.hpp"

namespace tessera::assembly::spectral {

/// Points of an axis with n nodes: one of three nodes, two of four to six, three of seven, four of eight and nine.
TESSERA_HD_INLINE constexpr int coarse_points(int n) { return n == 3 ? 1 : n <= 6 ? 2 : n == 7 ? 3 : 4; }

/// Which of the nodes point i is. They lie closest to the points of Gauss's rule of as many; of six nodes both pairs
/// within are as far from these, the inner one has weights that fit those of the elements better.
TESSERA_HD_INLINE constexpr int coarse_node(int n, int i) {
  if (n == 6) return 2 + i;
  if (n == 4) return 1 + i;
  if (n == 8) return i < 2 ? 1 + 2 * i : 2 * i;
  return 1 + 2 * i;
}
/// Which point a node is, -1: none.
TESSERA_HD_INLINE constexpr int coarse_number(int n, int node) {
  if (n == 6) return node == 2 || node == 3 ? node - 2 : -1;
  if (n == 4) return node == 1 || node == 2 ? node - 1 : -1;
  if (n == 8) return node == 1 ? 0 : node == 3 ? 1 : node == 4 ? 2 : node == 6 ? 3 : -1;
  return node % 2 == 1 ? node / 2 : -1;
}

inline constexpr int most_coarse_points = 4;

/// The rule of an axis: exact for what the points interpolate, and as they lie symmetrically for one degree more where
/// they are odd in number. All weights are positive.
struct CoarseRule {
  int points = 0;
  double weights[most_coarse_points] = {};
  double ratio[most_coarse_points] = {};  ///< of the weights over those of the nodes

  /// Of a point of a cell the largest weight over that of its node.
  double largest_ratio(int dim) const;
};
const CoarseRule& coarse_rule(int degree);

}  // namespace tessera::assembly::spectral
