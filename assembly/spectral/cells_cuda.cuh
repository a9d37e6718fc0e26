#pragma once
// The cells of a block on CUDA. n^(dim-1) threads hold a cell, each a column of n nodes along the last axis in
// registers. Derivatives along it need nothing else; along another axis each thread takes a line of the cell from
// shared memory and brings it back, so that the slopes stay constants of the instructions. Several cells share a block.
#include <cuda_pipeline.h>

#include "assembly/cells/shared_memory.hpp"
#include "assembly/spectral/add_up_cuda.cuh"
#include "assembly/spectral/flux_cuda.cuh"
#include "assembly/spectral/patch_shape.hpp"
#include "assembly/spectral/view.hpp"
#include "base/cuda_check.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly::spectral {

namespace kernels {

/// Derivatives along one line: to[k] = sum_m slope[k][m] from[m], or of the transpose.
template <bool transposed, int n, class T>
__device__ __forceinline__ void differentiate(const Line<n, T>& line, const T (&from)[n], T (&to)[n]) {
  constexpr int half = n / 2, more = n - half;
  const FoldedMatrix<n, T>& M = transposed ? line.folded_transpose : line.folded;
  T odd[half], even[more];
#pragma unroll
  for (int m = 0; m < half; ++m) odd[m] = from[m] - from[n - 1 - m], even[m] = from[m] + from[n - 1 - m];
  if constexpr (n % 2 == 1) even[half] = from[half];
#pragma unroll
  for (int k = 0; k < more; ++k) {
    T symmetric = M.of_odd[k][0] * odd[0];
#pragma unroll
    for (int m = 1; m < half; ++m) symmetric += M.of_odd[k][m] * odd[m];
    if (k == half) {
      to[k] = symmetric;
      continue;
    }
    T antisymmetric = M.of_even[k][0] * even[0];
#pragma unroll
    for (int m = 1; m < more; ++m) antisymmetric += M.of_even[k][m] * even[m];
    to[k] = symmetric + antisymmetric;
    to[n - 1 - k] = symmetric - antisymmetric;
  }
}
template <int n, class T>
__device__ __forceinline__ void take_line(const T* from, int stride, T (&to)[n]) {
#pragma unroll
  for (int k = 0; k < n; ++k) to[k] = from[k * stride];
}
template <int n, class T>
__device__ __forceinline__ void give_line(const T (&from)[n], T* to, int stride) {
#pragma unroll
  for (int k = 0; k < n; ++k) to[k * stride] = from[k];
}

/// The same of the column of each component, in place.
template <bool transposed, int C, int n, class T>
__device__ __forceinline__ void differentiate_column(const Line<n, T>& line, T (&column)[C][n]) {
#pragma unroll
  for (int c = 0; c < C; ++c) {
    T from[n];
#pragma unroll
    for (int k = 0; k < n; ++k) from[k] = column[c][k];
    differentiate<transposed>(line, from, column[c]);
  }
}

/// from[i] where threads differ in i: a chain of selections, for constants of the instructions have no index.
template <int n, class T>
__device__ __forceinline__ T pick(const T (&from)[n], int i) {
  T value = from[0];
#pragma unroll
  for (int k = 1; k < n; ++k) value = i == k ? from[k] : value;
  return value;
}

/// Entry e of a cell's map, as LineJacobian has it of a line along the last axis: the axes go round by one.
template <int dim>
__device__ __forceinline__ constexpr int turned(int e) {
  const int m = e / dim + 1, last = dim - 1;
  return (((m & 1) << last | m >> 1) - 1) * dim + e % dim;
}

/// A thread of a cell: its column, and a line along each other axis, in the arrays of the cell. The last array has what
/// belongs to x, the first one the values and what belongs to y.
template <int n, int dim, int C, class T>
struct CellThread {
  using Cell = Lattice<n, dim, C>;
  static constexpr int row = Cell::row, step = Cell::step, of_x = dim - 2;

  T* shared;  ///< of the cell
  int i, j;   ///< places of the column along x and y

  __device__ __forceinline__ CellThread(T* shared, int s) : shared(shared), i(s % n), j(s / n) {}
  __device__ __forceinline__ T* array(int c, int which) const { return shared + (c * (dim - 1) + which) * Cell::size; }
  __device__ __forceinline__ int at(int k) const { return j * row + i + k * step; }
  __device__ __forceinline__ int x_line() const { return (j * n + i) * row; }
  __device__ __forceinline__ int y_line() const { return j * (n * row) + i; }

