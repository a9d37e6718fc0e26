#include <algorithm>

#include "assembly/cells/cell_assembler_impl.hpp"
#include "base/host_memory.hpp"
#include "base/team.hpp"
#include "mesh/colouring.hpp"

namespace tessera::assembly {
namespace {

/// Consecutive cells that one thread assembles in a row. Cells are sorted for locality, so their values stay in the
/// cache; fewer on small meshes so that there are chunks to share. Independent of the number of threads: results do not
/// change with it.
constexpr Index most_cells_per_chunk = 512;
constexpr Index least_cells_per_chunk = 8;
constexpr Index chunks_wanted = 256;

}  // namespace

void order_cells(Threads& exec, const mesh::CellBlock& cells, const DofBlock& dofs, Index all_dofs,
                 BlockData<Host>& block) {
  const Index count = block.cells;
  BlockView& view = block.view;
  view.dofs = dofs.dofs.data();  // mesh and map outlive the assembler, so neither is copied
  view.geometry = block.geometry_is_dofs ? view.dofs : cells.nodes.data();
  view.cell_stride = dofs.nodes, view.node_stride = 1;
  view.geometry_stride = cells.nodes_per_cell, view.geometry_step = 1;
  view.slot_stride = Offset{dofs.nodes} * dofs.nodes, view.slot_step = 1;
  block.chunk_cells = std::clamp(count / chunks_wanted, least_cells_per_chunk, most_cells_per_chunk);
  const Index chunks = (count + block.chunk_cells - 1) / block.chunk_cells;

  // Two chunks that share a dof get different colours. Each thread lists the dofs of its own range of chunks, each dof
  // once a chunk.
  std::vector<Offset> ptr(static_cast<std::size_t>(chunks) + 1, 0);
  std::vector<std::vector<Index>> keys_of(static_cast<std::size_t>(exec.count()));
  parallel_ranges(exec.count(), chunks, [&](Offset first_chunk, Offset last_chunk, int part) {
    std::vector<Index> seen(all_dofs, -1);
    std::vector<Index>& mine = keys_of[static_cast<std::size_t>(part)];
    for (auto chunk = static_cast<Index>(first_chunk); chunk < last_chunk; ++chunk) {
      const std::size_t before = mine.size();
      const std::size_t first = static_cast<std::size_t>(chunk) * block.chunk_cells * dofs.nodes;
      const std::size_t last =
          std::min(dofs.dofs.size(), first + static_cast<std::size_t>(block.chunk_cells) * dofs.nodes);
      for (std::size_t k = first; k < last; ++k) {
        if (seen[dofs.dofs[k]] == chunk) continue;
        seen[dofs.dofs[k]] = chunk;
        mine.push_back(dofs.dofs[k]);
      }
      ptr[chunk + 1] = static_cast<Offset>(mine.size() - before);
    }
  });
  for (Index chunk = 0; chunk < chunks; ++chunk) ptr[chunk + 1] += ptr[chunk];
  std::vector<Index> keys;
  keys.reserve(static_cast<std::size_t>(ptr.back()));
  for (const std::vector<Index>& part : keys_of) keys.insert(keys.end(), part.begin(), part.end());
  mesh::Colouring colouring = mesh::colour_cells(chunks, all_dofs, ptr.data(), keys.data());
  block.colour_ptr = std::move(colouring.ptr);
  block.chunks = std::move(colouring.cells);
}

void fill_slots(Threads& exec, const BlockData<Host>& block, const linalg::CrsView<double>& A, std::uint16_t* slots,
                int* long_row) {
  const int n = block.view.nodes;
  const Index* dofs = block.view.dofs;
  parallel_for(exec.count(), block.cells, [&](Index cell) {
    const Index* mine = dofs + static_cast<Offset>(cell) * n;
    std::uint16_t* slot = slots + static_cast<Offset>(cell) * n * n;
    for (int i = 0; i < n; ++i) {
      const Index* cols = A.col_ind.data() + A.row_ptr[mine[i]];
      const Offset length = A.row_ptr[mine[i] + 1] - A.row_ptr[mine[i]];
      if (length > longest_row) *long_row = 1;  // every writer writes the same
      for (int j = 0; j < n; ++j, ++slot) {
        if (length > 64) {
          *slot = static_cast<std::uint16_t>(find_in_row(cols, static_cast<Index>(length), mine[j]));
          continue;
        }
        int below = 0;  // a short row: counting the smaller columns has no branches and fills vectors
        for (int k = 0; k < static_cast<int>(length); ++k) below += cols[k] < mine[j];
        *slot = static_cast<std::uint16_t>(below);
      }
    }
  });
}

void decide_columns(Threads&, BlockData<Host>&) {}

double default_buffer_bytes(Threads&) {
  return std::min(1.0 * (1 << 30), 0.25 * static_cast<double>(host_bytes_available()));
}

void place_cells(Threads&, const mesh::CellBlock& cells, const DofBlock& dofs, std::vector<Index> order,
                 BlockData<Host>& block) {
  BlockView& view = block.view;
  view.dofs = dofs.dofs.data();  // mesh and map outlive the assembler, so neither is copied in the natural order
  view.geometry = block.geometry_is_dofs ? view.dofs : cells.nodes.data();
  view.cell_stride = dofs.nodes, view.node_stride = 1;
  view.geometry_stride = cells.nodes_per_cell, view.geometry_step = 1;
  view.slot_stride = Offset{dofs.nodes} * dofs.nodes, view.slot_step = 1;
  if (order.empty()) return;
  block.order = std::move(order);
  block.cell = to_space<Host>(block.order);
  const auto in_order = [&](std::span<const Index> nodes, int per_cell) {
    Array<Index> placed(static_cast<Offset>(nodes.size()));
    for (std::size_t place = 0; place < block.order.size(); ++place)
      std::copy_n(&nodes[static_cast<std::size_t>(block.order[place]) * per_cell], per_cell,
                  &placed[static_cast<Offset>(place) * per_cell]);
    return placed;
  };
  block.dofs = in_order(dofs.dofs.view(), dofs.nodes);
  view.dofs = view.geometry = block.dofs.data();
  if (block.geometry_is_dofs) return;
  block.geometry = in_order(cells.nodes, cells.nodes_per_cell);
  view.geometry = block.geometry.data();
}

void make_row_lists(Threads& exec, BlockData<Host>& block, const linalg::CrsView<const double>& pattern) {
  block.around = cells_around(exec, block, pattern.rows);
}

template class CellAssembler<Threads>;

}  // namespace tessera::assembly
