#include <vector>

#include "base/parallel.hpp"
#include "solvers/tridiagonal/sizes.hpp"
#include "solvers/tridiagonal/tile.cuh"

namespace tessera::solvers::tridiagonal {
namespace {

constexpr int spike_block = 128;
constexpr int warps_per_block = spike_block / warp;

/// x + lower x_{i-s} + upper x_{i+s} = rhs: a row of PCR.
template <class T>
struct UnitRow {
  T lower, upper, rhs;
};

/// Sweeps down the chunk: rows 0 .. m-2 become x_k = rhs - lower x_L - upper x_{k+1}, row m-1 couples x_L, itself and
/// the next chunk's first row. `keep_first`: row 0 stays an unknown (the identity row) and `first` describes row 1.
template <int m, class T>
__device__ Relation<T> eliminate_chunk(Chunk<T, m>& rows, bool keep_first) {
  Relation<T> first;
#pragma unroll
  for (int k = 0; k + 1 < m; ++k) {
    // row k+1's lower is its coupling to x_k; it becomes the one to x_L
    sweep(rows.lower[k], rows.diag[k], rows.upper[k], rows.rhs[k], rows.lower[k + 1], rows.diag[k + 1],
          rows.rhs[k + 1]);
    Relation<T> next = first;
    follow(next, rows.lower[k], rows.upper[k], rows.rhs[k]);
    if (k > 0 || !keep_first) first = next;
  }
  return first;
}

/// The last unknowns of the lanes' chunks, coupled to each other.
template <int m, class T>
__device__ UnitRow<T> couple_chunks(const Chunk<T, m>& rows, const Relation<T>& first) {
  T alpha = __shfl_down_sync(all_lanes, first.alpha, 1), beta = __shfl_down_sync(all_lanes, first.beta, 1);
  T gamma = __shfl_down_sync(all_lanes, first.gamma, 1);
  if (lane_id() == warp - 1) alpha = beta = gamma = 0;
  const T c = rows.upper[m - 1];
  const T r = reciprocal(rows.diag[m - 1] + c * beta);
  return {rows.lower[m - 1] * r, c * gamma * r, (rows.rhs[m - 1] - c * alpha) * r};
}

/// PCR of the first `lanes` lanes by shuffles; couplings that point outside of them are kept, so that
/// x = rhs - lower x_left - upper x_right with the unknowns to either side: the solution and the spikes at once.
template <class T>
__device__ void warp_pcr(UnitRow<T>& row, int lanes) {
  const int lane = lane_id();
#pragma unroll
  for (int s = 1; s < warp; s *= 2) {
    UnitRow<T> before{__shfl_up_sync(all_lanes, row.lower, s), __shfl_up_sync(all_lanes, row.upper, s),
                      __shfl_up_sync(all_lanes, row.rhs, s)};
    UnitRow<T> after{__shfl_down_sync(all_lanes, row.lower, s), __shfl_down_sync(all_lanes, row.upper, s),
                     __shfl_down_sync(all_lanes, row.rhs, s)};
    const bool has_before = lane >= s, has_after = lane + s < lanes;
    if (!has_before) before = {-1, 0, 0};
    if (!has_after) after = {0, -1, 0};
    const T r = reciprocal(T(1) - row.lower * before.upper - row.upper * after.lower);
    row.rhs = r * (row.rhs - row.lower * before.rhs - row.upper * after.rhs);
    row.lower *= -r * before.lower;
    row.upper *= -r * after.upper;
  }
}

/// x_k = rhs - lower x_L - upper x_{k+1} up the chunk; the solution stands in rhs.
template <int m, class T>
__device__ void substitute_chunk(Chunk<T, m>& rows, T left, T last) {
  rows.rhs[m - 1] = last;
#pragma unroll
  for (int k = m - 2; k >= 0; --k) rows.rhs[k] -= rows.lower[k] * left + rows.upper[k] * rows.rhs[k + 1];
}

/// A tile whose first and last unknown stay unknown: top and bottom row of the reduced system, and what solves the
/// rest.
template <int m, class T>
struct OpenTile {
  Chunk<T, m> rows;
  UnitRow<T> unit;
  Row<T> end;  ///< lane 0: the top row; lane 31: the bottom row

