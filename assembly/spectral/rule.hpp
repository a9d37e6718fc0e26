#pragma once
#include "assembly/space/element.hpp"

namespace tessera::assembly::spectral {

inline constexpr int least_degree = 2;
/// Nodes of an axis at the highest degree.
inline constexpr int max_line = max_order + 1;

/// Nodes, weights and derivatives of an axis of spectral elements: the rule of Gauss and Lobatto, exact to degree 2n -
/// 1 for degree n, at whose points the nodes lie.
struct Rule {
  int n = 0;  ///< degree + 1
  double points[max_line] = {};
  double weights[max_line] = {};
  double slope[max_line * max_line] = {};  ///< [points, nodes]: l_j'(x_i)
  /// The largest eigenvalue of M^-1 K of u'' on [-1, 1] with free ends. Mirrored copies of its vector solve the
  /// problem on any chain of such elements, so it is also theirs.
  double largest_eigenvalue = 0;
};

/// Of degree 1 to max_order. Built once.
const Rule& rule(int degree);

}  // namespace tessera::assembly::spectral
