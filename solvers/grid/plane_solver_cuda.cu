#include <algorithm>

#include "base/parallel.hpp"
#include "solvers/grid/plane_kernels.cuh"

namespace tessera::solvers::grid {
namespace {

/// Rows of a lane: 8 while eight warps do, then 16.
constexpr int short_rows = 8, long_rows = 16;
constexpr int short_warps = 8, long_warps = 16;
static_assert(long_warps * tile_rows<long_rows> == 8192);

/// How a step is cut into blocks: a group a block, or chunks of a family's poles whose sums go through memory.
struct Cut {
  Index poles;   ///< of a chunk; 0: a group a block
  Index chunks;  ///< of a family
};

template <int m>
struct Tile {
  int base;  ///< rows before it
  int n;
  /// For the row 32 j + lane of the tile that lies in the line.
  template <class Use>
  __device__ void rows(Use use) const {
#pragma unroll
    for (int j = 0; j < m; ++j)
      if (const int i = base + warp * j + lane_id(); i < n) use(i, j);
  }
};

/// Writes values [m] of a lane's stripes into the tile's slots; rows beyond the line are zero.
template <int m, class T>
__device__ void to_slots(const T (&values)[m], T* slots) {
#pragma unroll
  for (int j = 0; j < m; ++j) slots[slot<m, T>(warp * j + lane_id())] = values[j];
  __syncwarp();
}

/// F and U of a family in the tile's slots.
template <int m, class T>
__device__ void form_tile(const PlaneData<T>& data, Offset system, const FamilySum& family, const Tile<m>& tile, T* F,
                          T* U) {
  T values[m] = {};
  for (Index t = 0; t < family.rhs_count; ++t) {
    const Term term = data.plan.terms[family.rhs + t];
    const T* row = data.row_of_f(system, term.row);
    tile.rows([&](int i, int j) { values[j] += T(term.weight) * row[i]; });
  }
  to_slots<m>(values, F);
  if (family.rim_count == 0) return;
  const LineCoupling g = data.coupling(system);
#pragma unroll
  for (int j = 0; j < m; ++j) values[j] = 0;
  for (Index t = 0; t < family.rim_count; ++t) {
    const Term term = data.plan.terms[family.rim + t];
    const T* row = data.row_of_u(system, term.row);
    const T centre = T(term.weight * g.centre), side = T(term.weight * g.side);
    tile.rows([&](int i, int j) {
      values[j] += centre * row[i];
      if (g.side != 0) values[j] += side * ((i > 0 ? row[i - 1] : T(0)) + (i + 1 < tile.n ? row[i + 1] : T(0)));
    });
  }
  to_slots<m>(values, U);
}

/// The values of a block's line, once all its tiles are written.
template <int m, class T>
struct LineSlots {
  const T* slots;
  int n;
  __device__ T operator()(int i) const { return i >= 0 && i < n ? slots[slot<m, T>(i)] : T(0); }
};

/// Adds a family's sum, in the slots, to the outputs of its group. `first`: the outputs hold nothing yet.
template <int m, class T>
__device__ void add_outputs(const PlaneData<T>& data, Offset system, const Group& group, Index number, bool reduction,
                            const Tile<m>& tile, const T* line_slots) {
  const LineSlots<m, T> line{line_slots, tile.n};
  const LineCoupling g = reduction ? data.coupling(system) : LineCoupling{};
  if (g.side != 0) __syncthreads();
  for (Index o = 0; o < group.output_count; ++o) {
    const Output output = data.plan.outputs[group.output + o];
    T* to = reduction ? data.updated_row(system, output.row) : data.row_of_u(system, output.row);
    const T* base = number > 0 ? to : (reduction ? data.row_of_f(system, output.base) : nullptr);
    const T weight = T(data.plan.weights[output.weight + number]) * T(g.centre), side = T(g.side);
    tile.rows([&](int i, int) {
      T value = weight * line(i);
      if (side != 0) value += side * (line(i - 1) + line(i + 1));
      to[i] = base ? base[i] + value : value;
    });
  }
  if (g.side != 0) __syncthreads();
}

/// Sums over poles, see partial_solution.hpp. Shared memory: F and U of the line, tables of poles, edges of tiles.
template <int m, int most_warps, bool even, class T>
__global__ void __launch_bounds__(warp* most_warps) solve_families(PlaneData<T> data, Step step, Cut cut) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ PoleTable<T> tables[table_poles];
  __shared__ Edges<T> edges;
  const int warps = blockDim.x / warp, own_warp = threadIdx.x / warp;
  T* F_line = reinterpret_cast<T*>(shared);
  T* F = F_line + own_warp * tile_slots<m, T>;
  T* U = F + warps * tile_slots<m, T>;
  const Tile<m> tile{own_warp * tile_rows<m>, data.line.n};
  const Index items = cut.poles == 0 ? step.group_count : step.family_count * cut.chunks;
  const Offset system = blockIdx.x / items;
  const Index item = static_cast<Index>(blockIdx.x % items);
  const Group group =
      cut.poles == 0 ? data.plan.groups[step.group + item] : Group{step.family + item / cut.chunks, 1, 0, 0};
  const Index first_pole = cut.poles == 0 ? 0 : item % cut.chunks * cut.poles;
  const double shift = data.shifts[system];
  int lines = 0;
  for (Index number = 0; number < group.family_count; ++number) {
    const FamilySum family = data.plan.families[group.family + number];
    const Index last_pole = cut.poles == 0 ? family.pole_count : min(first_pole + cut.poles, family.pole_count);
    form_tile<m>(data, system, family, tile, F, U);
    T sum[m] = {};
    for (Index chunk = first_pole; chunk < last_pole; chunk += table_poles) {
      __syncthreads();
      const int poles = min(static_cast<int>(last_pole - chunk), table_poles);
      for (int p = static_cast<int>(threadIdx.x) / most_levels; p / 2 * 2 < poles;
           p += static_cast<int>(blockDim.x) / most_levels) {
        const int known = min(p, poles - 1);  // whole warps take part
        make_table<even>(data.line, data.plan.poles[family.pole + chunk + known], shift, tables[p]);
      }
      __syncthreads();
      for (int p = 0; p < poles; ++p) {
        const PoleTable<T>& table = tables[p];
        const T a = table.a, b = table.b;
        const int first_slot = slot<m, T>(m * lane_id());
        T y[m];
        if (family.rim_count > 0) {
#pragma unroll
          for (int k = 0; k < m; ++k) y[k] = a * F[first_slot + k] + b * U[first_slot + k];
        } else {
#pragma unroll
          for (int k = 0; k < m; ++k) y[k] = a * F[first_slot + k];
        }
        LineInBlock<m, even, T>{table, edges, data.line.n, warps, own_warp, lines++ % 2}.solve(y);
#pragma unroll
        for (int k = 0; k < m; ++k) sum[k] += y[k];
      }
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < m; ++k) F[slot<m, T>(m * lane_id()) + k] = sum[k];
    __syncwarp();
    if (cut.poles == 0) {
      add_outputs<m>(data, system, group, number, step.reduction, tile, F_line);
    } else {
      T* partial = data.partial + static_cast<Offset>(blockIdx.x) * data.line.n;
      tile.rows([&](int i, int) { partial[i] = F[slot<m, T>(i - tile.base)]; });
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
      for (Index o = 0; o < group.output_count; ++o)
        value[o] += T(data.plan.weights[data.plan.outputs[group.output + o].weight + number]) * sum;
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

template <int m, int most_warps, bool even, class T>
void launch_families(Cuda& exec, const Step& step, Index systems, const PlaneData<T>& data, Cut cut) {
  const int warps = warps_of(data.line.n), lines = step.reduction ? 1 : 2;
  const std::size_t bytes = static_cast<std::size_t>(lines) * warps * tile_slots<m, T> * sizeof(T);
  static const bool prepared = [] {
    TESSERA_CUDA_CHECK(cudaFuncSetAttribute(solve_families<m, most_warps, even, T>,
                                            cudaFuncAttributeMaxDynamicSharedMemorySize,
                                            2 * most_warps * tile_slots<m, T> * static_cast<int>(sizeof(T))));
    return true;
  }();
  (void)prepared;
  const Offset blocks = static_cast<Offset>(systems) *
                        (cut.poles == 0 ? step.group_count : static_cast<Offset>(step.family_count) * cut.chunks);
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

template <class Exec, class T>
Index PlaneSolver<Exec, T>::chunk_poles(const Step& step, Index systems) const {
  // Blocks of about 16 warps a multiprocessor at once.
  const Offset room = static_cast<Offset>(processors_) * std::max(1, 16 / warps_of(line_.n));
  if (static_cast<Offset>(systems) * step.group_count >= 2 * room) return 0;
  const Offset problems = static_cast<Offset>(systems) * step.problem_count;
  return std::min(static_cast<Index>((problems + room - 1) / room), step.most_poles);
}

template <class Exec, class T>
PlaneSolver<Exec, T>::PlaneSolver(Exec& exec, const HostPlan& plan, const Line& line, double row_spacing,
                                  Index most_systems)
    : plan_(plan), line_(line), row_spacing_(row_spacing), processors_(exec.multiprocessors()) {
  Offset partials = 0;
  for (const Step& step : plan.steps)
    for (Index systems = 1; systems <= most_systems; ++systems) {
      const Index poles = chunk_poles(step, systems);
      if (poles == 0) break;  // nor with more systems
      partials = std::max(partials, static_cast<Offset>(systems) * step.family_count * chunks_of(step, poles));
    }
  updated_ = Array<T, Space>(static_cast<Offset>(most_systems) * plan.slots * line.n);
  partial_ = Array<T, Space>(partials * line.n);
}

template <class Exec, class T>
void PlaneSolver<Exec, T>::run(Exec& exec, const Step& step, Index systems, PlaneData<T> data) const {
  const Index poles = chunk_poles(step, systems);
  const Cut cut{poles, chunks_of(step, poles)};
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
