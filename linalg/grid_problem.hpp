#pragma once
#include <array>

#include "base/types.hpp"

namespace tessera::linalg {

/// How the equation of a GridProblem is discretised.
enum class Stencil {
  star,    ///< 3-, 5-, 7-point differences: (-u_{i-1} + 2 u_i - u_{i+1}) / h^2 + ... + c u
  tensor,  ///< Q1 elements: K x M (x M) + M x K (x M) + ... + c M x M (x M), entries as integrals
};

/// -div(grad u) + c u = f, u = 0 on the boundary, on the interior nodes of a box grid: unknown (i, j, k) is at
/// i + n[0] (j + n[1] k), x fastest. Axes beyond `dim` are not looked at.
struct GridProblem {
  int dim = 2;                       ///< 1, 2 or 3
  std::array<Index, 3> n{1, 1, 1};   ///< interior nodes of an axis
  std::array<double, 3> h{1, 1, 1};  ///< spacing of an axis
  double shift = 0;                  ///< c >= 0
  Stencil stencil = Stencil::star;

  Offset unknowns() const {
    Offset product = 1;
    for (int axis = 0; axis < dim; ++axis) product *= n[axis];
    return product;
  }
  bool operator==(const GridProblem&) const = default;
};

}  // namespace tessera::linalg
