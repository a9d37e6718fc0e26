#include "solvers/amg/node_setup_impl.hpp"

namespace tessera::solvers::amg {
namespace {

/// Threads of a block, whole warps; other numbers were not tried. A warp an aggregate and a warp a block of a product
/// took, of 1.1 M unknowns of Q1 hexes, 1.0 and 19 ms on an H200 in place of 22.5 and 38 by single threads
/// (2026-11-27).
constexpr int setup_block = 256;
constexpr unsigned all_lanes = 0xffffffffu;

/// The lanes of a warp, which share the rows of an aggregate.
struct Warp {
  int number;
  __device__ explicit Warp(int number) : number(number) {}
  __device__ int lane() const { return number; }
  __device__ int lanes() const { return 32; }
  /// The same on all lanes.
  __device__ double sum(double part) const {
    for (int step = 16; step > 0; step /= 2) part += __shfl_xor_sync(all_lanes, part, step);
    return part;
  }
};

/// A warp an aggregate.
__global__ void __launch_bounds__(setup_block)
    orthonormalise_kernel(const Offset* starts, const Index* nodes, Index aggregates, int height, int modes,
                          double* kernel, double* factors) {
  const Offset aggregate = (blockIdx.x * static_cast<Offset>(setup_block) + threadIdx.x) / 32;
  if (aggregate >= aggregates) return;  // whole warps
  const detail::Rows rows{nodes + starts[aggregate], starts[aggregate + 1] - starts[aggregate], height, modes, kernel,
                          Warp(threadIdx.x % 32)};
  detail::orthonormalise(rows, factors + aggregate * modes * modes);
}

/// Where the row of B has its block of this column; -1: nowhere.
template <class TB>
__device__ Offset find_block(const NodeMatrixView<const TB>& B, Index row, Index column) {
  Offset first = B.row_ptr[row], last = B.row_ptr[row + 1];
  while (last - first > 4) {
    const Offset middle = (first + last) / 2;
    if (B.col_ind[middle] <= column)
      first = middle;
    else
      last = middle;
  }
  while (first < last && B.col_ind[first] != column) ++first;
  return first < last ? first : -1;
}

/// A warp a block of C. Its lanes look for the blocks of B that meet A's in its column, 32 at a time; for each of those
/// that are there they add to the numbers of the block, `per_lane` of them a lane. `inner`: A.width; 0: read at run
/// time.
template <int inner, int per_lane, class TA, class TB>
__global__ void __launch_bounds__(setup_block) multiply_kernel(NodeMatrixView<const TA> A, NodeMatrixView<const TB> B,
                                                               NodeMatrixView<double> C, const Index* row_of) {
  const Offset block = (blockIdx.x * static_cast<Offset>(setup_block) + threadIdx.x) / 32;
  if (block >= C.col_ind.size()) return;  // whole warps
  const int lane = threadIdx.x % 32, n = inner > 0 ? inner : A.width, w = B.width, numbers = A.height * w;
  int row_of_a[per_lane], column_of_b[per_lane];
  double sums[per_lane] = {};
#pragma unroll
  for (int u = 0; u < per_lane; ++u) {
    const int number = min(lane + 32 * u, numbers - 1);
    row_of_a[u] = number / w * n, column_of_b[u] = number % w;
  }
  const Index row = row_of[block], column = C.col_ind[block];
  const Offset end = A.row_ptr[row + 1];
  for (Offset first = A.row_ptr[row]; first < end; first += 32) {
    const Offset k = first + lane, place = k < end ? find_block(B, A.col_ind[k], column) : -1;
    for (unsigned found = __ballot_sync(all_lanes, place >= 0); found; found &= found - 1) {
      const int from = __ffs(found) - 1;
      const TA* a = A.values.data() + (first + from) * A.height * n;
      const TB* b = B.values.data() + __shfl_sync(all_lanes, place, from) * n * w;
#pragma unroll
      for (int u = 0; u < per_lane; ++u)
        for (int e = 0; e < n; ++e)
          sums[u] += static_cast<double>(a[row_of_a[u] + e]) * static_cast<double>(b[column_of_b[u] + e * w]);
    }
  }
#pragma unroll
  for (int u = 0; u < per_lane; ++u)
    if (lane + 32 * u < numbers) C.values[block * numbers + lane + 32 * u] = sums[u];
}

}  // namespace

void orthonormalise_rows(Cuda& exec, View<const Offset> starts, View<const Index> nodes, int height, int modes,
                         View<double> kernel, View<double> factors) {
  const auto aggregates = static_cast<Index>(starts.size() - 1);
  launch(exec, orthonormalise_kernel, (Offset{aggregates} * 32 + setup_block - 1) / setup_block, setup_block,
         starts.data(), nodes.data(), aggregates, height, modes, kernel.data(), factors.data());
}

template <class Exec, class TA, class TB>
void multiply_values(Exec& exec, const NodeMatrixView<const TA>& A, const NodeMatrixView<const TB>& B,
                     NodeMatrixView<double> C) {
  Array<Index, typename Exec::Space> rows(C.col_ind.size());  // of the blocks
  const View<Index> row_of = rows;
  for_each(exec, C.rows, [=] TESSERA_HD(Offset row) {
    for (Offset k = C.row_ptr[row]; k < C.row_ptr[row + 1]; ++k) row_of[k] = static_cast<Index>(row);
  });
  const auto run = [&]<int inner, int per_lane>() {
    launch(exec, multiply_kernel<inner, per_lane, TA, TB>, (C.col_ind.size() * 32 + setup_block - 1) / setup_block,
           setup_block, A, B, C, row_of.data());
  };
  const auto of_inner = [&]<int inner>() {
    constexpr int most_per_lane = (most_unknowns * most_unknowns + 31) / 32;
    const int numbers = A.height * B.width;
    if (numbers <= 32)
      run.template operator()<inner, 1>();
    else if (numbers <= 64)
      run.template operator()<inner, 2>();
    else
      run.template operator()<inner, most_per_lane>();
  };
  switch (A.width) {
    case 2: return of_inner.template operator()<2>();
    case 3: return of_inner.template operator()<3>();
    case 6: return of_inner.template operator()<6>();
    default: return of_inner.template operator()<0>();
  }
}

TESSERA_INSTANTIATE_NODE_SETUP(Cuda);
TESSERA_INSTANTIATE_NODE_MULTIPLIES(Cuda);

}  // namespace tessera::solvers::amg
