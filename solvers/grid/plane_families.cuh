#pragma once
// The kernels of a step: a block forms the right-hand sides of the families of a group, solves line after line and adds
// up the solutions.
#include "base/chained_launch.cuh"
#include "solvers/grid/plane_kernels.cuh"

namespace tessera::solvers::grid {

/// How a step is cut into blocks: a group a block (poles = 0), or chunks of a family's poles whose sums go through
/// memory.
struct Cut {
  Index poles, chunks;
  int lines;       ///< of right-hand sides that fit in shared memory
  unsigned ahead;  ///< blocks that run at once
  bool folded;     ///< no block has two poles of a family: a F + b U is formed at once
  bool early;      ///< no kernel writes the shifts: the first tables are made while the kernel before still runs
};

/// Stripes of 32 rows of a tile that are loaded together: six rows of them are 24 loads in flight.
constexpr int stripes = 4;

template <int m>
struct Tile {
  int base;  ///< rows before it
  int n;

  __device__ int row(int stripe) const { return base + warp * stripe + lane_id(); }
};

/// What a block needs to know of its group, in shared memory: rows of f, then of u on both sides, with their weights.
template <class T>
struct SharedGroup {
  const T* row[most_rows + most_rims];
  T weight[most_families][most_rows + most_rims];
  T output[most_outputs][most_families];
  Index pole[most_families], pole_count[most_families], rim_line[most_families];
  T rim_share[most_families];  ///< b / a of the only pole of a family, where a F + b U is formed at once
  int rows, rims;
};

/// All threads of a block take part. Reads the plan alone, which no kernel writes. `pole`: of the only one of its
/// family, where there is but one.
template <class T>
__device__ void load_group(const PlaneData<T>& data, Offset system, const Group& group, Index pole,
                           SharedGroup<T>& shared) {
  const PlanView& plan = data.plan;
  const int thread = threadIdx.x, threads = blockDim.x, sources = group.row_count + group.rim_count;
  for (int r = thread; r < sources; r += threads) {
    const Index source = plan.sources[group.row + r];  // rims follow the rows
    shared.row[r] = r < group.row_count ? data.row_of_f(system, source) : data.row_of_u(system, source);
  }
  for (int k = thread; k < group.family_count * sources; k += threads)
    shared.weight[k / sources][k % sources] =
        T(plan.weights[plan.families[group.family + k / sources].weight + k % sources]);
  for (int k = thread; k < group.output_count * group.family_count; k += threads)
    shared.output[k / group.family_count][k % group.family_count] =
        T(plan.output_weight(group, k / group.family_count, k % group.family_count));
  for (int k = thread; k < group.family_count; k += threads) {
    const FamilySum& family = plan.families[group.family + k];
    shared.pole[k] = family.pole;
    shared.pole_count[k] = family.pole_count;
    shared.rim_line[k] = family.rim_line;
    if (group.rim_count > 0 && pole < family.pole_count) {
      const Pole only = plan.poles[family.pole + pole];
      shared.rim_share[k] = T(only.b / only.a);
    }
  }
  if (thread == 0) shared.rows = group.row_count, shared.rims = group.rim_count;
  __syncthreads();
}

/// Some families of a group, whose right-hand sides and sums are in shared memory: F, then the different U.
struct Pass {
  int first, last;  ///< families, counted in the group
  int first_rim, rims;
};

/// As many families from `first` on as fit, at least one. Different U are numbered in the order of families.
template <class T>
__device__ Pass make_pass(const SharedGroup<T>& group, int first, int most, int lines, bool folded) {
  const int rim = group.rim_line[first];
  const bool has_rims = group.rims > 0 && !folded;
  Pass pass{first, first + 1, rim, has_rims ? 1 : 0};
  for (; pass.last < most; ++pass.last) {
    const int rims = has_rims ? group.rim_line[pass.last] - rim + 1 : 0;
    if (pass.last + 1 - first + rims > lines) break;
    pass.rims = rims;
  }
  return pass;
}

/// (g row)(i) with the coupling g.
template <class T>
__device__ T coupled(const PlaneData<T>& data, Offset system, const T* row, int i) {
  if (data.line.stencil == Stencil::star) return row[i];
  const LineCoupling g = data.coupling(system);
  return T(g.centre) * row[i] + T(g.side) * ((i > 0 ? row[i - 1] : T(0)) + (i + 1 < data.line.n ? row[i + 1] : T(0)));
}

/// Some stripes of the lines of a pass into their slots. Each row is read once, and all reads are in flight together.
template <int m, class T>
__device__ void form_stripes(const PlaneData<T>& data, Offset system, const SharedGroup<T>& group, const Pass& pass,
                             const Tile<m>& tile, int first, T* slots, int line_slots) {
  T row[most_rows][stripes] = {}, rim[most_rims][stripes] = {};
#pragma unroll
  for (int r = 0; r < most_rows; ++r) {
    if (r >= group.rows) break;
#pragma unroll
    for (int j = 0; j < stripes; ++j)
      if (const int i = tile.row(first + j); i < tile.n) row[r][j] = group.row[r][i];
  }
#pragma unroll
  for (int r = 0; r < most_rims; ++r) {
    if (r >= group.rims) break;
#pragma unroll
    for (int j = 0; j < stripes; ++j)
      if (const int i = tile.row(first + j); i < tile.n)
        rim[r][j] = coupled(data, system, group.row[group.rows + r], i);
  }
  for (int k = pass.first; k < pass.last; ++k) {
    const T* weight = group.weight[k];
    T F[stripes] = {};
#pragma unroll
    for (int r = 0; r < most_rows; ++r) {
      if (r >= group.rows) break;
#pragma unroll
      for (int j = 0; j < stripes; ++j) F[j] += weight[r] * row[r][j];
    }
    if (group.rims > 0) {
      const T left = weight[group.rows], right = group.rims > 1 ? weight[group.rows + 1] : T(0);
      T* line = slots + (pass.last - pass.first + group.rim_line[k] - pass.first_rim) * line_slots;
#pragma unroll
      for (int j = 0; j < stripes; ++j) {
        const T U = left * rim[0][j] + right * rim[1][j];
        if (pass.rims > 0)
          line[slot<m, T>(warp * (first + j) + lane_id())] = U;
        else
          F[j] += group.rim_share[k] * U;
      }
    }
#pragma unroll
    for (int j = 0; j < stripes; ++j)
      slots[(k - pass.first) * line_slots + slot<m, T>(warp * (first + j) + lane_id())] = F[j];
  }
}

/// Brings the rows of a group of a later block into the second-level cache: blocks that fill a multiprocessor cannot
/// load while they solve.
template <class T>
__device__ void prefetch(const PlaneData<T>& data, Offset system, const Group& group) {
  const int i = static_cast<int>(threadIdx.x) * (128 / static_cast<int>(sizeof(T)));
  for (Index r = 0; r < group.row_count + group.rim_count; ++r) {
    const Index source = data.plan.sources[group.row + r];  // rims follow the rows
    const T* row = r < group.row_count ? data.row_of_f(system, source) : data.row_of_u(system, source);
    if (i < data.line.n) asm volatile("prefetch.global.L2 [%0];" ::"l"(row + i));
  }
}

/// Adds the sums of a pass to the outputs of its group.
template <int m, class T>
__device__ void add_outputs(const PlaneData<T>& data, Offset system, const Group& group, const SharedGroup<T>& shared,
                            const Pass& pass, bool reduction, const Tile<m>& tile, const T* line, int line_slots) {
  const LineCoupling g = reduction ? data.coupling(system) : LineCoupling{};
  if (!g.identity) __syncthreads();  // neighbours may be in another tile
  for (Index o = 0; o < group.output_count; ++o) {
    const Output output = data.plan.outputs[group.output + o];
    T* to = reduction ? data.updated_row(system, output.row) : data.row_of_u(system, output.row);
    const T* base = pass.first > 0 ? to : (reduction ? data.row_of_f(system, output.base) : nullptr);
    T sum[m] = {};
    if (base) {  // all reads before the first write
#pragma unroll
      for (int j = 0; j < m; ++j)
        if (const int i = tile.row(j); i < tile.n) sum[j] = base[i];
    }
    for (int k = pass.first; k < pass.last; ++k) {
      const T weight = shared.output[o][k];
      const T* at = line + (k - pass.first) * line_slots;
#pragma unroll
      for (int j = 0; j < m; ++j) {
        const int i = tile.row(j);
        T value = at[slot<m, T>(i)];
        if (!g.identity)
          value = T(g.centre) * value + T(g.side) * ((i > 0 ? at[slot<m, T>(i - 1)] : T(0)) +
                                                     (i + 1 < tile.n ? at[slot<m, T>(i + 1)] : T(0)));
        sum[j] += weight * value;
      }
    }
#pragma unroll
    for (int j = 0; j < m; ++j)
      if (const int i = tile.row(j); i < tile.n) to[i] = sum[j];
  }
  if (!g.identity) __syncthreads();
}

/// Poles whose levels a block has at a time: what its warps make at once, eight at most.
__host__ __device__ constexpr int poles_in_table(int warps) { return warps < 2 ? 4 : (warps < 4 ? 2 * warps : 8); }

/// The tables of poles [first, first + count) of a pass, by all threads of a block.
template <bool even, class T>
__device__ void make_tables(const PlaneData<T>& data, double shift, const SharedGroup<T>& group, const Pass& pass,
                            int first, int count, PoleTable<even, T>* tables) {
  const int lanes = table_lanes(data.line.n), at_once = warp / lanes;
  for (int p = static_cast<int>(threadIdx.x) / lanes; (p & ~(at_once - 1)) < count;
       p += static_cast<int>(blockDim.x) / lanes) {
    int number = first + min(p, count - 1), k = pass.first;  // whole warps take part
    for (; k + 1 < pass.last && number >= group.pole_count[k]; ++k) number -= group.pole_count[k];
    make_table<even>(data.line, data.plan.poles[group.pole[k] + number], shift, k - pass.first, lanes, tables[p]);
  }
  __syncthreads();
}

/// Sums over poles, see partial_solution.hpp. Shared memory: lines of right-hand sides, which sums replace, and tables
/// of poles. 128 registers a thread, so that a multiprocessor holds 16 warps.
template <int m, int most_warps, bool even, class T>
__global__ void __launch_bounds__(warp* most_warps, 16 / most_warps)
    solve_families(const __grid_constant__ PlaneData<T> data, const __grid_constant__ Step step, Cut cut) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ Edges<T> edges;
  __shared__ SharedGroup<T> own;
  const PlanView& plan = data.plan;
  const int warps = blockDim.x / warp, own_warp = threadIdx.x / warp, line_slots = warps * tile_slots<m, T>;
  T* line = reinterpret_cast<T*>(shared);
  auto* tables = reinterpret_cast<PoleTable<even, T>*>(line + cut.lines * line_slots);
  T *slots = line + own_warp * tile_slots<m, T>, *lane_slots = slots + slot<m, T>(m * lane_id());
  const Tile<m> tile{own_warp * tile_rows<m>, data.line.n};

