#include <algorithm>

#include "base/parallel.hpp"
#include "solvers/grid/grid_operator_impl.hpp"

namespace tessera::solvers::grid {

namespace {

/// Threads of a block along x and y in three dimensions; in two all lie along x.
constexpr int block = reduce_block;
constexpr int block_x = 64;
/// Blocks on a multiprocessor. Stars at 6, with two planes unrolled: 0.96 of a copy of the same vectors for 4095^2 instead of 0.84 at
/// 4, sums 0.90 instead of 0.76; at 8 registers run out. Tensors lose at 6: 0.35 instead of 0.65 for a sum on 255^3
/// (H200, 2026-11-21).
template <bool star>
constexpr int least_blocks = star ? 6 : 4;
/// Planes that a block marches through: the first and last of them are read by two blocks. 128 instead of 32: 0.83 instead of
/// 0.88 of copy for 8191^2.
constexpr Index most_planes = 32;
constexpr Index least_planes = 4;

/// The grid of blocks: tiles of a plane, then runs of planes.
struct March {
  int tile_x, tile_y;
  Index planes;
  Offset across_x, across_y, along;

  template <class T>
  March(const Cuda& exec, const PlaneStencil<T>& s) {
    tile_x = s.ny == 1 ? block : block_x;
    tile_y = block / tile_x;
    across_x = (s.nx + tile_x - 1) / tile_x;
    across_y = (s.ny + tile_y - 1) / tile_y;
    const Offset wanted =
        16 * Offset{exec.multiprocessors()} / (across_x * across_y) + 1;  // runs that fill the device twice
    planes = static_cast<Index>(std::clamp<Offset>(s.nz / wanted, least_planes, most_planes));
    along = (s.nz + planes - 1) / planes;
  }
  Offset blocks() const { return across_x * across_y * along; }
};

/// One thread's column of nodes; reads the in-plane neighbours through the L1 cache.
template <class T>
struct Column {
  const T* __restrict__ x;
  const PlaneStencil<T>& s;
  Index i, j;
  Offset place, plane;  ///< of the node in its plane, and from a plane to the next

  __device__ T at(Index k) const { return k >= 0 && k < s.nz ? x[place + k * plane] : T(0); }
  __device__ T along_x(Offset p) const { return (i > 0 ? x[p - 1] : T(0)) + (i + 1 < s.nx ? x[p + 1] : T(0)); }
  /// The neighbours in plane k, weighted for the node's own plane and, for tensors, for those beside it; the centre is left out.
  template <bool star>
  __device__ void neighbours(Index k, T& own, T& beside) const {
    own = beside = T(0);
    if (k < 0 || k >= s.nz) return;
    const Offset p = place + k * plane;
    const T sides = along_x(p);
    own = s.here[1] * sides;
    if constexpr (!star) beside = s.above[1] * sides;
    if (s.ny == 1) return;
    T rows = 0, corners = 0;
    if (j > 0) {
      rows += x[p - s.nx];
      if constexpr (!star) corners += along_x(p - s.nx);
    }
    if (j + 1 < s.ny) {
      rows += x[p + s.nx];
      if constexpr (!star) corners += along_x(p + s.nx);
    }
    own += s.here[2] * rows;
    if constexpr (!star) {
      own += s.here[3] * corners;
      beside += s.above[2] * rows + s.above[3] * corners;
    }
  }
};

template <bool star, class T, class Store>
__global__ void __launch_bounds__(block, least_blocks<star>)
    march(PlaneStencil<T> s, March grid, const T* __restrict__ x, Store store, unsigned* ticket, double* partial,
          double* result) {
  const Offset tiles = grid.across_x * grid.across_y, tile = blockIdx.x % tiles;
  const Index i = static_cast<Index>(tile % grid.across_x) * grid.tile_x + static_cast<int>(threadIdx.x) % grid.tile_x;
  const Index j = static_cast<Index>(tile / grid.across_x) * grid.tile_y + static_cast<int>(threadIdx.x) / grid.tile_x;
  const Index first = static_cast<Index>(blockIdx.x / tiles) * grid.planes, last = min(s.nz, first + grid.planes);
  double sum = 0;
  if (i < s.nx && j < s.ny) {
    const Column<T> column{x, s, i, j, i + Offset{s.nx} * j, Offset{s.nx} * s.ny};
    // The node two planes on is on its way while this one is worked on.
    T before = column.at(first - 1), centre = column.at(first), after = column.at(first + 1);
    T unused, beside_before, own, beside;
    if constexpr (!star) {
      column.template neighbours<star>(first - 1, unused, beside_before);
      column.template neighbours<star>(first, own, beside);
    }
#pragma unroll 2
    for (Index k = first; k < last; ++k) {
      const T next = k + 1 < last ? column.at(k + 2) : T(0);
      T product = s.here[0] * centre + s.above[0] * (before + after);
      if constexpr (star) {
        column.template neighbours<star>(k, own, beside);
        product += own;
      } else {
        T own_after, beside_after;
        column.template neighbours<star>(k + 1, own_after, beside_after);
        product += own + beside_before + beside_after;
        own = own_after;
        beside_before = beside;
        beside = beside_after;
      }
      sum += store(column.place + k * column.plane, centre, product);
      before = centre;
      centre = after;
      after = next;
    }
  }
  if constexpr (Store::sums) kernels::finish_reduce(kernels::block_sum<double, block>(sum), ticket, partial, result);
}

}  // namespace

template <class T, class Store>
void apply_stencil(Cuda& exec, const PlaneStencil<T>& stencil, bool star, const T* x, Store store, double* result) {
  const March grid(exec, stencil);
  unsigned* ticket = nullptr;
  double* partial = nullptr;
  if constexpr (Store::sums) {
    auto* bytes = static_cast<char*>(exec.scratch(256 + sizeof(double) * static_cast<std::size_t>(grid.blocks())));
    ticket = reinterpret_cast<unsigned*>(bytes);
    partial = reinterpret_cast<double*>(bytes + 256);
  }
  launch(exec, star ? march<true, T, Store> : march<false, T, Store>, grid.blocks(), block, stencil, grid, x, store,
         ticket, partial, result);
}

template class GridOperator<Cuda, double>;
template class GridOperator<Cuda, float>;

}  // namespace tessera::solvers::grid
