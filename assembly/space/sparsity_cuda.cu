#include <cub/device/device_scan.cuh>
#include <limits>
#include <string>

#include "assembly/space/sparsity.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly {
namespace kernels {

constexpr int sparsity_block = 128;
/// Neighbours that a lane keeps in registers; rows with more than 32 times this many read them again for each column.
constexpr int kept_per_lane = 8;
constexpr int most_blocks = 8;
constexpr Index none = std::numeric_limits<Index>::max();

/// The cells of all blocks: dofs of block b begin at dofs[first_dof[b]], its cells at first_cell[b].
struct Cells {
  const Index* dofs = nullptr;
  int blocks = 0;
  int most_nodes = 0;
  Index first_cell[most_blocks + 1] = {};
  Offset first_dof[most_blocks] = {};
  int nodes[most_blocks] = {};

  /// Local dof k of a cell; `none` where the cell has fewer.
  __device__ Index dof(Index cell, int k) const {
    int b = 0;
    while (cell >= first_cell[b + 1]) ++b;
    return k < nodes[b] ? dofs[first_dof[b] + Offset{cell - first_cell[b]} * nodes[b] + k] : none;
  }
};

__device__ inline Index warp_min(Index value) {
  for (int step = 16; step > 0; step /= 2) value = min(value, __shfl_xor_sync(0xffffffffu, value, step));
  return value;
}

inline Offset blocks_for(Offset items) { return (items + sparsity_block - 1) / sparsity_block; }

__global__ void __launch_bounds__(sparsity_block)
    count_dofs(Offset entries, const Index* dofs, Index rows, unsigned long long* counts, Index* outside) {
  const Offset k = blockIdx.x * static_cast<Offset>(sparsity_block) + threadIdx.x;
  if (k >= entries) return;
  if (dofs[k] < 0 || dofs[k] >= rows)
    *outside = dofs[k];  // any of them
  else
    atomicAdd(counts + dofs[k], 1ull);
}

__global__ void __launch_bounds__(sparsity_block)
    place_cells(Offset entries, const Index* dofs, int nodes, Index first_cell, unsigned long long* next,
                Index* cells) {
  const Offset k = blockIdx.x * static_cast<Offset>(sparsity_block) + threadIdx.x;
  if (k < entries) cells[atomicAdd(next + dofs[k], 1ull)] = first_cell + static_cast<Index>(k / nodes);
}

/// One warp a row: columns in ascending order, each the least neighbour beyond the last one. Writes the count where
/// `columns` is null, else the columns.
__global__ void __launch_bounds__(sparsity_block)
    collect_rows(Index rows, Cells cells, const Offset* around_ptr, const Index* around, const Offset* row_ptr,
                 Offset* counts, Index* columns) {
  const Index row = static_cast<Index>((blockIdx.x * static_cast<Offset>(sparsity_block) + threadIdx.x) / 32);
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  const Offset first = around_ptr[row];
  const Offset candidates = (around_ptr[row + 1] - first) * cells.most_nodes;
  auto candidate = [&](Offset m) {
    return m < candidates ? cells.dof(around[first + m / cells.most_nodes], static_cast<int>(m % cells.most_nodes))
                          : none;
  };
  Index kept[kept_per_lane];
  for (int k = 0; k < kept_per_lane; ++k) kept[k] = candidate(lane + 32 * k);
  Index last = -1;
  Offset count = 0;
  while (true) {
    Index next = none;
    for (int k = 0; k < kept_per_lane; ++k)
      if (kept[k] > last) next = min(next, kept[k]);
    for (Offset m = lane + 32 * kept_per_lane; m < candidates; m += 32) {
      const Index value = candidate(m);
      if (value > last) next = min(next, value);
    }
    next = warp_min(next);
    if (next == none) break;
    if (columns && lane == 0) columns[row_ptr[row] + count] = next;
    last = next;
    ++count;
  }
  if (!columns && lane == 0) counts[row] = count;
}

}  // namespace kernels

namespace {

/// counts[0 .. n) become their sums before each place; counts[n] the total.
void exclusive_sum(Cuda& exec, Array<Offset, Device>& counts) {
  std::size_t bytes = 0;
  TESSERA_CUDA_CHECK(
      cub::DeviceScan::ExclusiveSum(nullptr, bytes, counts.data(), counts.data(), counts.size(), exec.stream()));
  Array<char, Device> scratch(static_cast<Offset>(bytes));
  TESSERA_CUDA_CHECK(
      cub::DeviceScan::ExclusiveSum(scratch.data(), bytes, counts.data(), counts.data(), counts.size(), exec.stream()));
  exec.synchronize();
}

}  // namespace

