#pragma once
#include <algorithm>
#include <cstddef>
#include <utility>
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

/// Where cells are among them, which must outlive it.
class CellsOfNumbers {
 public:
  explicit CellsOfNumbers(const NumbersOfCells& numbers) : numbers_(numbers) {
    for (std::size_t i = 0; i < numbers.cells.size(); ++i) places_.emplace_back(numbers.cells[i], i);
    std::sort(places_.begin(), places_.end());
  }
  /// [width] of a cell; null: it is not there.
  const double* find(Index cell) const {
    const auto found = std::lower_bound(places_.begin(), places_.end(), std::pair<Index, std::size_t>{cell, 0});
    if (found == places_.end() || found->first != cell) return nullptr;
    return numbers_.values.data() + found->second * numbers_.width;
  }

 private:
  const NumbersOfCells& numbers_;
  std::vector<std::pair<Index, std::size_t>> places_;  ///< ascending
};

}  // namespace tessera::assembly
