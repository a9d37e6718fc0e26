#include "base/chained_launch.cuh"
#include "base/parallel.hpp"
#include "solvers/tridiagonal/tile.cuh"
#include "solvers/tridiagonal/toeplitz.hpp"
#include "solvers/tridiagonal/toeplitz_levels.hpp"

namespace tessera::solvers {
namespace tridiagonal {
namespace {

/// Rows of a lane: 2^4, four levels in registers; five more in a warp by shuffles, up to three across the warps of a
/// block. 8 rows a lane: 0.119 instead of 0.079 ms for 4095 x 4095, 8.2 instead of 6.9 us for 1023 x 1023 (H200,
/// 2026-11-21).
constexpr int m = 16;
constexpr int lane_levels = 4;
constexpr int warp_levels = lane_levels + 5;
constexpr int most_levels = warp_levels + 3;
/// Warps of a block where every warp has a system, or a tile, of its own.
constexpr int free_warps = 4;
/// Most warps that share a system: their buffers of doubles take 40 of a block's 48 KiB.
constexpr int block_warps = 8;
static_assert(toeplitz_block_rows == block_warps * tile_rows<m>);

/// Systems of a level as kernels see them: raw right-hand sides with delta alone, or reduced ones with their own eps.
struct Systems {
  const double *delta, *eps;  ///< eps null: raw
  Offset deltas;
  Index repeat, n, systems;

  __device__ ToeplitzState state(Offset system) const {
    if (eps) return {delta[system], eps[system], n};
    const double d = delta[system / repeat % deltas];
    return {d, 1 + d, n};
  }
};

/// Where a row stands in the levels of its system; rows count from 1. `even`: n + 1 is a power of two and the system
/// raw, so that no row is a special one and only row n + 1, at the end of the last tile, has to be kept zero (`clear`).
template <class T, bool even>
struct Levels {
  const ToeplitzLevel<T>* levels;
  int n;

  /// Level r to r + 1 of row i, of which both neighbours, or those known so far, sum up to `sides`.
  __device__ T reduce(int r, int i, T y, T sides) const {
    const ToeplitzLevel<T>& level = levels[r];
    if constexpr (even) return level.kept * y + level.side * sides;
    const bool last = i == (n >> (r + 1)) << (r + 1);
    const T next = (last ? level.last_kept : level.kept) * y + (last ? level.last_side : level.side) * sides;
    return i <= n ? next : T(0);
  }
  __device__ T substitute(int r, int i, T y, T left, T right) const {
    const ToeplitzLevel<T>& level = levels[r];
    if constexpr (even) return y + level.back * (left + right);
    const bool last = i == (n >> r) << r;
    const T value = y + (last ? level.last_back : level.back) * (left + right);  // right of the last row is zero
    return i <= n ? value : T(0);
  }
  __device__ T clear(int i, T y) const { return even && i > n ? T(0) : y; }
};

/// Lane r works out level r of the system; every warp for itself, while its data are on their way.
template <bool even, class T>
__device__ void make_levels(ToeplitzState state, int count, ToeplitzLevel<T>* levels) {
  const int lane = lane_id();
  for (int r = 0; r < lane && r < count; ++r) {
    if constexpr (even)
      state.delta = state.next_delta();
    else
      state = state.next();
  }
  if (lane < count) {
    if constexpr (even) {
      const double alpha = reciprocal(2 + state.delta), kept = reciprocal(1 - 2 * alpha * alpha);
      levels[lane].kept = T(kept), levels[lane].side = T(kept * alpha), levels[lane].back = T(alpha);
    } else {
      levels[lane] = state.template level<T>();
    }
  }
  __syncwarp();
}

/// 32 m rows of a system, base + 1 .. base + 32 m, in the registers of a warp. What a row lacks from the tile to its
/// right travels as `carry` of that tile: the reduction is linear.
template <class T, bool even>
struct ToeplitzTile {
  T y[m];
  T end;    ///< of lane's last row; lane 31: of the tile's
  T carry;  ///< what row `base`, the last of the tile before, gets from this one
  Levels<T, even> at;
  int base;

  __device__ int row(int k) const { return base + m * lane_id() + k; }

