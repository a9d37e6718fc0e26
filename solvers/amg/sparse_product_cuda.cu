#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "base/parallel.hpp"
#include "linalg/convert.hpp"
#include "solvers/amg/sparse_product.hpp"

namespace tessera::solvers::amg {
namespace {

// A row of C belongs to a class by the number of its columns: to a few lanes with a small hash table, to half a warp or
// a warp with larger ones, or to a block that takes windows of columns. Rows of A P have some 10 to 20 columns, those
// of R A P some 50. Each class is a launch over all rows; where there are many, who works on rows looks at as many of
// them at once as it has lanes, so that those of other classes cost little. H200, November 2026: the set-up of 16.2 M
// P1 tets takes 133 ms, 229 where every group looked at one row; 4 lanes are no slower than 8 for the shortest rows.
constexpr int product_block = 128;
constexpr int least_lanes = 4, least_table = 32;
constexpr int few_lanes = 8, small_table = 64;
constexpr int half_warp = 16, middle_table = 128;
constexpr int large_table = 512;
constexpr int window = 2048;
constexpr int window_block = 256;
/// Tables are filled up to this part.
constexpr int fill_of(int table) { return table / 4 * 3; }

/// Rows of C with more columns than `above` and not more than `most`.
struct Range {
  Offset above, most;
  __device__ bool has(Offset count) const { return count > above && count <= most; }
};

/// `lanes` neighbouring threads that work on a row.
template <int lanes>
struct Group {
  int lane;
  unsigned mask;
  __device__ Group()
      : lane(threadIdx.x % lanes),
        mask(lanes == 32 ? 0xffffffffu : ((1u << lanes % 32) - 1) << (threadIdx.x % 32 / lanes * lanes)) {}
  __device__ void sync() const { __syncwarp(mask); }
  template <class T>
  __device__ T from(T value, int other) const {
    return __shfl_sync(mask, value, other, lanes);
  }
  __device__ int sum(int value) const {
    for (int step = lanes / 2; step > 0; step /= 2) value += __shfl_xor_sync(mask, value, step, lanes);
    return value;
  }
  /// Which lanes say so, lane 0 first.
  __device__ unsigned ballot(bool says) const {
    return __ballot_sync(mask, says) >> (threadIdx.x % 32 / lanes * lanes) &
           (lanes == 32 ? 0xffffffffu : (1u << lanes % 32) - 1);
  }
};

/// Rows from which each group or block looks at many: fewer would leave multiprocessors without work.
constexpr Offset many_rows = 1 << 18;
/// Rows up to which a warp takes each, whatever its length: they are few, and may be long.
constexpr Offset few_rows = 1 << 13;
/// Few rows of C fit into the least table from this mean number of products, and few into the small one where rows of B
/// have this mean length.
constexpr double many_products = 120, long_rows = 8;

/// Calls work(row) for the rows that takes(row) says, of those that belong to this group.
template <int lanes, class Takes, class Work>
__device__ void for_rows_of(const Group<lanes>& group, Offset rows, Takes takes, Work work) {
  const Offset mine = (blockIdx.x * static_cast<Offset>(product_block) + threadIdx.x) / lanes;
  if (rows < many_rows) {
    if (mine < rows && takes(mine)) work(mine);
    return;
  }
  const Offset first = mine * lanes, own = first + group.lane;
  for (unsigned left = group.ballot(own < rows && takes(own)); left != 0; left &= left - 1) {
    work(first + __ffs(static_cast<int>(left)) - 1);
    group.sync();
  }
}
Offset blocks_of(Offset rows, int lanes) {
  const Offset groups = rows < many_rows ? rows : (rows + lanes - 1) / lanes;
  return (groups * lanes + product_block - 1) / product_block;
}

/// The place of the key in the table, which it takes if it is new; -1: the table is full.
template <int table>
__device__ int insert(Index* keys, Index key, bool& is_new) {
  unsigned place = static_cast<unsigned>(key) * 0x9e3779b1u >> 16 & (table - 1);
  for (int probe = 0; probe < table; ++probe, place = (place + 1) & (table - 1)) {
    Index there = keys[place];
    if (there == -1) {
      there = atomicCAS(keys + place, -1, key);
      if (there == -1) is_new = true;
    }
    if (there == -1 || there == key) return static_cast<int>(place);
  }
  return -1;
}

/// Calls take(column, product) for the products that make a row of C, in their order: lanes have different entries of
/// one row of B at a time, while those of the next are on their way.
template <int lanes, class TA, class TB, class Take>
__device__ void visit_products(const Group<lanes>& group, const linalg::CrsView<const TA>& A,
                               const linalg::CrsView<const TB>& B, Offset row, Take take) {
  struct Item {
    Index column;
    TB value;
  };
  const auto load = [&](Offset at) { return Item{__ldg(B.col_ind.data() + at), __ldg(B.values.data() + at)}; };
  const Offset end = A.row_ptr[row + 1];
  for (Offset base = A.row_ptr[row]; base < end; base += lanes) {
    const Offset k = base + group.lane;
    const bool inside = k < end;
    const Index j = inside ? __ldg(A.col_ind.data() + k) : 0;
    const double a = inside ? static_cast<double>(__ldg(A.values.data() + k)) : 0.0;
    const Offset first = inside ? __ldg(B.row_ptr.data() + j) : 0;
    const int length = inside ? static_cast<int>(__ldg(B.row_ptr.data() + j + 1) - first) : 0;
    const int here = static_cast<int>(min(end - base, Offset{lanes}));
    Offset from = group.from(first, 0);
    int count = group.from(length, 0);
    Item next = group.lane < count ? load(from + group.lane) : Item{};
    for (int u = 0; u < here; ++u) {
      const Item item = next;
      const Offset of_row = from;
      const int length_of_row = count;
      if (u + 1 < here) {
        from = group.from(first, u + 1);
        count = group.from(length, u + 1);
        if (group.lane < count) next = load(from + group.lane);
      }
      const double factor = group.from(a, u);
      if (group.lane < length_of_row) take(item.column, factor * static_cast<double>(item.value));
      for (int e = group.lane + lanes; e < length_of_row; e += lanes) {
        const Item more = load(of_row + e);
        take(more.column, factor * static_cast<double>(more.value));
      }
      group.sync();
    }
  }
}

/// Columns of a row of C, -1 where they do not fit into the table. Lanes have different rows of B.
template <int lanes, int table, class TA, class TB>
__device__ int count_columns(const Group<lanes>& group, const linalg::CrsView<const TA>& A,
                             const linalg::CrsView<const TB>& B, Offset row, Index* keys) {
  for (int k = group.lane; k < table; k += lanes) keys[k] = -1;
  group.sync();
  int found = 0;
  bool full = false;
  const Offset end = A.row_ptr[row + 1];
  for (Offset k = A.row_ptr[row] + group.lane; k < end && !full; k += lanes) {
    const Index j = __ldg(A.col_ind.data() + k);
    const Offset last = __ldg(B.row_ptr.data() + j + 1);
    for (Offset e = __ldg(B.row_ptr.data() + j); e < last && !full; ++e) {
      bool is_new = false;
      full = insert<table>(keys, __ldg(B.col_ind.data() + e), is_new) < 0;
      found += is_new;
    }
  }
  const bool overflow = group.ballot(full) != 0;
  found = group.sum(found);
  return overflow || found > fill_of(table) ? -1 : found;
}
/// counts[i] = columns of row i of C, for rows whose count is -1 and that fit into the table.
template <int lanes, int table, class TA, class TB>
__global__ void __launch_bounds__(product_block)
    count_rows(linalg::CrsView<const TA> A, linalg::CrsView<const TB> B, View<Offset> counts) {
  __shared__ Index tables[product_block / lanes][table];
  const Group<lanes> group;
  Index* keys = tables[threadIdx.x / lanes];
  for_rows_of(
      group, A.rows, [&](Offset row) { return counts[row] < 0; },
      [&](Offset row) {
        const int count = count_columns<lanes, table>(group, A, B, row, keys);
        if (group.lane == 0) counts[row] = count;
      });
}

/// A table of columns in shared memory, their sums, and the places that are taken.
template <int table>
struct Sums {
  double sums[table];
  Index keys[table];
  unsigned short list[table];
};

/// Sums a row of C, whose columns the table then holds. No two lanes add to the same sum: theirs are different columns.
template <int lanes, int table, class TA, class TB>
__device__ void sum_row(const Group<lanes>& group, const linalg::CrsView<const TA>& A,
                        const linalg::CrsView<const TB>& B, Offset row, Sums<table>& to) {
  for (int k = group.lane; k < table; k += lanes) {
    to.keys[k] = -1;
    to.sums[k] = 0;
  }
  group.sync();
  visit_products(group, A, B, row, [&](Index column, double product) {
    bool is_new = false;
    to.sums[insert<table>(to.keys, column, is_new)] += product;
  });
}
/// Writes what the table holds in ascending order of columns.
template <int lanes, int table>
__device__ void write_row(const Group<lanes>& group, Sums<table>& from, Index* col_ind, double* values) {
  int count = 0;
  for (int k = group.lane; k < table; k += lanes) {
    const bool taken = from.keys[k] != -1;
    const unsigned all = group.ballot(taken);
    if (taken) from.list[count + __popc(all & ((1u << group.lane) - 1))] = static_cast<unsigned short>(k);
    count += __popc(all);
  }
  group.sync();
  for (int k = group.lane; k < count; k += lanes) {
    const Index key = from.keys[from.list[k]];
    int before = 0;
    for (int other = 0; other < count; ++other) before += from.keys[from.list[other]] < key;
    col_ind[before] = key;
    values[before] = from.sums[from.list[k]];
  }
}
/// The rows of C whose lengths are in the range.
template <int lanes, int table, class TA, class TB>
__global__ void __launch_bounds__(product_block) sum_rows(linalg::CrsView<const TA> A, linalg::CrsView<const TB> B,
                                                          linalg::CrsView<double> C, Index* col_ind, Range range) {
  __shared__ Sums<table> all[product_block / lanes];
  const Group<lanes> group;
  Sums<table>& mine = all[threadIdx.x / lanes];
  for_rows_of(
      group, A.rows, [&](Offset row) { return range.has(C.row_ptr[row + 1] - C.row_ptr[row]); },
      [&](Offset row) {
        sum_row(group, A, B, row, mine);
        write_row(group, mine, col_ind + C.row_ptr[row], C.values.data() + C.row_ptr[row]);
      });
}

/// What a block needs for a window of columns.
struct Window {
  using Reduce = cub::BlockReduce<Index, window_block>;
  using Scan = cub::BlockScan<int, window_block>;
  double sums[window];
  unsigned char met[window];
  union {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
  } scratch;
  Index start;
};

/// A row of any length by a block: the sums of a window of columns at a time, the next of which begins with the least
/// column beyond the last. Returns the number of columns; writes them and their values where `writing`.
template <bool writing, class TA, class TB>
__device__ Offset sum_windows_of(const linalg::CrsView<const TA>& A, const linalg::CrsView<const TB>& B, Offset row,
                                 Window& at, Index* col_ind, double* values) {
  constexpr int per_thread = window / window_block;
  const Index none = 0x7fffffff;
  Offset done = 0;
  Index beyond = 0;
  while (true) {
    Index least = none;
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
      const Index j = A.col_ind[k];
      for (Offset e = B.row_ptr[j] + threadIdx.x; e < B.row_ptr[j + 1]; e += window_block)
        if (B.col_ind[e] >= beyond) least = min(least, B.col_ind[e]);
    }
    least = Window::Reduce(at.scratch.reduce).Reduce(least, [](Index a, Index b) { return a < b ? a : b; });
    if (threadIdx.x == 0) at.start = least;
    for (int k = threadIdx.x; k < window; k += window_block) {
      at.sums[k] = 0;
      at.met[k] = 0;
    }
    __syncthreads();
    const Index first = at.start;
    if (first == none) return done;
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
      const Index j = A.col_ind[k];
      const double a = static_cast<double>(A.values[k]);
      for (Offset e = B.row_ptr[j] + threadIdx.x; e < B.row_ptr[j + 1]; e += window_block) {
        const Index place = B.col_ind[e] - first;
        if (place < 0 || place >= window) continue;
        at.met[place] = 1;
        at.sums[place] += a * static_cast<double>(B.values[e]);
      }
      __syncthreads();
    }
    int mine = 0, before = 0, all = 0;
    for (int k = 0; k < per_thread; ++k) mine += at.met[threadIdx.x * per_thread + k];
    Window::Scan(at.scratch.scan).ExclusiveSum(mine, before, all);
    if constexpr (writing) {
      Offset next = done + before;
      for (int k = 0; k < per_thread; ++k) {
        const int place = threadIdx.x * per_thread + k;
        if (!at.met[place]) continue;
        col_ind[next] = first + place;
        values[next++] = at.sums[place];
      }
    }
    done += all;
    beyond = first > none - window ? none : first + window;
    __syncthreads();
  }
}

