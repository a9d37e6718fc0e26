#pragma once
#include <cstdint>
#include <vector>

#include "assembly/space/dof_map.hpp"
#include "base/backend.hpp"
#include "linalg/crs.hpp"

namespace tessera::assembly {

/// Rows longer than this do not fit 16-bit slots.
inline constexpr Offset longest_row = 65536;
[[noreturn]] void throw_long_row(Offset longest);

/// The sparsity of a space: row i has the dofs of the cells around dof i, ascending. Values are left undefined.
/// Threads: cells around each dof by counting sort, then each row on its own with a mark per thread and dof.
/// CUDA: the same adjacency, then one warp a row takes the next larger dof until there is none: no buffers.
/// Throws Error(internal) for a dof outside [0, map.dofs).
template <class Exec>
linalg::Crs<typename Exec::Space> make_sparsity(Exec& exec, const DofMap& map);
template <>
linalg::Crs<Host> make_sparsity<Threads>(Threads& exec, const DofMap& map);

/// Of each block null, or its slots to be filled: entry (cell * nodes + i) * nodes + j is the position of the cell's
/// dof j in the row of its dof i.
using SlotArrays = std::vector<std::uint16_t*>;
/// The same sparsity, and slots on the way: what is known while a row is collected need not be searched for. No slots:
/// empty. Throws Error(mesh) where a row is too long for 16 bits.
linalg::Crs<Host> make_sparsity(Threads& exec, const DofMap& map, const SlotArrays& slots);

/// Position of `col` in the ascending columns of a row, which must hold it.
TESSERA_HD inline Index find_in_row(const Index* cols, Index count, Index col) {
  Index first = 0;
  while (count > 1) {
    const Index half = count / 2;
    if (cols[first + half] <= col) first += half;
    count -= half;
  }
  return first;
}

}  // namespace tessera::assembly