  __device__ void reduce() {
    const int lane = lane_id();
    T own = 0;
#pragma unroll
    for (int r = 0; r < lane_levels; ++r) {
      const int s = 1 << r;
      own = at.reduce(r, row(0), own, y[s - 1]);
#pragma unroll
      for (int k = 2 * s; k <= m; k += 2 * s)
        y[k - 1] = at.reduce(r, row(k), y[k - 1], y[k - s - 1] + (k + s <= m ? y[(k + s - 1) % m] : T(0)));
    }
    end = at.clear(row(m), y[m - 1]);
    const T from_right = __shfl_down_sync(all_lanes, own, 1);
    if (lane < warp - 1) end += from_right;
    carry = __shfl_sync(all_lanes, own, 0);
#pragma unroll
    for (int r = lane_levels; r < warp_levels; ++r) {
      const int s = 1 << (r - lane_levels);
      const T left = __shfl_up_sync(all_lanes, end, s), right = __shfl_down_sync(all_lanes, end, s),
              first = __shfl_sync(all_lanes, end, s - 1);
      carry = at.reduce(r, base, carry, first);
      if ((lane + 1) % (2 * s) == 0) end = at.reduce(r, row(m), end, left + (lane + s < warp ? right : T(0)));
    }
    end = at.clear(row(m), end);
  }

