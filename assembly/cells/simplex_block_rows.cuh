#pragma once
// nonzeros on CUDA, linear straight simplices and several unknowns a node: one lane a row of numbers, a warp for each
// unknown of the same 32 nodes, the cells around a node as a strip.
#include "assembly/cells/simplex_rows.cuh"
#include "forms/components.hpp"

namespace tessera::assembly::kernels {

/// What a cell adds to row c of a node: a form that couples gradients alone. `constant`: nothing is given at points.
template <int dim, int c, bool constant, class Form>
struct ComponentCells {
  static constexpr int m = forms::components_of<Form>(dim), n = dim + 1;
  const BlockView& block;
  const Form& form;
  const Index* cells;
  double load = 0;

  __device__ ComponentCells(const BlockView& b, const Form& f, const SimplexRowsView& rows)
      : block(b), form(f), cells(rows.cells) {}

  __device__ void add(HeldVertices<dim, m>& held, bool is_cell, double jacobian, Offset at) {
    if (!is_cell) return;
    double inward[dim], flux[m][dim] = {};
    held.inward_normal(inward);
    if constexpr (constant) {
      const forms::Place x{block.region ? block.region[cells[at] / n] : 0};
      add_flux(x, inward, unit_measure<dim>, flux);
      add_load(x, held, inward, unit_measure<dim>, unit_measure<dim> / n * jacobian);
    } else {
      const Offset place = cells[at] / n;
      const int i = cells[at] % n;
      forms::Place x = block.at(place, 0);
      for (x.point = 0; x.point < block.points; ++x.point) {
        const double weight = reference_factor<dim> * block.weights[x.point];
        add_flux(x, inward, weight, flux);
        add_load(x, held, inward, weight, weight * jacobian * block.basis[(x.point * n + dim) * n + i]);
      }
    }
    held.add(flux, -1 / jacobian);
  }

 private:
  /// weight inward . C_cd; the row's own gradient is -inward / det.
  __device__ void add_flux(const forms::Place& x, const double (&inward)[dim], double weight,
                           double (&flux)[m][dim]) const {
    double weighted[dim];
    for (int a = 0; a < dim; ++a) weighted[a] = weight * inward[a];
#pragma unroll
    for (int d = 0; d < m; ++d) {
      double C[dim + 1][dim + 1];
      form.template tangent<dim>(x, c, d, C);
      for (int b = 0; b < dim; ++b)
        for (int a = 0; a < dim; ++a) flux[d][b] += weighted[a] * C[a][b];
    }
  }
  /// |det| grad phi = -inward where the cell is oriented, else inward.
  __device__ void add_load(const forms::Place& x, const HeldVertices<dim, m>& held, const double (&inward)[dim],
                           double weight, double measure) {
    if (!form.present(forms::load_value)) return;
    double l[dim + 1];
    form.template load<dim>(x, c, l);
    load += measure * l[dim];
    if (!form.present(forms::load_gradient)) return;
    const bool oriented = dot(held.edge[dim - 1], held.normal[dim - 1]) > 0;
    double along[dim];
    for (int a = 0; a < dim; ++a) along[a] = l[a];
    load += (oriented ? -weight : weight) * dot(inward, along);
  }
};

/// Row c of 32 nodes by a warp: entries to `sums`, [columns of the row, m, 32]; returns the lane's load.
template <int dim, int c, bool constant, class Form>
__device__ double walk_component(const SimplexRowsView& rows, const BlockView& block, const Form& form, Index slice,
                                 double* sums) {
  ComponentCells<dim, c, constant, Form> cells(block, form, rows);
  walk_strip<dim, forms::components_of<Form>(dim)>(rows, block.coordinates, slice, cells, sums);
  return cells.load;
}

/// Warps that a multiprocessor is to hold, which leaves 128 registers a thread.
template <int dim>
inline constexpr int resident_warps = 16;

/// A block a slice, its warps the unknowns of the nodes; then the warps write whole block rows. Rows of blocks sum to
/// zero, for gradients of constants are zero. Shared memory: [unknowns, capacity, unknowns, padded_lanes].
template <int dim, bool constant, class Form>
__global__ void __launch_bounds__(32 * forms::components_of<Form>(dim),
                                  resident_warps<dim> / forms::components_of<Form>(dim))
    gather_simplex_blocks(SimplexRowsView rows, BlockView block, Form form, Target target, bool add) {
  constexpr int m = forms::components_of<Form>(dim);
  static_assert(m <= 3);
  extern __shared__ double shared[];
  const int lane = threadIdx.x % 32, c = threadIdx.x / 32;
  const Index slice = blockIdx.x;
  const int of_component = rows.capacity * m * padded_lanes;
  double* sums = shared + c * of_component;
  for (int k = 0; k < rows.capacity * m; ++k) sums[k * 32 + lane] = 0;
  const Offset item = Offset{slice} * 32 + lane;
  const Index row = rows.order[item];
  double load = 0;
  if (c == 0) load = walk_component<dim, 0, constant>(rows, block, form, slice, sums + lane);
  if constexpr (m > 1)
    if (c == 1) load = walk_component<dim, 1, constant>(rows, block, form, slice, sums + lane);
  if constexpr (m > 2)
    if (c == 2) load = walk_component<dim, 2, constant>(rows, block, form, slice, sums + lane);
  const Offset first = row < 0 ? 0 : target.pattern.row_ptr[row];
  const int length = row < 0 ? 0 : static_cast<int>(target.pattern.row_ptr[row + 1] - first);
  double off_diagonal[m] = {};
  pad_lanes(sums, __reduce_max_sync(0xffffffffu, length), off_diagonal);
  if (length > 0) {
    const int diagonal = rows.first_columns[item] & strip_column;
    for (int d = 0; d < m; ++d) sums[(diagonal * m + d) * padded_lanes + lane] = -off_diagonal[d];
    write(target.b[Offset{row} * m + c], load, add);
  }
  __syncthreads();
  for (int r = c; r < 32; r += m) {
    const Offset start = __shfl_sync(0xffffffffu, first, r) * (m * m);
    const int entries = __shfl_sync(0xffffffffu, length, r) * (m * m);
    for (int e = lane; e < entries; e += 32) {
      const int column = e / (m * m), of_block = e % (m * m);
      write(target.values[start + e],
            shared[of_block / m * of_component + (column * m + of_block % m) * padded_lanes + r], add);
    }
  }
}

}  // namespace tessera::assembly::kernels

namespace tessera::assembly {

/// All block rows of linear straight simplices but those in SimplexRows::long_rows, of a form that couples gradients
/// alone.
template <int dim, class Form>
void gather_simplex_block_rows(Cuda& exec, const BlockData<Device>& block, const Form& form, const Target& target,
                               bool add) {
  constexpr int m = forms::components_of<Form>(dim);
  const SimplexRows<Device>& rows = block.rows;
  const std::size_t shared = strip_bytes(rows.capacity, m);
  const auto gather = [&](auto kernel) {
    launch_with_shared(exec, kernel, rows.order.size() / 32, 32 * m, shared, view_of(rows), block.view, form, target,
                       add);
  };
  if (form.constant())
    gather(kernels::gather_simplex_blocks<dim, true, Form>);
  else
    gather(kernels::gather_simplex_blocks<dim, false, Form>);
}

}  // namespace tessera::assembly
