#pragma once
// Lines solved by blocks: a warp has a tile of 32 m neighbouring rows of the line in its registers, m a lane, a block
// has the line. See line_levels.hpp for the method. Here g is never scaled, so what a row lacks from its right
// neighbour's lane or tile is added when it is known.
#include "solvers/grid/plane_solver.hpp"
#include "solvers/tridiagonal/tile.cuh"

namespace tessera::solvers::grid {

using tridiagonal::all_lanes;
using tridiagonal::lane_id;
using tridiagonal::tile_rows;
using tridiagonal::warp;

/// Levels of the longest line of a block, 8192 rows: 13 couple, the 14th is diagonal.
constexpr int most_levels = 16;

/// Rows of a tile in shared memory: 16 bytes between lanes keep reads of 16 bytes free of bank conflicts.
template <int m, class T>
__device__ inline int slot(int row) {
  return row + row / m * static_cast<int>(16 / sizeof(T));
}
template <int m, class T>
constexpr int tile_slots = warp*(m + static_cast<int>(16 / sizeof(T)));

/// m values of a lane, read and written 16 bytes at a time.
template <int m, class T>
struct LanePack {
  static constexpr int width = 16 / static_cast<int>(sizeof(T));
  struct alignas(16) Pack {
    T v[width];
  };
  static __device__ void load(T (&values)[m], const T* slots) {
#pragma unroll
    for (int k = 0; k < m; k += width) {
      const Pack pack = *reinterpret_cast<const Pack*>(slots + k);
#pragma unroll
      for (int w = 0; w < width; ++w) values[k + w] = pack.v[w];
    }
  }
  /// values += weight * slots
  static __device__ void add(T (&values)[m], T weight, const T* slots) {
#pragma unroll
    for (int k = 0; k < m; k += width) {
      const Pack pack = *reinterpret_cast<const Pack*>(slots + k);
#pragma unroll
      for (int w = 0; w < width; ++w) values[k + w] += weight * pack.v[w];
    }
  }
  static __device__ void store(const T (&values)[m], T* slots) {
#pragma unroll
    for (int k = 0; k < m; k += width) {
      Pack pack;
#pragma unroll
      for (int w = 0; w < width; ++w) pack.v[w] = values[k + w];
      *reinterpret_cast<Pack*>(slots + k) = pack;
    }
  }
};

/// Coefficients of a level as kernels keep them; where n + 1 is a power of two no row is a special one.
template <bool even, class T>
struct KernelLevel {
  T alpha, inverse;
  __device__ KernelLevel(const LineLevel<T>& level) : alpha(level.alpha), inverse(level.inverse) {}
};
template <class T>
struct KernelLevel<false, T> : LineLevel<T> {
  __device__ KernelLevel(const LineLevel<T>& level) : LineLevel<T>(level) {}
};

/// What a block knows about a pole, whose line it divides by its diagonal d: X (a F + b U) = weight (A / d)^-1 (F + rim
/// U).
template <bool even, class T>
struct PoleTable {
  KernelLevel<even, T> level[most_levels];  ///< d / d_r instead of 1 / d_r
  T weight, rim;
  int stop;    ///< the level that is diagonal
  int number;  ///< of its family among those in shared memory
};

/// Lanes that make the levels of a pole, one each: 16, or 8 where lines of at most 255 rows have no more.
__host__ __device__ constexpr int table_lanes(int n) { return n < 256 ? 8 : most_levels; }

/// `lanes` neighbouring lanes make the levels of one pole, each its own.
template <bool even, class T>
__device__ void make_table(const Line& line, const Pole& pole, double shift, int number, int lanes,
                           PoleTable<even, T>& table) {
  const int own = lane_id() & (lanes - 1);
  const LineMatrix matrix = line_matrix(line, pole.lambda + shift);
  LineLevel<T> level;
  bool coupled;
  if constexpr (even) {
    double delta = matrix.delta;
    for (int r = 0; r < own; ++r) delta *= delta + 4;
    double alpha = reciprocal(2 + delta);
    coupled = delta < 1 / least_alpha<T>;  // delta may be infinite
    if (!coupled) alpha = 0;
    double product = reciprocal(1 - 2 * alpha * alpha);  // of the levels up to this one, once it is scanned
    for (int step = 1; step < lanes; step *= 2) {
      const double before = __shfl_up_sync(all_lanes, product, step, lanes);
      if (own >= step) product *= before;
    }
    product = __shfl_up_sync(all_lanes, product, 1, lanes);
    level = {T(own == 0 && !matrix.positive ? -alpha : alpha), T(own == 0 ? 1 : product), T(1)};
  } else {
    LineState state({matrix.delta, 1, matrix.positive}, line.n);
    for (int r = 0; r < own; ++r) state.next(least_alpha<T>);
    coupled = state.alpha() >= least_alpha<T>;
    level = state.template level<T>();
  }
  coupled = coupled && (line.n >> own) > 1;
  table.level[own] = KernelLevel<even, T>(level);
  const unsigned diagonal = __ballot_sync(all_lanes, !coupled) >> (lane_id() & ~(lanes - 1));
  if (own == 0) {
    table.weight = T(pole.a * matrix.inverse_diagonal), table.rim = T(pole.b / pole.a);
    table.stop = __ffs(static_cast<int>(diagonal)) - 1;
    table.number = number;
  }
}

template <int m>
constexpr int lane_levels = m == 16 ? 4 : (m == 8 ? 3 : 2);
template <int m>
constexpr int warp_levels = lane_levels<m> + 5;

/// What warps tell each other about their tiles; two of each, so that one barrier a line is enough.
template <class T>
struct Edges {
  T end[2][warp], carry[2][warp + 1];
};

/// The line of a block, divided by its diagonal, from the right-hand side in y to the solution in y. Rows count from 1;
/// rows beyond n hold anything.
template <int m, bool even, class T>
struct LineInBlock {
  const PoleTable<even, T>& table;
  Edges<T>& edges;
  int n, warps, own_warp;
  int buffer;

