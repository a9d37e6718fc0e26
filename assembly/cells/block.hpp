#pragma once
// Blocks of cells on the backend, in their order of processing, and what an assembler keeps.
#include <cstdint>
#include <vector>

#include "assembly/cells/assembler.hpp"
#include "assembly/cells/block_shape.hpp"
#include "assembly/cells/lists.hpp"
#include "assembly/cells/partitions.hpp"
#include "assembly/cells/simplex_rows.hpp"
#include "base/array.hpp"

namespace tessera::assembly {

/// Elements with more dofs than this search their rows: n^2 slots of 2 B per cell would outweigh the matrix.
inline constexpr int most_nodes_with_slots = 30;

/// One block of cells on the backend, with its order of processing; `view` is of the arrays here.
template <class Space>
struct BlockData : BlockShape {
  /// CUDA: colour c has the places colour_ptr[c] .. colour_ptr[c+1). Threads: colour c has the chunks
  /// chunks[colour_ptr[c] .. colour_ptr[c+1]), chunk m the places [m chunk_cells, (m+1) chunk_cells).
  std::vector<Offset> colour_ptr;
  std::vector<Index> chunks;
  Index chunk_cells = 0;
  std::vector<Index> order;  ///< CUDA: place -> cell, host copy

  Array<Index, Space> dofs, geometry, cell, region;
  Array<std::uint16_t, Space> slots;
  Array<double, Space> basis, map, weights, reference, load, reference_entries, padded_basis, map_columns;
  Array<double, Space> wide_basis, map_second;
  /// CUDA: values of the form's coefficients, in the order of its members().
  std::vector<Array<double, Space>> fields;

  // By strategy, made with the first matrix.
  Lists<Space> around;                       ///< nonzeros: around a row, place * nodes + local number, ascending
  SimplexRows<Space> rows;                   ///< nonzeros, linear simplices
  std::vector<Index> range_first;            ///< two_pass: ranges of places, one after the other through the buffer
  std::vector<Reduction<Space>> reductions;  ///< of each range
  Partitions<Space> partitions;

  // Made by the first refill_vector.
  Lists<Space> load_lists;           ///< as `around`, where that is not kept
  Array<double, Space> point_loads;  ///< [places, points]: w |J| times the load, see vector_impl.hpp

  std::size_t list_bytes() const {
    std::size_t bytes = around.bytes() + rows.bytes() + partitions.bytes() + load_lists.bytes() + point_loads.bytes();
    for (const Reduction<Space>& reduction : reductions) bytes += reduction.bytes();
    return bytes;
  }
};

template <class Space>
struct AssemblerState {
  const mesh::Mesh* mesh = nullptr;
  const DofMap* map = nullptr;
  DofMap coupled;      ///< of the pattern, where AssemblyOptions::couplings add to that of `map`; or without blocks
  int components = 1;  ///< unknowns a node
  Array<double, Space> coordinates;
  std::vector<BlockData<Space>> blocks;
  AssemblyOptions options;
  Strategy strategy = Strategy::colour;
  bool has_slots = false;
  const DofMap& pattern_map() const { return coupled.blocks.empty() ? *map : coupled; }
  Array<double, Space> buffer;  ///< two_pass: element values; shared: partial sums
  Array<Index, Space> row_of;   ///< row of each non-zero, for reductions into other formats than CRS
  AssemblyReport report;
};

/// Where the values of an element stand in a buffer: value e < entries() of place first + p at p * place + e * entry.
struct ValueSteps {
  Offset place, entry;
};
template <class Space>
ValueSteps value_steps(const BlockData<Space>& block, Index count) {
  if (block.by_columns) return {1, count};
  return {block.view.entries(), 1};
}
/// slots[place, i, j] = position of dof j in the row of dof i; sets *long_row where a row does not fit 16 bits.
void fill_slots(Threads& exec, const BlockData<Host>& block, const linalg::CrsView<double>& A, std::uint16_t* slots,
                int* long_row);
void fill_slots(Cuda& exec, const BlockData<Device>& block, const linalg::CrsView<double>& A, std::uint16_t* slots,
                int* long_row);

/// Order of processing: colours of blocks of consecutive cells on threads; of cells on CUDA. Fills dofs and geometry.
void order_cells(Threads& exec, const mesh::CellBlock& cells, const DofBlock& dofs, Index all_dofs,
                 BlockData<Host>& block);
void order_cells(Cuda& exec, const mesh::CellBlock& cells, const DofBlock& dofs, Index all_dofs,
                 BlockData<Device>& block);

/// Order of processing of the other strategies: the cells in `order` (empty: the natural one).
void place_cells(Threads& exec, const mesh::CellBlock& cells, const DofBlock& dofs, std::vector<Index> order,
                 BlockData<Host>& block);
void place_cells(Cuda& exec, const mesh::CellBlock& cells, const DofBlock& dofs, std::vector<Index> order,
                 BlockData<Device>& block);

/// Whether threads take cells (BlockData::by_columns); never on the host.
void decide_columns(Threads& exec, BlockData<Host>& block);
void decide_columns(Cuda& exec, BlockData<Device>& block);
/// two_pass: bytes of element values kept at a time.
double default_buffer_bytes(Threads& exec);
double default_buffer_bytes(Cuda& exec);

/// Sets up the lists of `nonzeros` once the pattern is known.
void make_row_lists(Threads& exec, BlockData<Host>& block, const linalg::CrsView<const double>& pattern);
void make_row_lists(Cuda& exec, BlockData<Device>& block, const linalg::CrsView<const double>& pattern);
}  // namespace tessera::assembly
