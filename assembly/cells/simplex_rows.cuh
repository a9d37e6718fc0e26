#pragma once
// nonzeros on CUDA, linear straight simplices: one lane a row, the cells around its vertex as a strip.
#include "assembly/cells/launch.cuh"
#include "assembly/cells/simplex_row_cells.cuh"

namespace tessera::assembly::kernels {

/// Edges from the row's vertex to others, from their coordinates.
template <int dim>
struct Edges {
  const double* coordinates;
  double origin[dim];

  __device__ void point(Index node, double (&x)[dim]) const {
    for (int d = 0; d < dim; ++d) x[d] = coordinates[Offset{3} * node + d];
  }
  __device__ Edges(const double* c, Index node) : coordinates(c) { point(node, origin); }
  __device__ void from_point(const double (&x)[dim], double (&edge)[dim]) const {
    for (int d = 0; d < dim; ++d) edge[d] = x[d] - origin[d];
  }
};

/// All cells of a row. Points are fetched `ahead` steps before they are pushed, and words and nodes a group before, for
/// a lane waits for nothing else.
template <int dim, int entries = 1, class Cells>
__device__ void walk_strip(const SimplexRowsView& rows, const double* coordinates, Index slice, Cells& cells,
                           double* sums) {
  constexpr int group = strip_group<dim>, ahead = dim == 3 ? 1 : 2;
  using Words = Pack<std::uint16_t, group>;
  using Nodes = Pack<Index, group>;
  const int lane = threadIdx.x % 32;
  const Index* first_nodes = rows.first_nodes + Offset{slice} * dim * 32 + lane;
  const Edges<dim> edges(coordinates, first_nodes[0]);
  const std::uint32_t first_columns = rows.first_columns[Offset{slice} * 32 + lane];
  HeldVertices<dim, entries> held;
  held.sums = sums;
  double point[dim], edge[dim], pending[ahead][dim];
  for (int a = dim - 1; a > 0; --a) {
    edges.point(first_nodes[32 * a], point);
    edges.from_point(point, edge);
    held.begin(a, first_columns >> (strip_column_bits * a) & strip_column, edge);
  }
  if constexpr (dim == 1) held.begin(0, 0, edges.origin);
  if constexpr (dim > 1) held.begin(0, held.column[1], held.edge[1]);  // dropped by the first step
  const Offset start = rows.step_ptr[slice] + lane * group;
  const auto groups = static_cast<Index>((rows.step_ptr[slice + 1] - rows.step_ptr[slice]) / (32 * group));
  if (groups == 0) return;
  Words words = Words::load(rows.steps + start);
  Nodes nodes = Nodes::load(rows.nodes + start);
  for (int u = 0; u < ahead; ++u) edges.point(nodes.at[u], pending[u]);
  for (Index g = 0; g < groups; ++g) {
    const Offset at = start + Offset{g} * 32 * group, after = g + 1 < groups ? at + 32 * group : at;
    const Words next_words = Words::load(rows.steps + after);
    const Nodes next_nodes = Nodes::load(rows.nodes + after);
#pragma unroll
    for (int u = 0; u < group; ++u) {
      edges.from_point(pending[u % ahead], edge);
      edges.point(u + ahead < group ? nodes.at[(u + ahead) % group] : next_nodes.at[(u + ahead) % group],
                  pending[u % ahead]);
      const int word = words.at[u];
      const double jacobian = held.push(word & strip_drops_second, word & strip_column, edge);
      cells.add(held, !(word & strip_no_cell), jacobian, at + u);
    }
    words = next_words, nodes = next_nodes;
  }
  held.drop_all();
}

/// Sums of a warp's rows from [columns, entries, 32] to [columns, entries, padded_lanes], from the last column on; adds
/// those of the lane's row to `totals`.
template <int entries>
__device__ void pad_lanes(double* sums, int columns, double (&totals)[entries]) {
  constexpr int at_once = entries == 1 ? 4 : 2 * entries;
  const int lane = threadIdx.x % 32;
  for (int k = columns * entries; k > 0; k -= at_once) {
    double value[at_once];
    for (int u = 0; u < at_once; ++u) value[u] = k - 1 - u >= 0 ? sums[(k - 1 - u) * 32 + lane] : 0.0;
    __syncwarp();
    for (int u = 0; u < at_once; ++u) {
      if (k - 1 - u >= 0) sums[(k - 1 - u) * padded_lanes + lane] = value[u];
      totals[entries - 1 - u % entries] += value[u];
    }
  }
}

__device__ inline void write(double& value, double sum, bool add) { value = add ? value + sum : sum; }

/// The sums of a warp's rows, [columns, padded_lanes], to where they belong; `columns`: the longest of the rows.
template <int dim>
__device__ void write_rows(const Target& target, const double* sums, Offset start, int length, int columns, bool add) {
  const int lane = threadIdx.x % 32;
  if (target.layout.slice != 1) {  // rows of a slice lie side by side: lanes write together
    for (int k = 0; k < length; ++k)
      write(target.values[start + k * target.layout.step()], sums[k * padded_lanes + lane], add);
    return;
  }
  // CRS: groups of lanes write a row each. The rows are of one window of 256, so one word holds how far its start is
  // from the first lane's and its length, below 128.
  constexpr int lanes_a_row = dim == 3 ? 16 : (dim == 2 ? 8 : 4), together = 32 / lanes_a_row;
  const int group = lane / lanes_a_row, first = lane % lanes_a_row;
  const Offset base = __shfl_sync(0xffffffffu, start, 0);
  const int start_and_length = length > 0 ? static_cast<int>(start - base) * 128 + length : 0;
  double* values = target.values + base;
  const double* from = sums + group;
#pragma unroll
  for (int r = 0; r < 32; r += together) {
    const int row = __shfl_sync(0xffffffffu, start_and_length, group + r);
    if (first < (row & 127)) write(values[(row >> 7) + first], from[first * padded_lanes + r], add);
  }
  if (columns <= lanes_a_row) return;
  for (int r = 0; r < 32; r += together) {
    const int row = __shfl_sync(0xffffffffu, start_and_length, group + r);
    for (int k = first + lanes_a_row; k < (row & 127); k += lanes_a_row)
      write(values[(row >> 7) + k], from[k * padded_lanes + r], add);
  }
}

/// One lane a row of linear simplices, a warp a slice; then the warp writes its rows together. Shared memory:
/// [capacity, padded_lanes] a warp.
template <int dim, class Form, class Cells>
__global__ void __launch_bounds__(rows_block, Cells::blocks)
    gather_simplices(SimplexRowsView rows, BlockView block, Form form, Target target, Index slices, bool add) {
  extern __shared__ double shared[];
  const int lane = threadIdx.x % 32;
  const Index slice = blockIdx.x * (rows_block / 32) + threadIdx.x / 32;
  if (slice >= slices) return;
  double* sums = shared + threadIdx.x / 32 * rows.capacity * padded_lanes;
  for (int k = 0; k < rows.capacity; ++k) sums[k * 32 + lane] = 0;
  const Offset item = Offset{slice} * 32 + lane;
  const Index row = rows.order[item];
  Cells cells(block, form, rows, row < 0 ? nullptr : target.pattern.col_ind.data() + target.pattern.row_ptr[row]);
  walk_strip<dim>(rows, block.coordinates, slice, cells, sums + lane);
  const RowTotals totals = cells.totals();
  const int length = row < 0 ? 0 : static_cast<int>(target.pattern.row_ptr[row + 1] - target.pattern.row_ptr[row]);
  const int columns = __reduce_max_sync(0xffffffffu, length);
  double off_diagonal[1] = {};
  pad_lanes(sums, columns, off_diagonal);
  if (length > 0) {
    sums[(rows.first_columns[item] & strip_column) * padded_lanes + lane] = totals.whole - off_diagonal[0];
    write(target.b[row], totals.load, add);
  }
  __syncwarp();
  write_rows<dim>(target, sums, row < 0 ? 0 : target.layout.first(row), length, columns, add);
}

}  // namespace tessera::assembly::kernels

