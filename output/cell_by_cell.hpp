#pragma once
// Two grids whose cells and points stand in different orders, as the pieces of ranks do.
#include "output/vtk_reader.hpp"

namespace tessera::output {

/// Both with their cells one by one: each cell has points of its own, and the cells of `b` follow those of `a`, whose
/// centres lie where theirs do. False, and both as they were, where a cell of the one has none in the other.
bool put_cell_by_cell(VtuFile& a, VtuFile& b);

}  // namespace tessera::output
