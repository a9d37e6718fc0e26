#include <algorithm>
#include <cassert>

#include "base/parallel.hpp"
#include "solvers/two_point/scan.hpp"

namespace tessera::solvers::two_point {

namespace {

// H200, November 2026, 2^26 doubles: 0.89 of copy; 3 or 4 blocks of 256 or 6 or 8 of 128 threads differ by 1 %, half
// the items a thread take 3 % more, 8 blocks of 32 registers a thread, which spill, 14 % more.
constexpr int scan_block = 256;
constexpr int warps = scan_block / 32;
/// Blocks per multiprocessor: what 64 registers a thread admit in pass 2. Both passes have the same ranges.
constexpr int scan_blocks_per_multiprocessor = 4;

/// Consecutive unknowns of a thread: 128 bytes.
template <class T>
inline constexpr int items = 128 / sizeof(T);
template <class T>
inline constexpr int warp_tile = 32 * items<T>;
template <class T>
inline constexpr int tile = warps* warp_tile<T>;

/// Each block works through a range of neighbouring tiles. Tiles end where the grid ends: the first begins `missing`
/// zeros before it.
template <class T, class R>
struct Ranges {
  Offset tiles, missing;
  T h2;
  const T* f;
  T* u;
  R* tile_sum;      ///< [tiles]: sum of d from the start of the range to the tile
  R* range_sum;     ///< [ranges]: S of the range
  R* range_moment;  ///< [ranges]: M of the range

  __device__ Offset first_tile(Offset range) const { return tiles * range / gridDim.x; }

  /// d of `items` unknowns, `step` apart from `first` on; zero before the grid. `last_use`: they need not stay in the
  /// caches.
  template <int step, bool last_use>
  __device__ void load(Offset first, T (&d)[items<T>]) const {
    const T* from = f + first;
    if (first > 0) {  // the usual case apart: no comparison a value, and addresses that differ by constants
#pragma unroll
      for (int k = 0; k < items<T>; ++k) d[k] = last_use ? __ldcs(from + k * step) : from[k * step];
#pragma unroll
      for (int k = 0; k < items<T>; ++k) d[k] *= h2;
      return;
    }
#pragma unroll
    for (int k = 0; k < items<T>; ++k) {
      const Offset i = first + k * step;
      d[k] = i < 0 ? T(0) : (i == 0 ? T(0.5) * h2 : h2) * from[k * step];
    }
  }
};

/// Pass 1: S and M of every range, and of every tile what precedes it in its range.
template <class T, class R>
__global__ void __launch_bounds__(scan_block, scan_blocks_per_multiprocessor) reduce_ranges(Ranges<T, R> ranges) {
  R sum = 0, moment = 0;  // of thread 0
  const Offset end = ranges.first_tile(blockIdx.x + 1);
  for (Offset t = ranges.first_tile(blockIdx.x); t < end; ++t) {
    const Offset base = t * tile<T> - ranges.missing;
    T d[items<T>], tile_sum = 0, tile_moment = 0;
    ranges.template load<scan_block, false>(base + threadIdx.x, d);
#pragma unroll
    for (int k = 0; k < items<T>; ++k) {
      tile_sum += d[k];
      tile_moment += static_cast<T>(tile<T> - k * scan_block - static_cast<int>(threadIdx.x)) * d[k];
    }
    tile_sum = kernels::block_sum<T, scan_block>(tile_sum);
    tile_moment = kernels::block_sum<T, scan_block>(tile_moment);
    if (threadIdx.x == 0) {
      ranges.tile_sum[t] = sum;
      moment += static_cast<R>(tile_moment) + static_cast<R>(tile<T>) * sum;
      sum += static_cast<R>(tile_sum);
    }
  }
  if (threadIdx.x == 0) {
    ranges.range_sum[blockIdx.x] = sum;
    ranges.range_moment[blockIdx.x] = moment;
  }
}

template <class R>
struct Carry {
  R Y, U;  ///< sum of d before the range ; sum of y after it
};

/// Every block adds up what the other ranges hold; in one order, so it is repeatable. All threads get the result.
template <class T, class R>
__device__ Carry<R> carry_of_range(const Ranges<T, R>& ranges) {
  __shared__ Carry<R> result;
  const Offset mine = blockIdx.x;
  R before = 0, after = 0;
  for (Offset b = threadIdx.x; b < gridDim.x; b += scan_block) {
    if (b < mine) before += ranges.range_sum[b];
    if (b > mine) {
      const Offset to_the_end = (ranges.tiles - ranges.first_tile(b + 1)) * tile<T>;
      after += ranges.range_moment[b] + static_cast<R>(to_the_end) * ranges.range_sum[b];
    }
  }
  before = kernels::block_sum<R, scan_block>(before);
  after = kernels::block_sum<R, scan_block>(after);
  if (threadIdx.x == 0) {
    const Offset to_the_end = (ranges.tiles - ranges.first_tile(mine + 1)) * tile<T>;
    result = {before, after + static_cast<R>(to_the_end) * (before + ranges.range_sum[mine])};
  }
  __syncthreads();
  return result;
}

/// Inclusive sum over the lanes to the left (up) or right (down) of each lane.
template <class T>
__device__ T sum_from_left(T value, int lane) {
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const T other = __shfl_up_sync(0xffffffffu, value, step);
    if (lane >= step) value += other;
  }
  return value;
}
template <class T>
__device__ T sum_from_right(T value, int lane) {
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    const T other = __shfl_down_sync(0xffffffffu, value, step);
    if (lane + step < 32) value += other;
  }
  return value;
}

