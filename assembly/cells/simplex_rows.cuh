#pragma once
// nonzeros on CUDA, linear straight simplices: one lane a row, the cells around its vertex as a strip.
#include "assembly/cells/elements.cuh"
#include "assembly/cells/simplex_strip.hpp"
#include "base/reciprocal.hpp"

namespace tessera::assembly::kernels {

/// Lanes of a block.
constexpr int rows_block = 64;
/// Steps of a row that stand together, one load: [groups, 32 lanes, steps].
template <int dim>
inline constexpr int strip_group = dim == 3 ? 4 : 2;
/// A lane's column of sums is 32 apart, so that lanes meet in no bank whichever vertices they hold; in the end it becomes odd, so that
/// lanes read across columns without meeting.
constexpr int padded_lanes = 33;

/// SimplexRows as the kernel sees it.
struct SimplexRowsView {
  int capacity;
  const Index* order;
  const Offset* step_ptr;
  const std::uint16_t* steps;
  const Index* nodes;
  const Index* cells;
  const Index* first_nodes;
  const std::uint32_t* first_columns;
};

/// Values that one load brings.
template <class T, int n>
struct alignas(sizeof(T) * n) Pack {
  T at[n];
  __device__ static Pack load(const T* from) { return *reinterpret_cast<const Pack*>(from); }
};

template <int dim>
inline constexpr double unit_measure = dim == 1 ? 1.0 : (dim == 2 ? 0.5 : 1.0 / 6);

__device__ inline void cross(const double (&u)[3], const double (&v)[3], double (&result)[3]) {
  result[0] = u[1] * v[2] - u[2] * v[1];
  result[1] = u[2] * v[0] - u[0] * v[2];
  result[2] = u[0] * v[1] - u[1] * v[0];
}

/// The vertices that a lane's strip holds, oldest first. A vertex keeps the sum of its entry until it is dropped; then that is added to
/// the lane's column of shared memory.
template <int dim>
struct HeldVertices {
  double* sums;             ///< [columns of the row, 32], at this lane
  double edge[dim][dim];    ///< from the row's vertex
  double normal[dim][dim];  ///< of the sides through the row's vertex: grad phi_a = normal[a] / det
  double sum[dim];
  int column[dim];

  __device__ void begin(int a, int at, const double (&to)[dim]) {
    for (int d = 0; d < dim; ++d) edge[a][d] = to[d];
    column[a] = at, sum[a] = 0;
  }
  __device__ void drop(int at, double value) { sums[at * 32] += value; }
  __device__ void drop_all() {
    for (int a = 0; a < dim; ++a) drop(column[a], sum[a]);
  }

  /// Pushes a vertex and makes `normal` those of the new cell. Returns its |det|.
  __device__ double push(bool drops_second, int at, const double (&to)[dim]) {
    if constexpr (dim == 1) {
      drop(column[0], sum[0]);
      begin(0, at, to);
      normal[0][0] = 1;
      return absolute(to[0]);
    } else if constexpr (dim == 2) {
      drop(column[0], sum[0]);
      for (int d = 0; d < 2; ++d) edge[0][d] = edge[1][d];
      column[0] = column[1], sum[0] = sum[1];
      begin(1, at, to);
      normal[0][0] = edge[1][1], normal[0][1] = -edge[1][0];
      normal[1][0] = -edge[0][1], normal[1][1] = edge[0][0];
      return absolute(edge[0][0] * edge[1][1] - edge[0][1] * edge[1][0]);
    } else {
      // The kept vertex goes first, the newest second. All three products are formed anew: the known one would take twelve registers
      // and as many instructions to choose.
      drop(drops_second ? column[1] : column[0], drops_second ? sum[1] : sum[0]);
      for (int d = 0; d < 3; ++d) {
        edge[0][d] = drops_second ? edge[0][d] : edge[1][d];
        edge[1][d] = edge[2][d];
      }
      column[0] = drops_second ? column[0] : column[1];
      sum[0] = drops_second ? sum[0] : sum[1];
      column[1] = column[2], sum[1] = sum[2];
      begin(2, at, to);
      cross(edge[1], edge[2], normal[0]);
      cross(edge[2], edge[0], normal[1]);
      cross(edge[0], edge[1], normal[2]);
      return absolute(edge[2][0] * normal[2][0] + edge[2][1] * normal[2][1] + edge[2][2] * normal[2][2]);
    }
  }