  __device__ int row(int k) const { return tile_rows<m> * own_warp + m * lane_id() + k; }

  /// How often row i counts as a right neighbour at level r, and with its own solution.
  __device__ T as_right(int r, int i, T y) const {
    if constexpr (even)
      return y;
    else
      return i > n ? T(0) : i == (n >> r) << r ? table.level[r].last * y : y;
  }
  __device__ T solved(int r, int i, T y, T left, T right) const {
    const auto& level = table.level[r];
    if (!even && i + (1 << r) > n) right = 0;
    const T v = (r == 0 ? y : level.inverse * y) + level.alpha * (left + right);
    if constexpr (even)
      return v;
    else
      return i == (n >> r) << r ? level.last * v : v;
  }
  __device__ T at_top(int r, int i, T y) const {
    const auto& level = table.level[r];
    if constexpr (even)
      return level.inverse * y;
    else
      return i == (n >> r) << r ? level.inverse * level.last * y : level.inverse * y;
  }

  __device__ void solve(T (&y)[m]) {
    constexpr int first_shuffle = lane_levels<m>;
    const int lane = lane_id(), stop = table.stop > first_shuffle ? table.stop : first_shuffle;
    const int top = stop < warp_levels<m> ? stop : warp_levels<m>;
    T own = 0;  // what the last row of the lane before gets from this one
#pragma unroll
    for (int r = 0; r < first_shuffle; ++r) {
      const int s = 1 << r;
      const T alpha = table.level[r].alpha;
      own += alpha * as_right(r, row(s), y[s - 1]);
#pragma unroll
      for (int k = 2 * s; k <= m; k += 2 * s)
        y[k - 1] += alpha * (y[k - s - 1] + (k + s <= m ? as_right(r, row(k + s), y[(k + s - 1) % m]) : T(0)));
    }
    T end = y[m - 1];
    const T from_right = __shfl_down_sync(all_lanes, own, 1);
    if (lane < warp - 1) end += from_right;
    T carry = __shfl_sync(all_lanes, own, 0);
    for (int r = first_shuffle; r < top; ++r) {
      const int s = 1 << (r - first_shuffle);
      const T alpha = table.level[r].alpha, mine = as_right(r, row(m), end);
      const T left = __shfl_up_sync(all_lanes, end, s), right = __shfl_down_sync(all_lanes, mine, s),
              first = __shfl_sync(all_lanes, mine, s - 1);
      carry += alpha * first;
      if (((lane + 1) & (2 * s - 1)) == 0) end += alpha * (left + (lane + s < warp ? right : T(0)));
    }
    if (even && row(m) > n) end = 0;  // row n + 1 and those beyond
    T v_left, v_right;
    exchange(end, carry, stop, v_left, v_right);
    if (lane == warp - 1)
      end = v_right;
    else if (((lane + 1) & ((1 << (top - first_shuffle)) - 1)) == 0)
      end = at_top(top, row(m), end);
    for (int r = top - 1; r >= first_shuffle; --r) {
      const int s = 1 << (r - first_shuffle);
      T left = __shfl_up_sync(all_lanes, end, s);
      const T right = __shfl_down_sync(all_lanes, end, s);
      if (lane < s) left = v_left;
      if (((lane + 1) & (2 * s - 1)) == s) end = solved(r, row(m), end, left, right);
    }
    T before = __shfl_up_sync(all_lanes, end, 1);
    if (lane == 0) before = v_left;
    y[m - 1] = end;
#pragma unroll
    for (int r = first_shuffle - 1; r >= 0; --r) {
      const int s = 1 << r;
#pragma unroll
      for (int k = s; k < m; k += 2 * s)
        y[k - 1] = solved(r, row(k), y[k - 1], k > s ? y[(k + m - s - 1) % m] : before, y[k + s - 1]);
    }
  }

