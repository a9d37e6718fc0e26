#include <algorithm>

#include "base/parallel.hpp"
#include "solvers/grid/plane_kernels.cuh"

namespace tessera::solvers::grid {
namespace {

/// Rows of a lane: 8 while eight warps do, then 16.
constexpr int short_rows = 8, long_rows = 16;
constexpr int short_warps = 8, long_warps = 16;
static_assert(long_warps * tile_rows<long_rows> == 8192);

/// How a step is cut into blocks: a group a block (poles = 0), or chunks of a family's poles whose sums go through memory.
struct Cut {
  Index poles, chunks;
  int lines;  ///< of right-hand sides that fit in shared memory
};

/// Stripes of 32 rows of a tile that are loaded together.
constexpr int stripes = 4;

template <int m>
struct Tile {
  int base;  ///< rows before it
  int n;

  __device__ int row(int stripe) const { return base + warp * stripe + lane_id(); }
};

/// Some families of a group, whose right-hand sides and sums are in shared memory: F, then the different U.
struct Pass {
  Index first, last;  ///< families, counted in the group
  Index first_rim, rims;

  __device__ int lines() const { return last - first + rims; }
};

/// As many families from `first` on as fit, at least one.
__device__ Pass make_pass(const PlanView& plan, const Group& group, Index first, Index most, int lines) {
  const Index rim = group.rim_count > 0 ? plan.families[group.family + first].rim_line : 0;
  Pass pass{first, first + 1, rim, group.rim_count > 0 ? 1 : 0};
  while (pass.last < most) {
    const Index next = group.rim_count > 0 ? plan.families[group.family + pass.last].rim_line : 0;
    const Index rims = group.rim_count > 0 ? next - rim + 1 : 0;  // numbered in the order of families
    if (pass.last + 1 - first + rims > lines) break;
    ++pass.last;
    pass.rims = rims;
  }
  return pass;
}

/// One stripe's places of rows, each read once, into the slots of the lines of a pass.
template <int m, class T>
__device__ void form_stripes(const PlaneData<T>& data, Offset system, const Group& group, const Pass& pass,
                             const Tile<m>& tile, int first, T* slots, int line_slots) {
  const PlanView& plan = data.plan;
  T row[most_rows][stripes] = {};
#pragma unroll
  for (int r = 0; r < most_rows; ++r) {
    if (r >= group.row_count) break;
    const T* from = data.row_of_f(system, plan.sources[group.row + r]);
#pragma unroll
    for (int j = 0; j < stripes; ++j)
      if (const int i = tile.row(first + j); i < tile.n) row[r][j] = from[i];
  }
  for (Index k = pass.first; k < pass.last; ++k) {
    const FamilySum& family = plan.families[group.family + k];
    T value[stripes] = {};
#pragma unroll
    for (int r = 0; r < most_rows; ++r) {
      if (r >= group.row_count) break;
      const T weight = T(plan.row_weight(family, r));
#pragma unroll
      for (int j = 0; j < stripes; ++j) value[j] += weight * row[r][j];
    }
#pragma unroll
    for (int j = 0; j < stripes; ++j)
      slots[(k - pass.first) * line_slots + slot<m, T>(warp * (first + j) + lane_id())] = value[j];
  }
}

/// The same for the rims, coupled.
template <int m, class T>
__device__ void form_rims(const PlaneData<T>& data, Offset system, const Group& group, const Pass& pass,
                          const Tile<m>& tile, int first, T* slots, int line_slots) {
  const PlanView& plan = data.plan;
  const LineCoupling g = data.coupling(system);
  T row[most_rims][stripes] = {};
#pragma unroll
  for (int r = 0; r < most_rims; ++r) {
    if (r >= group.rim_count) break;
    const T* from = data.row_of_u(system, plan.sources[group.rim + r]);
#pragma unroll
    for (int j = 0; j < stripes; ++j) {
      const int i = tile.row(first + j);
      if (i >= tile.n) continue;
      row[r][j] = T(g.centre) * from[i];
      if (g.side != 0) row[r][j] += T(g.side) * ((i > 0 ? from[i - 1] : T(0)) + (i + 1 < tile.n ? from[i + 1] : T(0)));
    }
  }
  for (Index k = pass.first; k < pass.last; ++k) {
    const FamilySum& family = plan.families[group.family + k];
    const int line = static_cast<int>(pass.last - pass.first + family.rim_line - pass.first_rim);
    const T left = T(plan.rim_weight(group, family, 0)),
            right = group.rim_count > 1 ? T(plan.rim_weight(group, family, 1)) : T(0);
#pragma unroll
    for (int j = 0; j < stripes; ++j)
      slots[line * line_slots + slot<m, T>(warp * (first + j) + lane_id())] = left * row[0][j] + right * row[1][j];
  }
}

/// Adds the sums of a pass to the outputs of its group.
template <int m, class T>
__device__ void add_outputs(const PlaneData<T>& data, Offset system, const Group& group, const Pass& pass,
                            bool reduction, const Tile<m>& tile, const T* line, int line_slots) {
  const PlanView& plan = data.plan;
  const LineCoupling g = reduction ? data.coupling(system) : LineCoupling{};
  if (g.side != 0) __syncthreads();  // neighbours may be in another tile
  for (Index o = 0; o < group.output_count; ++o) {
    const Output output = plan.outputs[group.output + o];
    T* to = reduction ? data.updated_row(system, output.row) : data.row_of_u(system, output.row);
    const T* base = pass.first > 0 ? to : (reduction ? data.row_of_f(system, output.base) : nullptr);
    T sum[m] = {};
    for (Index k = pass.first; k < pass.last; ++k) {
      const T weight = T(plan.weights[output.weight + k]);
      const T* at = line + (k - pass.first) * line_slots;
#pragma unroll
      for (int j = 0; j < m; ++j) {
        const int i = tile.row(j);
        T value = at[slot<m, T>(i)];
        if (g.side != 0)
          value = T(g.centre) * value + T(g.side) * ((i > 0 ? at[slot<m, T>(i - 1)] : T(0)) +
                                                     (i + 1 < tile.n ? at[slot<m, T>(i + 1)] : T(0)));
        sum[j] += weight * value;
      }
    }
#pragma unroll
    for (int j = 0; j < m; ++j)
      if (const int i = tile.row(j); i < tile.n) to[i] = base ? base[i] + sum[j] : sum[j];
  }
  if (g.side != 0) __syncthreads();
}

/// Poles whose levels a block has at a time: what its warps make at once, two each, eight at most.
__host__ __device__ constexpr int poles_in_table(int warps) { return warps < 2 ? 4 : (warps < 4 ? 2 * warps : 8); }

/// The family of pole `number` of a pass, and the pole.
__device__ inline Index find_pole(const PlanView& plan, const Group& group, const Pass& pass, Index number,
                                  Index& pole) {
  Index k = pass.first;
  for (; k + 1 < pass.last; ++k) {
    const Index count = plan.families[group.family + k].pole_count;
    if (number < count) break;
    number -= count;
  }
  pole = plan.families[group.family + k].pole + number;
  return k;
}

/// Sums over poles, see partial_solution.hpp. Shared memory: lines of right-hand sides, which sums replace, and tables of poles.
template <int m, int most_warps, bool even, class T>
__global__ void __launch_bounds__(warp* most_warps) solve_families(PlaneData<T> data, Step step, Cut cut) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ Edges<T> edges;
  const PlanView& plan = data.plan;
  const int warps = blockDim.x / warp, own_warp = threadIdx.x / warp, line_slots = warps * tile_slots<m, T>;
  T* line = reinterpret_cast<T*>(shared);
  auto* tables = reinterpret_cast<PoleTable<even, T>*>(line + cut.lines * line_slots);
  const int table_poles = poles_in_table(warps);
  T *tile_slots_of = line + own_warp * tile_slots<m, T>, *lane_slots = tile_slots_of + slot<m, T>(m * lane_id());
  const Tile<m> tile{own_warp * tile_rows<m>, data.line.n};