  /// sum of the normals: det times minus the gradient of the row's own basis function.
  __device__ void inward_normal(double (&inward)[dim]) const {
    for (int d = 0; d < dim; ++d) {
      inward[d] = normal[0][d];
      for (int a = 1; a < dim; ++a) inward[d] += normal[a][d];
    }
  }

  /// Entries of a cell, scale flux . normal_a + mass.
  __device__ void add(const double (&flux)[dim], double scale, double mass) {
    for (int a = 0; a < dim; ++a) {
      double entry = flux[0] * normal[a][0];
      for (int d = 1; d < dim; ++d) entry += flux[d] * normal[a][d];
      sum[a] = scale * entry + (sum[a] + mass);
    }
  }
};

/// What a row adds up beside its entries. They and the diagonal sum to `whole`, for gradients of constants are zero.
struct RowTotals {
  double whole = 0;  ///< integral of c phi
  double load = 0;   ///< integral of f phi
};

/// One scalar material, nothing given at points.
template <int dim>
struct PlainCells {
  /// Blocks that a multiprocessor is to hold, which leaves 80 registers in 3-D and 48 in 2-D. H200, CUDA 13, 2026-11-21: 6 M tets
  /// 0.166 ms, with 96 registers 0.173, with 124 0.193, with 72 (which spill) 0.190; 2.9 M triangles 0.077, with 64 0.085, with 40 0.086.
  static constexpr int blocks = dim == 3 ? 12 : 20;
  double k, c, f, volume = 0;

  __device__ PlainCells(const BlockView& block, const SimplexRowsView&, const Index*)
      : k(block.k.empty() ? 0.0 : -unit_measure<dim> * block.k.values[0]),
        c(block.c.empty() ? 0.0 : block.c.values[0] * (unit_measure<dim> / ((dim + 1) * (dim + 2)))),
        f(block.f.empty() ? 0.0 : block.f.values[0] * reference_factor<dim> * block.load[0]) {}

  /// Without a branch, so that one cell's arithmetic mixes with the next one's loads: what is no cell has coefficients of 0.
  __device__ void add(HeldVertices<dim>& held, bool is_cell, double jacobian, Offset) {
    double inward[dim];
    held.inward_normal(inward);
    const double measure = is_cell ? jacobian : 0.0, scale = k * reciprocal(jacobian);
    held.add(inward, is_cell ? scale : 0.0, c * measure);
    volume += measure;
  }
  __device__ RowTotals totals() const { return {(dim + 2) * c * volume, f * volume}; }
};

/// Anything: regions, tensors, values at points.
template <int dim>
struct AnyCells {
  static constexpr int blocks = dim == 3 ? 8 : 16;
  const BlockView& block;
  const Index* cells;
  const Index* cols;  ///< of the row
  RowTotals sum;

  __device__ AnyCells(const BlockView& b, const SimplexRowsView& rows, const Index* c)
      : block(b), cells(rows.cells), cols(c) {}

  __device__ void add(HeldVertices<dim>& held, bool is_cell, double jacobian, Offset at) {
    if (!is_cell) return;
    const Offset place = cells[at] / (dim + 1);
    const int i = cells[at] % (dim + 1);
    const Index region = block.region_of(place);
    const Offset cell = block.cell_of(place);
    double inward[dim], k[symmetric<dim>] = {}, flux[dim], mass = 0;
    held.inward_normal(inward);
    mean_diffusivity<dim>(block, region, cell, k);
    apply_diffusivity<dim>(k, block.k.components, inward, flux);
    if (block.c.per_point) {
      add_mass_at_points(held, place, i, reference_factor<dim> * jacobian);
    } else if (!block.c.empty()) {
      mass = block.c.values[region] * jacobian * (unit_measure<dim> / ((dim + 1) * (dim + 2)));
      sum.whole += (dim + 2) * mass;
    }
    held.add(flux, -unit_measure<dim> / jacobian, mass);
    if (!block.f.empty())
      sum.load += reference_factor<dim> * jacobian *
                  (block.f.per_point ? load_at_points<dim>(block, cell, i) : block.f.values[region] * block.load[0]);
  }