  const bool whole = cut.poles == 0;
  const Index items = whole ? step.group_count : step.family_count * cut.chunks;
  const Offset system = blockIdx.x / items;
  const Index item = static_cast<Index>(blockIdx.x % items), own_family = step.family + item / max(cut.chunks, 1);
  let_next_kernel_start();
  const Group& group = plan.groups[whole ? step.group + item : plan.families[own_family].group];
  const Index chunk_pole = whole ? 0 : item % cut.chunks * cut.poles;
  if (!whole && chunk_pole >= plan.families[own_family].pole_count) return;  // others have more chunks
  load_group(data, system, group, chunk_pole, own);
  const int first_family = whole ? 0 : own_family - group.family,
            last_family = whole ? group.family_count : first_family + 1;
  Pass pass = make_pass(own, first_family, last_family, cut.lines, cut.folded);
  const auto end_of_poles = [&] {  // of the pass, behind its last
    int poles = 0;
    for (int k = pass.first; k < pass.last; ++k) poles += own.pole_count[k];
    return whole ? poles : min(poles, chunk_pole + cut.poles);
  };
  const int most = poles_in_table(warps);
  int last_pole = end_of_poles();
  bool has_tables = cut.early;
  if (has_tables)
    make_tables(data, data.shifts[system], own, pass, chunk_pole, min(last_pole - chunk_pole, most), tables);
  await_kernels_before();
  int solved = 0;
  while (true) {
#pragma unroll 1
    for (int first = 0; first < m; first += stripes)
      form_stripes<m>(data, system, own, pass, tile, first, slots, line_slots);
    __syncwarp();
    if (const unsigned next = blockIdx.x + cut.ahead; whole && pass.first == 0 && cut.ahead > 0 && next < gridDim.x)
      prefetch(data, next / items, plan.groups[step.group + static_cast<Index>(next % items)]);
    T sum[m] = {};
    int number = 0;  // of the family that is being summed
    for (int chunk = chunk_pole; chunk < last_pole; chunk += most) {
      const int poles = min(last_pole - chunk, most);
      if (!has_tables) {
        __syncthreads();
        make_tables(data, data.shifts[system], own, pass, chunk, poles, tables);
      }
      has_tables = false;
      for (int p = 0; p < poles; ++p) {
        const PoleTable<even, T>& table = tables[p];
        if (table.number != number) {
          LanePack<m, T>::store(sum, lane_slots + number * line_slots);
          number = table.number;
#pragma unroll
          for (int k = 0; k < m; ++k) sum[k] = 0;
        }
        T y[m];
        LanePack<m, T>::load(y, lane_slots + number * line_slots);
        if (pass.rims > 0) {
          const int rim = pass.last - pass.first + own.rim_line[pass.first + number] - pass.first_rim;
          LanePack<m, T>::add(y, table.rim, lane_slots + rim * line_slots);
        }
        LineInBlock<m, even, T>{table, edges, data.line.n, warps, own_warp, solved++ % 2}.solve(y);
        const T weight = table.weight;
#pragma unroll
        for (int k = 0; k < m; ++k) sum[k] += weight * y[k];
      }
    }
    LanePack<m, T>::store(sum, lane_slots + number * line_slots);
    __syncwarp();
    if (whole) {
      add_outputs<m>(data, system, group, own, pass, step.reduction, tile, line, line_slots);
    } else {
      T* partial = data.partial + static_cast<Offset>(blockIdx.x) * data.line.n;
#pragma unroll
      for (int j = 0; j < m; ++j)
        if (const int i = tile.row(j); i < tile.n) partial[i] = line[slot<m, T>(i)];
    }
    __syncwarp();
    if (pass.last >= last_family) break;
    pass = make_pass(own, pass.last, last_family, cut.lines, cut.folded);
    last_pole = end_of_poles();
  }
}

/// Outputs of a group from partial sums [systems, families, chunks, n]: a block has 32 places, its warps share the
/// sums.
template <class T>
__global__ void __launch_bounds__(1024) sum_chunks(PlaneData<T> data, Step step, Cut cut) {
  __shared__ T sums[warp][most_outputs][warp];
  const Index n = data.line.n, strips = (n + warp - 1) / warp;
  const Index strip = static_cast<Index>(blockIdx.x % strips);
  const Offset item = blockIdx.x / strips, system = item / step.group_count;
  const Group group = data.plan.groups[step.group + item % step.group_count];
  const int lane = lane_id(), own = threadIdx.x / warp, warps = blockDim.x / warp;
  const Index i = strip * warp + lane;
  let_next_kernel_start();
  await_kernels_before();
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
        if (!g.identity) sum += side * ((i > 0 ? at[-1] : T(0)) + (i + 1 < n ? at[1] : T(0)));
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

}  // namespace tessera::solvers::grid
