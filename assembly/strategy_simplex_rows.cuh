#pragma once
// nonzeros on CUDA, linear straight simplices: one lane a row.
#include "assembly/assembler_elements.cuh"
#include "base/reciprocal.hpp"

namespace tessera::assembly::kernels {

/// Lanes of a block; few, because a row's columns fill shared memory: 480 B a lane for 15 columns of tets.
constexpr int rows_block = 64;
/// Blocks that a multiprocessor is to hold; 0: the compiler's choice of registers. Shared memory leaves room for 7 blocks with the rows of
/// tets, so registers are free there: 94 instead of 56, 0.259 ms instead of 0.296 (6 M tets, H200, CUDA 13, 2026-11-21). Triangles: 40
/// registers 0.100 ms, 92 registers 0.137 (2.9 M).
template <int dim>
inline constexpr int rows_blocks = dim == 3 ? 1 : 0;
/// Bit of an entry that is no cell; its slots are 0, which may be read.
constexpr std::uint32_t no_cell = 0x80000000u;
/// Cells of a row that stand together, one load: [groups, 32 lanes, 4].
constexpr int cells_a_load = 4;

/// SimplexRows as the kernel sees it.
struct SimplexRowsView {
  int capacity;
  const Offset* neighbour_ptr;
  const Index* neighbours;
  const Offset* cell_ptr;
  const std::uint32_t* slots;
  const Index* cells;
  const std::uint16_t* own;
  const Index* node_of;  ///< mesh node of a dof; null: the dof
};

template <int dim>
inline constexpr double unit_measure = dim == 1 ? 1.0 : (dim == 2 ? 0.5 : 1.0 / 6);

/// |det| of a simplex from its edges at a vertex, and the normals of the sides through that vertex: grad phi_a = normal[a] / det.
template <int dim>
__device__ double edge_normals(const double (&edge)[dim][dim], double (&normal)[dim][dim]) {
  if constexpr (dim == 1) {
    normal[0][0] = 1;
    return absolute(edge[0][0]);
  } else if constexpr (dim == 2) {
    normal[0][0] = edge[1][1], normal[0][1] = -edge[1][0];
    normal[1][0] = -edge[0][1], normal[1][1] = edge[0][0];
    return absolute(edge[0][0] * edge[1][1] - edge[0][1] * edge[1][0]);
  } else {
    for (int a = 0; a < 3; ++a) {
      const double(&u)[3] = edge[(a + 1) % 3];
      const double(&v)[3] = edge[(a + 2) % 3];
      normal[a][0] = u[1] * v[2] - u[2] * v[1];
      normal[a][1] = u[2] * v[0] - u[0] * v[2];
      normal[a][2] = u[0] * v[1] - u[1] * v[0];
    }
    return absolute(edge[0][0] * normal[0][0] + edge[0][1] * normal[0][1] + edge[0][2] * normal[0][2]);
  }
}

/// One lane's row: its columns of shared memory, and the sums it keeps in registers.
template <int dim>
struct LaneRow {
  static constexpr int stride = rows_block + 1;  ///< odd: lanes that read a row across columns meet no bank conflict
  double* edges;                                 ///< from the row's vertex to its neighbours
  double* sums;                                  ///< entries of the row
  double diagonal = 0, load = 0;

  __device__ static int slot(std::uint32_t slots, int a) { return (slots >> (10 * a)) & 1023; }

  __device__ void start(const SimplexRowsView& rows, const double* coordinates, Index row, int length,
                        const Index* neighbour) {
    const double* origin = coordinates + Offset{3} * (rows.node_of ? rows.node_of[row] : row);
    double x[dim];
    for (int d = 0; d < dim; ++d) x[d] = origin[d];
#pragma unroll 4
    for (int k = 0; k < length; ++k) {
      const double* point = coordinates + Offset{3} * neighbour[k * 32];
      for (int d = 0; d < dim; ++d) edges[(k * dim + d) * stride] = point[d] - x[d];
      sums[k * stride] = 0;
    }
  }

  __device__ void load_edges(std::uint32_t slots, double (&edge)[dim][dim]) const {
    for (int a = 0; a < dim; ++a)
      for (int d = 0; d < dim; ++d) edge[a][d] = edges[(slot(slots, a) * dim + d) * stride];
  }

