#include <algorithm>

#include "base/parallel.hpp"
#include "solvers/grid/plane_families.cuh"

namespace tessera::solvers::grid {
namespace {

/// Rows of a lane: 4 where one warp does with them, 8 while eight warps do, for more warps hide more latency; then 16,
/// so that a block holds 8192 rows. Radix 4 with 8 instead of 4: 0.348 instead of 0.306 ms for 63^3, 1.15 instead
/// of 1.04 for 127^3; with 16 instead of 8: 0.370 instead of 0.305 for 2047^2 (H200, 2026-11-21).
constexpr int few_rows = 4, short_rows = 8, long_rows = 16;
constexpr int short_warps = 8, long_warps = 16;
static_assert(long_warps * tile_rows<long_rows> == 8192);

int rows_of(Index n) {
  return n < tile_rows<few_rows> ? few_rows : n < short_warps * tile_rows<short_rows> ? short_rows : long_rows;
}
int warps_of(Index n) { return (n + warp * rows_of(n) - 1) / (warp * rows_of(n)); }
template <class T>
int line_bytes(Index n) {
  const int rows = rows_of(n);
  const int slots = rows == few_rows     ? tile_slots<few_rows, T>
                    : rows == short_rows ? tile_slots<short_rows, T>
                                         : tile_slots<long_rows, T>;
  return warps_of(n) * slots * static_cast<int>(sizeof(T));
}

/// What a block takes besides its lines and tables: edges of tiles, its group, and what the driver reserves.
constexpr int static_bytes = static_cast<int>(sizeof(Edges<double>) + sizeof(SharedGroup<double>)),
              reserved_bytes = 1024;
/// Warps of a multiprocessor that hide latency, at 128 registers a thread. Blocks of one and two warps are 13 and 7, so
/// that five lines each fit. 8 instead of 16: 0.357 instead of 0.305 ms for 2047^2 with radix 4, 0.220 instead of 0.247
/// for 1023^2 with radix 2 (H200, 2026-11-21).
constexpr int warps_wanted = 16;
int blocks_wanted(int warps) { return warps == 1 ? 13 : (warps == 2 ? 7 : std::max(1, warps_wanted / warps)); }

ChipLimits limits_of_device() {
  int device = 0;
  ChipLimits limits{};
  TESSERA_CUDA_CHECK(cudaGetDevice(&device));
  TESSERA_CUDA_CHECK(cudaDeviceGetAttribute(&limits.shared_of_block, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  TESSERA_CUDA_CHECK(
      cudaDeviceGetAttribute(&limits.shared_of_processor, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
  TESSERA_CUDA_CHECK(cudaDeviceGetAttribute(&limits.processors, cudaDevAttrMultiProcessorCount, device));
  return limits;
}

template <bool even, class T>
int table_bytes(Index n) {
  return poles_in_table(warps_of(n)) * static_cast<int>(sizeof(PoleTable<even, T>));
}

template <int m, int most_warps, bool even, class T>
void launch_families(Cuda& exec, const Step& step, Index systems, const PlaneData<T>& data, Cut cut,
                     const ChipLimits& limits) {
  const Index n = data.line.n;
  const int warps = warps_of(n), line = line_bytes<T>(n), tables = table_bytes<even, T>(n);
  // F and U of one family at least; of all families where blocks enough keep room
  cut.folded = cut.poles == 1 || (cut.poles == 0 && step.most_poles == 1);
  const int least = step.reduction || cut.folded ? 1 : 2;
  const int most = cut.poles > 0 ? least : std::max(least, static_cast<int>(step.most_lines));
  const int room = std::min(limits.shared_of_block - static_bytes,
                            limits.shared_of_processor / blocks_wanted(warps) - static_bytes - reserved_bytes);
  cut.lines = std::clamp((room - tables) / line, least, most);
  const int bytes = cut.lines * line + tables;
  const auto kernel = solve_families<m, most_warps, even, T>;
  TESSERA_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  const Offset blocks = static_cast<Offset>(systems) *
                        (cut.poles == 0 ? step.group_count : static_cast<Offset>(step.family_count) * cut.chunks);
  launch_chained(exec, kernel, blocks, warp * warps, bytes, data, step, cut);
}

template <class T>
void launch_families(Cuda& exec, const Step& step, Index systems, const PlaneData<T>& data, Cut cut,
                     const ChipLimits& limits) {
  const Index n = data.line.n;
  const int rows = rows_of(n);
  const bool even = (n & (n + 1)) == 0 && n + 1 >= rows;
  if (rows == few_rows)
    even ? launch_families<few_rows, 1, true>(exec, step, systems, data, cut, limits)
         : launch_families<few_rows, 1, false>(exec, step, systems, data, cut, limits);
  else if (rows == short_rows)
    even ? launch_families<short_rows, short_warps, true>(exec, step, systems, data, cut, limits)
         : launch_families<short_rows, short_warps, false>(exec, step, systems, data, cut, limits);
  else
    even ? launch_families<long_rows, long_warps, true>(exec, step, systems, data, cut, limits)
         : launch_families<long_rows, long_warps, false>(exec, step, systems, data, cut, limits);
}

Index chunks_of(const Step& step, Index poles) { return poles == 0 ? 0 : (step.most_poles + poles - 1) / poles; }

}  // namespace

template <class T>
bool PlaneSolver<Cuda, T>::fits(Cuda&, Index n) {
  return n <= long_warps * tile_rows<long_rows> &&
         2 * line_bytes<T>(n) + table_bytes<false, T>(n) + static_bytes <= limits_of_device().shared_of_block;
}

/// The cut that takes the fewest rounds of poles, all blocks that run at once counted as one. Reading rows costs a
/// block about as much as three poles, a second kernel and its sums about six; 2 instead of 6 costs radix 2 at 1023^2 9
/// % and changes radix 4 up to 2047^2 by less than 1 % (H200, 2026-11-21).
template <class T>
Index PlaneSolver<Cuda, T>::chunk_poles(const Step& step, Index systems) const {
  constexpr Offset read = 3, second = 6;
  const Offset room = static_cast<Offset>(limits_.processors) * std::max(1, warps_wanted / warps_of(line_.n));
  const auto rounds = [&](Offset blocks) { return (static_cast<Offset>(systems) * blocks + room - 1) / room; };
  Offset least = rounds(step.group_count) * (step.most_group_poles + read);
  Index best = 0;
  for (Index chunks = 1;
       chunks <= step.most_poles && rounds(static_cast<Offset>(chunks) * step.family_count) * read + second < least;
       ++chunks) {
    const Index poles = (step.most_poles + chunks - 1) / chunks;
    const Offset cost = rounds(static_cast<Offset>(chunks) * step.family_count) * (poles + read) + second;
    if (cost < least) least = cost, best = poles;
  }
  return best;
}

template <class T>
PlaneSolver<Cuda, T>::PlaneSolver(Cuda&, const HostPlan& plan, const Line& line, double row_spacing, Index most_systems,
                                  bool fixed_shifts)
    : plan_(plan), line_(line), row_spacing_(row_spacing), fixed_shifts_(fixed_shifts), limits_(limits_of_device()) {
  Offset partials = 0;
  for (const Step& step : plan.steps)
    for (Index systems = 1; systems <= most_systems; ++systems) {
      const Index poles = chunk_poles(step, systems);
      if (poles == 0) continue;
      partials = std::max(partials, static_cast<Offset>(systems) * step.family_count * chunks_of(step, poles));
    }
  updated_ = Array<T, Device>(static_cast<Offset>(most_systems) * plan.slots * line.n);
  partial_ = Array<T, Device>(partials * line.n);
}

template <class T>
void PlaneSolver<Cuda, T>::run(Cuda& exec, const Step& step, Index systems, const PlaneData<T>& data) const {
  const Index poles = chunk_poles(step, systems);
  const bool alone = warps_of(line_.n) >= warps_wanted;  // a block fills a multiprocessor
  const Cut cut{poles, chunks_of(step, poles), 0, alone ? static_cast<unsigned>(limits_.processors) : 0u,
                false, fixed_shifts_};
  launch_families(exec, step, systems, data, cut, limits_);
  if (poles == 0) return;
  const Offset strips = (line_.n + warp - 1) / warp;
  const int parts = 3 * static_cast<int>(cut.chunks);
  int warps = 4;
  while (warps < 32 && warps * 4 < parts) warps *= 2;
  launch_chained(exec, sum_chunks<T>, strips * systems * step.group_count, warp * warps, 0, data, step, cut);
}

template <class T>
void PlaneSolver<Cuda, T>::solve(Cuda& exec, Index systems, const double* shifts, const T* f, T* u) {
  const PlaneData<T> data{plan_.view(),    line_,          row_spacing_, plan_.rows, plan_.slots, shifts, f, u,
                          updated_.data(), partial_.data()};
  for (const Step& step : plan_.steps) run(exec, step, systems, data);
}

template class PlaneSolver<Cuda, double>;
template class PlaneSolver<Cuda, float>;

}  // namespace tessera::solvers::grid
