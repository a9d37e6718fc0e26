// Several iterations of a tile on the chip. A block loads a tile of both colours with a halo of one row or column a
// half iteration, iterates on all of it in registers, and writes the inside, which what lies beyond the tile has not
// reached. Neighbours in a row come from the warp's lanes, neighbours in a column from the thread's own rows, those of
// other warps from shared memory.
#include <cuda_runtime.h>

#include "base/cuda_check.hpp"
#include "solvers/grid/lmsor_cuda.hpp"

namespace tessera::solvers::grid::lmsor {

namespace {

/// A tile is as wide as a warp, in entries of one colour. Both even numbers of rows: shifts are then known when
/// compiled. H200, November 2026, 4095^2, double, 4 and 5 iterations: 178 and 183 G points/s; 8 such warps, two blocks
/// a multiprocessor, whose tiles have more halo: 169 and 158; 16 warps of 4 rows: 161 and 160; 8 warps of 8 rows: 123.
constexpr int lanes = 32, warps = 16, rows_per_warp = 6;
constexpr int tile_rows = warps * rows_per_warp;
constexpr int blocked_block = lanes * warps;
static_assert(rows_per_warp % 2 == 0);

template <class T>
struct BlockedArgs {
  Fields<T> fields;
  const T* from;
  T* to;
  Sums<2>* partial;  ///< [blocks] or null
  int iterations;
  BlockLine line;
};

/// Kept out of line: it runs once a point and pass, and the bisection takes registers.
__device__ __noinline__ double mixed_omega(const LocalOmega& omega, double F, double G) { return omega.mixed(F, G); }

template <bool stored_omega, bool has_source, class T>
struct Tile {
  const BlockedArgs<T>& args;
  int lane, warp;
  Offset row, p;  ///< of this thread's first entries
  T (&edge)[2][warps][2][lanes];
  T u[2][rows_per_warp], F[2][rows_per_warp], G[2][rows_per_warp], omega[2][rows_per_warp];
  Sums<2> sums;

  __device__ Offset at(int colour, int k) const {
    const Layout& layout = args.fields.layout;
    return colour * layout.size + (row + k) * layout.pitch + p;
  }
  __device__ bool inner(int colour, int k) const {
    const Layout& layout = args.fields.layout;
    const Offset i = 2 * p + ((k + colour) & 1), j = row + k;
    return i >= 1 && i <= layout.m1 && j >= 1 && j <= layout.m2;
  }
  /// Not reached from beyond the tile.
  __device__ bool sound(int k) const {
    const int reach = args.iterations, r = warp * rows_per_warp + k;
    return lane >= reach && lane < lanes - reach && r >= 2 * reach && r < tile_rows - 2 * reach;
  }

  __device__ double omega_at(int c, int k) const {
    const LocalOmega& local = args.fields.omega;
    if (args.fields.has_mixed && local.local && LocalOmega::is_mixed(F[c][k], G[c][k]))
      return mixed_omega(local, F[c][k], G[c][k]);
    return local.at<false>(F[c][k], G[c][k], c);
  }

  __device__ void load() {
    const Layout& layout = args.fields.layout;
#pragma unroll
    for (int c = 0; c < 2; ++c)
#pragma unroll
      for (int k = 0; k < rows_per_warp; ++k) {
        const Offset j = row + k;
        const bool exists = p >= 0 && p <= (layout.m1 + 1) / 2 && j >= 0 && j <= layout.m2 + 1;
        const auto value = [&](const T* array) { return exists ? __ldg(array + at(c, k)) : T(0); };
        u[c][k] = value(args.from);
        F[c][k] = value(args.fields.coefficient[0]);
        G[c][k] = value(args.fields.coefficient[1]);
        if constexpr (stored_omega) omega[c][k] = value(args.fields.coefficient[2]);
      }
    if constexpr (!stored_omega)
#pragma unroll
      for (int c = 0; c < 2; ++c)
#pragma unroll
        for (int k = 0; k < rows_per_warp; ++k) omega[c][k] = inner(c, k) ? static_cast<T>(omega_at(c, k)) : T(0);
    show_edges<1>();
  }

  /// The colour's first and last row of each warp, for the warps beside it.
  template <int colour>
  __device__ void show_edges() {
    edge[colour][warp][0][lane] = u[colour][0];
    edge[colour][warp][1][lane] = u[colour][rows_per_warp - 1];
  }

