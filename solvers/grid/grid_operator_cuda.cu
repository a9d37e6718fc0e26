#include <algorithm>

#include "base/parallel.hpp"
#include "solvers/grid/grid_operator_impl.hpp"

namespace tessera::solvers::grid {

namespace {

/// Threads of a block along x and y in three dimensions; in two all lie along x. 32 along x instead of 64 changes
/// nothing.
constexpr int block = reduce_block;
constexpr int block_x = 64;
/// Blocks on a multiprocessor. Stars at 6, with two planes unrolled: 0.96 of a copy of the same vectors for 4095^2
/// instead of 0.84 at 4, sums 0.90 instead of 0.76; at 8 registers run out (H200, 2026-11-21).
constexpr int star_blocks = 6;
template <bool deep>
constexpr int tensor_blocks = deep ? 3 : 4;
/// Nodes of a thread in tensors, neighbours along y: the 27 points are read 6 times a node and plane instead of 9. With
/// `planes_ahead` 0.68 instead of 0.50 of copy for 255^3; 4 nodes take too many registers, and stars gain nothing
/// (H200, 2026-11-21).
template <bool deep>
constexpr int tensor_nodes = deep ? 2 : 1;
/// How many planes ahead the nodes of tensors are brought into the second-level cache, as the loads of a plane wait for
/// each other: 0.75 instead of 0.67 of copy for 4095^2; 8 is slower, and stars lose by it in sums (H200, 2026-11-21).
constexpr Index planes_ahead = 4;
/// Planes that a block marches through: the first and last of them are read by two blocks. 128 instead of 32: 0.83
/// instead of 0.88 of copy for 8191^2; runs so long that all blocks are on the device at once are slower (H200,
/// 2026-11-21).
constexpr Index most_planes = 32;
constexpr Index least_planes = 4;

/// The grid of blocks: tiles of a plane, then runs of planes.
struct March {
  int tile_x, tile_y;
  Index planes;
  Offset across_x, across_y, along;

  template <class T>
  March(const Cuda& exec, const PlaneStencil<T>& s, int nodes) {
    tile_x = s.ny == 1 ? block : block_x;
    tile_y = block / tile_x;
    across_x = (s.nx + tile_x - 1) / tile_x;
    across_y = (s.ny + tile_y * nodes - 1) / (tile_y * nodes);
    const Offset wanted =
        16 * Offset{exec.multiprocessors()} / (across_x * across_y) + 1;  // runs that fill the device twice
    planes = static_cast<Index>(std::clamp<Offset>(s.nz / wanted, least_planes, most_planes));
    along = (s.nz + planes - 1) / planes;
  }
  Offset blocks() const { return across_x * across_y * along; }
};

/// Where a thread stands, and the planes [first, last) of its block.
struct Place {
  Index i, j, first, last;

  __device__ Place(const March& grid, Index nz, int nodes) {
    const Offset tiles = grid.across_x * grid.across_y, tile = blockIdx.x % tiles;
    i = static_cast<Index>(tile % grid.across_x) * grid.tile_x + static_cast<int>(threadIdx.x) % grid.tile_x;
    j = (static_cast<Index>(tile / grid.across_x) * grid.tile_y + static_cast<int>(threadIdx.x) / grid.tile_x) * nodes;
    first = static_cast<Index>(blockIdx.x / tiles) * grid.planes;
    last = min(nz, first + grid.planes);
  }
};

/// One thread's column of nodes, in a kernel of its own: 0.81 instead of 0.70 of copy for residuals on 255^3 in the one
/// of tensors with one node a thread (H200, 2026-11-22). Reads the in-plane neighbours through the L1 cache.
template <class T>
struct Column {
  const T* __restrict__ x;
  const PlaneStencil<T>& s;
  Index i, j;
  Offset place, plane;  ///< of the node in its plane, and from a plane to the next