  /// Values become their derivatives along x and y: those of the last of both axes are kept until all threads of the
  /// cell have read the values.
  __device__ __forceinline__ void take_values(const Line<n, T>& line, T (&kept)[C][n]) const {
#pragma unroll
    for (int c = 0; c < C; ++c) {
      T values[n];
      take_line(array(c, 0) + x_line(), 1, values);
      differentiate<false>(line, values, kept[c]);
      if constexpr (dim == 3) {
        give_line(kept[c], array(c, of_x) + x_line(), 1);
        take_line(array(c, 0) + y_line(), row, values);
        differentiate<false>(line, values, kept[c]);
      }
    }
  }
  __device__ __forceinline__ void give_values(const T (&kept)[C][n]) const {
#pragma unroll
    for (int c = 0; c < C; ++c) give_line(kept[c], array(c, 0) + (dim == 3 ? y_line() : x_line()), dim == 3 ? row : 1);
  }

  /// Fluxes along x and y become what they do to the nodes, each in its array. Between barriers.
  __device__ __forceinline__ void differentiate_fluxes(const Line<n, T>& line) const {
#pragma unroll
    for (int c = 0; c < C; ++c) {
      T values[n], sums[n];
      take_line(array(c, of_x) + x_line(), 1, values);
      differentiate<true>(line, values, sums);
      give_line(sums, array(c, of_x) + x_line(), 1);
      if constexpr (dim == 3) {
        take_line(array(c, 0) + y_line(), row, values);
        differentiate<true>(line, values, sums);
        give_line(sums, array(c, 0) + y_line(), row);
      }
    }
  }
};

/// u at the nodes of the column of thread s of a cell.
template <int dim, int C, int n, class T>
__device__ __forceinline__ void take_column(const BlockView<T>& block, Offset cell, int s, const T* u,
                                            T (&along)[C][n]) {
  const Index* const dofs = block.dofs + cell * power(n, dim) + s;
#pragma unroll
  for (int k = 0; k < n; ++k) {
    const Offset row = Offset{dofs[k * power(n, dim - 1)]} * C;
#pragma unroll
    for (int c = 0; c < C; ++c) along[c][k] = u[row + c];
  }
}

/// The points of a column: derivatives become fluxes, `along` those along the column.
template <bool stored, class Law, int n, int dim, int C, class T>
__device__ __forceinline__ void make_fluxes(const BlockView<T>& block, const Line<n, T>& line, Offset cell,
                                            const CellThread<n, dim, C, T>& thread, T (&along)[C][n]) {
  constexpr int K = Law::coefficients(dim), N = power(n, dim), layer = power(n, dim - 1), last = dim - 1;
  constexpr int of_x = CellThread<n, dim, C, T>::of_x;
  const T* const map = block.map + cell * matrix_free::map_entries<dim>;
  const auto entry = [&](int e) { return stored ? T(0) : map[turned<dim>(e)]; };
  const T xi = pick(line.points, thread.i), eta = dim == 3 ? pick(line.points, thread.j) : T(0);
  const matrix_free::LineJacobian<dim, T> jacobian(entry, xi, eta);
  const T weight = pick(line.weights, thread.i) * (dim == 3 ? pick(line.weights, thread.j) : T(1));
  T material[K];
#pragma unroll
  for (int k = 0; k < n; ++k) {
    const int q = k * layer + thread.j * n + thread.i, at = thread.at(k);
    T g[C][dim];
#pragma unroll
    for (int c = 0; c < C; ++c) {
      if constexpr (dim == 3) g[c][1] = thread.array(c, 0)[at];
      g[c][0] = thread.array(c, of_x)[at];
      g[c][last] = along[c][k];
    }
    if (k == 0 || block.place_stride != 0) {
      const T* const from = block.coefficients_of(cell, q);
      for (int m = 0; m < K; ++m) material[m] = from[m * block.component_stride];
    }
    if constexpr (stored) {
      const T* const geometry = block.geometry + cell * ((dim * dim + 1) * N) + q;
      flux_of_stored<dim, Law, T>([&](int e) { return geometry[e * N]; }, material, g);
    } else {
      T turned_J[dim][dim], J[dim][dim];
      jacobian.at(line.points[k], turned_J);
#pragma unroll
      for (int d = 0; d < dim; ++d)
#pragma unroll
        for (int a = 0; a < dim; ++a) J[d][a] = turned_J[d][(a + 1) % dim];
      flux_of_map<dim, Law, T>(J, weight * line.weights[k], material, g);
    }
#pragma unroll
    for (int c = 0; c < C; ++c) {
      if constexpr (dim == 3) thread.array(c, 0)[at] = g[c][1];
      thread.array(c, of_x)[at] = g[c][0];
      along[c][k] = g[c][last];
    }
  }
}

/// The threads of a patch.
template <int n, int dim, class Law, bool stored, class T>
struct PatchThreads {
  using Shape = PatchShape<n, dim, Law::components(dim), T>;
  static constexpr int layer = power(n, dim - 1);
  /// What was measured: three components and few numbers of the material, degree 4.
  static constexpr bool measured = n == 5 && dim == 3 && Law::components(dim) == 3 && Law::coefficients(dim) <= 2;
  /// A cell has a warp of its own, 25 of its lanes, and waits for no other. On an H200 (2026-11-26) a step takes, ms,
  /// in double 3.13, 3.09, and with stored geometry, where three blocks have registers, 3.91, 3.40; in float with
  /// stored geometry 2.05, 1.97. Where geometry is made anew it loses there, 1.63, 1.69.
  static constexpr bool cell_is_warp = measured && (sizeof(T) == 8 || stored);
  static constexpr int of_cell = cell_is_warp ? 32 : layer;
  static constexpr int all = Shape::cells * of_cell;
  /// Blocks that a multiprocessor has registers for. A step in float, with 3, 4, 5, 6 blocks: 1.85, 1.71, 1.63, 1.95.
  static constexpr int most_blocks() {
    if (measured && sizeof(T) == 4 && !stored) return 5;
    if (measured && sizeof(T) == 8 && stored) return 3;
    return sizeof(T) == 4 ? (all > 128 ? 4 : 7) : (all > 128 ? 2 : 4);
  }
  /// Whether nodes are moved in the order of memory: in double 3.09, 2.97. In float 1.63, 1.70. With stored geometry it
  /// gained (3.40, 3.29) or lost, as the first cache had more room or less.
  static constexpr bool moves_in_order = measured && sizeof(T) == 8 && !stored;
  static constexpr int blocks = most_blocks();
};

/// Until the threads of a cell are here: a warp or the whole block.
template <bool of_warp>
__device__ __forceinline__ void wait_for_cell() {
  if constexpr (of_warp)
    __syncwarp();
  else
    __syncthreads();
}

/// The patch of a block of threads, if its cells go by patches.
template <class T>
__device__ __forceinline__ Patch patch_of_block(const BlockView<T>& block) {
  return block.patches.patches ? block.patches.patches[blockIdx.x] : Patch{};
}
template <class Shape, class T>
__device__ __forceinline__ void bring_lists(const BlockView<T>& block, const Patch& patch, Index* words) {
  if (block.patches.patches)
    bring_words(block.patches.words + patch.words, words_of_patch(Shape::places, patch.nodes, patch.own), words);
}

/// The end of a pass over cells: the forces of the column of thread s, of which `along` and its arrays have the parts,
/// go to the element vector, or of a patch to its nodes. `meanwhile` is called before these.
template <class Shape, class Team, int n, int dim, int C, class T, class Meanwhile>
__device__ __forceinline__ void give_forces(const BlockView<T>& block, const CellThread<n, dim, C, T>& thread, int s,
                                            bool active, const T (&along)[C][n], const Patch& patch, Index* words,
                                            T* shared, T* elements, const Target<T>& target, Meanwhile meanwhile) {
  constexpr int N = power(n, dim), layer = power(n, dim - 1), size = entry_size(C);
  const bool in_patches = block.patches.patches != nullptr;
  const Offset cell = blockIdx.x * Offset{Shape::cells} + threadIdx.x / Team::of_cell;
  if (active) {
    T* const forces = elements + (block.first + cell * N + s) * size;
#pragma unroll
    for (int k = 0; k < n; ++k) {
      Entry<size, T> force;
#pragma unroll
      for (int c = 0; c < C; ++c) {
        T sum = along[c][k] + thread.array(c, 0)[thread.at(k)];
        if constexpr (dim == 3) sum += thread.array(c, 1)[thread.at(k)];
        force.numbers[c] = -sum;
        if (in_patches) thread.array(c, 0)[thread.at(k)] = -sum;
      }
      if (!in_patches && cell < block.cells) *reinterpret_cast<Entry<size, T>*>(forces + k * layer * size) = force;
    }
  }
  if (!in_patches) return;
  __pipeline_wait_prior(0);
  __syncthreads();
  meanwhile();
  constexpr int step = (dim - 1) * Shape::Cell::size, places = Shape::places;
  T* const of_patch = elements + block.first * size;
  if constexpr (Team::moves_in_order)
    add_up_in_order<C, step, places, Team::all, 5>(patch, words, shared, of_patch, target);
  else
    add_up_patch<C, step, places, Team::all>(patch, words, shared, of_patch, target);
}

template <int n, int dim, class Law, bool stored, class T>
__global__ void __launch_bounds__(PatchThreads<n, dim, Law, stored, T>::all,
                                  PatchThreads<n, dim, Law, stored, T>::blocks)
    apply_spectral(const BlockView<T> block, const __grid_constant__ Line<n, T> line, const T* u, T* elements,
                   const Target<T> target) {
  constexpr int C = Law::components(dim), layer = power(n, dim - 1);
  using Shape = PatchShape<n, dim, C, T>;
  using Team = PatchThreads<n, dim, Law, stored, T>;
  constexpr int together = Shape::cells;
  constexpr bool of_warp = Team::cell_is_warp;
  extern __shared__ __align__(16) unsigned char memory[];
  T* const shared = reinterpret_cast<T*>(memory);
  Index* const words = reinterpret_cast<Index*>(memory + Shape::of_cells);
  const int own = threadIdx.x / Team::of_cell, s = threadIdx.x % Team::of_cell;
  const bool active = !of_warp || s < layer;
  const Offset mine = blockIdx.x * Offset{together} + own;
  const Offset cell = mine < block.cells ? mine : block.cells - 1;  // those beyond the last repeat it
  const CellThread<n, dim, C, T> thread(shared + own * Shape::Cell::pitch, s);

  const Patch patch = patch_of_block(block);
  T along[C][n], kept[C][n];
  if (active) take_column<dim>(block, cell, s, u, along);
  bring_lists<Shape>(block, patch, words);
  if (active) {
#pragma unroll
    for (int k = 0; k < n; ++k)
#pragma unroll
      for (int c = 0; c < C; ++c) thread.array(c, 0)[thread.at(k)] = along[c][k];
    differentiate_column<false>(line, along);
  }
  wait_for_cell<of_warp>();
  if (active) thread.take_values(line, kept);
  wait_for_cell<of_warp>();
  if (active) thread.give_values(kept);
  wait_for_cell<of_warp>();
  if (active) {
    make_fluxes<stored, Law>(block, line, cell, thread, along);
    differentiate_column<true>(line, along);
  }
  wait_for_cell<of_warp>();
  if (active) thread.differentiate_fluxes(line);
  wait_for_cell<of_warp>();
  give_forces<Shape, Team, n, dim>(block, thread, s, active, along, patch, words, shared, elements, target, [] {});
}

}  // namespace kernels

