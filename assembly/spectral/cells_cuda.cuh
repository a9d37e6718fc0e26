#pragma once
// The cells of a block on CUDA. n^(dim-1) threads hold a cell, each a column of n nodes along the last axis in
// registers. Derivatives along it need nothing else; along another axis each thread takes a line of the cell from
// shared memory and brings it back, so that the slopes stay constants of the instructions. Several cells share a block.
#include <algorithm>

#include "assembly/spectral/view.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly::spectral {

/// A component of a cell in shared memory. Its rows have an odd number of entries, so that lines of any axis meet few
/// banks twice, and cells follow each other as their first layers do.
template <int n, int dim, int components>
struct Lattice {
  static constexpr int row = n | 1;
  static constexpr int step = dim == 3 ? n * row : row;  ///< along a column
  static constexpr int size = n * step;
  static constexpr int arrays = components * (dim - 1);
  static constexpr int first_layer = dim == 3 ? step : n;
  static constexpr int pad = ((first_layer - arrays * size) % 32 + 32) % 32;
  static constexpr int pitch = arrays * size + pad;  ///< from cell to cell
};

/// Cells that share a block: about 128 threads, and less than 48 kB.
template <int n, int dim, int components, class T>
constexpr int cells_per_block() {
  constexpr int of_cell = Lattice<n, dim, components>::pitch * static_cast<int>(sizeof(T));
  return std::max(1, std::min(128 / power(n, dim - 1), 48000 / of_cell));
}

namespace kernels {

/// Derivatives along one line: to[k] = sum_m slope[k][m] from[m], or of the transpose.
template <bool transposed, int n, class T>
__device__ __forceinline__ void differentiate(const Line<n, T>& line, const T (&from)[n], T (&to)[n]) {
#pragma unroll
  for (int k = 0; k < n; ++k) {
    T sum = 0;
#pragma unroll
    for (int m = 0; m < n; ++m) sum += line.slope[transposed ? m * n + k : k * n + m] * from[m];
    to[k] = sum;
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

/// A node of the element vector, written at once.
template <int size, class T>
struct alignas(std::min<std::size_t>(16, size * sizeof(T))) Entry {
  T numbers[size] = {};
};

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

  /// Values become their derivatives along x and y. Between barriers.
  __device__ __forceinline__ void differentiate_values(const Line<n, T>& line) const {
    T kept[C][n];
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
    __syncthreads();
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

/// The points of a column: derivatives become fluxes; out is what those along the column do to its nodes, whose values
/// are r.
template <bool stored, class Law, int n, int dim, int C, class T>
__device__ __forceinline__ void make_fluxes(const BlockView<T>& block, const Line<n, T>& line, Offset cell,
                                            const CellThread<n, dim, C, T>& thread, const T (&r)[C][n],
                                            T (&out)[C][n]) {
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
      T sum = 0;
#pragma unroll
      for (int m = 0; m < n; ++m) sum += line.slope[k * n + m] * r[c][m];
      g[c][last] = sum;
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
#pragma unroll
      for (int m = 0; m < n; ++m) out[c][m] += line.slope[k * n + m] * g[c][last];
    }
  }
}

template <int n, int dim, class Law, bool stored, class T>
__global__ void __launch_bounds__(cells_per_block<n, dim, Law::components(dim), T>() * power(n, dim - 1))
    apply_spectral(const BlockView<T> block, const __grid_constant__ Line<n, T> line, const T* u, T* elements) {
  constexpr int C = Law::components(dim), N = power(n, dim), layer = power(n, dim - 1);
  constexpr int together = cells_per_block<n, dim, C, T>();
  __shared__ T shared[together][Lattice<n, dim, C>::pitch];
  const int own = threadIdx.x / layer, s = threadIdx.x % layer;
  const Offset mine = blockIdx.x * Offset{together} + own;
  const Offset cell = mine < block.cells ? mine : block.cells - 1;  // those beyond the last repeat it
  const CellThread<n, dim, C, T> thread(shared[own], s);

  const Index* const dofs = block.dofs + cell * N + s;
  T r[C][n], out[C][n] = {};
#pragma unroll
  for (int k = 0; k < n; ++k) {
    const Offset first = Offset{dofs[k * layer]} * C;
#pragma unroll
    for (int c = 0; c < C; ++c) thread.array(c, 0)[thread.at(k)] = r[c][k] = u[first + c];
  }
  __syncthreads();
  thread.differentiate_values(line);
  __syncthreads();
  make_fluxes<stored, Law>(block, line, cell, thread, r, out);
  __syncthreads();
  thread.differentiate_fluxes(line);
  __syncthreads();
  if (mine >= block.cells) return;
  constexpr int size = entry_size(C);
  T* const forces = elements + (block.first + cell * N + s) * size;
#pragma unroll
  for (int k = 0; k < n; ++k) {
    Entry<size, T> force;
#pragma unroll
    for (int c = 0; c < C; ++c) {
      T sum = out[c][k] + thread.array(c, 0)[thread.at(k)];
      if constexpr (dim == 3) sum += thread.array(c, 1)[thread.at(k)];
      force.numbers[c] = -sum;
    }
    *reinterpret_cast<Entry<size, T>*>(forces + k * layer * size) = force;
  }
}

}  // namespace kernels

namespace device {

template <int n, int dim, class Law, class T>
void apply_block(Cuda& exec, const Rule& rule, const BlockView<T>& block, const T* u, T* elements) {
  constexpr int together = cells_per_block<n, dim, Law::components(dim), T>(), threads = together * power(n, dim - 1);
  const Offset blocks = (Offset{block.cells} + together - 1) / together;
  const auto run = [&](auto kernel) { launch(exec, kernel, blocks, threads, block, Line<n, T>(rule), u, elements); };
  if (block.map)
    run(kernels::apply_spectral<n, dim, Law, false, T>);
  else
    run(kernels::apply_spectral<n, dim, Law, true, T>);
}

}  // namespace device

template <class Law, class T>
void apply_cells(Cuda& exec, const Rule& rule, const BlockView<T>& block, const T* u, T* elements) {
  on_lattice(block.dim, block.n,
             [&](auto dim, auto n) { device::apply_block<n(), dim(), Law>(exec, rule, block, u, elements); });
}

}  // namespace tessera::assembly::spectral