  /// rows are loaded
  __device__ void reduce() {
    const int lane = lane_id();
    const Row<T> top{rows.lower[0], rows.diag[0], rows.upper[0], rows.rhs[0]};
    if (lane == 0) rows.lower[0] = -1, rows.diag[0] = 1, rows.upper[0] = 0, rows.rhs[0] = 0;
    const Relation<T> first = eliminate_chunk<m>(rows, lane == 0);
    unit = couple_chunks<m>(rows, first);
    warp_pcr(unit, warp - 1);
    UnitRow<T> last_of_left{__shfl_up_sync(all_lanes, unit.lower, 1), __shfl_up_sync(all_lanes, unit.upper, 1),
                            __shfl_up_sync(all_lanes, unit.rhs, 1)};
    if (lane == 0) {  // x_1 = alpha + beta x_top + gamma x_last, x_last = rhs - lower x_top - upper x_bottom
      end = {top.lower, top.diag + top.upper * (first.beta - first.gamma * unit.lower),
             -top.upper * first.gamma * unit.upper, top.rhs - top.upper * (first.alpha + first.gamma * unit.rhs)};
    } else {
      const T s = rows.lower[m - 1];
      end = {-s * last_of_left.lower, rows.diag[m - 1] - s * last_of_left.upper, rows.upper[m - 1],
             rows.rhs[m - 1] - s * last_of_left.rhs};
    }
  }

  __device__ void substitute(T top, T bottom) {
    const int lane = lane_id();
    const T last = lane == warp - 1 ? bottom : unit.rhs - unit.lower * top - unit.upper * bottom;
    T left = __shfl_up_sync(all_lanes, last, 1);
    if (lane == 0) left = top;
    substitute_chunk<m>(rows, left, last);
  }
};

/// First pass: each warp turns 32 m rows into two of the reduced system, `coarse` [4, coarse_rows].
template <int m, class T>
__global__ void __launch_bounds__(spike_block)
    reduce_tiles(LevelRows<T> level, T* __restrict__ coarse, Offset coarse_rows) {
  __shared__ T buffers[warps_per_block][buffer_items<m>];
  const Offset tile = blockIdx.x * static_cast<Offset>(warps_per_block) + threadIdx.x / warp;
  const Offset base = tile * tile_rows<m>;
  if (base >= level.rows) return;
  OpenTile<m, T> open;
  load_chunk<m>(open.rows, level, base, level.rows, buffers[threadIdx.x / warp]);
  open.reduce();
  const int lane = lane_id();
  if (lane == 0 || lane == warp - 1) {
    T* to = coarse + 2 * tile + (lane != 0);
    to[0] = open.end.lower;
    to[coarse_rows] = open.end.diag;
    to[2 * coarse_rows] = open.end.upper;
    to[3 * coarse_rows] = open.end.rhs;
  }
}

/// Second pass: the reduced solution [2, tiles] is known. Tiles in reverse order, for the end of the first pass is in
/// the cache.
template <int m, class T>
__global__ void __launch_bounds__(spike_block)
    substitute_tiles(LevelRows<T> level, const T* __restrict__ ends, T* __restrict__ x) {
  __shared__ T buffers[warps_per_block][buffer_items<m>];
  const Offset tile = (gridDim.x - 1 - blockIdx.x) * static_cast<Offset>(warps_per_block) + threadIdx.x / warp;
  const Offset base = tile * tile_rows<m>;
  if (base >= level.rows) return;
  T* buffer = buffers[threadIdx.x / warp];
  OpenTile<m, T> open;
  load_chunk<m>(open.rows, level, base, level.rows, buffer);
  open.reduce();
  open.substitute(__ldg(ends + 2 * tile), __ldg(ends + 2 * tile + 1));
  store_blocked<m>(open.rows.rhs, buffer, x, base, level.rows);
}

/// Whole systems in one warp, several if they are short: nothing to exchange with other warps.
template <int m, class T>
__global__ void __launch_bounds__(spike_block)
    solve_in_warps(LevelRows<T> level, int rows_per_warp, T* __restrict__ x) {
  __shared__ T buffers[warps_per_block][buffer_items<m>];
  const Offset base = (blockIdx.x * static_cast<Offset>(warps_per_block) + threadIdx.x / warp) * rows_per_warp;
  if (base >= level.rows) return;
  const Offset end = base + rows_per_warp < level.rows ? base + rows_per_warp : level.rows;
  T* buffer = buffers[threadIdx.x / warp];
  Chunk<T, m> rows;
  load_chunk<m>(rows, level, base, end, buffer);
  const Relation<T> first = eliminate_chunk<m>(rows, false);
  UnitRow<T> unit = couple_chunks<m>(rows, first);
  warp_pcr(unit, warp);
  T left = __shfl_up_sync(all_lanes, unit.rhs, 1);
  if (lane_id() == 0) left = 0;
  substitute_chunk<m>(rows, left, unit.rhs);
  store_blocked<m>(rows.rhs, buffer, x, base, end);
}

/// A system a block: every warp reduces its tile, then all of them solve the reduced system of at most 64 rows, each
/// for itself, which saves the second barrier.
template <int m, class T>
__global__ void __launch_bounds__(warp* spike_cr_warps) solve_in_block(LevelRows<T> level, T* __restrict__ x) {
  __shared__ T buffers[spike_cr_warps][buffer_items<m>];
  __shared__ T coarse[4][2 * warp];
  const int lane = lane_id(), own = threadIdx.x / warp, warps = blockDim.x / warp;
  const Offset begin = blockIdx.x * static_cast<Offset>(level.period), end = begin + level.period;
  const Offset base = begin + own * tile_rows<m>;
  OpenTile<m, T> open;
  load_chunk<m>(open.rows, level, base, end, buffers[own]);
  open.reduce();
  if (lane == 0 || lane == warp - 1) {
    const int to = 2 * own + (lane != 0);
    coarse[0][to] = open.end.lower, coarse[1][to] = open.end.diag, coarse[2][to] = open.end.upper,
    coarse[3][to] = open.end.rhs;
  }
  __syncthreads();
  Chunk<T, 2> ends;
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    const bool real = lane < warps;
    ends.lower[k] = real ? coarse[0][2 * lane + k] : T(0);
    ends.diag[k] = real ? coarse[1][2 * lane + k] : T(1);
    ends.upper[k] = real ? coarse[2][2 * lane + k] : T(0);
    ends.rhs[k] = real ? coarse[3][2 * lane + k] : T(0);
  }
  const Relation<T> first = eliminate_chunk<2>(ends, false);
  UnitRow<T> unit = couple_chunks<2>(ends, first);
  warp_pcr(unit, warp);
  T left = __shfl_up_sync(all_lanes, unit.rhs, 1);
  if (lane == 0) left = 0;
  substitute_chunk<2>(ends, left, unit.rhs);
  open.substitute(__shfl_sync(all_lanes, ends.rhs[0], own), __shfl_sync(all_lanes, ends.rhs[1], own));
  store_blocked<m>(open.rows.rhs, buffers[own], x, base, end);
}

template <class T>
struct Solver {
  Cuda& exec;
  Workspace<Device>& workspace;

