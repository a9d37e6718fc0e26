#include "base/parallel.hpp"
#include "solvers/tridiagonal/sizes.hpp"
#include "solvers/tridiagonal/tile.cuh"

namespace tessera::solvers::tridiagonal {
namespace {

constexpr int diagonal_block = 128;
constexpr int warps_per_block = diagonal_block / warp;
/// Reduced systems up to this size are solved by one thread.
constexpr Offset last_level_rows = 32;

template <int m, class T>
__device__ Row<T> row_of(const Chunk<T, m>& rows, int k) {
  return {rows.lower[k], rows.diag[k], rows.upper[k], rows.rhs[k]};
}
/// The same row seen from below: its coupling upwards and downwards change places.
template <int m, class T>
__device__ Row<T> mirrored_row_of(const Chunk<T, m>& rows, int k) {
  return {rows.upper[k], rows.diag[k], rows.lower[k], rows.rhs[k]};
}

/// First pass: every thread turns m rows into two of the reduced system `coarse` [4, coarse_rows]: from below the
/// equation of its first unknown, from above that of its last. All interchanges stay within the partition.
template <int m, class T>
__global__ void __launch_bounds__(diagonal_block)
    reduce_partitions(LevelRows<T> level, T* __restrict__ coarse, Offset coarse_rows) {
  __shared__ T buffers[warps_per_block][buffer_items<m>];
  const Offset tile = blockIdx.x * static_cast<Offset>(warps_per_block) + threadIdx.x / warp;
  const Offset base = tile * tile_rows<m>;
  if (base >= level.rows) return;
  T* buffer = buffers[threadIdx.x / warp];
  Chunk<T, m> rows;
  load_chunk<m>(rows, level, base, level.rows, buffer);
  Running<T> up = start(rows.upper[m - 2], mirrored_row_of<m>(rows, m - 2));
  Running<T> down = start(rows.lower[1], row_of<m>(rows, 1));
#pragma unroll
  for (int k = 2; k < m; ++k) {
    eliminate<PivotRule::diagonal>(down, row_of<m>(rows, k));
    eliminate<PivotRule::diagonal>(up, mirrored_row_of<m>(rows, m - 1 - k));
  }
  // Neighbouring lanes write neighbouring pairs.
  const T values[4][2] = {{up.next, down.spike}, {up.pivot, down.pivot}, {up.spike, down.next}, {up.rhs, down.rhs}};
  const Offset first = 2 * (base / m);
#pragma unroll
  for (int array = 0; array < 4; ++array)
    store_blocked<2>(values[array], buffer, coarse + array * coarse_rows, first, coarse_rows);
}

/// Second pass: with the ends of each partition known, its inner rows are eliminated once more and solved.
template <int m, class T>
__global__ void __launch_bounds__(diagonal_block)
    substitute_partitions(LevelRows<T> level, const T* __restrict__ ends, Offset coarse_rows, T* __restrict__ x) {
  __shared__ T buffers[warps_per_block][buffer_items<m>];
  const Offset tile = (gridDim.x - 1 - blockIdx.x) * static_cast<Offset>(warps_per_block) + threadIdx.x / warp;
  const Offset base = tile * tile_rows<m>;
  if (base >= level.rows) return;
  T* buffer = buffers[threadIdx.x / warp];
  Chunk<T, m> rows;
  T end[2];
  const Offset first = 2 * (base / m);
  load_striped<2>(end, ends, first, coarse_rows, T(0));
  const Offset behind = first + tile_rows<2>;
  const T behind_tile = behind < coarse_rows ? __ldg(ends + behind) : T(0);
  load_chunk<m>(rows, level, base, level.rows, buffer);
  to_blocked<2>(end, buffer);
  T after = __shfl_down_sync(all_lanes, end[0], 1);
  if (lane_id() == warp - 1) after = behind_tile;

  rows.rhs[1] -= rows.lower[1] * end[0];
  Running<T> down = start(T(0), row_of<m>(rows, 1));
#pragma unroll
  for (int k = 1; k + 1 < m; ++k) {
    const Factor<T> factor = eliminate<PivotRule::diagonal>(down, row_of<m>(rows, k + 1));
    rows.lower[k] = factor.inverse, rows.diag[k] = factor.u1, rows.upper[k] = factor.u2, rows.rhs[k] = factor.rhs;
  }
  rows.rhs[0] = end[0];
  rows.rhs[m - 1] = end[1];
#pragma unroll
  for (int k = m - 2; k > 0; --k) {
    const T next = rows.rhs[k + 1], second = k + 2 < m ? rows.rhs[k + 2 < m ? k + 2 : k] : after;
    rows.rhs[k] = (rows.rhs[k] - rows.diag[k] * next - rows.upper[k] * second) * rows.lower[k];
  }
  store_blocked<m>(rows.rhs, buffer, x, base, level.rows);
}

template <class T>
struct DiagonalSolver {
  Cuda& exec;
  Workspace<Device>& workspace;

  void solve(const LevelRows<T>& level, T* x) {
    constexpr int m = diagonal_rows;
    if (level.rows <= last_level_rows) {
      const Index n = static_cast<Index>(level.rows);
      // one system, whose parts are cut from each other already where it is a reduced one
      const Tridiagonal<T> A{{level.lower, n}, {level.diag, n}, {level.upper, n}, level.period, n / level.period};
      lu_pivoting(exec, workspace, A, View<const T>(level.rhs, n), View<T>(x, n));
      return;
    }
    const Offset partitions = (level.rows + m - 1) / m, coarse_rows = 2 * partitions;
    const Offset blocks = (partitions + diagonal_block - 1) / diagonal_block;
    T* coarse = workspace.take<T>(4 * coarse_rows).data();
    T* ends = workspace.take<T>(coarse_rows).data();
    launch(exec, reduce_partitions<m, T>, blocks, diagonal_block, level, coarse, coarse_rows);
    solve({coarse, coarse + coarse_rows, coarse + 2 * coarse_rows, coarse + 3 * coarse_rows, coarse_rows,
           static_cast<Index>(coarse_rows)},
          ends);
    launch(exec, substitute_partitions<m, T>, blocks, diagonal_block, level, ends, coarse_rows, x);
  }
};

}  // namespace

template <class Exec, class T>
void spike_diagonal_pivoting(Exec& exec, Workspace<typename Exec::Space>& workspace, const Tridiagonal<T>& A,
                             View<const T> rhs, View<T> x) {
  DiagonalSolver<T>{exec, workspace}.solve({A.lower.data(), A.diag.data(), A.upper.data(), rhs.data(), A.rows(), A.n},
                                           x.data());
}
template void spike_diagonal_pivoting(Cuda&, Workspace<Device>&, const Tridiagonal<double>&, View<const double>,
                                      View<double>);
template void spike_diagonal_pivoting(Cuda&, Workspace<Device>&, const Tridiagonal<float>&, View<const float>,
                                      View<float>);

}  // namespace tessera::solvers::tridiagonal