  template <int colour>
  __device__ void relax(int k, T north, T south, bool with_norms) {
    using std::fma;
    const T middle = u[1 - colour][k];
    const bool shifted = (k + colour) & 1;
    const T side = shifted ? __shfl_down_sync(0xffffffffu, middle, 1) : __shfl_up_sync(0xffffffffu, middle, 1);
    // Not kept: registers are scarce, and the first-level cache holds it.
    const T s = has_source && inner(colour, k) ? __ldg(args.fields.source + at(colour, k)) : T(0);
    const Stencil<T> c = make_stencil(args.fields.A, args.fields.B, F[colour][k], G[colour][k]);
    const T e = defect(c, shifted ? middle : side, shifted ? side : middle, north, south, u[colour][k], s);
    const T w = omega[colour][k];
    u[colour][k] = fma(w, e, u[colour][k]);
    if (with_norms && w != 0 && sound(k)) {
      const double left = colour == 0 ? static_cast<double>(e) - static_cast<double>(w) * e : static_cast<double>(e);
      const double step = static_cast<double>(w) * e;
      sums.value[0] += left * left;
      sums.value[1] += step * step;
    }
  }

  /// Rows between the edges come first: they need no other warp, so that warps seldom wait for each other.
  template <int colour>
  __device__ void half_iteration(bool with_norms) {
    constexpr int other = 1 - colour, last = rows_per_warp - 1;
#pragma unroll
    for (int k = 1; k < last; ++k) relax<colour>(k, u[other][k + 1], u[other][k - 1], with_norms);
    __syncthreads();
    const T below = warp > 0 ? edge[other][warp - 1][1][lane] : T(0);
    const T above = warp < warps - 1 ? edge[other][warp + 1][0][lane] : T(0);
    relax<colour>(0, u[other][1], below, with_norms);
    relax<colour>(last, above, u[other][last - 1], with_norms);
    show_edges<colour>();
  }

  __device__ void store() const {
#pragma unroll
    for (int c = 0; c < 2; ++c)
#pragma unroll
      for (int k = 0; k < rows_per_warp; ++k)
        if (sound(k) && inner(c, k)) args.to[at(c, k)] = u[c][k];
  }
};

template <bool stored_omega, bool has_source, class T>
__global__ void __launch_bounds__(blocked_block) blocked_kernel(const __grid_constant__ BlockedArgs<T> args) {
  __shared__ T edge[2][warps][2][lanes];
  const int lane = threadIdx.x % lanes, warp = threadIdx.x / lanes, reach = args.iterations;
  const unsigned block_row = args.line.row(blockIdx.x), block_column = blockIdx.x - block_row * args.line.columns;
  Tile<stored_omega, has_source, T> tile{
      args,
      lane,
      warp,
      block_row * static_cast<Offset>(tile_rows - 4 * reach) - 2 * reach + warp * rows_per_warp,
      block_column * static_cast<Offset>(lanes - 2 * reach) - reach + lane,
      edge};
  tile.load();
  for (int iteration = 0; iteration < args.iterations; ++iteration) {
    const bool with_norms = args.partial && iteration == args.iterations - 1;
    tile.template half_iteration<0>(with_norms);
    tile.template half_iteration<1>(with_norms);
  }
  tile.store();
  if (!args.partial) return;
  const Sums<2> sums = kernels::block_sums<2, blocked_block>(tile.sums);
  if (threadIdx.x == 0) args.partial[blockIdx.x] = sums;
}

Offset count(Offset items, Offset each) { return (items + each - 1) / each; }
Offset blocks_x(const Layout& layout, int iterations) { return count(layout.m1 / 2 + 1, lanes - 2 * iterations); }

}  // namespace

Offset blocked_pass_blocks(const Layout& layout, int iterations) {
  return blocks_x(layout, iterations) * count(layout.m2 + Offset{1}, tile_rows - 4 * iterations);
}

template <class T>
void blocked_pass(Cuda& exec, Relaxation<Cuda, T>& relaxation, const T* from, T* to, int iterations, bool with_norms) {
  const Layout& layout = relaxation.fields.layout;
  const BlockedArgs<T> args{relaxation.fields,
                            from,
                            to,
                            with_norms ? relaxation.partial.data() : nullptr,
                            iterations,
                            BlockLine(blocks_x(layout, iterations))};
  const bool stored_omega = relaxation.choices.recompute != Recompute::all,
             has_source = relaxation.fields.source != nullptr;
  const auto kernel = stored_omega ? (has_source ? blocked_kernel<true, true, T> : blocked_kernel<true, false, T>)
                                   : (has_source ? blocked_kernel<false, true, T> : blocked_kernel<false, false, T>);
  launch(exec, kernel, blocked_pass_blocks(layout, iterations), blocked_block, args);
}

template void blocked_pass<double>(Cuda&, Relaxation<Cuda, double>&, const double*, double*, int, bool);
template void blocked_pass<float>(Cuda&, Relaxation<Cuda, float>&, const float*, float*, int, bool);

}  // namespace tessera::solvers::grid::lmsor
