#include "assembly/cells/cell_assembler_impl.hpp"
#include "mesh/colouring.hpp"

namespace tessera::assembly {
void order_cells(Cuda& exec, const mesh::CellBlock& cells, const DofBlock& dofs, Index all_dofs,
                 BlockData<Device>& block) {
  mesh::Colouring colouring = mesh::colour_cells(dofs.dofs.view(), dofs.nodes, all_dofs);
  block.colour_ptr = std::move(colouring.ptr);
  place_cells(exec, cells, dofs, std::move(colouring.cells), block);
}

/// nodes [cells, per_cell] of the mesh on the device, in the order of the places, by columns where the block is.
Array<Index, Device> place_nodes(Cuda& exec, std::span<const Index> nodes, int per_cell,
                                 const BlockData<Device>& block) {
  Array<Index, Device> there = to_space<Device>(nodes);
  if (block.cell.empty() && !block.by_columns) return there;
  Array<Index, Device> placed(there.size());
  const View<const Index> from = there.view();
  const View<Index> to = placed.view();
  const Index* cell = block.cell.empty() ? nullptr : block.cell.data();
  const Offset count = block.cells;
  const bool by_columns = block.by_columns;
  for_each(exec, placed.size(), [=] TESSERA_HD(Offset k) {
    const Offset place = by_columns ? k % count : k / per_cell;
    const Offset i = by_columns ? k / count : k % per_cell;
    to[k] = from[(cell ? cell[place] : place) * per_cell + i];
  });
  exec.synchronize();  // the copy is released here
  return placed;
}

void decide_columns(Cuda&, BlockData<Device>& block) { block.by_columns = threads_take_cells(block); }

double default_buffer_bytes(Cuda&) {
  return std::min(8.0 * (1 << 30), 0.25 * static_cast<double>(cuda_info().free_bytes));
}

void place_cells(Cuda& exec, const mesh::CellBlock& cells, const DofBlock& dofs, std::vector<Index> order,
                 BlockData<Device>& block) {
  decide_columns(exec, block);
  block.order = std::move(order);
  block.cell = to_space<Device>(block.order);
  const Offset count = block.cells;
  BlockView& view = block.view;
  block.dofs = place_nodes(exec, dofs.dofs.view(), dofs.nodes, block);
  view.cell_stride = block.by_columns ? 1 : dofs.nodes;
  view.node_stride = block.by_columns ? count : 1;
  view.geometry_stride = view.cell_stride, view.geometry_step = view.node_stride;
  if (!block.geometry_is_dofs) {
    block.geometry = place_nodes(exec, cells.nodes, cells.nodes_per_cell, block);
    view.geometry_stride = block.by_columns ? 1 : cells.nodes_per_cell;
  }
  view.dofs = block.dofs.data();
  view.geometry = block.geometry_is_dofs ? block.dofs.data() : block.geometry.data();
  view.slot_stride = block.by_columns ? 1 : Offset{dofs.nodes} * dofs.nodes;
  view.slot_step = block.by_columns ? count : 1;
}

void fill_slots(Cuda& exec, const BlockData<Device>& block, const linalg::CrsView<double>& A, std::uint16_t* slots,
                int* long_row) {
  const int n = block.view.nodes;
  const BlockView view = block.view;  // without slots as yet: positions are searched
  for_each(exec, Offset{block.cells} * n * n, [=] TESSERA_HD(Offset item) {
    const Offset place = view.slot_stride == 1 ? item % view.slot_step : item / view.slot_stride;
    const int entry = static_cast<int>(view.slot_stride == 1 ? item / view.slot_step : item % view.slot_stride);
    const int i = entry / n, j = entry % n;
    const Index row = view.dof(place, i);
    if (A.row_ptr[row + 1] - A.row_ptr[row] > longest_row) *long_row = 1;  // every writer writes the same
    slots[item] =
        static_cast<std::uint16_t>(entry_position(view, A, place, i, j, row, view.dof(place, j)) - A.row_ptr[row]);
  });
}

void make_row_lists(Cuda& exec, BlockData<Device>& block, const linalg::CrsView<const double>& pattern) {
  block.around = cells_around(exec, block, pattern.rows);
  if (!block.is_linear_simplex() || pattern.rows == 0) return;
  make_simplex_rows(exec, block, pattern);
  const bool warps_may_take_all = block.block_rows;  // of forms that turn out to couple values
  if (block.rows.capacity > 0 && block.rows.long_rows.size() == 0 && !warps_may_take_all) block.around = {};
}

template class CellAssembler<Cuda>;

}  // namespace tessera::assembly