  /// Off-diagonal entries of a cell, -unit / |det| (k inward) . normal_a with inward = sum normal_a; rows sum to zero.
  __device__ void add_stiffness(const double (&flux)[dim], const double (&normal)[dim][dim], double scale,
                                double (&entry)[dim]) {
    for (int a = 0; a < dim; ++a) {
      double sum = flux[0] * normal[a][0];
      for (int d = 1; d < dim; ++d) sum += flux[d] * normal[a][d];
      entry[a] = scale * sum;
      diagonal -= entry[a];
    }
  }
  __device__ void add_mass(double mass, double (&entry)[dim]) {
    diagonal += mass + mass;
    for (int a = 0; a < dim; ++a) entry[a] += mass;
  }
  /// sum_q w_q c_q phi_i phi_a.
  __device__ void add_mass_at_points(const BlockView& block, Offset cell, int i, double scale, double (&entry)[dim]) {
    for (int q = 0; q < block.points; ++q) {
      const double* phi = block.basis + (q * (dim + 1) + dim) * (dim + 1);
      const double w = scale * block.weights[q] * *block.c.at(0, cell, q, block.points) * phi[i];
      diagonal += w * phi[i];
      for (int a = 0; a < dim; ++a) entry[a] += w * phi[a < i ? a : a + 1];
    }
  }
  /// A cell's slots differ, so all sums are read before any is written: one wait instead of `dim`.
  __device__ void keep(std::uint32_t slots, const double (&entry)[dim]) {
    double sum[dim];
    for (int a = 0; a < dim; ++a) sum[a] = sums[slot(slots, a) * stride] + entry[a];
    for (int a = 0; a < dim; ++a) sums[slot(slots, a) * stride] = sum[a];
  }
};

template <int dim>
__device__ void add_up(const double (&normal)[dim][dim], double (&inward)[dim]) {
  for (int d = 0; d < dim; ++d) {
    inward[d] = normal[0][d];
    for (int a = 1; a < dim; ++a) inward[d] += normal[a][d];
  }
}

/// One scalar material, nothing given at points.
template <int dim>
struct PlainCells {
  double k, c, f;

  __device__ PlainCells(const BlockView& block, const SimplexRowsView&)
      : k(block.k.empty() ? 0.0 : -unit_measure<dim> * block.k.values[0]),
        c(block.c.empty() ? 0.0 : block.c.values[0] * (unit_measure<dim> / ((dim + 1) * (dim + 2)))),
        f(block.f.empty() ? 0.0 : block.f.values[0] * reference_factor<dim> * block.load[0]) {}

  /// Without a branch, so that one cell's arithmetic mixes with the next one's loads: what is no cell has a volume of 1 and coefficients
  /// of 0.
  __device__ void add(LaneRow<dim>& row, bool valid, Offset, const double (&edge)[dim][dim],
                      double (&entry)[dim]) const {
    double normal[dim][dim], inward[dim];
    const double volume = edge_normals<dim>(edge, normal), jacobian = valid ? volume : 1.0;
    add_up<dim>(normal, inward);
    row.add_stiffness(inward, normal, (valid ? k : 0.0) * reciprocal(jacobian), entry);
    row.add_mass((valid ? c : 0.0) * jacobian, entry);
    row.load += (valid ? f : 0.0) * jacobian;
  }
};

/// Anything: regions, tensors, values at points.
template <int dim>
struct AnyCells {
  const BlockView& block;
  const Index* cells;

  __device__ AnyCells(const BlockView& b, const SimplexRowsView& rows) : block(b), cells(rows.cells) {}