/// The rows that no table holds, a block each: counts [rows] of those whose count is -1, or columns and values of C.
template <bool writing, class TA, class TB>
__global__ void __launch_bounds__(window_block)
    sum_windows(linalg::CrsView<const TA> A, linalg::CrsView<const TB> B, View<Offset> counts,
                linalg::CrsView<double> C, Index* col_ind) {
  __shared__ Window at;
  __shared__ unsigned takes[window_block / 32];
  const Offset turn = A.rows < many_rows ? 1 : window_block;  // rows that a block looks at together
  for (Offset first = blockIdx.x * turn; first < A.rows; first += gridDim.x * turn) {
    const Offset own = first + threadIdx.x;
    bool mine = threadIdx.x < turn && own < A.rows;
    if constexpr (writing)
      mine = mine && C.row_ptr[own + 1] - C.row_ptr[own] > fill_of(large_table);
    else
      mine = mine && counts[own] < 0;
    const unsigned says = __ballot_sync(0xffffffffu, mine);
    if (threadIdx.x % 32 == 0) takes[threadIdx.x / 32] = says;
    if (__syncthreads_or(mine) == 0) continue;
    for (int warp = 0; warp < window_block / 32; ++warp) {
      for (unsigned left = takes[warp]; left != 0; left &= left - 1) {
        const Offset row = first + 32 * warp + __ffs(static_cast<int>(left)) - 1;
        const Offset place = writing ? C.row_ptr[row] : 0;
        const Offset count = sum_windows_of<writing>(A, B, row, at, col_ind + place, C.values.data() + place);
        if (!writing && threadIdx.x == 0) counts[row] = count;
        __syncthreads();
      }
    }
    __syncthreads();
  }
}
Offset window_blocks(Cuda& exec, Offset rows) {
  return std::min<Offset>(rows < many_rows ? rows : rows / window_block + 1, Offset{8} * exec.multiprocessors());
}