  /// v_left and v_right are the solution in rows `base` and base + 32 m.
  __device__ void substitute(T v_left, T v_right) {
    const int lane = lane_id();
    if (lane == warp - 1) end = v_right;
#pragma unroll
    for (int r = warp_levels - 1; r >= lane_levels; --r) {
      const int s = 1 << (r - lane_levels);
      T left = __shfl_up_sync(all_lanes, end, s);
      const T right = __shfl_down_sync(all_lanes, end, s);
      if (lane < s) left = v_left;
      if ((lane + 1) % (2 * s) == s) end = at.substitute(r, row(m), end, left, right);
    }
    T before = __shfl_up_sync(all_lanes, end, 1);
    if (lane == 0) before = v_left;
    y[m - 1] = end;
#pragma unroll
    for (int r = lane_levels - 1; r >= 0; --r) {
      const int s = 1 << r;
#pragma unroll
      for (int k = s; k < m; k += 2 * s)
        y[k - 1] = at.substitute(r, row(k), y[k - 1], k > s ? y[(k + m - s - 1) % m] : before, y[k + s - 1]);
    }
  }
};

/// Loads tile `tile` of `system`, makes its levels, scales a raw right-hand side.
template <class T, bool even>
__device__ void open_tile(ToeplitzTile<T, even>& open, const Systems& systems, Offset system, int tile, int levels,
                          const T* __restrict__ g, ToeplitzLevel<T>* table, T* buffer) {
  open.base = tile * tile_rows<m>;
  const Offset first = system * systems.n;
  load_striped<m>(open.y, g, first + open.base, first + systems.n, T(0));
  const ToeplitzState state = systems.state(system);
  make_levels<even>(state, levels, table);
  open.at = {table, systems.n};
  to_blocked<m>(open.y, buffer);
  if (!systems.eps) {
    const T scale = static_cast<T>(reciprocal(2 + state.delta));  // the last row has the same diagonal
#pragma unroll
    for (int k = 0; k < m; ++k) open.y[k] *= scale;
  }
}

/// The last rows of `warps` tiles, one a lane: the levels above a warp. Every warp does it for itself.
template <class T, bool even>
__device__ T solve_ends(const Levels<T, even>& at, T end, int warps) {
  const int lane = lane_id(), i = tile_rows<m> * (lane + 1);
  int s = 1, r = warp_levels;
  for (; s < warps; s *= 2, ++r) {
    const T left = __shfl_up_sync(all_lanes, end, s), right = __shfl_down_sync(all_lanes, end, s);
    if ((lane + 1) % (2 * s) == 0) end = at.reduce(r, i, end, left + (lane + s < warp ? right : T(0)));
  }
  end = at.clear(i, end);
  for (s /= 2, --r; s > 0; s /= 2, --r) {
    T left = __shfl_up_sync(all_lanes, end, s);
    const T right = __shfl_down_sync(all_lanes, end, s);
    if (lane < s) left = 0;
    if ((lane + 1) % (2 * s) == s) end = at.substitute(r, i, end, left, lane + s < warp ? right : T(0));
  }
  return end;
}

/// A system a block, one tile a warp; one barrier. most_warps only bounds the registers.
template <int most_warps, bool even, class T>
__global__ void __launch_bounds__(warp* most_warps)
    toeplitz_in_block(Systems systems, const T* __restrict__ g, T* __restrict__ v) {
  let_next_kernel_start();
  await_kernels_before();
  __shared__ T buffers[most_warps][buffer_items<m>];
  __shared__ ToeplitzLevel<T> tables[most_warps][most_levels];
  __shared__ T ends[most_warps], carries[most_warps + 1];
  const int lane = lane_id(), own = threadIdx.x / warp, warps = blockDim.x / warp;
  const Offset system = blockIdx.x;
  ToeplitzTile<T, even> tile;
  open_tile(tile, systems, system, own, most_levels, g, tables[own], buffers[own]);
  tile.reduce();
  if (lane == warp - 1) ends[own] = tile.end;
  if (lane == 0) carries[own] = tile.carry;
  __syncthreads();
  T end = lane < warps ? ends[lane] : T(0);
  if (lane + 1 < warps) end += carries[lane + 1];
  end = solve_ends(tile.at, end, warps);
  const T right = __shfl_sync(all_lanes, end, own), left = __shfl_sync(all_lanes, end, own > 0 ? own - 1 : 0);
  tile.substitute(own > 0 ? left : T(0), right);
  const Offset first = system * systems.n;
  store_blocked<m>(tile.y, buffers[own], v, first + tile.base, first + systems.n);
}

/// A system a warp.
template <bool even, class T>
__global__ void __launch_bounds__(warp* free_warps)
    toeplitz_in_warp(Systems systems, const T* __restrict__ g, T* __restrict__ v) {
  let_next_kernel_start();
  await_kernels_before();
  __shared__ T buffers[free_warps][buffer_items<m>];
  __shared__ ToeplitzLevel<T> tables[free_warps][warp_levels];
  const int own = threadIdx.x / warp;
  const Offset system = blockIdx.x * static_cast<Offset>(free_warps) + own;
  if (system >= systems.systems) return;
  ToeplitzTile<T, even> tile;
  open_tile(tile, systems, system, 0, warp_levels, g, tables[own], buffers[own]);
  tile.reduce();
  tile.substitute(0, __shfl_sync(all_lanes, tile.end, warp - 1));
  const Offset first = system * systems.n;
  store_blocked<m>(tile.y, buffers[own], v, first, first + systems.n);
}

/// Systems of many tiles: each tile gives its last row and its carry, [systems, tiles].
template <bool even, class T>
__global__ void __launch_bounds__(warp* free_warps) toeplitz_reduce(Systems systems, int tiles, const T* __restrict__ g,
                                                                    T* __restrict__ ends, T* __restrict__ carries) {
  let_next_kernel_start();
  await_kernels_before();
  __shared__ T buffers[free_warps][buffer_items<m>];
  __shared__ ToeplitzLevel<T> tables[free_warps][warp_levels];
  const int own = threadIdx.x / warp;
  const Offset index = blockIdx.x * static_cast<Offset>(free_warps) + own;
  if (index >= static_cast<Offset>(systems.systems) * tiles) return;
  ToeplitzTile<T, even> tile;
  open_tile(tile, systems, index / tiles, static_cast<int>(index % tiles), warp_levels, g, tables[own], buffers[own]);
  tile.reduce();
  if (lane_id() == warp - 1) ends[index] = tile.end;
  if (lane_id() == 0) carries[index] = tile.carry;
}

/// Right-hand sides [systems, n / (32 m)] of the reduced systems, and their delta and eps.
template <class T>
struct ToeplitzReduced {
  T* rhs;
  double *delta, *eps;
};
template <class T>
__global__ void __launch_bounds__(warp* free_warps)
    toeplitz_gather(Systems systems, int tiles, const T* __restrict__ ends, const T* __restrict__ carries,
                    ToeplitzReduced<T> reduced) {
  let_next_kernel_start();
  await_kernels_before();
  const Index whole = systems.n / tile_rows<m>;
  const Offset i = blockIdx.x * static_cast<Offset>(blockDim.x) + threadIdx.x;
  if (i >= static_cast<Offset>(systems.systems) * whole) return;
  const Offset system = i / whole, tile = i % whole, at = system * tiles + tile;
  reduced.rhs[i] = ends[at] + (tile + 1 < tiles ? carries[at + 1] : T(0));
  if (tile > 0) return;
  ToeplitzState state = systems.state(system);
  for (int r = 0; r < warp_levels; ++r) state = state.next();
  reduced.delta[system] = state.delta;
  reduced.eps[system] = state.eps;
}

/// `solved` [systems, n / (32 m)]: the last rows of the tiles that have all their rows. Tiles in reverse, for the end
/// of the first pass is in the cache.
template <bool even, class T>
__global__ void __launch_bounds__(warp* free_warps)
    toeplitz_substitute(Systems systems, int tiles, const T* __restrict__ g, const T* __restrict__ solved,
                        T* __restrict__ v) {
  let_next_kernel_start();
  await_kernels_before();
  __shared__ T buffers[free_warps][buffer_items<m>];
  __shared__ ToeplitzLevel<T> tables[free_warps][warp_levels];
  const int own = threadIdx.x / warp;
  const Offset index = (gridDim.x - 1 - blockIdx.x) * static_cast<Offset>(free_warps) + own;
  if (index >= static_cast<Offset>(systems.systems) * tiles) return;
  const Offset system = index / tiles;
  const int number = static_cast<int>(index % tiles), whole = systems.n / tile_rows<m>;
  ToeplitzTile<T, even> tile;
  open_tile(tile, systems, system, number, warp_levels, g, tables[own], buffers[own]);
  tile.reduce();
  const T* ends = solved + system * whole;
  tile.substitute(number > 0 ? ends[number - 1] : T(0), number < whole ? ends[number] : T(0));
  const Offset first = system * systems.n;
  store_blocked<m>(tile.y, buffers[own], v, first + tile.base, first + systems.n);
}

template <class T>
struct ToeplitzLaunch {
  Cuda& exec;
  Workspace<Device>& workspace;

