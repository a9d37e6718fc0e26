#pragma once
#include <cstddef>
#include <vector>

#include "base/types.hpp"

namespace tessera::assembly {

/// Numbers of some cells of a mesh.
struct NumbersOfCells {
  std::size_t width = 0;
  std::vector<Index> cells;
  std::vector<double> values;  ///< [cells, width]

  bool empty() const { return cells.empty(); }
};

}  // namespace tessera::assembly