  template <int m>
  void in_warps(const LevelRows<T>& level, T* x) {
    const int systems = tile_rows<m> / level.period;
    const int rows_per_warp = systems * level.period;
    const Offset warps = (level.rows + rows_per_warp - 1) / rows_per_warp;
    launch(exec, solve_in_warps<m, T>, (warps + warps_per_block - 1) / warps_per_block, spike_block, level,
           rows_per_warp, x);
  }

  void solve(const LevelRows<T>& level, T* x) {
    constexpr int m = spike_cr_rows;
    if (level.period <= tile_rows<1>) return in_warps<1>(level, x);
    if (level.period <= tile_rows<3>) return in_warps<3>(level, x);
    if (level.period <= tile_rows<m>) return in_warps<m>(level, x);
    if (level.period <= spike_cr_block_rows) {
      const int warps = (level.period + tile_rows<m> - 1) / tile_rows<m>;
      launch(exec, solve_in_block<m, T>, level.rows / level.period, warps * warp, level, x);
      return;
    }
    const Offset tiles = (level.rows + tile_rows<m> - 1) / tile_rows<m>;
    const Offset blocks = (tiles + warps_per_block - 1) / warps_per_block;
    T* coarse = workspace.take<T>(8 * tiles).data();
    T* ends = workspace.take<T>(2 * tiles).data();
    launch(exec, reduce_tiles<m, T>, blocks, spike_block, level, coarse, 2 * tiles);
    const LevelRows<T> reduced{coarse,    coarse + 2 * tiles,           coarse + 4 * tiles, coarse + 6 * tiles,
                               2 * tiles, static_cast<Index>(2 * tiles)};
    solve(reduced, ends);
    launch(exec, substitute_tiles<m, T>, blocks, spike_block, level, ends, x);
  }
};

}  // namespace

template <class Exec, class T>
void spike_cr(Exec& exec, Workspace<typename Exec::Space>& workspace, const Tridiagonal<T>& A, View<const T> rhs,
              View<T> x) {
  Solver<T>{exec, workspace}.solve({A.lower.data(), A.diag.data(), A.upper.data(), rhs.data(), A.rows(), A.n},
                                   x.data());
}
template void spike_cr(Cuda&, Workspace<Device>&, const Tridiagonal<double>&, View<const double>, View<double>);
template void spike_cr(Cuda&, Workspace<Device>&, const Tridiagonal<float>&, View<const float>, View<float>);

}  // namespace tessera::solvers::tridiagonal
