// nonzeros on CUDA: rows gather the contributions of the cells around them, each cell computed again by each of its rows. No additions in
// memory that others see, no zeroing, every value written once. (Cecka et al. 2011, "thread per non-zero"; here a lane or a warp a row.)
#include <algorithm>

#include "assembly/assembler_launch.cuh"
#include "assembly/assembler_lists_impl.hpp"
#include "assembly/strategy_simplex_rows.cuh"

namespace tessera::assembly {
namespace kernels {

/// One warp a row of any elements. By quadrature, lanes take the points, (G B_i) to shared memory, then the columns; straight simplices
/// sum G_ab R_ab. A cell's columns are distinct, and cells follow one another, so the sums need no more than the order of a warp.
template <int dim>
__global__ void __launch_bounds__(cells_block)
    gather_any(BlockView block, bool affine, Target target, const Offset* around_ptr, const Index* around,
               const Index* list, Index count, bool add) {
  extern __shared__ double shared[];
  constexpr int width = dim + 2;
  const Index item = (blockIdx.x * cells_block + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (item >= count) return;
  const Index row = list ? list[item] : item;
  const int n = block.nodes;
  double* work = shared + threadIdx.x / 32 * block.points * width;
  const Offset start = target.layout.first(row);
  const GlobalGeometry geometry{block};
  const Index length = static_cast<Index>(target.pattern.row_ptr[row + 1] - target.pattern.row_ptr[row]);
  if (!add)
    for (Index k = lane; k < length; k += 32) target.values[start + k * target.layout.step()] = 0;
  __syncwarp();
  double load = 0;
  for (Offset at = around_ptr[row]; at < around_ptr[row + 1]; ++at) {
    const Offset place = around[at] / n;
    const int i = around[at] % n;
    const Index region = block.region_of(place);
    const Offset cell = block.cell_of(place);
    double G[symmetric<dim> + 1] = {};
    if (affine) {
      double J[dim][dim], inverse[dim][dim];
      affine_jacobian<dim>(geometry, place, J);
      const double scale = absolute(invert<dim, double>(J, inverse));
      if (!block.k.empty()) pull_back<dim>(block.k.at(region, 0, 0, 1), block.k.components, inverse, scale, G);
      if (!block.c.empty()) G[symmetric<dim>] = scale * block.c.values[region];
      if (!block.f.empty())
        load +=
            scale * (block.f.per_point ? load_at_points<dim>(block, cell, i) : block.f.values[region] * block.load[i]);
    } else {
      for (int q = lane; q < block.points; q += 32) {
        double J[dim][dim], inverse[dim][dim];
        jacobian_at_point<dim>(block, geometry, place, q, J);
        const double scale = absolute(invert<dim, double>(J, inverse)) * block.weights[q];
        if (!block.k.empty())
          pull_back<dim>(block.k.at(region, cell, q, block.points), block.k.components, inverse, scale, G);
        const double* B = block.basis + static_cast<Offset>(q) * (dim + 1) * n;
        for (int a = 0; a < dim; ++a) {
          double flux = 0;
          for (int e = 0; e < dim; ++e) flux += G[a <= e ? packed(a, e, dim) : packed(e, a, dim)] * B[e * n + i];
          work[q * width + a] = flux;
        }
        work[q * width + dim] =
            block.c.empty() ? 0.0 : scale * *block.c.at(region, cell, q, block.points) * B[dim * n + i];
        work[q * width + dim + 1] =
            block.f.empty() ? 0.0 : scale * *block.f.at(region, cell, q, block.points) * B[dim * n + i];
      }
      __syncwarp();
      for (int q = 0; q < block.points; ++q) load += work[q * width + dim + 1];
    }
    for (int j = lane; j < n; j += 32) {
      double sum = 0;
      if (affine)
        for (int m = 0; m < symmetric<dim> + 1; ++m) sum += G[m] * block.reference[(m * n + i) * n + j];
      else
        for (int q = 0; q < block.points; ++q)
          for (int a = 0; a <= dim; ++a)
            sum += work[q * width + a] * block.basis[(static_cast<Offset>(q) * (dim + 1) + a) * n + j];
      target.values[start + entry_slot(block, target.pattern, place, i, j) * target.layout.step()] += sum;
    }
    __syncwarp();
  }
  if (lane == 0) target.b[row] = add ? target.b[row] + load : load;
}

}  // namespace kernels

namespace {

/// Rows beyond the capacity of a lane go to a warp each; at most this share of them.
constexpr double most_long_rows = 0.005;
/// Columns that 10 bits number, and that a block of lanes fits into shared memory.
constexpr int most_capacity = 96;

/// Longest row that a lane takes: nearly all rows are no longer.
int lane_capacity(const std::vector<Offset>& row_ptr) {
  std::vector<Index> of_length(most_capacity + 2, 0);
  const Offset rows = static_cast<Offset>(row_ptr.size()) - 1;
  for (Offset row = 0; row < rows; ++row)
    ++of_length[std::min<Offset>(row_ptr[row + 1] - row_ptr[row], most_capacity + 1)];
  Offset longer = of_length[most_capacity + 1];
  int capacity = most_capacity;
  while (capacity > 1 && longer + of_length[capacity] <= most_long_rows * static_cast<double>(rows))
    longer += of_length[capacity--];
  return capacity;
}

/// Where lists of 32 rows begin whose widths are rounded up to a multiple.
std::vector<Offset> starts(const std::vector<Index>& widths, int multiple) {
  std::vector<Offset> result{0};
  for (const Index width : widths)
    result.push_back(result.back() + Offset{32} * ((width + multiple - 1) / multiple * multiple));
  return result;
}

template <int dim>
void launch_gather(Cuda& exec, const BlockData<Device>& block, const Target& target, bool add) {
  const BlockView& view = block.view;
  const Index rows = target.pattern.rows;
  const bool affine = block.kernel != Kernel::general;
  const Index* list = nullptr;
  Index listed = rows;
  if (block.rows.capacity > 0 && block.kernel == Kernel::linear_simplex) {
    const SimplexRows<Device>& r = block.rows;
    const kernels::SimplexRowsView there{
        r.capacity,     r.neighbour_ptr.data(), r.neighbours.data(), r.cell_ptr.data(),
        r.slots.data(), r.cells.data(),         r.own.data(),        r.node_of.empty() ? nullptr : r.node_of.data()};
    const std::size_t shared = sizeof(double) * r.capacity * (dim + 1) * (kernels::rows_block + 1);
    const bool plain =
        !view.region && !view.k.per_point && !view.c.per_point && !view.f.per_point && view.k.components == 1;
    launch_with_shared(exec,
                       plain ? kernels::gather_simplices<dim, kernels::PlainCells<dim>>
                             : kernels::gather_simplices<dim, kernels::AnyCells<dim>>,
                       (rows + kernels::rows_block - 1) / kernels::rows_block, kernels::rows_block, shared, there, view,
                       target, rows, add);
    list = r.long_rows.data();
    listed = static_cast<Index>(r.long_rows.size());
  }
  const bool gathers_affine = affine && !(view.k.per_point || view.c.per_point);
  const std::size_t shared =
      gathers_affine ? 0 : sizeof(double) * (kernels::cells_block / 32) * view.points * (dim + 2);
  launch_with_shared(exec, kernels::gather_any<dim>,
                     (Offset{listed} * 32 + kernels::cells_block - 1) / kernels::cells_block, kernels::cells_block,
                     shared, view, gathers_affine, target, block.around.ptr.data(), block.around.items.data(), list,
                     listed, add);
}

}  // namespace

/// Mesh node of each dof of linear elements; nodes that this block does not have: 0.
Array<Index, Device> nodes_of_dofs(Cuda& exec, const BlockData<Device>& block, Index dofs) {
  Array<Index, Device> result(dofs);
  result.set_zero();
  const View<Index> node_of = result.view();
  const BlockView view = block.view;
  for_each(exec, Offset{block.cells} * view.nodes, [=] TESSERA_HD(Offset k) {
    const Offset place = k / view.nodes;
    const int i = static_cast<int>(k % view.nodes);
    node_of[view.dof(place, i)] = view.geometry[place * view.geometry_stride + i * view.geometry_step];
  });
  return result;
}

/// Fills the lists of SimplexRows for a row: neighbours, and the slots of each cell's other vertices.
void fill_simplex_rows(Cuda& exec, const BlockData<Device>& block, const linalg::CrsView<const double>& pattern,
                       SimplexRows<Device>& rows) {
  const BlockView view = block.view;
  const Offset* around_ptr = block.around.ptr.data();
  const Index* around = block.around.items.data();
  const View<const Offset> neighbour_ptr = rows.neighbour_ptr, cell_ptr = rows.cell_ptr;
  const View<Index> neighbours = rows.neighbours.view(), cells = rows.cells.view();
  const View<std::uint32_t> slots = rows.slots.view();
  const View<std::uint16_t> own_slot = rows.own.view();
  const Index* node_of = rows.node_of.empty() ? nullptr : rows.node_of.data();
  const int capacity = rows.capacity;
  for_each(exec, cells.size(), [=] TESSERA_HD(Offset k) { cells[k] = -1, slots[k] = kernels::no_cell; });
  for_each(exec, neighbours.size(), [=] TESSERA_HD(Offset k) { neighbours[k] = 0; });
  for_each(exec, pattern.rows, [=] TESSERA_HD(Offset row) {
    const Offset first = pattern.row_ptr[row];
    const Index length = static_cast<Index>(pattern.row_ptr[row + 1] - first);
    if (length > capacity) return;
    const Index* cols = pattern.col_ind.data() + first;
    for (Index k = 0; k < length; ++k)
      neighbours[neighbour_ptr[row / 32] + k * 32 + row % 32] = node_of ? node_of[cols[k]] : cols[k];
    own_slot[row] = static_cast<std::uint16_t>(find_in_row(cols, length, static_cast<Index>(row)));
    const int n = view.nodes;
    for (Offset k = around_ptr[row]; k < around_ptr[row + 1]; ++k) {
      const Offset c = k - around_ptr[row];
      const Offset to = cell_ptr[row / 32] + c / kernels::cells_a_load * 32 * kernels::cells_a_load +
                        row % 32 * kernels::cells_a_load + c % kernels::cells_a_load;
      const Index place = around[k] / n;
      const int own = around[k] % n;
      std::uint32_t word = 0;
      for (int i = 0, bit = 0; i < n; ++i) {
        if (i == own) continue;
        word |= static_cast<std::uint32_t>(find_in_row(cols, length, view.dof(place, i))) << bit;
        bit += 10;
      }
      cells[to] = around[k];
      slots[to] = word;
    }
  });
  exec.synchronize();
}

void make_row_lists(Cuda& exec, BlockData<Device>& block, const linalg::CrsView<const double>& pattern) {
  block.around = cells_around(exec, block, pattern.rows);
  if (block.kernel != Kernel::linear_simplex || pattern.rows == 0) return;
  SimplexRows<Device>& rows = block.rows;
  std::vector<Offset> row_ptr(pattern.rows + 1), around_ptr(pattern.rows + 1);
  copy_bytes(Device{}, pattern.row_ptr.data(), Host{}, row_ptr.data(), row_ptr.size() * sizeof(Offset));
  copy_bytes(Device{}, block.around.ptr.data(), Host{}, around_ptr.data(), around_ptr.size() * sizeof(Offset));
  rows.capacity = lane_capacity(row_ptr);
  std::vector<Index> columns, cells, long_rows;
  for (Index row = 0; row < pattern.rows; ++row) {
    if (row % 32 == 0) columns.push_back(0), cells.push_back(0);
    const auto length = static_cast<Index>(row_ptr[row + 1] - row_ptr[row]);
    if (length > rows.capacity) {
      long_rows.push_back(row);
      continue;
    }
    columns.back() = std::max(columns.back(), length);
    cells.back() = std::max(cells.back(), static_cast<Index>(around_ptr[row + 1] - around_ptr[row]));
  }
  const std::vector<Offset> neighbour_ptr = starts(columns, 1), cell_ptr = starts(cells, kernels::cells_a_load);
  rows.neighbour_ptr = to_space<Device>(neighbour_ptr);
  rows.cell_ptr = to_space<Device>(cell_ptr);
  rows.long_rows = to_space<Device>(long_rows);
  rows.neighbours = Array<Index, Device>(neighbour_ptr.back());
  rows.slots = Array<std::uint32_t, Device>(cell_ptr.back());
  rows.cells = Array<Index, Device>(cell_ptr.back());
  rows.own = Array<std::uint16_t, Device>(pattern.rows);
  if (!block.geometry_is_dofs) rows.node_of = nodes_of_dofs(exec, block, pattern.rows);
  fill_simplex_rows(exec, block, pattern, rows);
  if (long_rows.empty()) block.around = {};
}

void gather_rows(Cuda& exec, const BlockData<Device>& block, const Target& target, bool add) {
  if (block.kernel == Kernel::convection) return gather_convection(exec, block, target, add);
  if (block.dim == 1) launch_gather<1>(exec, block, target, add);
  if (block.dim == 2) launch_gather<2>(exec, block, target, add);
  if (block.dim == 3) launch_gather<3>(exec, block, target, add);
}

}  // namespace tessera::assembly
