#pragma once
// Tiles of 32 m rows that a warp holds in registers, m neighbouring rows a lane. Loads and stores are coalesced; the
// turn from "lane by lane" to "m neighbours" goes through a buffer of one array that belongs to the warp: no barrier.
#include "solvers/tridiagonal/elimination.hpp"

namespace tessera::solvers::tridiagonal {

inline constexpr int warp = 32;
inline constexpr unsigned all_lanes = 0xffffffffu;

__device__ inline int lane_id() { return static_cast<int>(threadIdx.x % warp); }

/// An odd stride between lanes keeps shared memory free of bank conflicts.
template <int m>
inline constexpr int lane_stride = m % 2 == 1 ? m : m + 1;
template <int m>
inline constexpr int tile_rows = warp* m;
template <int m>
inline constexpr int buffer_items = warp* lane_stride<m>;

template <int m>
__device__ inline int buffer_slot(int row) {
  return m % 2 == 1 ? row : row + row / m;
}

/// values[j] = from[base + 32 j + lane], `pad` at and behind `end`: all loads of a tile are in flight together.
template <int m, class T>
__device__ inline void load_striped(T (&values)[m], const T* __restrict__ from, Offset base, Offset end, T pad) {
  const T* first = from + base + lane_id();
  if (base + tile_rows<m> <= end) {
#pragma unroll
    for (int j = 0; j < m; ++j) values[j] = first[j * warp];
  } else {
    const int left = static_cast<int>(end - base) - lane_id();
#pragma unroll
    for (int j = 0; j < m; ++j) values[j] = j * warp < left ? first[j * warp] : pad;
  }
}

/// From values[j] = row 32 j + lane to values[k] = row m lane + k.
template <int m, class T>
__device__ inline void to_blocked(T (&values)[m], T* buffer) {
  const int lane = lane_id();
#pragma unroll
  for (int j = 0; j < m; ++j) buffer[buffer_slot<m>(j * warp + lane)] = values[j];
  __syncwarp();
#pragma unroll
  for (int k = 0; k < m; ++k) values[k] = buffer[lane * lane_stride<m> + k];
  __syncwarp();
}

/// Writes values[k] = row m lane + k of the tile, rows before `end`.
template <int m, class T>
__device__ inline void store_blocked(const T (&values)[m], T* buffer, T* __restrict__ to, Offset base, Offset end) {
  const int lane = lane_id();
#pragma unroll
  for (int k = 0; k < m; ++k) buffer[lane * lane_stride<m> + k] = values[k];
  __syncwarp();
  const int left = base + tile_rows<m> <= end ? tile_rows<m> : static_cast<int>(end - base);
#pragma unroll
  for (int j = 0; j < m; ++j)
    if (j * warp + lane < left) __stcs(to + base + j * warp + lane, buffer[buffer_slot<m>(j * warp + lane)]);
  __syncwarp();
}

/// Rows of one level: a system, or a batch of systems of `period` rows one after the other.
template <class T>
struct LevelRows {
  const T *lower, *diag, *upper, *rhs;
  Offset rows;
  Index period;
};

/// m rows of a lane in registers.
template <class T, int m>
struct Chunk {
  T lower[m], diag[m], upper[m], rhs[m];
};

/// Rows base .. base + 32 m of the level, those behind its end as x = 0; the coupling of systems to each other is cut.
template <int m, class T>
__device__ inline void load_chunk(Chunk<T, m>& chunk, const LevelRows<T>& level, Offset base, Offset end, T* buffer) {
  load_striped<m>(chunk.lower, level.lower, base, end, T(0));
  load_striped<m>(chunk.diag, level.diag, base, end, T(1));
  load_striped<m>(chunk.upper, level.upper, base, end, T(0));
  load_striped<m>(chunk.rhs, level.rhs, base, end, T(0));
  to_blocked<m>(chunk.lower, buffer);
  to_blocked<m>(chunk.diag, buffer);
  to_blocked<m>(chunk.upper, buffer);
  to_blocked<m>(chunk.rhs, buffer);
  const Offset first = base + lane_id() * m;
  Offset row = level.rows == level.period ? first : first % level.period;
#pragma unroll
  for (int k = 0; k < m; ++k) {
    if (row == 0) chunk.lower[k] = 0;
    if (row == level.period - 1) chunk.upper[k] = 0;
    if (++row == level.period) row = 0;
  }
}

}  // namespace tessera::solvers::tridiagonal