template <class T>
double mean_length(const linalg::CrsView<const T>& A) {
  return A.rows == 0 ? 0 : static_cast<double>(A.col_ind.size()) / A.rows;
}

}  // namespace

template <class Exec, class TA, class TB>
void multiply_values(Exec& exec, const linalg::CrsView<const TA>& A, const linalg::CrsView<const TB>& B,
                     linalg::Crs<typename Exec::Space>& C) {
  const linalg::CrsView<double> c = C.view();
  Index* col_ind = C.col_ind.data();
  const auto sum = [&](auto kernel, int lanes, Offset above, int table) {
    launch(exec, kernel, blocks_of(A.rows, lanes), product_block, A, B, c, col_ind, Range{above, fill_of(table)});
  };
  if (A.rows > few_rows) {
    sum(sum_rows<least_lanes, least_table, TA, TB>, least_lanes, 0, least_table);
    sum(sum_rows<few_lanes, small_table, TA, TB>, few_lanes, fill_of(least_table), small_table);
    sum(sum_rows<half_warp, middle_table, TA, TB>, half_warp, fill_of(small_table), middle_table);
  }
  sum(sum_rows<32, large_table, TA, TB>, 32, A.rows > few_rows ? fill_of(middle_table) : 0, large_table);
  launch(exec, sum_windows<true, TA, TB>, window_blocks(exec, A.rows), window_block, A, B, View<Offset>(), c, col_ind);
}

