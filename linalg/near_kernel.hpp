#pragma once
#include "base/array.hpp"

namespace tessera::linalg {

/// Vectors that an operator makes small on every part of the domain, wherever its boundary is: the rigid motions of
/// elasticity, constants of a Laplacian. Multigrid must have them on its coarse levels. 8 modes B a row.
template <class Space>
struct NearKernel {
  int modes = 0;
  Array<double, Space> vectors;  ///< [rows, modes], row-major
};

}  // namespace tessera::linalg
