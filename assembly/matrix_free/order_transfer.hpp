#pragma once
#include <memory>
#include <span>

#include "assembly/space/dof_map.hpp"
#include "linalg/lower_orders.hpp"

namespace tessera::assembly {

/// What takes fields of `lower` to `higher` on the same mesh, without a matrix: in a cell the values of the lower basis
/// functions at the nodes of the higher ones, axis by axis on quads and hexes. A dof of the higher order takes its
/// value from the first cell that has it, which is that of any of them, since the field is continuous; P^T gives that
/// cell its residual. Components of a dof keep to themselves. Rows of `fixed_lower` and `fixed_higher` (ascending) are
/// left out. Both maps have blocks of the same cells in the same order. Bitwise repeatable, on threads whatever their
/// number. With N dofs a cell of the higher order and n of the lower one 4 N + 8 n B a cell and component, and 4 B a
/// row of the lower order; 4 N B a cell and 4 B a dof, and 1 B a dof and component, more for a moment. Throws
/// Error(mesh) where the dofs of all cells exceed 32-bit numbers.
template <class Exec>
std::unique_ptr<linalg::OrderTransfer<Exec>> make_order_transfer(Exec& exec, const DofMap& lower, const DofMap& higher,
                                                                 int components, std::span<const Index> fixed_lower,
                                                                 std::span<const Index> fixed_higher);

}  // namespace tessera::assembly