  const bool whole = cut.poles == 0;
  const Index items = whole ? step.group_count : step.family_count * cut.chunks;
  const Offset system = blockIdx.x / items;
  const Index item = static_cast<Index>(blockIdx.x % items);
  const Index own_family = step.family + item / max(cut.chunks, 1);
  const Group& group = plan.groups[whole ? step.group + item : plan.families[own_family].group];
  const Index first_family = whole ? 0 : own_family - group.family,
              last_family = whole ? group.family_count : first_family + 1;
  const double shift = data.shifts[system];
  int solved = 0;
  for (Index family = first_family; family < last_family;) {
    const Pass pass = make_pass(plan, group, family, last_family, cut.lines);
    family = pass.last;
#pragma unroll 1
    for (int first = 0; first < m; first += stripes) {
      form_stripes<m>(data, system, group, pass, tile, first, tile_slots_of, line_slots);
      if (group.rim_count > 0) form_rims<m>(data, system, group, pass, tile, first, tile_slots_of, line_slots);
    }
    __syncwarp();
    Index first_pole = 0, last_pole = 0;
    for (Index k = pass.first; k < pass.last; ++k) last_pole += plan.families[group.family + k].pole_count;
    if (!whole) {
      first_pole = item % cut.chunks * cut.poles;
      last_pole = min(last_pole, first_pole + cut.poles);
    }
    T sum[m] = {};
    int number = 0;  // of the family that is being summed
    for (Index chunk = first_pole; chunk < last_pole; chunk += table_poles) {
      const int poles = min(static_cast<int>(last_pole - chunk), table_poles);
      __syncthreads();
      for (int p = static_cast<int>(threadIdx.x) / most_levels; p / 2 * 2 < poles;
           p += static_cast<int>(blockDim.x) / most_levels) {
        Index pole;
        const Index k = find_pole(plan, group, pass, chunk + min(p, poles - 1), pole);  // whole warps take part
        make_table<even>(data.line, plan.poles[pole], shift, static_cast<int>(k - pass.first), tables[p]);
      }
      __syncthreads();
      for (int p = 0; p < poles; ++p) {
        const PoleTable<even, T>& table = tables[p];
        if (table.number != number) {
          LanePack<m, T>::store(sum, lane_slots + number * line_slots);
          number = table.number;
#pragma unroll
          for (int k = 0; k < m; ++k) sum[k] = 0;
        }
        const T a = table.a, b = table.b;
        T y[m];
        LanePack<m, T>::load(y, lane_slots + number * line_slots);
#pragma unroll
        for (int k = 0; k < m; ++k) y[k] *= a;
        if (pass.rims > 0) {
          const Index rim =
              pass.rims == 1 ? 0 : plan.families[group.family + pass.first + number].rim_line - pass.first_rim;
          T rims[m];
          LanePack<m, T>::load(rims, lane_slots + static_cast<int>(pass.last - pass.first + rim) * line_slots);
#pragma unroll
          for (int k = 0; k < m; ++k) y[k] += b * rims[k];
        }
        LineInBlock<m, even, T>{table, edges, data.line.n, warps, own_warp, solved++ % 2}.solve(y);
#pragma unroll
        for (int k = 0; k < m; ++k) sum[k] += y[k];
      }
    }
    LanePack<m, T>::store(sum, lane_slots + number * line_slots);
    __syncwarp();
    if (whole) {
      add_outputs<m>(data, system, group, pass, step.reduction, tile, line, line_slots);
    } else {
      T* partial = data.partial + static_cast<Offset>(blockIdx.x) * data.line.n;
#pragma unroll
      for (int j = 0; j < m; ++j)
        if (const int i = tile.row(j); i < tile.n) partial[i] = line[slot<m, T>(i)];
    }
    __syncwarp();
  }
}

/// Outputs of a group from partial sums [systems, families, chunks, n]: a block has 32 places, its warps share the sums.
template <class T>
__global__ void __launch_bounds__(1024) sum_chunks(PlaneData<T> data, Step step, Cut cut) {
  __shared__ T sums[warp][most_outputs][warp];
  const Index n = data.line.n, strips = (n + warp - 1) / warp;
  const Index strip = static_cast<Index>(blockIdx.x % strips);
  const Offset item = blockIdx.x / strips, system = item / step.group_count;
  const Group group = data.plan.groups[step.group + item % step.group_count];
  const int lane = lane_id(), own = threadIdx.x / warp, warps = blockDim.x / warp;
  const Index i = strip * warp + lane;
  const LineCoupling g = step.reduction ? data.coupling(system) : LineCoupling{};
  const T centre = T(g.centre), side = T(g.side);
  T value[most_outputs] = {};
  if (i < n) {
    for (Index number = 0; number < group.family_count; ++number) {
      const Offset family = system * step.family_count + group.family - step.family + number;
      const Index chunks = (data.plan.families[group.family + number].pole_count + cut.poles - 1) / cut.poles;
      const T* partial = data.partial + family * cut.chunks * n + i;
      T sum = 0;
#pragma unroll 4
      for (Index c = own; c < chunks; c += warps) {
        const T* at = partial + static_cast<Offset>(c) * n;
        sum += centre * *at;
        if (side != 0) sum += side * ((i > 0 ? at[-1] : T(0)) + (i + 1 < n ? at[1] : T(0)));
      }
      for (Index o = 0; o < group.output_count; ++o) value[o] += T(data.plan.output_weight(group, o, number)) * sum;
    }
  }
#pragma unroll
  for (int o = 0; o < most_outputs; ++o) sums[own][o][lane] = value[o];
  __syncthreads();
  if (own >= group.output_count || i >= n) return;
  const Output output = data.plan.outputs[group.output + own];
  T total = step.reduction ? data.row_of_f(system, output.base)[i] : T(0);
  for (int w = 0; w < warps; ++w) total += sums[w][own][lane];
  (step.reduction ? data.updated_row(system, output.row) : data.row_of_u(system, output.row))[i] = total;
}

bool is_long(Index n) { return n >= short_warps * tile_rows<short_rows>; }
int warps_of(Index n) {
  const int rows = is_long(n) ? tile_rows<long_rows> : tile_rows<short_rows>;
  return (n + rows - 1) / rows;
}

/// Shared memory of a multiprocessor for blocks, what a block's statics take of it, and the warps it should run.
constexpr int shared_memory = 227 * 1024, reserved = 1024 + 1100, warps_wanted = 16;
int blocks_wanted(int warps) { return warps == 1 ? 13 : std::max(1, warps_wanted / warps); }

template <int m, bool even, class T>
int table_bytes(int warps) {
  return poles_in_table(warps) * static_cast<int>(sizeof(PoleTable<even, T>));
}

template <int m, int most_warps, bool even, class T>
void launch_families(Cuda& exec, const Step& step, Index systems, const PlaneData<T>& data, Cut cut) {
  const int warps = warps_of(data.line.n), line = warps * tile_slots<m, T> * static_cast<int>(sizeof(T));
  const int tables = table_bytes<m, even, T>(warps);
  // F and U of one family at least; of all families where blocks enough keep room
  const int least = step.reduction ? 1 : 2,
            most = cut.poles > 0 ? least : std::max(least, static_cast<int>(step.most_lines));
  cut.lines = std::clamp((shared_memory / blocks_wanted(warps) - reserved - tables) / line, least, most);
  static const bool prepared = [] {
    TESSERA_CUDA_CHECK(cudaFuncSetAttribute(solve_families<m, most_warps, even, T>,
                                            cudaFuncAttributeMaxDynamicSharedMemorySize, shared_memory - reserved));
    return true;
  }();
  (void)prepared;
  const Offset blocks = static_cast<Offset>(systems) *
                        (cut.poles == 0 ? step.group_count : static_cast<Offset>(step.family_count) * cut.chunks);
  const std::size_t bytes = static_cast<std::size_t>(cut.lines) * line + tables;
  solve_families<m, most_warps, even, T>
      <<<static_cast<unsigned>(blocks), warp * warps, bytes, exec.stream()>>>(data, step, cut);
  TESSERA_CUDA_CHECK(cudaGetLastError());
}

template <class T>
void launch_families(Cuda& exec, const Step& step, Index systems, const PlaneData<T>& data, Cut cut) {
  const Index n = data.line.n;
  const bool even = (n & (n + 1)) == 0 && n + 1 >= (is_long(n) ? long_rows : short_rows);
  if (is_long(n))
    even ? launch_families<long_rows, long_warps, true>(exec, step, systems, data, cut)
         : launch_families<long_rows, long_warps, false>(exec, step, systems, data, cut);
  else
    even ? launch_families<short_rows, short_warps, true>(exec, step, systems, data, cut)
         : launch_families<short_rows, short_warps, false>(exec, step, systems, data, cut);
}

Index chunks_of(const Step& step, Index poles) { return poles == 0 ? 0 : (step.most_poles + poles - 1) / poles; }

}  // namespace