  /// sum_q w_q c_q phi_i phi_a; the held vertices are found in the cell by their dofs.
  __device__ void add_mass_at_points(HeldVertices<dim>& held, Offset place, int i, double scale) {
    int local[dim];
    for (int a = 0; a < dim; ++a) {
      local[a] = 0;
      while (block.dof(place, local[a]) != cols[held.column[a]]) ++local[a];
    }
    const Offset cell = block.cell_of(place);
    for (int q = 0; q < block.points; ++q) {
      const double* phi = block.basis + (q * (dim + 1) + dim) * (dim + 1);
      const double w = scale * block.weights[q] * *block.c.at(0, cell, q, block.points) * phi[i];
      for (int a = 0; a < dim; ++a) held.sum[a] += w * phi[local[a]];
      for (int j = 0; j <= dim; ++j) sum.whole += w * phi[j];
    }
  }
  __device__ RowTotals totals() const { return sum; }
};

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

/// All cells of a row. Points are fetched `ahead` steps before they are pushed, and words and nodes a group before, for a lane waits
/// for nothing else.
template <int dim, class Cells>
__device__ void walk_strip(const SimplexRowsView& rows, const double* coordinates, Index slice, Cells& cells,
                           double* sums) {
  constexpr int group = strip_group<dim>, ahead = dim == 3 ? 1 : 2;
  using Words = Pack<std::uint16_t, group>;
  using Nodes = Pack<Index, group>;
  const int lane = threadIdx.x % 32;
  const Index* first_nodes = rows.first_nodes + Offset{slice} * dim * 32 + lane;
  const Edges<dim> edges(coordinates, first_nodes[0]);
  const std::uint32_t first_columns = rows.first_columns[Offset{slice} * 32 + lane];
  HeldVertices<dim> held;
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

/// Sums of a warp's rows from [columns, 32] to [columns, padded_lanes], from the last column on; returns the sum of the lane's row.
__device__ inline double pad_lanes(double* sums, int columns) {
  constexpr int at_once = 4;
  const int lane = threadIdx.x % 32;
  double total = 0;
  for (int k = columns; k > 0; k -= at_once) {
    double value[at_once];
    for (int u = 0; u < at_once; ++u) value[u] = k - 1 - u >= 0 ? sums[(k - 1 - u) * 32 + lane] : 0.0;
    __syncwarp();
    for (int u = 0; u < at_once; ++u) {
      if (k - 1 - u >= 0) sums[(k - 1 - u) * padded_lanes + lane] = value[u];
      total += value[u];
    }
  }
  return total;
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
  // CRS: groups of lanes write a row each. The rows are of one window of 256, so one word holds how far its start is from the first lane's
  // and its length, below 128.
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
template <int dim, class Cells>
__global__ void __launch_bounds__(rows_block, Cells::blocks)
    gather_simplices(SimplexRowsView rows, BlockView block, Target target, Index slices, bool add) {
  extern __shared__ double shared[];
  const int lane = threadIdx.x % 32;
  const Index slice = blockIdx.x * (rows_block / 32) + threadIdx.x / 32;
  if (slice >= slices) return;
  double* sums = shared + threadIdx.x / 32 * rows.capacity * padded_lanes;
  for (int k = 0; k < rows.capacity; ++k) sums[k * 32 + lane] = 0;
  const Offset item = Offset{slice} * 32 + lane;
  const Index row = rows.order[item];
  Cells cells(block, rows, row < 0 ? nullptr : target.pattern.col_ind.data() + target.pattern.row_ptr[row]);
  walk_strip<dim>(rows, block.coordinates, slice, cells, sums + lane);
  const RowTotals totals = cells.totals();
  const int length = row < 0 ? 0 : static_cast<int>(target.pattern.row_ptr[row + 1] - target.pattern.row_ptr[row]);
  const int columns = __reduce_max_sync(0xffffffffu, length);
  const double off_diagonal = pad_lanes(sums, columns);
  if (length > 0) {
    sums[(rows.first_columns[item] & strip_column) * padded_lanes + lane] = totals.whole - off_diagonal;
    write(target.b[row], totals.load, add);
  }
  __syncwarp();
  write_rows<dim>(target, sums, row < 0 ? 0 : target.layout.first(row), length, columns, add);
}

}  // namespace tessera::assembly::kernels
