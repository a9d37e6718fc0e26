#pragma once
#include <vector>

#include "base/types.hpp"

namespace tessera::assembly {

/// A coefficient of a form on the host: constant on regions, or given at the quadrature points. Empty `values`: zero.
struct Coefficient {
  int components = 1;  ///< 1: scalar; dim (dim+1)/2: symmetric tensor, 2-D xx xy yy, 3-D xx xy xz yy yz zz
  bool per_point = false;
  std::vector<double> values;  ///< [regions, components], or [cells of all blocks, points of its block, components]
};

/// Data of -div(k grad u) + c u = f.
struct DiffusionData {
  std::vector<Index> region;  ///< [cells], number of the region; empty: all in region 0
  Coefficient k;
  Coefficient c;  ///< reaction
  Coefficient f;  ///< source
};

/// A coefficient as kernels see it. Values at points begin with the first cell of the block at hand.
struct CoefficientView {
  const double* values = nullptr;
  int components = 1;
  bool per_point = false;

  TESSERA_HD bool empty() const { return values == nullptr; }
  /// Components at point `point` of the block's cell `cell`, which lies in `region`.
  TESSERA_HD const double* at(Index region, Offset cell, int point, int points) const {
    return values + (per_point ? cell * points + point : Offset{region}) * components;
  }
};

}  // namespace tessera::assembly
