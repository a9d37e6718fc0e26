#include "base/parallel.hpp"
#include "solvers/tridiagonal/pair_elimination.hpp"
#include "solvers/tridiagonal/sizes.hpp"
#include "solvers/tridiagonal/tile.cuh"

namespace tessera::solvers::tridiagonal {
namespace {

constexpr int pivoting_block = 128;
constexpr int warps_per_block = pivoting_block / warp;
/// Threads of the block that does all levels below `last_levels_rows` rows in one launch.
constexpr int last_levels_block = 256;
constexpr Offset last_levels_rows = last_levels_block * pivoting_rows;

/// Rows of a reduced system: arrays of four coefficients and the right-hand side, [5, rows], rows a multiple of 2.
template <class T>
struct PairRows {
  const T* values;
  Offset rows;
};

/// Loads the rows of a lane's partition through the warp's buffer. Behind the end: x = 0.
template <int m, class T>
__device__ void load_partition(TridiagonalChunk<T, m>& rows, const LevelRows<T>& level, Offset base, T* buffer) {
  Chunk<T, m> chunk;
  load_chunk<m>(chunk, level, base, level.rows, buffer);
#pragma unroll
  for (int k = 0; k < m; ++k)
    rows.lower[k] = chunk.lower[k], rows.diag[k] = chunk.diag[k], rows.upper[k] = chunk.upper[k],
    rows.rhs[k] = chunk.rhs[k];
}
template <int m, class T>
__device__ void load_partition(PairChunk<T, m>& rows, const PairRows<T>& level, Offset base, T* buffer) {
#pragma unroll
  for (int j = 0; j < 5; ++j) load_striped<m>(rows.values[j], level.values + j * level.rows, base, level.rows, T(0));
#pragma unroll
  for (int j = 0; j < 5; ++j) to_blocked<m>(rows.values[j], buffer);
  const Offset first = base + lane_id() * m;
#pragma unroll
  for (int k = 0; k < m; ++k)
    if (first + k >= level.rows) rows.values[1 + k % 2][k] = 1;
}

template <class T>
__device__ void store_pair(const Pair<T>& pair, T* to, Offset rows, Offset partition) {
#pragma unroll
  for (int j = 0; j < 5; ++j)
    to[j * rows + 2 * partition] = pair.row[0][j], to[j * rows + 2 * partition + 1] = pair.row[1][j];
}

/// First pass: every thread turns its partition into two rows of the reduced system `coarse` [5, coarse_rows].
template <template <class, int> class Rows, class Level, class T>
__global__ void __launch_bounds__(pivoting_block)
    reduce_partitions(Level level, T* __restrict__ coarse, Offset coarse_rows) {
  constexpr int m = pivoting_rows;
  __shared__ T buffers[warps_per_block][buffer_items<m>];
  const Offset base = (blockIdx.x * static_cast<Offset>(warps_per_block) + threadIdx.x / warp) * tile_rows<m>;
  if (base >= level.rows) return;
  T* buffer = buffers[threadIdx.x / warp];
  Rows<T, m> rows;
  load_partition<m>(rows, level, base, buffer);
  const Pair<T> ends = reduce_partition<T, m>(rows);
  // Neighbouring lanes write neighbouring pairs.
  const Offset first = 2 * (base / m);
#pragma unroll
  for (int j = 0; j < 5; ++j) {
    const T values[2] = {ends.row[0][j], ends.row[1][j]};
    store_blocked<2>(values, buffer, coarse + j * coarse_rows, first, coarse_rows);
  }
}

/// Second pass: the ends of all partitions are known. In reverse order, for the end of the first pass is in the cache.
template <template <class, int> class Rows, class Level, class T>
__global__ void __launch_bounds__(pivoting_block)
    substitute_partitions(Level level, const T* __restrict__ ends, Offset coarse_rows, T* __restrict__ x) {
  constexpr int m = pivoting_rows;
  __shared__ T buffers[warps_per_block][buffer_items<m>];
  const Offset tile = (gridDim.x - 1 - blockIdx.x) * static_cast<Offset>(warps_per_block) + threadIdx.x / warp;
  const Offset base = tile * tile_rows<m>, first = 2 * (base / m);
  if (base >= level.rows) return;
  T* buffer = buffers[threadIdx.x / warp];
  const int lane = lane_id();
  T end[2];
  load_striped<2>(end, ends, first, coarse_rows, T(0));
  const Offset behind = first + tile_rows<2>;
  const T before_tile = first > 0 ? __ldg(ends + first - 1) : T(0),
          behind_tile = behind < coarse_rows ? __ldg(ends + behind) : T(0);
  Rows<T, m> rows;
  load_partition<m>(rows, level, base, buffer);
  to_blocked<2>(end, buffer);
  T left = __shfl_up_sync(all_lanes, end[1], 1), right = __shfl_down_sync(all_lanes, end[0], 1);
  if (lane == 0) left = before_tile;
  if (lane == warp - 1) right = behind_tile;
  T solution[m];
  solve_partition<T, m>(rows, left, end[0], end[1], right, solution);
  store_blocked<m>(solution, buffer, x, base, level.rows);
}

/// A partition straight from memory, for levels of a few thousand rows.
template <int m, class T>
__device__ void load_small(PairChunk<T, m>& rows, const PairRows<T>& level, Offset first) {
#pragma unroll
  for (int k = 0; k < m; ++k) {
    const bool real = first + k < level.rows;
#pragma unroll
    for (int j = 0; j < 5; ++j) rows.values[j][k] = real ? level.values[j * level.rows + first + k] : T(j == 1 + k % 2);
  }
}

/// All levels from `rows` rows on in one block: down to one partition, and up again. Levels stand one behind the other
/// in `values`, [5, rows] each, their solutions in `x`.
template <class T>
__global__ void __launch_bounds__(last_levels_block) last_levels(T* values, T* x, int rows) {
  constexpr int m = pivoting_rows;
  int depth = 0, counts[8];
  T *level = values, *solution = x;
  counts[0] = rows;
  while (true) {
    const int n = counts[depth], partitions = (n + m - 1) / m;
    if (partitions == 1) break;
    if (static_cast<int>(threadIdx.x) < partitions) {
      PairChunk<T, m> chunk;
      load_small(chunk, PairRows<T>{level, n}, threadIdx.x * static_cast<Offset>(m));
      store_pair(reduce_partition<T, m>(chunk), level + 5 * n, 2 * partitions, threadIdx.x);
    }
    __syncthreads();
    level += 5 * n;
    solution += n;
    counts[++depth] = 2 * partitions;
  }
  for (; depth >= 0; --depth) {
    const int n = counts[depth], partitions = (n + m - 1) / m;
    if (static_cast<int>(threadIdx.x) < partitions) {
      const int p = threadIdx.x;
      const T* ends = solution + n;
      PairChunk<T, m> chunk;
      load_small(chunk, PairRows<T>{level, n}, p * static_cast<Offset>(m));
      T left = 0, first, last, right = 0;
      if (partitions == 1) {
        solve_ends(reduce_partition<T, m>(chunk), first, last);
      } else {
        left = p > 0 ? ends[2 * p - 1] : T(0), first = ends[2 * p], last = ends[2 * p + 1];
        right = p + 1 < partitions ? ends[2 * p + 2] : T(0);
      }
      T result[m];
      solve_partition<T, m>(chunk, left, first, last, right, result);
#pragma unroll
      for (int k = 0; k < m; ++k)
        if (p * m + k < n) solution[p * m + k] = result[k];
    }
    __syncthreads();
    if (depth > 0) level -= 5 * counts[depth - 1], solution -= counts[depth - 1];
  }
}

template <class T>
struct PivotingSolver {
  Cuda& exec;
  Workspace<Device>& workspace;