  __device__ T at(Index k) const { return k >= 0 && k < s.nz ? x[place + k * plane] : T(0); }
  /// The neighbours in plane k, weighted.
  __device__ T neighbours(Index k) const {
    const Offset p = place + k * plane;
    T sum = s.here[1] * ((i > 0 ? x[p - 1] : T(0)) + (i + 1 < s.nx ? x[p + 1] : T(0)));
    if (s.ny == 1) return sum;
    T rows = 0;
    if (j > 0) rows += x[p - s.nx];
    if (j + 1 < s.ny) rows += x[p + s.nx];
    return sum + s.here[2] * rows;
  }
};

template <class T, class Store>
__global__ void __launch_bounds__(block, star_blocks)
    march_star(PlaneStencil<T> s, March grid, const T* __restrict__ x, Store store, unsigned* ticket, double* partial,
               double* result) {
  const Place own(grid, s.nz, 1);
  double sum = 0;
  if (own.i < s.nx && own.j < s.ny) {
    const Column<T> column{x, s, own.i, own.j, own.i + Offset{s.nx} * own.j, Offset{s.nx} * s.ny};
    // The node two planes on is on its way while this one is worked on.
    T before = column.at(own.first - 1), centre = column.at(own.first), after = column.at(own.first + 1);
#pragma unroll 2
    for (Index k = own.first; k < own.last; ++k) {
      const T next = k + 1 < own.last ? column.at(k + 2) : T(0);
      const T product = s.here[0] * centre + s.above[0] * (before + after) + column.neighbours(k);
      sum += store(column.place + k * column.plane, centre, product);
      before = centre;
      centre = after;
      after = next;
    }
  }
  if constexpr (Store::sums) kernels::finish_reduce(kernels::block_sum<double, block>(sum), ticket, partial, result);
}

/// A thread's columns of nodes along z, `count` neighbours along y. In-plane neighbours come through the L1 cache, or
/// from the thread's own columns.
template <bool deep, int count, class T>
struct Columns {
  const T* __restrict__ x;
  const PlaneStencil<T>& s;
  Index i, j;
  Offset first, plane;  ///< the first node's place in its plane, and from a plane to the next

  __device__ bool has(int c) const { return j + c < s.ny; }
  __device__ bool has_plane(Index k) const { return k >= 0 && k < s.nz; }
  __device__ Offset place(int c, Index k) const { return first + k * plane + Offset{c} * s.nx; }