namespace tessera::assembly {

inline kernels::SimplexRowsView view_of(const SimplexRows<Device>& rows) {
  return {rows.capacity,     rows.order.data(), rows.step_ptr.data(),    rows.steps.data(),
          rows.nodes.data(), rows.cells.data(), rows.first_nodes.data(), rows.first_columns.data()};
}

/// All rows of linear straight simplices but those in SimplexRows::long_rows.
template <int dim, class Form>
void gather_simplex_rows(Cuda& exec, const BlockData<Device>& block, const Form& form, const Target& target, bool add) {
  const SimplexRows<Device>& rows = block.rows;
  const BlockView& view = block.view;
  const kernels::SimplexRowsView there = view_of(rows);
  constexpr int threads = rows_block;
  constexpr int warps = threads / 32;
  const Offset slices = rows.order.size() / 32;
  const std::size_t shared = strip_bytes(rows.capacity, 1);
  const auto gather = [&](auto kernel) {
    launch_with_shared(exec, kernel, (slices + warps - 1) / warps, threads, shared, there, view, form, target,
                       static_cast<Index>(slices), add);
  };
  if constexpr (Form::symmetric) {
    const bool constant = form.constant(forms::gradient_gradient) && form.constant(forms::value_value) &&
                          form.constant(forms::load_value);
    if (!view.region && constant && form.tensor_components() == 1)
      gather(kernels::gather_simplices<dim, Form, kernels::PlainCells<dim, Form>>);
    else
      gather(kernels::gather_simplices<dim, Form, kernels::AnyCells<dim, Form>>);
  } else {
    const auto gather_known = [&]<bool plain>(std::bool_constant<plain>) {
      if (form.constant())
        gather(kernels::gather_simplices<dim, Form, kernels::UnsymmetricCells<dim, true, plain, Form>>);
      else
        gather(kernels::gather_simplices<dim, Form, kernels::UnsymmetricCells<dim, false, plain, Form>>);
    };
    if constexpr (kernels::HasPlain<Form>)
      if (form.is_plain()) return gather_known(std::true_type());
    gather_known(std::false_type());
  }
}

}  // namespace tessera::assembly
