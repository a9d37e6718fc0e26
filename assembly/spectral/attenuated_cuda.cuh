#pragma once
// The cells of laws with memory on CUDA: patches, as of laws without (cells_cuda.cuh). Of a law with two parts the
// first one, kappa tr(e) I, leaves a number a point, so that fluxes are brought back to nodes once.
#include "assembly/spectral/attenuated.hpp"
#include "assembly/spectral/cells_cuda.cuh"

namespace tessera::assembly::spectral {
namespace kernels {

/// The displacements that the parts of a law take, at the nodes of the column of thread s of a cell. Both at once: read
/// for each part anew, what nodes remember costs more than the registers.
template <int parts, int n, int dim, class Law, class T>
__device__ __forceinline__ void take_columns(const BlockView<T>& block, Offset cell, int s, const T* u,
                                             const MemoryView<T>& memory, T (&to)[parts][Law::components(dim)][n]) {
  constexpr int C = Law::components(dim), N = power(n, dim), layer = power(n, dim - 1);
  const Index* const dofs = block.dofs + cell * N + s;
  T Y[parts][mechanisms];
#pragma unroll
  for (int k = 0; k < n; ++k) {
    if (k == 0 || block.place_stride != 0) {
      const T* const from = block.coefficients_of(cell, k * layer + s);
#pragma unroll
      for (int l = 0; l < parts * mechanisms; ++l)
        Y[l / mechanisms][l % mechanisms] = from[(Law::moduli(dim) + l) * block.component_stride];
    }
    const Offset dof = dofs[k * layer];
#pragma unroll
    for (int c = 0; c < C; ++c) {
      const T value = u[dof * C + c];
#pragma unroll
      for (int part = 0; part < parts; ++part) to[part][c][k] = value;
#pragma unroll
      for (int l = 0; l < mechanisms; ++l) {
        const T w = memory.z[memory.at(dof, l, c)] + memory.now[l] * value;
#pragma unroll
        for (int part = 0; part < parts; ++part) to[part][c][k] -= Y[part][l] * w;
      }
    }
  }
}

/// Values of a column become their slopes: those along it in its place, the others in the arrays of the cell.
template <bool of_warp, int n, int dim, int C, class T>
__device__ __forceinline__ void differentiate_values(const Line<n, T>& line, const CellThread<n, dim, C, T>& thread,
                                                     bool active, T (&along)[C][n]) {
  T kept[C][n];
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
}

/// Calls visit(k, q, A, factor, det, g) for the points of a column with the slopes g[c][a] in the directions of the
/// cell, of which the flux is factor A s(A^T g): A is the adjugate of the map, det times J^-1, or J^-1 as it was
/// stored, with det 1. `gives`: g, which visit changes, goes back to where it was.
template <bool stored, bool gives, int n, int dim, int C, class T, class Visit>
__device__ __forceinline__ void each_point(const BlockView<T>& block, const Line<n, T>& line, Offset cell,
                                           const CellThread<n, dim, C, T>& thread, T (&along)[C][n], Visit visit) {
  constexpr int N = power(n, dim), layer = power(n, dim - 1), last = dim - 1;
  constexpr int of_x = CellThread<n, dim, C, T>::of_x;
  const T* const map = block.map + cell * matrix_free::map_entries<dim>;
  const auto entry = [&](int e) { return stored ? T(0) : map[turned<dim>(e)]; };
  const T xi = pick(line.points, thread.i), eta = dim == 3 ? pick(line.points, thread.j) : T(0);
  const matrix_free::LineJacobian<dim, T> jacobian(entry, xi, eta);
  const T weight = pick(line.weights, thread.i) * (dim == 3 ? pick(line.weights, thread.j) : T(1));
#pragma unroll
  for (int k = 0; k < n; ++k) {
    const int q = k * layer + thread.j * n + thread.i, at = thread.at(k);
    T g[C][dim], A[dim][dim], factor, det = 1;
#pragma unroll
    for (int c = 0; c < C; ++c) {
      if constexpr (dim == 3) g[c][1] = thread.array(c, 0)[at];
      g[c][0] = thread.array(c, of_x)[at];
      g[c][last] = along[c][k];
    }
    if constexpr (stored) {
      const T* const geometry = block.geometry + cell * ((dim * dim + 1) * N) + q;
#pragma unroll
      for (int e = 0; e < dim * dim; ++e) A[e / dim][e % dim] = geometry[e * N];
      factor = geometry[dim * dim * N];
    } else {
      T turned_J[dim][dim], J[dim][dim];
      jacobian.at(line.points[k], turned_J);
#pragma unroll
      for (int d = 0; d < dim; ++d)
#pragma unroll
        for (int a = 0; a < dim; ++a) J[d][a] = turned_J[d][(a + 1) % dim];
      det = matrix_free::adjugate<dim, T>(J, A);
      factor = weight * line.weights[k] * reciprocal(det);
    }
    visit(k, q, A, factor, det, g);
    if constexpr (gives) {
#pragma unroll
      for (int c = 0; c < C; ++c) {
        if constexpr (dim == 3) thread.array(c, 0)[at] = g[c][1];
        thread.array(c, of_x)[at] = g[c][0];
        along[c][k] = g[c][last];
      }
    }
  }
}

/// g[c][a] = A s, the flux in the directions of the cell.
template <int dim, int C, class T>
__device__ __forceinline__ void flux_in_cell(const T (&A)[dim][dim], const T (&s)[C][dim], T (&g)[C][dim]) {
#pragma unroll
  for (int c = 0; c < C; ++c)
#pragma unroll
    for (int a = 0; a < dim; ++a) {
      T sum = A[a][0] * s[c][0];
      for (int d = 1; d < dim; ++d) sum += A[a][d] * s[c][d];
      g[c][a] = sum;
    }
}

/// g[c][a] becomes factor A (s(A^T g) + mean I) with the stress s of the last part of a law. The factor goes where
/// fewer numbers are.
template <class Law, int dim, int C, class T>
__device__ __forceinline__ void last_flux(const T (&A)[dim][dim], T factor, const T* k, T mean, T (&g)[C][dim]) {
  constexpr int K = Law::moduli(dim);
  constexpr bool in_moduli = K <= C * dim;
  T gradient[C][dim], s[C][dim], moduli[K];
#pragma unroll
  for (int m = 0; m < K; ++m) moduli[m] = in_moduli ? factor * k[m] : k[m];
#pragma unroll
  for (int c = 0; c < C; ++c)
#pragma unroll
    for (int d = 0; d < dim; ++d) {
      T sum = A[0][d] * g[c][0];
      for (int a = 1; a < dim; ++a) sum += A[a][d] * g[c][a];
      gradient[c][d] = in_moduli ? sum : factor * sum;
    }
  Law::template Part<Law::parts - 1>::template flux<dim, T>(moduli, gradient, s);
  if constexpr (Law::parts == 2)
    for (int d = 0; d < dim; ++d) s[d][d] += factor * mean;
  flux_in_cell<dim>(A, s, g);
}

/// What the nodes of a patch alone remember goes on, with u of this step.
template <int C, int places, int threads, class T>
__device__ __forceinline__ void move_own_memory(const Patch& patch, const Index* words, const T* u,
                                                const MemoryView<T>& memory) {
  const PatchLists<const Index> lists(words, places, patch.nodes);
  for (int i = threadIdx.x; i < patch.own * C; i += threads) {
    const Offset dof = lists.rows[i / C];
    const T value = u[dof * C + i % C];
#pragma unroll
    for (int l = 0; l < mechanisms; ++l) memory.move(dof, l, i % C, value);
  }
}

/// The threads of a patch. Shared memory is that of a law without memory and with as many components.
template <int n, int dim, class Law, bool stored, class T>
struct AttenuatedThreads {
  using Shape = PatchShape<n, dim, Law::components(dim), T>;
  static constexpr int layer = power(n, dim - 1);
  /// A cell has a warp of its own. On an H200 (2026-11-26) a step of degree 4 takes, ms, in double 7.42, 6.86, and with
  /// stored geometry 8.78, 8.31; in float it loses, 3.82, 4.55. A cell a block, a thread a node, took 10.4, 10.1, 6.02.
  static constexpr bool cell_is_warp = n == 5 && dim == 3 && Law::parts == 2 && sizeof(T) == 8;
  static constexpr int of_cell = cell_is_warp ? 32 : layer;
  static constexpr int all = Shape::cells * of_cell;
  static constexpr bool moves_in_order = false;
  static constexpr int blocks = sizeof(T) == 4 ? (all > 128 ? 4 : 7) : (all > 128 ? 2 : 4);
};

template <int n, int dim, class Law, bool stored, class T>
__global__ void __launch_bounds__(AttenuatedThreads<n, dim, Law, stored, T>::all,
                                  AttenuatedThreads<n, dim, Law, stored, T>::blocks)
    apply_attenuated(const BlockView<T> block, const __grid_constant__ Line<n, T> line, const T* u,
                     const MemoryView<T> remembered, T* elements, const Target<T> target) {
  constexpr int C = Law::components(dim), layer = power(n, dim - 1);
  constexpr int K = Law::moduli(dim), last_part = Law::parts - 1;
  using Shape = PatchShape<n, dim, C, T>;
  using Team = AttenuatedThreads<n, dim, Law, stored, T>;
  constexpr bool of_warp = Team::cell_is_warp;
  extern __shared__ __align__(16) unsigned char memory[];
  T* const shared = reinterpret_cast<T*>(memory);
  Index* const words = reinterpret_cast<Index*>(memory + Shape::of_cells);
  const int own = threadIdx.x / Team::of_cell, s = threadIdx.x % Team::of_cell;
  const bool active = !of_warp || s < layer;
  const Offset mine = blockIdx.x * Offset{Shape::cells} + own;
  const Offset cell = mine < block.cells ? mine : block.cells - 1;  // those beyond the last repeat it
  const CellThread<n, dim, C, T> thread(shared + own * Shape::Cell::pitch, s);
  const Patch patch = patch_of_block(block);
  bring_lists<Shape>(block, patch, words);

  T taken[Law::parts][C][n], mean[Law::parts == 2 ? n : 1] = {};
  T(&along)[C][n] = taken[last_part];
  if (active) take_columns<Law::parts, n, dim, Law>(block, cell, s, u, remembered, taken);
  if constexpr (Law::parts == 2) {
    differentiate_values<of_warp>(line, thread, active, taken[0]);
    if (active)
      each_point<stored, false>(block, line, cell, thread, taken[0],
                                [&](int k, int q, const T(&A)[dim][dim], T, T, const T(&g)[C][dim]) {
                                  T trace = 0;
#pragma unroll
                                  for (int c = 0; c < C; ++c)
#pragma unroll
                                    for (int a = 0; a < dim; ++a) trace += A[a][c] * g[c][a];
                                  mean[k] = block.coefficients_of(cell, q)[0] * trace;
                                });
    wait_for_cell<of_warp>();
  }
  differentiate_values<of_warp>(line, thread, active, along);
  if (active) {
    T moduli[K];
    each_point<stored, true>(block, line, cell, thread, along,
                             [&](int k, int q, const T(&A)[dim][dim], T factor, T, T(&g)[C][dim]) {
                               if (k == 0 || block.place_stride != 0) {
                                 const T* const from = block.coefficients_of(cell, q);
                                 for (int m = 0; m < K; ++m) moduli[m] = from[m * block.component_stride];
                               }
                               last_flux<Law>(A, factor, moduli, mean[Law::parts == 2 ? k : 0], g);
                             });
    differentiate_column<true>(line, along);
  }
  wait_for_cell<of_warp>();
  if (active) thread.differentiate_fluxes(line);
  wait_for_cell<of_warp>();
  give_forces<Shape, Team, n, dim>(block, thread, s, active, along, patch, words, shared, elements, target, [&] {
    if (!remembered.moves) return;
    move_own_memory<C, Shape::places, Team::all>(patch, words, u, remembered);
    __syncthreads();
  });
}

}  // namespace kernels

inline MemoryLayout memory_layout(const Cuda&) { return {.by_mechanism = true, .in_patches = true}; }

/// The forces of the nodes of cells, and the step of those that no other patch has.
template <class Law, class T>
void apply_attenuated(Cuda& exec, const Rule& rule, const BlockView<T>& block, const T* u, const MemoryView<T>& memory,
                      T* elements, const Target<T>& target) {
  on_kernel_lattice(block.dim, block.n, [&](auto of_dim, auto of_n) {
    constexpr int dim = of_dim(), n = of_n();
    using Shape = PatchShape<n, dim, Law::components(dim), T>;
    const Offset blocks = (Offset{block.cells} + Shape::cells - 1) / Shape::cells;
    const int bytes = Shape::of_cells + block.patches.most_words * static_cast<int>(sizeof(Index));
    const auto run = [&](auto stored) {
      using Team = kernels::AttenuatedThreads<n, dim, Law, stored(), T>;
      launch_patches(exec, kernels::apply_attenuated<n, dim, Law, stored(), T>, blocks, Team::all, bytes, Shape::bytes,
                     block, Line<n, T>(rule), u, memory, elements, target);
    };
    if (block.map)
      run(std::false_type());
    else
      run(std::true_type());
  });
}

}  // namespace tessera::assembly::spectral