  __device__ void load(Index k, T (&values)[count]) const {
#pragma unroll
    for (int c = 0; c < count; ++c) values[c] = has_plane(k) && has(c) ? x[place(c, k)] : T(0);
  }
  __device__ T along_x(Offset p) const { return (i > 0 ? x[p - 1] : T(0)) + (i + 1 < s.nx ? x[p + 1] : T(0)); }
  /// Brings plane k of `array` into the second-level cache: one thread for each line of it.
  __device__ void prefetch(Index k, const T* array) const {
    if (!has_plane(k) || threadIdx.x % (128 / sizeof(T)) != 0) return;
#pragma unroll
    for (int c = 0; c < count; ++c)
      if (has(c)) asm volatile("prefetch.global.L2 [%0];" ::"l"(array + place(c, k)));
  }
  /// The neighbours in plane k, whose nodes are `centre`, weighted for the plane itself and for those beside it; the
  /// nodes themselves are left out.
  __device__ void neighbours(Index k, const T (&centre)[count], T (&own)[count], T (&beside)[count]) const {
#pragma unroll
    for (int c = 0; c < count; ++c) own[c] = beside[c] = T(0);
    if (!has_plane(k)) return;
    T sides[count];
#pragma unroll
    for (int c = 0; c < count; ++c) {
      sides[c] = has(c) ? along_x(place(c, k)) : T(0);
      own[c] = s.here[1] * sides[c];
      beside[c] = s.above[1] * sides[c];
    }
    if constexpr (deep) {
      const Offset below = place(-1, k), above = place(count, k);
      const bool has_below = j > 0, has_above = j + count < s.ny;
      const T row_below = has_below ? x[below] : T(0), row_above = has_above ? x[above] : T(0);
      const T sides_below = has_below ? along_x(below) : T(0), sides_above = has_above ? along_x(above) : T(0);
#pragma unroll
      for (int c = 0; c < count; ++c) {
        const int before = c > 0 ? c - 1 : 0, after = c + 1 < count ? c + 1 : 0;
        const T rows = (c > 0 ? centre[before] : row_below) + (c + 1 < count ? centre[after] : row_above);
        const T corners = (c > 0 ? sides[before] : sides_below) + (c + 1 < count ? sides[after] : sides_above);
        own[c] += s.here[2] * rows + s.here[3] * corners;
        beside[c] += s.above[2] * rows + s.above[3] * corners;
      }
    }
  }
};

template <bool deep, class T, class Store>
__global__ void __launch_bounds__(block, tensor_blocks<deep>)
    march_tensor(PlaneStencil<T> s, March grid, const T* __restrict__ x, Store store, unsigned* ticket, double* partial,
                 double* result) {
  constexpr int count = tensor_nodes<deep>;
  const Place own_place(grid, s.nz, count);
  double sum = 0;
  if (own_place.i < s.nx && own_place.j < s.ny) {
    const auto [i, j, first, last] = own_place;
    const Columns<deep, count, T> columns{x, s, i, j, i + Offset{s.nx} * j, Offset{s.nx} * s.ny};
    // The nodes two planes on are on their way while these are worked on.
    T before[count], centre[count], after[count], next[count] = {};
    T unused[count], own[count], beside[count], beside_before[count];
    columns.load(first - 1, before);
    columns.load(first, centre);
    columns.load(first + 1, after);
    columns.neighbours(first - 1, before, unused, beside_before);
    columns.neighbours(first, centre, own, beside);
#pragma unroll 2
    for (Index k = first; k < last; ++k) {
      if (k + planes_ahead <= last) {
        columns.prefetch(k + planes_ahead, x);
        if constexpr (Store::reads) columns.prefetch(k + planes_ahead, store.b);
      }
      if (k + 1 < last) columns.load(k + 2, next);
      T own_after[count], beside_after[count];
      columns.neighbours(k + 1, after, own_after, beside_after);
#pragma unroll
      for (int c = 0; c < count; ++c) {
        T product = s.here[0] * centre[c] + s.above[0] * (before[c] + after[c]);
        product += own[c] + beside_before[c] + beside_after[c];
        if (columns.has(c)) sum += store(columns.place(c, k), centre[c], product);
        own[c] = own_after[c], beside_before[c] = beside[c], beside[c] = beside_after[c];
        before[c] = centre[c], centre[c] = after[c], after[c] = next[c];
      }
    }
  }
  if constexpr (Store::sums) kernels::finish_reduce(kernels::block_sum<double, block>(sum), ticket, partial, result);
}

}  // namespace

template <class T, class Store>
void apply_stencil(Cuda& exec, const PlaneStencil<T>& stencil, bool star, const T* x, Store store, double* result) {
  const bool deep = stencil.ny > 1;
  const March grid(exec, stencil, star ? 1 : (deep ? tensor_nodes<true> : tensor_nodes<false>));
  unsigned* ticket = nullptr;
  double* partial = nullptr;
  if constexpr (Store::sums) {
    auto* bytes = static_cast<char*>(exec.scratch(256 + sizeof(double) * static_cast<std::size_t>(grid.blocks())));
    ticket = reinterpret_cast<unsigned*>(bytes);
    partial = reinterpret_cast<double*>(bytes + 256);
  }
  const auto kernel =
      star ? march_star<T, Store> : (deep ? march_tensor<true, T, Store> : march_tensor<false, T, Store>);
  launch(exec, kernel, grid.blocks(), block, stencil, grid, x, store, ticket, partial, result);
}

template class GridOperator<Cuda, double>;
template class GridOperator<Cuda, float>;

}  // namespace tessera::solvers::grid