  template <template <class, int> class Rows, class Level>
  void solve(const Level& level, T* x) {
    constexpr int m = pivoting_rows;
    const Offset partitions = (level.rows + m - 1) / m, coarse_rows = 2 * partitions;
    const Offset blocks = (partitions + pivoting_block - 1) / pivoting_block;
    // Room for the levels behind, should these be the last ones: they shrink by m / 2 each.
    const Offset room = coarse_rows + (coarse_rows <= last_levels_rows ? coarse_rows : 0);
    T* coarse = workspace.take<T>(5 * room).data();
    T* ends = workspace.take<T>(room).data();
    launch(exec, reduce_partitions<Rows, Level, T>, blocks, pivoting_block, level, coarse, coarse_rows);
    if (coarse_rows <= last_levels_rows)
      launch(exec, last_levels<T>, 1, last_levels_block, coarse, ends, static_cast<int>(coarse_rows));
    else
      solve<PairChunk>(PairRows<T>{coarse, coarse_rows}, ends);
    launch(exec, substitute_partitions<Rows, Level, T>, blocks, pivoting_block, level, ends, coarse_rows, x);
  }
};

}  // namespace

template <class Exec, class T>
void spike_pivoting(Exec& exec, Workspace<typename Exec::Space>& workspace, const Tridiagonal<T>& A, View<const T> rhs,
                    View<T> x) {
  const LevelRows<T> level{A.lower.data(), A.diag.data(), A.upper.data(), rhs.data(), A.rows(), A.n};
  PivotingSolver<T>{exec, workspace}.template solve<TridiagonalChunk>(level, x.data());
}
template void spike_pivoting(Cuda&, Workspace<Device>&, const Tridiagonal<double>&, View<const double>, View<double>);
template void spike_pivoting(Cuda&, Workspace<Device>&, const Tridiagonal<float>&, View<const float>, View<float>);

}  // namespace tessera::solvers::tridiagonal