  /// The solution in the last rows of the tile before and of this one.
  __device__ void exchange(T end, T carry, int stop, T& v_left, T& v_right) {
    const int lane = lane_id();
    if (warps == 1) {
      end = __shfl_sync(all_lanes, end, warp - 1);
      v_left = 0;
      v_right = at_top(stop, tile_rows<m>, end);
      return;
    }
    if (lane == warp - 1) edges.end[buffer][own_warp] = end;
    if (lane == 0) edges.carry[buffer][own_warp] = carry;
    __syncthreads();
    const T *ends = edges.end[buffer], *carries = edges.carry[buffer];
    const int first = warp_levels<m>;
    if (stop <= first) {  // tiles do not reach beyond their neighbours
      v_right = ends[own_warp];
      if (own_warp + 1 < warps) v_right += carries[own_warp + 1];
      v_right = at_top(stop, tile_rows<m> * (own_warp + 1), v_right);
      v_left = own_warp > 0 ? at_top(stop, tile_rows<m> * own_warp, ends[own_warp - 1] + carries[own_warp]) : T(0);
      return;
    }
    T sum = lane < warps ? ends[lane] : T(0);
    if (lane + 1 < warps) sum += carries[lane + 1];
    const int i = tile_rows<m> * (lane + 1);
    for (int r = first; r < stop; ++r) {
      const int s = 1 << (r - first);
      const T mine = as_right(r, i, sum);
      const T left = __shfl_up_sync(all_lanes, sum, s), right = __shfl_down_sync(all_lanes, mine, s);
      if (((lane + 1) & (2 * s - 1)) == 0) sum += table.level[r].alpha * (left + (lane + s < warps ? right : T(0)));
    }
    if (even && i > n) sum = 0;
    if (((lane + 1) & ((1 << (stop - first)) - 1)) == 0) sum = at_top(stop, i, sum);
    for (int r = stop - 1; r >= first; --r) {
      const int s = 1 << (r - first);
      T left = __shfl_up_sync(all_lanes, sum, s);
      const T right = __shfl_down_sync(all_lanes, sum, s);
      if (lane < s) left = 0;
      if (((lane + 1) & (2 * s - 1)) == s) sum = solved(r, i, sum, left, lane + s < warps ? right : T(0));
    }
    v_right = __shfl_sync(all_lanes, sum, own_warp);
    v_left = __shfl_sync(all_lanes, sum, own_warp > 0 ? own_warp - 1 : 0);
    if (own_warp == 0) v_left = 0;
  }
};

}  // namespace tessera::solvers::grid
