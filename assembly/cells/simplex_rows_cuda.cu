// nonzeros on CUDA, linear straight simplices: the strips around the vertices.
#include <algorithm>

#include "assembly/cells/block.hpp"
#include "assembly/cells/held_vertices.cuh"
#include "assembly/cells/shared_memory.hpp"
#include "base/atomic_add.hpp"

namespace tessera::assembly {
namespace {

/// So many columns a lane cost nothing: registers leave room for no more warps. Of block rows each is some times as
/// large.
constexpr int free_columns = 36, free_block_columns = 16;
/// Rows beyond the capacity of a lane go to a warp each; at most this share of them.
constexpr double most_long_rows = 0.001;
/// Rows are sorted by their steps within windows of so many, for a warp takes as long as its longest row. Wider windows
/// pad less, but scatter what a warp reads and writes.
constexpr Index window = 256;
static_assert(window % 32 == 0 && window <= 256 && most_strip_columns < 128, "write_rows counts on it");
/// Entries between the starts of two rows of a window: write_rows keeps them in 32 bits beside the length of the row.
constexpr Offset most_between_rows = Offset{1} << 23;
/// Steps of a row that a warp takes.
constexpr Index no_strip = -1;

Offset whole_slices(Offset rows) { return (rows + 31) / 32 * 32; }

/// [most + 2] how many rows have so many columns; the last: more than `most`.
std::vector<Index> rows_of_length(Cuda& exec, const linalg::CrsView<const double>& pattern, int most) {
  Array<Index, Device> counts(most + 2);
  counts.set_zero();
  const View<Index> of_length = counts.view();
  const View<const Offset> row_ptr = pattern.row_ptr;
  for_each(exec, pattern.rows, [=] TESSERA_HD(Offset row) {
    const Offset length = row_ptr[row + 1] - row_ptr[row];
    add_one(&of_length[length < most + 1 ? length : most + 1]);
  });
  exec.synchronize();
  return to_vector(counts);
}

/// Longest row that a lane takes: all rows, or nearly all are no longer.
int lane_capacity(Cuda& exec, const linalg::CrsView<const double>& pattern, int components) {
  const int most = strip_columns(shared_for_groups(), components);
  const int free = components == 1 ? free_columns : free_block_columns;
  const std::vector<Index> of_length = rows_of_length(exec, pattern, most);
  const Offset rows = pattern.rows;
  Offset longer = of_length[most + 1];
  int capacity = most;
  const auto may_be_long = [&](Offset number) { return number <= most_long_rows * static_cast<double>(rows); };
  while (capacity > free && may_be_long(longer + of_length[capacity])) longer += of_length[capacity--];
  while (capacity > 1 && of_length[capacity] == 0) --capacity;
  return capacity;
}

/// The cells around the rows, with their vertices by column.
struct Stars {
  BlockView block;
  linalg::CrsView<const double> pattern;
  const Offset* around_ptr;
  const Index* around;

  TESSERA_HD const Index* columns(Offset row) const { return pattern.col_ind.data() + pattern.row_ptr[row]; }
  TESSERA_HD Index length(Offset row) const {
    return static_cast<Index>(pattern.row_ptr[row + 1] - pattern.row_ptr[row]);
  }
  TESSERA_HD Offset cells(Offset row) const { return around_ptr[row + 1] - around_ptr[row]; }

