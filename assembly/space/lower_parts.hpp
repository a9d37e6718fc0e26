#pragma once
// The parts of cells whose insides have dofs, and how those of a lower order follow from those of a higher one: what
// lower_dof_map does on either backend.
#include <span>
#include <vector>

#include "assembly/space/dof_map.hpp"
#include "base/backend.hpp"

namespace tessera::assembly {

/// A vertex, edge or face of a cell, or its inside, that has dofs of the lower order. Those of either order are
/// consecutive there, in whatever order the cell has them.
struct CellPart {
  int high = 0, high_count = 1;  ///< the cell's nodes of the higher order: the least of their dofs is the first
  int low = 0, low_count = 1;    ///< those of the lower order
  int kind = 0;                  ///< see LowerParts::counts
  int corners = 0;               ///< 2 of an edge, 3 or 4 of a face: vertices whose dofs say how it is seen; else 0
  int corner[4] = {};
  int positions = -1;  ///< of a face with several dofs: where its [frames, low_count] begin in LowerParts::positions
};

/// Those of the cells of a block.
struct LowerParts {
  int high_nodes = 0, low_nodes = 0;  ///< of a cell
  std::vector<CellPart> parts;
  std::vector<int> positions;  ///< of the dofs of faces, as each of their frames has them
};
/// `counts`: how many dofs of the lower order a part may have; those that are missing are added.
LowerParts lower_parts(const DofMap& higher, const DofBlock& block, int order, std::vector<int>& counts);

/// Throws Error(internal) where `order` is none below that of `higher`.
void check_lower_order(const DofMap& higher, int order);

/// The rows of the lower order in parts that have `rows` of the higher one, ascending; in whichever dof a part begins
/// has all of it. begin, end: how many dofs of the lower order are before the dof of a row, and before the next.
std::vector<Index> lower_rows(std::span<const Index> rows, int components, std::span<const Index> begin,
                              std::span<const Index> end);

/// The first dof of the higher order in a part. dofs: those of the cell.
TESSERA_HD inline Index first_dof(const CellPart& part, const Index* dofs) {
  Index least = dofs[part.high];
  for (int i = 1; i < part.high_count; ++i) least = dofs[part.high + i] < least ? dofs[part.high + i] : least;
  return least;
}

/// The number of the canonical frame of a face among all that it may have: twice the vertex where it begins, and one
/// more where its first axis goes to the later of the two others.
TESSERA_HD inline int frame_number(const CellPart& face, const Index* dofs) {
  int origin = 0;
  for (int i = 1; i < face.corners; ++i)
    if (dofs[face.corner[i]] < dofs[face.corner[origin]]) origin = i;
  // Of a triangle the other two by their numbers, of a quad the next one around and the one before.
  const bool triangle = face.corners == 3;
  const int next = triangle ? (origin == 0 ? 1 : 0) : (origin + 1) % 4;
  const int other = triangle ? (origin == 2 ? 1 : 2) : (origin + 3) % 4;
  return 2 * origin + (dofs[face.corner[next]] < dofs[face.corner[other]] ? 0 : 1);
}

/// out: the dofs of the cell in the lower order, of which those of a part are `begin` and those that follow. Vertices
/// are ranked by their dofs, so edges and faces are seen as in make_dof_map.
TESSERA_HD inline void write_part(const CellPart& part, const int* positions, const Index* dofs, Index begin,
                                  Index* out) {
  if (part.corners > 2 && part.low_count > 1) {
    const int* position = positions + part.positions + frame_number(part, dofs) * part.low_count;
    for (int j = 0; j < part.low_count; ++j) out[part.low + j] = begin + position[j];
    return;
  }
  const bool back = part.corners == 2 && !(dofs[part.corner[0]] < dofs[part.corner[1]]);
  for (int j = 0; j < part.low_count; ++j) out[part.low + j] = begin + (back ? part.low_count - 1 - j : j);
}

}  // namespace tessera::assembly
