#include <cassert>

#include "base/parallel.hpp"
#include "linalg/spmv.hpp"

namespace tessera::linalg {
namespace {

constexpr int spmv_block = reduce_block;
/// Resident blocks per multiprocessor of the kernels that also reduce; 42 registers a thread.
constexpr int spmv_blocks_per_multiprocessor = 6;
/// Non-zeros that a lane has in flight: with 4 lanes a row of P1 tets (15) takes one pass, with 8 one of Q1 hexes (27).
constexpr int loads_per_lane = 4;

struct StoreProduct {  // y = A x
  static constexpr bool reduces = false;
  double* y;
  __device__ double operator()(Offset row, double ax) const {
    y[row] = ax;
    return 0;
  }
};
struct StoreProductDot {  // q = A p, sum p q
  static constexpr bool reduces = true;
  const double* p;
  double* q;
  __device__ double operator()(Offset row, double ap) const {
    q[row] = ap;
    return __ldg(p + row) * ap;
  }
};
struct StoreResidual {  // r = b - A x, sum r r
  static constexpr bool reduces = true;
  const double* b;
  double* r;
  __device__ double operator()(Offset row, double ax) const {
    const double difference = __ldcs(b + row) - ax;
    r[row] = difference;
    return difference * difference;
  }
};

/// `lanes` neighbouring threads share a row. The matrix is read once (streaming loads), x stays in the caches.
/// Rows are visited in a moving window, so neighbours in the numbering meet in the cache.
template <int lanes, class Use>
__global__ void __launch_bounds__(spmv_block, spmv_blocks_per_multiprocessor)
    spmv_kernel(CrsView<const double> A, const double* __restrict__ x, Use use, unsigned* ticket, double* partial,
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
    const double* values = A.values.data() + first;
    double sum = 0;
    for (int k = lane; k < length; k += lanes * loads_per_lane) {
      Index col[loads_per_lane];
      double value[loads_per_lane];
#pragma unroll
      for (int u = 0; u < loads_per_lane; ++u) {
        const bool inside = k + u * lanes < length;
        col[u] = inside ? __ldcs(col_ind + k + u * lanes) : -1;
        value[u] = inside ? __ldcs(values + k + u * lanes) : 0.0;
      }
#pragma unroll
      for (int u = 0; u < loads_per_lane; ++u) sum += value[u] * (col[u] >= 0 ? __ldg(x + col[u]) : 0.0);
    }
#pragma unroll
    for (int step = lanes / 2; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step, lanes);
    if (valid && lane == 0) total += use(row, sum);
  }
  if constexpr (Use::reduces)
    kernels::finish_reduce(kernels::block_sum<double, spmv_block>(total), ticket, partial, result);
}

template <int lanes, class Use>
void launch_spmv(Cuda& exec, const CrsView<const double>& A, View<const double> x, Use use, double* result) {
  constexpr Offset rows_per_block = spmv_block / lanes;
  Offset blocks = (static_cast<Offset>(A.rows) + rows_per_block - 1) / rows_per_block;
  unsigned* ticket = nullptr;
  double* partial = nullptr;
  if constexpr (Use::reduces) {  // as many blocks as fit, one partial sum each; their number fixes the order
    const Offset most = static_cast<Offset>(exec.multiprocessors()) * spmv_blocks_per_multiprocessor;
    blocks = blocks < 1 ? 1 : (blocks < most ? blocks : most);
    auto* scratch = static_cast<char*>(exec.scratch(256 + sizeof(double) * static_cast<std::size_t>(blocks)));
    ticket = reinterpret_cast<unsigned*>(scratch);
    partial = reinterpret_cast<double*>(scratch + 256);
  }
  launch(exec, spmv_kernel<lanes, Use>, blocks, spmv_block, A, x.data(), use, ticket, partial, result);
}

/// Lanes per row from the mean row length, so that one pass of `loads_per_lane` covers it.
template <class Use>
void dispatch(Cuda& exec, const CrsView<const double>& A, View<const double> x, Use use, double* result = nullptr) {
  const double mean = A.rows == 0 ? 0 : static_cast<double>(A.col_ind.size()) / A.rows;
  if (mean <= 9)
    launch_spmv<2>(exec, A, x, use, result);
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

template <>
void spmv(Cuda& exec, const CrsView<const double>& A, View<const double> x, View<double> y) {
  assert(x.size() == A.cols && y.size() == A.rows);
  dispatch(exec, A, x, StoreProduct{y.data()});
}

template <>
void spmv_dot(Cuda& exec, const CrsView<const double>& A, View<const double> p, View<double> q, double* pq) {
  assert(A.rows == A.cols && p.size() == A.cols && q.size() == A.rows);
  dispatch(exec, A, p, StoreProductDot{p.data(), q.data()}, pq);
}

template <>
void residual(Cuda& exec, const CrsView<const double>& A, View<const double> x, View<const double> b, View<double> r,
              double* rr) {
  assert(x.size() == A.cols && b.size() == A.rows && r.size() == A.rows);
  dispatch(exec, A, x, StoreResidual{b.data(), r.data()}, rr);
}

}  // namespace tessera::linalg