  void solve(const Systems& systems, const T* g, T* v) {
    if (!systems.eps && systems.n + 1 >= m && (systems.n & (systems.n + 1)) == 0)
      solve<true>(systems, g, v);
    else
      solve<false>(systems, g, v);
  }

  template <bool even>
  void solve(const Systems& systems, const T* g, T* v) {
    const int tiles = (systems.n + tile_rows<m> - 1) / tile_rows<m>;
    if (tiles == 1)
      return launch_chained(exec, toeplitz_in_warp<even, T>, (systems.systems + free_warps - 1) / free_warps,
                            warp * free_warps, 0, systems, g, v);
    if (tiles <= 4)
      return launch_chained(exec, toeplitz_in_block<4, even, T>, systems.systems, warp * tiles, 0, systems, g, v);
    if (tiles <= block_warps)
      return launch_chained(exec, toeplitz_in_block<block_warps, even, T>, systems.systems, warp * tiles, 0, systems, g,
                            v);
    solve_large<even>(systems, tiles, g, v);
  }

  template <bool even>
  void solve_large(const Systems& systems, int tiles, const T* g, T* v) {
    const Index whole = systems.n / tile_rows<m>;
    const Offset all_tiles = static_cast<Offset>(systems.systems) * tiles,
                 all_whole = static_cast<Offset>(systems.systems) * whole;
    const Offset blocks = (all_tiles + free_warps - 1) / free_warps;
    T* ends = workspace.take<T>(all_tiles).data();
    T* carries = workspace.take<T>(all_tiles).data();
    T* reduced = workspace.take<T>(all_whole).data();
    T* solved = workspace.take<T>(all_whole).data();
    double* delta = workspace.take<double>(systems.systems).data();
    double* eps = workspace.take<double>(systems.systems).data();
    launch_chained(exec, toeplitz_reduce<even, T>, blocks, warp * free_warps, 0, systems, tiles, g, ends, carries);
    launch_chained(exec, toeplitz_gather<T>, (all_whole + warp * free_warps - 1) / (warp * free_warps),
                   warp * free_warps, 0, systems, tiles, ends, carries, ToeplitzReduced<T>{reduced, delta, eps});
    solve({delta, eps, systems.systems, 1, whole, systems.systems}, reduced, solved);
    launch_chained(exec, toeplitz_substitute<even, T>, blocks, warp * free_warps, 0, systems, tiles, g, solved, v);
  }
};

}  // namespace
}  // namespace tridiagonal

template <class Exec, class T>
void ToeplitzSolver<Exec, T>::solve(Exec& exec, const ToeplitzBatch& batch, View<const T> g, View<T> v) {
  tridiagonal::check_toeplitz(batch, g.size(), v.size());
  workspace_.restart();
  const tridiagonal::Systems systems{batch.delta.data(), nullptr, batch.delta.size(),
                                     batch.repeat,       batch.n, batch.systems};
  tridiagonal::ToeplitzLaunch<T>{exec, workspace_}.solve(systems, g.data(), v.data());
}

template class ToeplitzSolver<Cuda, double>;
template class ToeplitzSolver<Cuda, float>;

}  // namespace tessera::solvers