template <class Exec, class T>
bool PlaneSolver<Exec, T>::fits(Index n) {
  return n <= long_warps * tile_rows<long_rows>;
}

/// The cut that takes the fewest rounds of poles, all blocks that run at once counted as one. Reading rows costs a block about as much as
/// three poles, a second kernel and its sums about six.
template <class Exec, class T>
Index PlaneSolver<Exec, T>::chunk_poles(const Step& step, Index systems) const {
  constexpr Offset read = 3, second = 6;
  const Offset room = static_cast<Offset>(processors_) * std::max(1, warps_wanted / warps_of(line_.n));
  const auto rounds = [&](Offset blocks) { return (static_cast<Offset>(systems) * blocks + room - 1) / room; };
  Offset least = rounds(step.group_count) * (step.most_group_poles + read);
  Index best = 0;
  for (Index chunks = 1; chunks <= step.most_poles && rounds(chunks * step.family_count) * read + second < least;
       ++chunks) {
    const Index poles = (step.most_poles + chunks - 1) / chunks;
    const Offset cost = rounds(static_cast<Offset>(chunks) * step.family_count) * (poles + read) + second;
    if (cost < least) least = cost, best = poles;
  }
  return best;
}

template <class Exec, class T>
PlaneSolver<Exec, T>::PlaneSolver(Exec& exec, const HostPlan& plan, const Line& line, double row_spacing,
                                  Index most_systems)
    : plan_(plan), line_(line), row_spacing_(row_spacing), processors_(exec.multiprocessors()) {
  Offset partials = 0;
  for (const Step& step : plan.steps)
    for (Index systems = 1; systems <= most_systems; ++systems) {
      const Index poles = chunk_poles(step, systems);
      if (poles == 0) continue;
      partials = std::max(partials, static_cast<Offset>(systems) * step.family_count * chunks_of(step, poles));
    }
  updated_ = Array<T, Space>(static_cast<Offset>(most_systems) * plan.slots * line.n);
  partial_ = Array<T, Space>(partials * line.n);
}

template <class Exec, class T>
void PlaneSolver<Exec, T>::run(Exec& exec, const Step& step, Index systems, PlaneData<T> data) const {
  const Index poles = chunk_poles(step, systems);
  const Cut cut{poles, chunks_of(step, poles), 0};
  launch_families(exec, step, systems, data, cut);
  if (poles == 0) return;
  const Offset strips = (line_.n + warp - 1) / warp;
  const int parts = 3 * static_cast<int>(cut.chunks);
  int warps = 4;
  while (warps < 32 && warps * 4 < parts) warps *= 2;
  launch(exec, sum_chunks<T>, strips * systems * step.group_count, warp * warps, data, step, cut);
}

template <class Exec, class T>
void PlaneSolver<Exec, T>::solve(Exec& exec, Index systems, const double* shifts, const T* f, T* u) {
  const PlaneData<T> data{plan_.view(),    line_,          row_spacing_, plan_.rows, plan_.slots, shifts, f, u,
                          updated_.data(), partial_.data()};
  for (const Step& step : plan_.steps) run(exec, step, systems, data);
}

template class PlaneSolver<Cuda, double>;
template class PlaneSolver<Cuda, float>;

}  // namespace tessera::solvers::grid