/// Pass 2: u of every tile of the range, from right to left, so that the tiles that pass 1 read last come from the
/// second-level cache. A warp has its own part of the tile in shared memory, where consecutive unknowns change from
/// lanes (contiguous in memory) to threads (sums without a shuffle) and back; `items + 1` keeps the banks apart.
template <class T, class R>
__global__ void __launch_bounds__(scan_block, scan_blocks_per_multiprocessor) solve_ranges(Ranges<T, R> ranges) {
  constexpr int width = items<T>;
  const auto padded = [](int offset) { return offset + offset / width; };
  __shared__ T values[warps][32 * (width + 1)];
  __shared__ T warp_sum[2][warps], warp_moment[2][warps];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  auto [Y_range, U] = carry_of_range(ranges);
  const Offset begin = ranges.first_tile(blockIdx.x);
  for (Offset t = ranges.first_tile(blockIdx.x + 1) - 1; t >= begin; --t) {
    const Offset base = t * tile<T> - ranges.missing + warp * warp_tile<T>;
    {
      T d[width];
      ranges.template load<32, true>(base + lane, d);
#pragma unroll
      for (int k = 0; k < width; ++k) values[warp][padded(k * 32 + lane)] = d[k];
    }
    __syncwarp();
    // y_i = d_i + y_{i-1} within the thread; its sum and the sum of its y.
    T* own = values[warp] + lane * (width + 1);
    T sum = 0, moment = 0;
#pragma unroll
    for (int k = 0; k < width; ++k) {
      own[k] = sum += own[k];  // kept here: in registers the y would halve the number of resident threads
      moment += sum;
    }
    // Within the warp: d before the thread, y after it.
    const T through = sum_from_left(sum, lane);
    T before = __shfl_up_sync(0xffffffffu, through, 1);
    if (lane == 0) before = 0;
    const T from = sum_from_right(moment + static_cast<T>(width) * before, lane);
    T after = __shfl_down_sync(0xffffffffu, from, 1);
    if (lane == 31) after = 0;
    // Within the tile. Two sets of sums, so that one barrier a tile suffices.
    const int set = t & 1;
    if (lane == 31) warp_sum[set][warp] = through;
    if (lane == 0) warp_moment[set][warp] = from;
    __syncthreads();
    T before_warp = 0, after_warp = 0, whole = 0, running = 0;
#pragma unroll
    for (int w = 0; w < warps; ++w) {
      const T part = warp_moment[set][w] + static_cast<T>(warp_tile<T>) * running;
      if (w == warp) before_warp = running;
      if (w > warp) after_warp += part;
      whole += part;
      running += warp_sum[set][w];
    }
    after += after_warp + static_cast<T>((31 - lane) * width) * before_warp;
    before += before_warp;
    // u_i = U + (q - i) Y + sum_{k=i}^{q-1} y_k
    const R Y = Y_range + ranges.tile_sum[t];
    const int to_the_end = tile<T> - static_cast<int>(threadIdx.x) * width;
#pragma unroll
    for (int k = width - 1; k >= 0; --k) {
      after += own[k] + before;
      own[k] = static_cast<T>(U + static_cast<R>(to_the_end - k) * Y + static_cast<R>(after));
    }
    U += static_cast<R>(tile<T>) * Y + static_cast<R>(whole);
    __syncwarp();
    T* to = ranges.u + base + lane;
#pragma unroll
    for (int k = 0; k < width; ++k)
      if (base + k * 32 + lane >= 0) __stcs(to + k * 32, values[warp][padded(k * 32 + lane)]);
    __syncwarp();
  }
}

template <class T, class R>
class Scan final : public TwoPointSolver<Cuda, T> {
 public:
  Scan(Cuda& exec, Offset n)
      : n_(n),
        tiles_((n + tile<T> - 1) / tile<T>),
        ranges_(std::min<Offset>(tiles_, static_cast<Offset>(exec.multiprocessors()) * scan_blocks_per_multiprocessor)),
        sums_(tiles_ + 2 * ranges_) {}

  void solve(Cuda& exec, double h, View<const T> f, View<T> u) override {
    assert(f.size() == n_ && u.size() == n_);
    R* sums = sums_.data();
    const Ranges<T, R> ranges{tiles_, tiles_ * tile<T> - n_, static_cast<T>(h * h),  f.data(), u.data(),
                              sums,   sums + tiles_,         sums + tiles_ + ranges_};
    launch(exec, reduce_ranges<T, R>, ranges_, scan_block, ranges);
    launch(exec, solve_ranges<T, R>, ranges_, scan_block, ranges);
  }

  double bytes() const override { return 3.0 * sizeof(T) * static_cast<double>(n_); }
  double workspace_bytes() const override { return static_cast<double>(sums_.bytes()); }
  std::string type() const override { return "scan"; }
  Offset rows() const override { return tile<T>; }
  Offset columns() const override { return tiles_; }

 private:
  Offset n_, tiles_, ranges_;
  Array<R, Device> sums_;  ///< the three arrays of Ranges
};

}  // namespace

template <class Exec, class T, class R>
std::unique_ptr<TwoPointSolver<Exec, T>> make_scan(Exec& exec, Offset n) {
  return std::make_unique<Scan<T, R>>(exec, n);
}

template std::unique_ptr<TwoPointSolver<Cuda, double>> make_scan<Cuda, double, double>(Cuda&, Offset);
template std::unique_ptr<TwoPointSolver<Cuda, float>> make_scan<Cuda, float, float>(Cuda&, Offset);
template std::unique_ptr<TwoPointSolver<Cuda, float>> make_scan<Cuda, float, double>(Cuda&, Offset);

}  // namespace tessera::solvers::two_point
