#pragma once
// The cells of laws with coarse memory on CUDA: patches, as of laws without memory (cells_cuda.cuh). Few threads have
// points that remember; what these take of their memory, and their strains, pass through shared memory, so that all
// threads of a cell read and write memory in its order.
#include "assembly/spectral/attenuated_cuda.cuh"
#include "assembly/spectral/coarse.hpp"

namespace tessera::assembly::spectral {
namespace kernels {

/// The threads of a patch, as without memory, and the slots of a cell in shared memory: of each point that remembers
/// its strains, and for each part of the law the part of the strain of now in what is remembered.
template <int n, int dim, class Law, bool stored, class T>
struct CoarseThreads : PatchThreads<n, dim, forms::Unrelaxed<Law>, stored, T> {
  using Cell = CoarseCell<n, dim, Law>;
  using Shape = PatchShape<n, dim, Law::components(dim), T>;
  static constexpr int slots = (Cell::strains + Law::parts) * Cell::points;
  /// A step of degree 4 with three components takes, ms, on an H200 (2026-11-26), in float with 4 and 5
  /// blocks 2.02, 2.19, and with stored geometry with 4 and 3 blocks of warps 2.32, 2.47; in double with stored
  /// geometry with 2 and 3 4.27, 4.90.
  static constexpr bool is_large = PatchThreads<n, dim, forms::Unrelaxed<Law>, stored, T>::all > 128;
  static constexpr int blocks = sizeof(T) == 4 ? (is_large ? 4 : 7) : (is_large ? 2 : 4);
  static constexpr int bytes = (Shape::cells * slots * static_cast<int>(sizeof(T)) + 15) / 16 * 16;
};

/// Before the points of a cell: R = W/w sum_l Y_l z_l of each strain to its slot, and W/w sum_l Y_l now_l of each part.
template <int n, int dim, class Law, class T>
__device__ __forceinline__ void recall_strains(const BlockView<T>& block, const CoarseView<T>& memory, Offset cell,
                                               int s, T* slots) {
  using Cell = CoarseCell<n, dim, Law>;
  constexpr int threads = power(n, dim - 1);
  const T* const z = memory.z + cell * Cell::all;
#pragma unroll
  for (int first = 0; first < Cell::each; first += threads) {
    const int i = first + s, number = i / Cell::points, p = i % Cell::points;
    if (i >= Cell::each) break;
    const int part = Law::part_of(number);
    const T* const Y =
        block.coefficients_of(cell, Cell::place(p)) + (Law::moduli(dim) + part * mechanisms) * block.component_stride;
    T sum = 0, now = 0;
#pragma unroll
    for (int l = 0; l < mechanisms; ++l) {
      const T y = Y[l * block.component_stride];
      sum += y * z[l * Cell::each + i];
      now += y * memory.now[l];
    }
    const T ratio = Cell::ratio(memory, p);
    slots[i] = ratio * sum;
    if (number < Law::parts) slots[(Cell::strains + number) * Cell::points + p] = ratio * now;
  }
}

/// Behind the points of a cell, of which the slots have the strains: z = kept z + taken e.
template <int n, int dim, class Law, class T>
__device__ __forceinline__ void remember_strains(const CoarseView<T>& memory, Offset cell, int s, const T* slots) {
  using Cell = CoarseCell<n, dim, Law>;
  constexpr int threads = power(n, dim - 1);
  T* const z = memory.z + cell * Cell::all;
#pragma unroll
  for (int first = 0; first < Cell::each; first += threads) {
    const int i = first + s;
    if (i >= Cell::each) break;
    const T e = slots[i];
#pragma unroll
    for (int l = 0; l < mechanisms; ++l) {
      T& number = z[l * Cell::each + i];
      number = memory.kept[l] * number + memory.taken[l] * e;
    }
  }
}

/// g[c][a] becomes factor A s(A^T g), with A = det J^-1. `point` >= 0: of this point, whose strain e goes to its slots,
/// s is that of e less what is remembered.
template <class Law, int points, int dim, int C, class T>
__device__ __forceinline__ void coarse_flux(const T (&A)[dim][dim], T factor, T det, const T* k, T* slots, int point,
                                            T (&g)[C][dim]) {
  constexpr int K = Law::moduli(dim), strains = Law::strains(dim);
  constexpr bool in_moduli = K <= C * dim;
  T gradient[C][dim], e[strains], s[C][dim], moduli[K];
#pragma unroll
  for (int m = 0; m < K; ++m) moduli[m] = in_moduli ? factor * k[m] : k[m];
#pragma unroll
  for (int c = 0; c < C; ++c)
#pragma unroll
    for (int d = 0; d < dim; ++d) {
      T sum = A[0][d] * g[c][0];
      for (int a = 1; a < dim; ++a) sum += A[a][d] * g[c][a];
      gradient[c][d] = sum;
    }
  Law::template strain<dim, T>(gradient, e);
  if (point >= 0) {
    const T inverse = reciprocal(det);
    T recalled[strains], now[Law::parts];  // all are on their way before the first is written
#pragma unroll
    for (int i = 0; i < strains; ++i) recalled[i] = slots[i * points + point];
#pragma unroll
    for (int part = 0; part < Law::parts; ++part) now[part] = slots[(strains + part) * points + point];
#pragma unroll
    for (int i = 0; i < strains; ++i) {
      slots[i * points + point] = inverse * e[i];
      e[i] -= det * recalled[i] + now[Law::part_of(i)] * e[i];
    }
  }
  if constexpr (!in_moduli)
#pragma unroll
    for (int i = 0; i < strains; ++i) e[i] *= factor;
  Law::template stress<dim, T>(moduli, e, s);
  flux_in_cell<dim>(A, s, g);
}

template <int n, int dim, class Law, bool stored, class T>
__global__ void __launch_bounds__(CoarseThreads<n, dim, Law, stored, T>::all,
                                  CoarseThreads<n, dim, Law, stored, T>::blocks)
    apply_coarse(const BlockView<T> block, const __grid_constant__ Line<n, T> line, const T* u,
                 const __grid_constant__ CoarseView<T> remembered, T* elements, const Target<T> target) {
  constexpr int C = Law::components(dim), layer = power(n, dim - 1), K = Law::moduli(dim);
  using Shape = PatchShape<n, dim, C, T>;
  using Team = CoarseThreads<n, dim, Law, stored, T>;
  using Coarse = CoarseCell<n, dim, Law>;
  constexpr bool of_warp = Team::cell_is_warp;
  extern __shared__ __align__(16) unsigned char memory[];
  T* const shared = reinterpret_cast<T*>(memory);
  Index* const words = reinterpret_cast<Index*>(memory + Shape::of_cells + Team::bytes);
  const int own = threadIdx.x / Team::of_cell, s = threadIdx.x % Team::of_cell;
  T* const slots = reinterpret_cast<T*>(memory + Shape::of_cells) + own * Team::slots;
  const bool active = !of_warp || s < layer;
  const Offset mine = blockIdx.x * Offset{Shape::cells} + own;
  const Offset cell = mine < block.cells ? mine : block.cells - 1;  // those beyond the last repeat it
  const CellThread<n, dim, C, T> thread(shared + own * Shape::Cell::pitch, s);

  const Patch patch = patch_of_block(block);
  T along[C][n];
  if (active) take_column<dim>(block, cell, s, u, along);
  if (active) recall_strains<n, dim, Law>(block, remembered, cell, s, slots);
  // Behind memory: 1.97 ms a step, before it 2.02 (H200, 2026-11-26, 80^3 hexes of degree 4 in float).
  bring_lists<Shape>(block, patch, words);
  differentiate_values<of_warp>(line, thread, active, along);
  if (active) {
    const int i = coarse_number(n, thread.i), j = dim == 3 ? coarse_number(n, thread.j) : 0;
    const int column = i < 0 || j < 0 ? -1 : j * Coarse::axis + i;
    T moduli[K];
    each_point<stored, true>(
        block, line, cell, thread, along, [&](int k, int q, const T(&A)[dim][dim], T factor, T det, T(&g)[C][dim]) {
          if (k == 0 || block.place_stride != 0) {
            const T* const from = block.coefficients_of(cell, q);
            for (int m = 0; m < K; ++m) moduli[m] = from[m * block.component_stride];
          }
          constexpr int step = power(Coarse::axis, dim - 1);
          const int layer_of_points = coarse_number(n, k);
          coarse_flux<Law, Coarse::points>(A, factor, det, moduli, slots,
                                           layer_of_points < 0 || column < 0 ? -1 : layer_of_points * step + column, g);
        });
    differentiate_column<true>(line, along);
  }
  wait_for_cell<of_warp>();
  if (active) {
    if (remembered.moves && mine < block.cells) remember_strains<n, dim, Law>(remembered, cell, s, slots);
    thread.differentiate_fluxes(line);
  }
  wait_for_cell<of_warp>();
  give_forces<Shape, Team, n, dim>(block, thread, s, active, along, patch, words, shared, elements, target, [] {});
}

}  // namespace kernels

/// The forces of the nodes of cells, and the step of those that no other patch has; what points remember goes on.
template <class Law, class T>
void apply_coarse(Cuda& exec, const Rule& rule, const BlockView<T>& block, const T* u, const CoarseView<T>& memory,
                  T* elements, const Target<T>& target) {
  on_kernel_lattice(block.dim, block.n, [&](auto of_dim, auto of_n) {
    constexpr int dim = of_dim(), n = of_n();
    using Shape = PatchShape<n, dim, Law::components(dim), T>;
    const Offset blocks = (Offset{block.cells} + Shape::cells - 1) / Shape::cells;
    const auto run = [&](auto stored) {
      using Team = kernels::CoarseThreads<n, dim, Law, stored(), T>;
      const int bytes = Shape::of_cells + Team::bytes + block.patches.most_words * static_cast<int>(sizeof(Index));
      launch_patches(exec, kernels::apply_coarse<n, dim, Law, stored(), T>, blocks, Team::all, bytes,
                     Shape::bytes + Team::bytes, block, Line<n, T>(rule), u, memory, elements, target);
    };
    if (block.map)
      run(std::false_type());
    else
      run(std::true_type());
  });
}

}  // namespace tessera::assembly::spectral
