// One half iteration on CUDA: a warp reads neighbouring entries of one row and one colour.
#include <cuda_runtime.h>

#include "base/cuda_check.hpp"
#include "base/error.hpp"
#include "solvers/grid/lmsor_cuda.hpp"

namespace tessera::solvers::grid::lmsor {

namespace {

/// A block is `block_columns` entries wide; each thread works on `granularity` consecutive rows.
constexpr int block_columns = 64, block_rows = 4;
constexpr int half_block = block_columns * block_rows;
static_assert(half_block == reduce_block);
/// Blocks that a multiprocessor is to hold. Recomputing omega is a long chain of operations, which takes many warps to
/// hide: H200, November 2026, 8191^2, 2 rows a thread: 0.96 of copy with 5 blocks, 0.85 with 4. The bisection of mixed
/// points takes registers.
constexpr int least_blocks(Recompute recompute, bool may_be_mixed, int granularity) {
  if (granularity == 8) return 1;
  if (may_be_mixed) return granularity == 4 ? 2 : 4;
  if (granularity == 1) return recompute == Recompute::all ? 6 : 8;
  const int fewer = recompute == Recompute::none ? 1 : 0;  // four weights more a point
  return (granularity == 2 ? 5 : 3) - fewer;
}

template <class T>
struct HalfArgs {
  Fields<T> fields;
  cudaTextureObject_t texture;  ///< of the other colour
  Sums<2>* partial;             ///< [blocks] or null
  int colour;
  BlockLine line;
};

template <class T>
__device__ T fetch(cudaTextureObject_t texture, Offset at) {
  if constexpr (sizeof(T) == 8) {
    const int2 bits = tex1Dfetch<int2>(texture, static_cast<int>(at));
    return __hiloint2double(bits.y, bits.x);
  } else {
    return tex1Dfetch<float>(texture, static_cast<int>(at));
  }
}

/// Of a block's rows with their neighbours.
template <int G>
inline constexpr int tile_rows = block_rows* G + 2;
constexpr int tile_columns = block_columns + 2;

/// Entries of the other colour around the rows of a thread. j: row in the grid, k: row in the block's rows.
template <Access access, int G, class T>
struct Other {
  const T* array;
  cudaTextureObject_t texture;
  Offset pitch;
  const T* tile;

