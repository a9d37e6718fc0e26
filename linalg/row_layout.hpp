#pragma once
#include "base/types.hpp"

namespace tessera::linalg {

/// Where the entries of a row stand among the values of a format: entry k of `row` at first(row) + k * step(). So that
/// an assembler fills any format directly. slice 1: CRS and CMRS, `starts` = row_ptr. Sliced ELL of 32 (or more) rows a
/// slice: `starts` = slice_ptr. ELL: one slice of all rows.
struct RowLayout {
  const Offset* starts = nullptr;
  Index slice = 1;

  TESSERA_HD Offset first(Index row) const { return slice == 1 ? starts[row] : starts[row / slice] + row % slice; }
  TESSERA_HD Offset step() const { return slice; }
};

}  // namespace tessera::linalg
