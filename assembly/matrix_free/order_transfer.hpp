#pragma once
#include <memory>
#include <span>
#include <utility>

#include "assembly/space/cell_lists.hpp"
#include "assembly/space/dof_map.hpp"
#include "linalg/halo.hpp"
#include "linalg/lower_orders.hpp"

namespace tessera::assembly {

/// What brings the ghosts of vectors of two orders, where ranks share both; of one rank nothing.
template <class Exec>
struct OrderHalos {
  std::shared_ptr<linalg::Halo<Exec>> lower, higher;
};

/// What takes fields of `lower` to `higher` on the same mesh, without a matrix: in a cell the values of the lower basis
/// functions at the nodes of the higher ones, axis by axis on quads and hexes. A dof of the higher order takes its
/// value from the first cell that has it, which is that of any of them, since the field is continuous; P^T gives that
/// cell its residual. Components of a dof keep to themselves. Rows of `fixed_lower` and `fixed_higher` (ascending) are
/// left out. Both maps have blocks of the same cells in the same order. Bitwise repeatable, on threads whatever their
/// number. With N dofs a cell of the higher order and n of the lower one 4 N + 8 n B a cell and component, and 4 B a
/// row of the lower order; 4 N B a cell and 4 B a dof, and 1 B a dof and component, more for a moment. Throws
/// Error(mesh) where the dofs of all cells exceed 32-bit numbers.
///
/// `lower_cells` and `higher_cells` are those of the maps.
///
/// Over ranks the maps are those of all cells that this one sees, vectors those of the rows that it owns, the first
/// ones. It sees every cell in which the basis function of such a row is not 0: so P y needs the ghosts of y, P^T r
/// those of r, and nothing is added up from several ranks.
template <class Exec>
std::unique_ptr<linalg::OrderTransfer<Exec>> make_order_transfer(Exec& exec, const DofMap& lower, const DofMap& higher,
                                                                 int components, std::span<const Index> fixed_lower,
                                                                 std::span<const Index> fixed_higher,
                                                                 CellLists<typename Exec::Space>& lower_cells,
                                                                 CellLists<typename Exec::Space>& higher_cells,
                                                                 OrderHalos<Exec> halos = {});
template <class Exec>
std::unique_ptr<linalg::OrderTransfer<Exec>> make_order_transfer(Exec& exec, const DofMap& lower, const DofMap& higher,
                                                                 int components, std::span<const Index> fixed_lower,
                                                                 std::span<const Index> fixed_higher,
                                                                 OrderHalos<Exec> halos = {}) {
  CellLists<typename Exec::Space> of_lower(lower), of_higher(higher);
  return make_order_transfer(exec, lower, higher, components, fixed_lower, fixed_higher, of_lower, of_higher,
                             std::move(halos));
}

}  // namespace tessera::assembly