/// Cells around each dof. The order within a dof varies from run to run; the rows made from it do not.
struct DofCellsOnDevice {
  Array<Offset, Device> ptr;
  Array<Index, Device> cells;
};

DofCellsOnDevice dof_cells(Cuda& exec, const kernels::Cells& cells, Index dofs, Offset entries) {
  DofCellsOnDevice result{Array<Offset, Device>(Offset{dofs} + 1), Array<Index, Device>(entries)};
  result.ptr.set_zero();
  auto* counts = reinterpret_cast<unsigned long long*>(result.ptr.data());
  const Index* flat = cells.dofs;
  auto outside = to_space<Device>(std::vector<Index>{0});
  launch(exec, kernels::count_dofs, kernels::blocks_for(entries), kernels::sparsity_block, entries, flat, dofs, counts,
         outside.data());
  exclusive_sum(exec, result.ptr);
  if (const Index dof = to_vector(outside)[0])
    throw Error(ExitCode::internal, "dof " + std::to_string(dof) + " in a space of " + std::to_string(dofs),
                "the dof map is damaged; please report this");
  Array<Offset, Device> cursor(result.ptr.size());
  copy(result.ptr, cursor);
  auto* next = reinterpret_cast<unsigned long long*>(cursor.data());
  Index* out = result.cells.data();
  for (int b = 0; b < cells.blocks; ++b) {
    const Offset count = Offset{cells.first_cell[b + 1] - cells.first_cell[b]} * cells.nodes[b];
    launch(exec, kernels::place_cells, kernels::blocks_for(count), kernels::sparsity_block, count,
           cells.dofs + cells.first_dof[b], cells.nodes[b], cells.first_cell[b], next, out);
  }
  exec.synchronize();
  return result;
}

template <class Exec>
linalg::Crs<typename Exec::Space> make_sparsity(Exec& exec, const DofMap& map) {
  if (map.blocks.size() > kernels::most_blocks)
    throw Error(ExitCode::internal,
                std::to_string(map.blocks.size()) + " blocks of cells, at most " + std::to_string(kernels::most_blocks),
                "merge blocks of one shape");
  kernels::Cells cells;
  Offset entries = 0;
  for (const DofBlock& block : map.blocks) {
    const int b = cells.blocks++;
    cells.nodes[b] = block.nodes;
    cells.first_cell[b] = block.first_cell;
    cells.first_cell[b + 1] = block.first_cell + static_cast<Index>(block.dofs.size() / block.nodes);
    cells.first_dof[b] = entries;
    cells.most_nodes = std::max(cells.most_nodes, block.nodes);
    entries += static_cast<Offset>(block.dofs.size());
  }
  Array<Index, Device> dofs(entries);
  for (int b = 0; b < cells.blocks; ++b)
    copy_bytes(Host{}, map.blocks[b].dofs.data(), Device{}, dofs.data() + cells.first_dof[b],
               map.blocks[b].dofs.size() * sizeof(Index));
  cells.dofs = dofs.data();

  const DofCellsOnDevice around = dof_cells(exec, cells, map.dofs, entries);
  linalg::Crs<Device> A;
  A.rows = A.cols = map.dofs;
  A.row_ptr = Array<Offset, Device>(Offset{map.dofs} + 1);
  A.row_ptr.set_zero();
  const Offset blocks = kernels::blocks_for(Offset{map.dofs} * 32);
  launch(exec, kernels::collect_rows, blocks, kernels::sparsity_block, map.dofs, cells, around.ptr.data(),
         around.cells.data(), static_cast<const Offset*>(nullptr), A.row_ptr.data(), static_cast<Index*>(nullptr));
  exclusive_sum(exec, A.row_ptr);
  Offset nnz = 0;
  copy_bytes(Device{}, A.row_ptr.data() + map.dofs, Host{}, &nnz, sizeof nnz);
  A.col_ind = Array<Index, Device>(nnz);
  A.values = Array<double, Device>(nnz);
  launch(exec, kernels::collect_rows, blocks, kernels::sparsity_block, map.dofs, cells, around.ptr.data(),
         around.cells.data(), static_cast<const Offset*>(A.row_ptr.data()), static_cast<Offset*>(nullptr),
         A.col_ind.data());
  exec.synchronize();  // the adjacency is released here
  return A;
}

template linalg::Crs<Device> make_sparsity<Cuda>(Cuda&, const DofMap&);

}  // namespace tessera::assembly