  __device__ T at(Offset j, Offset p) const {
    if constexpr (access == Access::texture) return fetch<T>(texture, j * pitch + p);
    return __ldg(array + j * pitch + p);
  }
  __device__ T operator()(Offset j, int k, Offset p, int column) const {
    if constexpr (access == Access::shared) return tile[(k + 1) * tile_columns + column + 1];
    return at(j, p);
  }
  /// Fills `tile` from row first_row - 1 and column first_column - 1 on.
  __device__ void fill(T* to, Offset first_row, Offset first_column, const Layout& layout) {
    constexpr int items = tile_rows<G> * tile_columns, rounds = (items + half_block - 1) / half_block;
    T value[rounds];
#pragma unroll
    for (int round = 0; round < rounds; ++round) {  // all loads before the first store
      const int item = static_cast<int>(threadIdx.x) + round * half_block;
      const Offset j = first_row - 1 + item / tile_columns, p = first_column - 1 + item % tile_columns;
      const bool inside = item < items && j <= layout.m2 + 1 && p >= 0 && p < layout.pitch;
      value[round] = inside ? __ldg(array + j * layout.pitch + p) : T(0);
    }
#pragma unroll
    for (int round = 0; round < rounds; ++round)
      if (const int item = static_cast<int>(threadIdx.x) + round * half_block; item < items) to[item] = value[round];
    tile = to;
    __syncthreads();
  }
};

template <class T>
struct Point {
  Stencil<T> stencil;
  T omega, source;
};

/// F and G in the places of the first two weights, until the loads of all points are under way.
template <Recompute recompute, class T>
__device__ Point<T> load_point(const Fields<T>& fields, Offset at) {
  const auto load = [&](int array) { return __ldg(fields.coefficient[array] + at); };
  const T source = fields.source ? __ldg(fields.source + at) : T(0);
  if constexpr (recompute == Recompute::none) return {{load(0), load(1), load(2), load(3)}, load(4), source};
  return {{load(0), load(1), T(0), T(0)}, recompute == Recompute::coefficients ? load(2) : T(0), source};
}

template <Recompute recompute, bool may_be_mixed, class T>
__device__ void recompute_point(const Fields<T>& fields, int colour, Point<T>& point) {
  if constexpr (recompute == Recompute::none) return;
  const T F = point.stencil.west, G = point.stencil.east;
  point.stencil = make_stencil(fields.A, fields.B, F, G);
  if constexpr (recompute == Recompute::all)
    point.omega = static_cast<T>(fields.omega.template at<may_be_mixed>(F, G, colour));
}

template <Recompute recompute, bool may_be_mixed, Access access, int G, class T>
__global__ void __launch_bounds__(half_block, least_blocks(recompute, may_be_mixed, G))
    half_kernel(const __grid_constant__ HalfArgs<T> args) {
  using std::fma;
  const Layout layout = args.fields.layout;
  const int colour = args.colour;
  const int column = threadIdx.x % block_columns, row = threadIdx.x / block_columns * G;
  const unsigned block_row = args.line.row(blockIdx.x), block_column = blockIdx.x - block_row * args.line.columns;
  const Offset first_row = 1 + block_row * static_cast<Offset>(block_rows * G);
  const Offset p = block_column * static_cast<Offset>(block_columns) + column;
  // Threads beyond the grid read what their last neighbour inside reads and write nothing.
  const Offset safe = p <= layout.m1 / 2 ? p : layout.m1 / 2;
  const Offset own = colour * layout.size;
  Other<access, G, T> other{args.fields.u + (1 - colour) * layout.size, args.texture, layout.pitch, nullptr};
  T u[G];
  Point<T> points[G];
  T middle[G + 2], side[G];
#pragma unroll
  for (int k = 0; k < G; ++k) {
    const Offset j = first_row + row + k <= layout.m2 ? first_row + row + k : layout.m2;
    u[k] = args.fields.u[own + j * layout.pitch + safe];
    points[k] = load_point<recompute>(args.fields, own + j * layout.pitch + safe);
  }
  // While the loads above are under way: 0.89 instead of 0.67 of copy for `all` on 4095^2 (H200, 2026-11-21).
  if constexpr (access == Access::shared) {
    __shared__ T tile[tile_rows<G> * tile_columns];
    other.fill(tile, first_row, p - column, layout);
  }
#pragma unroll
  for (int k = 0; k < G; ++k) {
    const Offset j = first_row + row + k <= layout.m2 ? first_row + row + k : layout.m2;
    const int beside = 2 * Layout::shift(j, colour) - 1;
    side[k] = other(j, row + k, safe + beside, column + beside);
  }
#pragma unroll
  for (int k = -1; k <= G; ++k) {
    const Offset j = first_row + row + k <= layout.m2 + 1 ? first_row + row + k : layout.m2 + 1;
    middle[k + 1] = other(j, row + k, safe, column);
  }

  Sums<2> sums;
#pragma unroll
  for (int k = 0; k < G; ++k) {
    const Offset j = first_row + row + k;
    const int shift = Layout::shift(j, colour);
    recompute_point<recompute, may_be_mixed>(args.fields, colour, points[k]);
    const T west = shift ? middle[k + 1] : side[k], east = shift ? side[k] : middle[k + 1];
    const T e = defect(points[k].stencil, west, east, middle[k + 2], middle[k], u[k], points[k].source);
    const T omega = points[k].omega;
    if (j > layout.m2 || p < 1 - shift || 2 * p + shift > layout.m1) continue;
    args.fields.u[own + j * layout.pitch + p] = fma(omega, e, u[k]);
    if (args.partial) {
      const double left =
          colour == 0 ? static_cast<double>(e) - static_cast<double>(omega) * e : static_cast<double>(e);
      const double step = static_cast<double>(omega) * e;
      sums.value[0] += left * left;
      sums.value[1] += step * step;
    }
  }
  if (!args.partial) return;
  sums = kernels::block_sums<2, half_block>(sums);
  if (threadIdx.x == 0) args.partial[blockIdx.x] = sums;
}

Offset blocks_x(const Layout& layout) { return (layout.m1 / 2 + block_columns) / block_columns; }

template <class T>
using HalfKernel = void (*)(HalfArgs<T>);

template <Recompute recompute, bool may_be_mixed, Access access, class T>
HalfKernel<T> kernel_of(int granularity) {
  switch (granularity) {
    case 1: return half_kernel<recompute, may_be_mixed, access, 1, T>;
    case 2: return half_kernel<recompute, may_be_mixed, access, 2, T>;
    case 4: return half_kernel<recompute, may_be_mixed, access, 4, T>;
    default: return half_kernel<recompute, may_be_mixed, access, 8, T>;
  }
}
template <Recompute recompute, bool may_be_mixed, class T>
HalfKernel<T> kernel_of(Access access, int granularity) {
  switch (access) {
    case Access::global: return kernel_of<recompute, may_be_mixed, Access::global, T>(granularity);
    case Access::shared: return kernel_of<recompute, may_be_mixed, Access::shared, T>(granularity);
    default: return kernel_of<recompute, may_be_mixed, Access::texture, T>(granularity);
  }
}
/// Grids without mixed points have kernels of their own where omega is recomputed: the bisection takes registers.
template <class T>
HalfKernel<T> kernel_of(const Choices& choices, bool has_mixed) {
  const Access access = choices.access;
  const int granularity = choices.granularity;
  switch (choices.recompute) {
    case Recompute::none: return kernel_of<Recompute::none, false, T>(access, granularity);
    case Recompute::coefficients: return kernel_of<Recompute::coefficients, false, T>(access, granularity);
    default:
      return has_mixed ? kernel_of<Recompute::all, true, T>(access, granularity)
                       : kernel_of<Recompute::all, false, T>(access, granularity);
  }
}

}  // namespace

template <class T>
std::shared_ptr<unsigned long long> make_texture(const T* array, Offset size) {
  int device = 0, most = 0;
  TESSERA_CUDA_CHECK(cudaGetDevice(&device));
  TESSERA_CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxTexture1DLinearWidth, device));
  if (size > most)
    throw Error(
        ExitCode::usage,
        "a texture of " + std::to_string(size) + " values was asked for, the GPU allows " + std::to_string(most),
        "choose access = \"global\"");
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = const_cast<T*>(array);
  resource.res.linear.desc = sizeof(T) == 8 ? cudaCreateChannelDesc<int2>() : cudaCreateChannelDesc<float>();
  resource.res.linear.sizeInBytes = static_cast<std::size_t>(size) * sizeof(T);
  cudaTextureDesc description{};
  description.readMode = cudaReadModeElementType;
  cudaTextureObject_t object = 0;
  TESSERA_CUDA_CHECK(cudaCreateTextureObject(&object, &resource, &description, nullptr));
  return {new unsigned long long(object), [](unsigned long long* texture) {
            (void)cudaDestroyTextureObject(*texture);
            delete texture;
          }};
}