template <class Exec, class TA, class TB>
linalg::Crs<typename Exec::Space> multiply(Exec& exec, const linalg::CrsView<const TA>& A,
                                           const linalg::CrsView<const TB>& B) {
  linalg::Crs<Device> C;
  C.rows = A.rows;
  C.cols = B.cols;
  C.row_ptr = Array<Offset, Device>(Offset{A.rows} + 1);
  const View<Offset> counts = C.row_ptr;
  for_each(exec, counts.size(), [=] TESSERA_HD(Offset row) { counts[row] = -1; });
  const auto count = [&](auto kernel, int lanes) {
    launch(exec, kernel, blocks_of(A.rows, lanes), product_block, A, B, counts);
  };
  const double products = mean_length(A) * mean_length(B);
  if (A.rows > few_rows) {
    if (products < many_products && mean_length(B) < long_rows)
      count(count_rows<least_lanes, least_table, TA, TB>, least_lanes);
    if (mean_length(B) < long_rows) count(count_rows<few_lanes, small_table, TA, TB>, few_lanes);
    count(count_rows<half_warp, middle_table, TA, TB>, half_warp);
  }
  count(count_rows<32, large_table, TA, TB>, 32);
  launch(exec, sum_windows<false, TA, TB>, window_blocks(exec, A.rows), window_block, A, B, counts,
         linalg::CrsView<double>(), static_cast<Index*>(nullptr));
  const Offset entries = linalg::counts_to_offsets(exec, counts);
  C.col_ind = Array<Index, Device>(entries);
  C.values = Array<double, Device>(entries);
  multiply_values(exec, A, B, C);
  return C;
}

template <class Exec, class V>
linalg::Crs<typename Exec::Space> galerkin_product(Exec& exec, const linalg::CrsView<const V>& R,
                                                   const linalg::CrsView<const double>& A,
                                                   const linalg::CrsView<const V>& P, bool) {
  const linalg::Crs<Device> AP = multiply(exec, A, P);
  return multiply(exec, R, AP.view());
}
template <class Exec, class V>
void galerkin_values(Exec& exec, const linalg::CrsView<const V>& R, const linalg::CrsView<const double>& A,
                     const linalg::CrsView<const V>& P, bool, linalg::Crs<typename Exec::Space>& C) {
  const linalg::Crs<Device> AP = multiply(exec, A, P);
  multiply_values(exec, R, AP.view(), C);
}

TESSERA_INSTANTIATE_MULTIPLIES(Cuda);

}  // namespace tessera::solvers::amg