  __device__ void add(LaneRow<dim>& row, bool valid, Offset at, const double (&edge)[dim][dim],
                      double (&entry)[dim]) const {
    for (int a = 0; a < dim; ++a) entry[a] = 0;
    if (!valid) return;
    const Offset place = cells[at] / (dim + 1);
    const int i = cells[at] % (dim + 1);
    const Index region = block.region_of(place);
    const Offset cell = block.cell_of(place);
    double normal[dim][dim], inward[dim], k[symmetric<dim>] = {}, flux[dim];
    const double jacobian = edge_normals<dim>(edge, normal);
    add_up<dim>(normal, inward);
    mean_diffusivity<dim>(block, region, cell, k);
    apply_diffusivity<dim>(k, block.k.components, inward, flux);
    row.add_stiffness(flux, normal, -unit_measure<dim> / jacobian, entry);
    if (block.c.per_point)
      row.add_mass_at_points(block, cell, i, reference_factor<dim> * jacobian, entry);
    else if (!block.c.empty())
      row.add_mass(block.c.values[region] * jacobian * (unit_measure<dim> / ((dim + 1) * (dim + 2))), entry);
    if (!block.f.empty())
      row.load += reference_factor<dim> * jacobian *
                  (block.f.per_point ? load_at_points<dim>(block, cell, i) : block.f.values[region] * block.load[0]);
  }
};

/// All cells of a row. The next cell's edges and the next cells' slots are on their way while a cell is computed: so few warps fit
/// beside their columns that each has to hide its own latency.
template <int dim, class Cells>
__device__ void add_cells_around(LaneRow<dim>& row, const Cells& cells, const uint4* list, Index groups, Offset first) {
  constexpr uint4 nothing{no_cell, no_cell, no_cell, no_cell};
  uint4 group = groups > 0 ? list[0] : nothing;
  double edge[dim][dim], next_edge[dim][dim], entry[dim];
  if (groups > 0) row.load_edges(group.x, edge);
  for (Index g = 0; g < groups; ++g) {
    const uint4 next = g + 1 < groups ? list[(g + 1) * 32] : nothing;
    const std::uint32_t slots[cells_a_load + 1] = {group.x, group.y, group.z, group.w, next.x};
#pragma unroll
    for (int u = 0; u < cells_a_load; ++u) {
      row.load_edges(slots[u + 1], next_edge);
      cells.add(row, slots[u] != no_cell, first + Offset{g} * 32 * cells_a_load + u, edge, entry);
      row.keep(slots[u], entry);
      for (int a = 0; a < dim; ++a)
        for (int d = 0; d < dim; ++d) edge[a][d] = next_edge[a][d];
    }
    group = next;
  }
}

/// The sums of a warp's rows to where they belong; `lane_sums` is the lane's column.
template <int dim>
__device__ void write_rows(const Target& target, const double* lane_sums, Offset start, int length, bool add) {
  constexpr int stride = LaneRow<dim>::stride;
  const int lane = threadIdx.x % 32;
  if (target.layout.slice != 1) {  // rows of a slice lie side by side: lanes write together
    for (int k = 0; k < length; ++k) {
      double& value = target.values[start + k * target.layout.step()];
      value = add ? value + lane_sums[k * stride] : lane_sums[k * stride];
    }
    return;
  }
  // CRS: groups of lanes write a row each.
  constexpr int lanes_a_row = dim == 3 ? 16 : (dim == 2 ? 8 : 4);
  const double* warp_sums = lane_sums - lane;
  for (int r = lane / lanes_a_row; r < 32; r += 32 / lanes_a_row) {
    const Offset row_start = __shfl_sync(0xffffffffu, start, r);
    const int row_length = __shfl_sync(0xffffffffu, length, r);
    for (int k = lane % lanes_a_row; k < row_length; k += lanes_a_row) {
      double& value = target.values[row_start + k];
      value = add ? value + warp_sums[k * stride + r] : warp_sums[k * stride + r];
    }
  }
}

/// One lane a row of linear simplices, in its own column of shared memory, so there are no bank conflicts whichever neighbours a cell
/// has; then the warp writes its rows together.
template <int dim, class Cells>
__global__ void __launch_bounds__(rows_block, rows_blocks<dim>)
    gather_simplices(SimplexRowsView rows, BlockView block, Target target, Index count, bool add) {
  extern __shared__ double shared[];
  LaneRow<dim> mine{shared + threadIdx.x, shared + rows.capacity * dim * LaneRow<dim>::stride + threadIdx.x};
  const Index row = blockIdx.x * rows_block + threadIdx.x;
  const int lane = threadIdx.x % 32;
  int length = row < count ? static_cast<int>(target.pattern.row_ptr[row + 1] - target.pattern.row_ptr[row]) : 0;
  if (length > rows.capacity) length = 0;  // a warp's
  if (length > 0) {
    mine.start(rows, block.coordinates, row, length, rows.neighbours + rows.neighbour_ptr[row / 32] + lane);
    const Offset first = rows.cell_ptr[row / 32];
    const auto groups = static_cast<Index>((rows.cell_ptr[row / 32 + 1] - first) / (32 * cells_a_load));
    add_cells_around(mine, Cells(block, rows), reinterpret_cast<const uint4*>(rows.slots + first) + lane, groups,
                     first + lane * cells_a_load);
    mine.sums[rows.own[row] * LaneRow<dim>::stride] += mine.diagonal;
    target.b[row] = add ? target.b[row] + mine.load : mine.load;
  }
  __syncwarp();
  write_rows<dim>(target, mine.sums, row < count ? target.layout.first(row) : 0, length, add);
}

}  // namespace tessera::assembly::kernels