Offset half_iteration_blocks(const Layout& layout, const Choices& choices) {
  const Offset rows = block_rows * choices.granularity;
  return blocks_x(layout) * ((layout.m2 + rows - 1) / rows);
}

template <class T>
void half_iteration(Cuda& exec, Relaxation<Cuda, T>& relaxation, int colour, bool with_norms) {
  const Fields<T>& fields = relaxation.fields;
  const Offset blocks = half_iteration_blocks(fields.layout, relaxation.choices);
  const auto& texture = relaxation.texture[1 - colour];
  const HalfArgs<T> args{fields, texture ? *texture : 0,
                         with_norms ? relaxation.partial.data() + colour * blocks : nullptr, colour,
                         BlockLine(blocks_x(fields.layout))};
  launch(exec, kernel_of<T>(relaxation.choices, fields.has_mixed), blocks, half_block, args);
}

template std::shared_ptr<unsigned long long> make_texture<double>(const double*, Offset);
template std::shared_ptr<unsigned long long> make_texture<float>(const float*, Offset);
template void half_iteration<double>(Cuda&, Relaxation<Cuda, double>&, int, bool);
template void half_iteration<float>(Cuda&, Relaxation<Cuda, float>&, int, bool);

}  // namespace tessera::solvers::grid::lmsor
