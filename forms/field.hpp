#pragma once
// Coefficients of forms: what the host gives, and what a form sees.
#include <vector>

#include "base/types.hpp"

namespace tessera::forms {

/// A coefficient on the host: constant on regions, or given at the quadrature points. Empty `values`: zero.
struct Coefficient {
  int components = 1;  ///< 1: scalar; dim: vector; dim (dim+1)/2: symmetric tensor, 2-D xx xy yy, 3-D xx xy xz yy yz zz
  bool per_point = false;
  std::vector<double> values;  ///< [regions, components], or [cells of all blocks, points of its block, components]
};

/// How many components a coefficient may have. matrix: as scalar_or_tensor, or dim x dim by rows; voigt: those of a
/// strain (forms/elasticity.hpp); voigt_matrix: the upper half of a matrix between them.
enum class Rank : unsigned char { scalar, vector, scalar_or_tensor, matrix, voigt, voigt_matrix };

/// One of the coefficients of a form's data, in the order of the form's members().
struct NamedCoefficient {
  const char* name;
  const Coefficient* values;
  Rank rank;
};

/// Where coefficients are asked for: a quadrature point of a cell. Cells are numbered in their block.
struct Place {
  Index region = 0;
  Offset cell = 0;
  int point = 0, points = 1;
};

/// A coefficient as a form sees it, with values of type `T`. Values at points begin with the first cell of the block at
/// hand.
template <class T>
struct BasicField {
  const T* values = nullptr;
  int components = 1;
  bool per_point = false;

  TESSERA_HD_INLINE bool empty() const { return values == nullptr; }
  /// The components at a place.
  TESSERA_HD_INLINE const T* at(const Place& x) const {
    return values + (per_point ? x.cell * x.points + x.point : Offset{x.region}) * components;
  }
};
using Field = BasicField<double>;

}  // namespace tessera::forms