/// launch() with `shared` bytes of dynamic shared memory. The kernel may always have `most`, whichever operator was
/// launched last, or is at the same time: what it may have belongs to the kernel, not to the launch.
template <class... Params, class... Args>
void launch_patches(Cuda& exec, void (*kernel)(Params...), Offset blocks, int threads, int shared, int most,
                    Args&&... args) {
  if (blocks <= 0) return;
  if (most > 48 * 1024) {
    check_shared_memory("a patch of spectral elements", static_cast<std::size_t>(most), shared_of_block());
    TESSERA_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
  }
  kernel<<<static_cast<unsigned>(blocks), threads, static_cast<std::size_t>(shared), exec.stream()>>>(
      std::forward<Args>(args)...);
  TESSERA_CUDA_CHECK(cudaGetLastError());
#ifndef NDEBUG
  exec.synchronize();
#endif
}

namespace device {

template <int n, int dim, class Law, class T>
void apply_block(Cuda& exec, const Rule& rule, const BlockView<T>& block, const T* u, T* elements,
                 const Target<T>& target) {
  using Shape = PatchShape<n, dim, Law::components(dim), T>;
  const Offset blocks = (Offset{block.cells} + Shape::cells - 1) / Shape::cells;
  // What these patches need, not the most that any may: the first cache has the rest.
  const int bytes = Shape::of_cells + block.patches.most_words * static_cast<int>(sizeof(Index));
  const auto run = [&](auto stored) {
    using Team = kernels::PatchThreads<n, dim, Law, stored(), T>;
    launch_patches(exec, kernels::apply_spectral<n, dim, Law, stored(), T>, blocks, Team::all, bytes, Shape::bytes,
                   block, Line<n, T>(rule), u, elements, target);
  };
  if (block.map)
    run(std::false_type());
  else
    run(std::true_type());
}

}  // namespace device

template <class Law, class T>
void apply_cells(Cuda& exec, const Rule& rule, const BlockView<T>& block, const T* u, T* elements,
                 const Target<T>& target) {
  on_kernel_lattice(block.dim, block.n, [&](auto dim, auto n) {
    device::apply_block<n(), dim(), Law>(exec, rule, block, u, elements, target);
  });
}
template <class Law, class T>
PatchLayout patch_layout(Cuda&, int dim, int n) {
  return patch_layout(dim, n, Law::components(dim), sizeof(T));
}

}  // namespace tessera::assembly::spectral
