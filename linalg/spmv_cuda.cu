#include <cassert>

#include "base/parallel.hpp"
#include "linalg/added_diagonal.hpp"
#include "linalg/spmv.hpp"

namespace tessera::linalg {
namespace {

constexpr int spmv_block = reduce_block;
/// Resident blocks per multiprocessor of the kernels that also reduce; 42 registers a thread.
constexpr int spmv_blocks_per_multiprocessor = 6;
/// Non-zeros that a lane has in flight: with 4 lanes a row of P1 tets (15) takes one pass, with 8 one of Q1 hexes (27).
constexpr int loads_per_lane = 4;
/// Of stream_kernel: threads of a block, entries that a lane has in flight, and a warp in shared memory. On an H200
/// (CUDA 13, 2026-11-21) in relation to cuSPARSE's CSR, P1 tets / Q1 hexes / P2 tets / P1 tets shuffled by 4096: 6
/// entries 1.19 / 1.16 / 1.10 / 1.35, 8 entries 1.34 / 1.20 / 1.14 / 0.98, spmv_kernel 1.33 / 1.21 / 0.91 / 0.81.
constexpr int stream_block = 1024;
constexpr int stream_loads = 6;
constexpr int stream_chunk = 32 * stream_loads;
/// Rounds of a block below which spmv_kernel, which has more threads for few rows, is taken.
constexpr int stream_rounds = 4;

// What a product does with (A x)_row. Kernels start the sum of a row with `added(row)`, whose loads then travel with
// those of the row. Sums are double for float entries, too: where the terms of a row cancel, as in products with smooth
// vectors, what is left counts. stream_kernel alone rounds the products to float, for the room that they take in shared
// memory.

template <class T>
struct StoreProduct {  // y = A x
  static constexpr bool reduces = false;
  AddedDiagonal<T> added;
  T* y;
  __device__ double operator()(Offset row, T ax) const {
    y[row] = ax;
    return 0;
  }
};
template <class T>
struct StoreProductDot {  // q = A p, sum p q
  static constexpr bool reduces = true;
  AddedDiagonal<T> added;
  const T* p;
  T* q;
  __device__ double operator()(Offset row, T ap) const {
    q[row] = ap;
    return static_cast<double>(__ldg(p + row)) * ap;
  }
};
template <class T>
struct StoreResidual {  // r = b - A x, sum r r
  static constexpr bool reduces = true;
  AddedDiagonal<T> added;
  const T* b;
  T* r;
  __device__ double operator()(Offset row, T ax) const {
    const T difference = __ldcs(b + row) - ax;
    r[row] = difference;
    return static_cast<double>(difference) * difference;
  }
};

/// `lanes` neighbouring threads share a row. The matrix is read once (streaming loads), x stays in the caches.
/// Rows are visited in a moving window, so neighbours in the numbering meet in the cache.
template <int lanes, class T, class Use>
__global__ void __launch_bounds__(spmv_block, spmv_blocks_per_multiprocessor)
    spmv_kernel(CrsView<const T> A, const T* __restrict__ x, Use use, unsigned* ticket, double* partial,
                double* result) {
  constexpr int rows_per_warp = 32 / lanes;
  const int lane = threadIdx.x % lanes;
  const Offset warp = (blockIdx.x * static_cast<Offset>(spmv_block) + threadIdx.x) / 32;
  const Offset row_stride = gridDim.x * static_cast<Offset>(spmv_block / lanes);
  double total = 0;
  for (Offset base = warp * rows_per_warp; base < A.rows; base += row_stride) {  // whole warps stay together
    const Offset row = base + threadIdx.x % 32 / lanes;
    const bool valid = row < A.rows;
    const Offset first = valid ? __ldg(A.row_ptr.data() + row) : 0;
    const int length = valid ? static_cast<int>(__ldg(A.row_ptr.data() + row + 1) - first) : 0;
    const Index* col_ind = A.col_ind.data() + first;
    const T* values = A.values.data() + first;
    double sum = valid && lane == 0 ? use.added(row) : T{0};
    for (int k = lane; k < length; k += lanes * loads_per_lane) {
      Index col[loads_per_lane];
      T value[loads_per_lane];
#pragma unroll
      for (int u = 0; u < loads_per_lane; ++u) {
        const bool inside = k + u * lanes < length;
        col[u] = inside ? __ldcs(col_ind + k + u * lanes) : -1;
        value[u] = inside ? __ldcs(values + k + u * lanes) : T{0};
      }
#pragma unroll
      for (int u = 0; u < loads_per_lane; ++u)
        sum += static_cast<double>(value[u]) * (col[u] >= 0 ? __ldg(x + col[u]) : T{0});
    }
#pragma unroll
    for (int step = lanes / 2; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step, lanes);
    if (valid && lane == 0) total += use(row, static_cast<T>(sum));
  }
  if constexpr (Use::reduces)
    kernels::finish_reduce(kernels::block_sum<double, spmv_block>(total), ticket, partial, result);
}

/// Each lane of a warp has a row, but the warp reads the entries of its 32 rows side by side, whatever their lengths,
/// and leaves the products in shared memory for the lanes to sum (CSR-stream; Greathouse and Daga, SC 2014). A block
/// fills a multiprocessor and takes consecutive rows: those share entries of x in the L1 cache, which matters most
/// where the numbering is poor.
template <class T, class Use>
__global__ void __launch_bounds__(stream_block, 1) stream_kernel(CrsView<const T> A, const T* __restrict__ x, Use use,
                                                                 unsigned* ticket, double* partial, double* result) {
  extern __shared__ char shared[];
  T* products = reinterpret_cast<T*>(shared) + threadIdx.x / 32 * stream_chunk;
  const int lane = threadIdx.x % 32;
  const Offset stride = gridDim.x * static_cast<Offset>(stream_block);
  double total = 0;
  for (Offset base = blockIdx.x * static_cast<Offset>(stream_block) + threadIdx.x / 32 * 32; base < A.rows;
       base += stride) {
    const Offset row = min(base + lane, static_cast<Offset>(A.rows));
    const Offset end = __ldg(A.row_ptr.data() + min(base + 32, static_cast<Offset>(A.rows)));
    const Offset first = __ldg(A.row_ptr.data() + row), begin = __shfl_sync(0xffffffffu, first, 0);
    const Offset next = __shfl_down_sync(0xffffffffu, first, 1), last = lane == 31 ? end : next;
    double sum = row < A.rows ? use.added(row) : T{0};
    for (Offset at = begin; at < end; at += stream_chunk) {
      const int count = static_cast<int>(min(end - at, Offset{stream_chunk}));
      Index col[stream_loads];
      T value[stream_loads];
#pragma unroll
      for (int u = 0; u < stream_loads; ++u) {
        const int k = u * 32 + lane;
        col[u] = k < count ? __ldcs(A.col_ind.data() + at + k) : -1;
        value[u] = k < count ? __ldcs(A.values.data() + at + k) : T{0};
      }
#pragma unroll
      for (int u = 0; u < stream_loads; ++u)
        products[u * 32 + lane] = value[u] * (col[u] >= 0 ? __ldg(x + col[u]) : T{0});
      __syncwarp();
      const int from = static_cast<int>(max(first - at, Offset{0})),
                to = static_cast<int>(min(last - at, Offset{count}));
      for (int k = from; k < to; ++k) sum += products[k];
      __syncwarp();
    }
    if (row < A.rows) total += use(row, static_cast<T>(sum));
  }
  if constexpr (Use::reduces) {
    total = kernels::block_sum<double, stream_block>(total);
    if (threadIdx.x < reduce_block)
      kernels::finish_reduce(total, ticket, partial, result);  // the other threads have ended
  }
}

/// Where the blocks of a kernel that also sums leave their parts.
struct BlockSums {
  unsigned* ticket = nullptr;
  double* partial = nullptr;