  /// The walk around a row, before its first step.
  template <int dim>
  TESSERA_HD void collect(Offset row, StripWalk<dim>& walk) const {
    for (Offset k = around_ptr[row]; k < around_ptr[row + 1]; ++k) {
      const Index place = around[k] / (dim + 1);
      const int own = around[k] % (dim + 1);
      StripCell<dim> cell;
      for (int a = 0; a < dim; ++a)
        cell.set(a, find_in_row(columns(row), length(row), block.dof(place, a < own ? a : a + 1)));
      walk.add(cell);
    }
  }
};

/// Steps of each row's strip, without the first dim - 1, which make no cell.
template <int dim>
Array<Index, Device> count_steps(Cuda& exec, const Stars& stars, int capacity) {
  Array<Index, Device> result(stars.pattern.rows);
  const View<Index> steps = result.view();
  for_each(exec, stars.pattern.rows, [=] TESSERA_HD(Offset row) {
    steps[row] = no_strip;
    if (stars.length(row) > capacity || stars.cells(row) > most_strip_cells) return;
    if (stars.pattern.row_ptr[row] - stars.pattern.row_ptr[row / window * window] >= most_between_rows) return;
    StripWalk<dim> walk;
    stars.collect<dim>(row, walk);
    const int count = walk.walk([](int, std::uint16_t) {});
    steps[row] = count > 0 ? count - (dim - 1) : 0;
  });
  return result;
}

/// The rows in the order in which lanes take them, most steps first in each window; -1: a warp's.
Array<Index, Device> order_rows(Cuda& exec, const Array<Index, Device>& steps_of) {
  Array<Index, Device> result(whole_slices(steps_of.size()));
  const View<Index> order = result.view();
  const View<const Index> steps = steps_of;
  const Offset rows = steps.size();
  for_each(exec, order.size(), [=] TESSERA_HD(Offset row) {
    if (row >= rows) {
      order[row] = -1;
      return;
    }
    const Offset first = row / window * window, last = first + window < rows ? first + window : rows;
    Offset rank = 0;
    for (Offset other = first; other < last; ++other)
      rank += steps[other] > steps[row] || (steps[other] == steps[row] && other < row);
    order[first + rank] = steps[row] == no_strip ? -1 : static_cast<Index>(row);
  });
  return result;
}

/// Where the steps of 32 lanes begin; they are padded to the longest of them, and to whole loads.
std::vector<Offset> step_starts(Cuda& exec, const Array<Index, Device>& steps_of, const Array<Index, Device>& order_of,
                                int group) {
  const Offset slices = order_of.size() / 32;
  Array<Index, Device> longest(slices);
  const View<Index> widths = longest.view();
  const View<const Index> steps = steps_of, order = order_of;
  for_each(exec, slices, [=] TESSERA_HD(Offset slice) {  // the first of a slice has most
    const Index row = order[slice * 32];
    widths[slice] = row < 0 ? 0 : steps[row];
  });
  std::vector<Offset> starts{0};
  for (const Index width : to_vector(longest))
    starts.push_back(starts.back() + Offset{32} * ((width + group - 1) / group * group));
  return starts;
}

/// Ascending.
Array<Index, Device> rows_without_strip(Cuda& exec, const Array<Index, Device>& steps_of) {
  Array<Index, Device> list(steps_of.size()), counted(1);
  counted.set_zero();
  const View<const Index> steps = steps_of;
  const View<Index> found = list.view(), count = counted.view();
  for_each(exec, steps.size(), [=] TESSERA_HD(Offset row) {
    if (steps[row] == no_strip) found[add_one(&count[0])] = static_cast<Index>(row);
  });
  exec.synchronize();
  std::vector<Index> here(static_cast<std::size_t>(to_vector(counted)[0]));
  copy_bytes(Device{}, list.data(), Host{}, here.data(), here.size() * sizeof(Index));
  std::sort(here.begin(), here.end());
  return to_space<Device>(here);
}

/// Writes the strips.
template <int dim>
void fill_strips(Cuda& exec, const Stars& stars, const Array<Index, Device>& nodes_of, SimplexRows<Device>& rows) {
  constexpr int group = kernels::strip_group<dim>;
  const View<const Index> order = rows.order;
  const View<const Offset> step_ptr = rows.step_ptr;
  const View<std::uint16_t> steps = rows.steps.view();
  const View<Index> nodes = rows.nodes.view(), first_nodes = rows.first_nodes.view(), cells = rows.cells.view();
  const View<std::uint32_t> first_columns = rows.first_columns.view();
  const Index* node_of = nodes_of.empty() ? nullptr : nodes_of.data();
  for_each(exec, steps.size(), [=] TESSERA_HD(Offset k) { steps[k] = strip_no_cell, nodes[k] = 0, cells[k] = -1; });
  rows.first_nodes.set_zero();
  rows.first_columns.set_zero();
  for_each(exec, stars.pattern.rows, [=] TESSERA_HD(Offset item) {
    const Index row = order[item];
    if (row < 0) return;
    const Index* cols = stars.columns(row);
    StripWalk<dim> walk;
    stars.collect<dim>(row, walk);
    std::uint32_t columns = find_in_row(cols, stars.length(row), row);
    const Offset lane = item % 32, slice = item / 32;
    first_nodes[slice * 32 * dim + lane] = node_of ? node_of[row] : row;
    int step = 1 - dim;
    walk.walk([&](int cell, std::uint16_t word) {
      const Index column = word & strip_column, node = node_of ? node_of[cols[column]] : cols[column];
      if (step < 0) {
        const int a = step + dim;  // 1 or 2
        columns |= static_cast<std::uint32_t>(column) << (strip_column_bits * a);
        first_nodes[(slice * dim + a) * 32 + lane] = node;
      } else {
        const Offset at = step_ptr[slice] + (step / group * 32 + lane) * group + step % group;
        steps[at] = word;
        nodes[at] = node;
        cells[at] = cell < 0 ? -1 : stars.around[stars.around_ptr[row] + cell];
      }
      ++step;
    });
    first_columns[item] = columns;
  });
}

template <int dim>
void make_strips(Cuda& exec, const Stars& stars, const Array<Index, Device>& nodes_of, SimplexRows<Device>& rows) {
  const Index count = stars.pattern.rows;
  const Array<Index, Device> steps = count_steps<dim>(exec, stars, rows.capacity);
  rows.order = order_rows(exec, steps);
  const std::vector<Offset> starts = step_starts(exec, steps, rows.order, kernels::strip_group<dim>);
  rows.long_rows = rows_without_strip(exec, steps);
  rows.step_ptr = to_space<Device>(starts);
  rows.steps = Array<std::uint16_t, Device>(starts.back());
  rows.nodes = Array<Index, Device>(starts.back());
  rows.cells = Array<Index, Device>(starts.back());
  rows.first_columns = Array<std::uint32_t, Device>(whole_slices(count));
  rows.first_nodes = Array<Index, Device>(whole_slices(count) * dim);
  fill_strips<dim>(exec, stars, nodes_of, rows);
  exec.synchronize();
}

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

/// Whether every dof stands at one mesh node; sides that are periodic make one dof of several nodes, and then
/// coordinates are those of a cell's own nodes only.
bool one_node_a_dof(Cuda& exec, const BlockData<Device>& block, const Array<Index, Device>& nodes) {
  Array<Index, Device> differs(1);
  differs.set_zero();
  const View<Index> flag = differs.view();
  const View<const Index> node_of = nodes.view();
  const BlockView view = block.view;
  for_each(exec, Offset{block.cells} * view.nodes, [=] TESSERA_HD(Offset k) {
    const Offset place = k / view.nodes;
    const int i = static_cast<int>(k % view.nodes);
    if (node_of[view.dof(place, i)] != view.geometry[place * view.geometry_stride + i * view.geometry_step])
      flag[0] = 1;
  });
  Index found = 0;
  exec.synchronize();
  copy_bytes(Device{}, differs.data(), Host{}, &found, sizeof found);
  return found == 0;
}

}  // namespace

void make_simplex_rows(Cuda& exec, BlockData<Device>& block, const linalg::CrsView<const double>& pattern) {
  SimplexRows<Device>& rows = block.rows;
  const Stars stars{block.view, pattern, block.around.ptr.data(), block.around.items.data()};
  Array<Index, Device> nodes;
  if (!block.geometry_is_dofs) {
    nodes = nodes_of_dofs(exec, block, pattern.rows);
    if (!one_node_a_dof(exec, block, nodes)) return;  // without strips every row is a warp's
  }
  rows.capacity = lane_capacity(exec, pattern, block.view.components);
  if (block.dim == 1) make_strips<1>(exec, stars, nodes, rows);
  if (block.dim == 2) make_strips<2>(exec, stars, nodes, rows);
  if (block.dim == 3) make_strips<3>(exec, stars, nodes, rows);
}

}  // namespace tessera::assembly