  BlockSums() = default;
  BlockSums(Cuda& exec, Offset blocks) {
    auto* scratch = static_cast<char*>(exec.scratch(256 + sizeof(double) * static_cast<std::size_t>(blocks)));
    ticket = reinterpret_cast<unsigned*>(scratch);
    partial = reinterpret_cast<double*>(scratch + 256);
  }
};

template <int lanes, class T, class Use>
void launch_spmv(Cuda& exec, const CrsView<const T>& A, View<const T> x, Use use, double* result) {
  constexpr Offset rows_per_block = spmv_block / lanes;
  Offset blocks = (static_cast<Offset>(A.rows) + rows_per_block - 1) / rows_per_block;
  BlockSums sums;
  if constexpr (Use::reduces) {  // as many blocks as fit, one partial sum each; their number fixes the order
    const Offset most = static_cast<Offset>(exec.multiprocessors()) * spmv_blocks_per_multiprocessor;
    blocks = blocks < 1 ? 1 : (blocks < most ? blocks : most);
    sums = BlockSums(exec, blocks);
  }
  launch(exec, spmv_kernel<lanes, T, Use>, blocks, spmv_block, A, x.data(), use, sums.ticket, sums.partial, result);
}

/// One block a multiprocessor, for matrices that give each several rounds.
template <class T, class Use>
void launch_stream(Cuda& exec, const CrsView<const T>& A, View<const T> x, Use use, double* result) {
  constexpr int shared = stream_block / 32 * stream_chunk * static_cast<int>(sizeof(T));
  const auto kernel = stream_kernel<T, Use>;
  TESSERA_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  const Offset blocks = exec.multiprocessors();
  const BlockSums sums = Use::reduces ? BlockSums(exec, blocks) : BlockSums();
  kernel<<<static_cast<unsigned>(blocks), stream_block, shared, exec.stream()>>>(A, x.data(), use, sums.ticket,
                                                                                 sums.partial, result);
  TESSERA_CUDA_CHECK(cudaGetLastError());
#ifndef NDEBUG
  exec.synchronize();
#endif
}

/// The kernel by the mean length of rows: lanes that share a row, so that one pass of `loads_per_lane` covers it; rows
/// of 9 to 48 entries of large matrices as a stream. Products that also sum keep to shared rows up to 20 entries: there
/// the sum costs the stream, whose one block a multiprocessor waits for it, a sixth of an iteration of CG (H200, P1
/// tets, 16.8 M rows: 1.42 ms against 1.25).
template <class T, class Use>
void dispatch(Cuda& exec, const CrsView<const T>& A, View<const T> x, Use use, double* result = nullptr) {
  const double mean = A.rows == 0 ? 0 : static_cast<double>(A.col_ind.size()) / A.rows;
  const bool large = A.rows >= Offset{stream_rounds} * stream_block * exec.multiprocessors();
  if (mean <= 9)
    launch_spmv<2>(exec, A, x, use, result);
  else if (mean <= 48 && large && !(Use::reduces && mean <= 20))
    launch_stream(exec, A, x, use, result);
  else if (mean <= 20)
    launch_spmv<4>(exec, A, x, use, result);
  else if (mean <= 48)
    launch_spmv<8>(exec, A, x, use, result);
  else if (mean <= 96)
    launch_spmv<16>(exec, A, x, use, result);
  else
    launch_spmv<32>(exec, A, x, use, result);
}

}  // namespace

template <class Exec, class T>
void spmv(Exec& exec, const std::type_identity_t<CrsView<const T>>& A, std::type_identity_t<View<const T>> x, View<T> y,
          std::type_identity_t<View<const T>> added) {
  assert(x.size() == A.cols && y.size() == A.rows);
  dispatch(exec, A, x, StoreProduct<T>{{added, x}, y.data()});
}

template <class Exec, class T>
void spmv_dot(Exec& exec, const std::type_identity_t<CrsView<const T>>& A, std::type_identity_t<View<const T>> p,
              View<T> q, double* pq, std::type_identity_t<View<const T>> added) {
  assert(A.rows == A.cols && p.size() == A.cols && q.size() == A.rows);
  dispatch(exec, A, p, StoreProductDot<T>{{added, p}, p.data(), q.data()}, pq);
}

template <class Exec, class T>
void residual(Exec& exec, const std::type_identity_t<CrsView<const T>>& A, std::type_identity_t<View<const T>> x,
              std::type_identity_t<View<const T>> b, View<T> r, double* rr, std::type_identity_t<View<const T>> added) {
  assert(x.size() == A.cols && b.size() == A.rows && r.size() == A.rows);
  dispatch(exec, A, x, StoreResidual<T>{{added, x}, b.data(), r.data()}, rr);
}

#define TESSERA_INSTANTIATE_SPMV(T)                                                                                \
  template void spmv<Cuda, T>(Cuda&, const CrsView<const T>&, View<const T>, View<T>, View<const T>);              \
  template void spmv_dot<Cuda, T>(Cuda&, const CrsView<const T>&, View<const T>, View<T>, double*, View<const T>); \
  template void residual<Cuda, T>(Cuda&, const CrsView<const T>&, View<const T>, View<const T>, View<T>, double*,  \
                                  View<const T>)
TESSERA_INSTANTIATE_SPMV(double);
TESSERA_INSTANTIATE_SPMV(float);

}  // namespace tessera::linalg
