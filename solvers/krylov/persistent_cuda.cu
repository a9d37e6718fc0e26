#include <cooperative_groups.h>

#include "base/reduce_pair.hpp"
#include "solvers/krylov/persistent.hpp"

namespace tessera::solvers {
namespace {

/// One block a multiprocessor keeps the barrier short: its cost grows with the blocks.
constexpr int persistent_block = 1024;

struct PersistentArgs {
  linalg::CrsView<const double> A;
  View<const double> inverse_diagonal;
  View<double> x, r, p, s, w, u;
  PersistentScalars scalars;
  double* delta;  ///< [blocks], the part of each
  double* norms;  ///< [2, 2, blocks]: (r, r) and (r, u), of even and odd iterations: some blocks still read the last ones
  int count;
};

/// w = A u; returns this thread's part of (w, u). u was written in this launch: no read-only loads of it.
template <int lanes>
__device__ double multiply_rows(const PersistentArgs& args) {
  const int lane = threadIdx.x % lanes;
  const Offset stride = static_cast<Offset>(gridDim.x) * (persistent_block / lanes);
  const Offset group = (blockIdx.x * static_cast<Offset>(persistent_block) + threadIdx.x) / lanes;
  double total = 0;
  for (Offset base = group - group % (32 / lanes); base < args.A.rows; base += stride) {  // whole warps stay together
    const Offset row = base + group % (32 / lanes);
    const bool valid = row < args.A.rows;
    const Offset first = valid ? __ldg(args.A.row_ptr.data() + row) : 0;
    const Offset last = valid ? __ldg(args.A.row_ptr.data() + row + 1) : 0;
    double sum = 0;
#pragma unroll 4
    for (Offset k = first + lane; k < last; k += lanes)
      sum += __ldg(args.A.values.data() + k) * args.u[__ldg(args.A.col_ind.data() + k)];
#pragma unroll
    for (int step = lanes / 2; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step, lanes);
    if (valid && lane == 0) {
      args.w[row] = sum;
      total += sum * args.u[row];
    }
  }
  return total;
}

/// delta, (r, r) and (r, u) over all blocks, the same in every block.
__device__ Sums<3> sum_blocks(const double* delta, const double* norms) {
  Sums<3> sums;
  for (unsigned block = threadIdx.x; block < gridDim.x; block += persistent_block) {
    sums.value[0] += __ldcg(delta + block);
    sums.value[1] += __ldcg(norms + block);
    sums.value[2] += __ldcg(norms + gridDim.x + block);
  }
  sums = kernels::block_sums<3, persistent_block>(sums);
  __shared__ Sums<3> shared;
  if (threadIdx.x == 0) shared = sums;
  __syncthreads();
  sums = shared;
  __syncthreads();
  return sums;
}

template <int lanes>
__global__ void __launch_bounds__(persistent_block, 1) persistent_cg(PersistentArgs args) {
  const auto grid = cooperative_groups::this_grid();
  const PersistentScalars& at = args.scalars;
  const bool writer = blockIdx.x == 0 && threadIdx.x == 0;
  const bool scaled = !args.inverse_diagonal.empty();
  const Offset rows = args.A.rows;
  double alpha = at.alpha[0], gamma_old = at.gamma[0], gamma = at.gamma[1];
  for (int i = 0; i < args.count; ++i) {
    // w = A u ; delta = (w, u)
    const Sums<1> delta = kernels::block_sums<1, persistent_block>({{multiply_rows<lanes>(args)}});
    if (threadIdx.x == 0) args.delta[blockIdx.x] = delta.value[0];
    grid.sync();
    // alpha and beta from all sums of the iteration, which end here
    const Sums<3> sums = sum_blocks(args.delta, args.norms + (i + 1) % 2 * 2 * gridDim.x);
    if (i > 0) gamma_old = gamma, gamma = sums.value[2];
    const double beta = gamma_old > 0 ? gamma / gamma_old : 0.0;
    const double pq = sums.value[0] - (alpha > 0 ? beta * gamma / alpha : 0.0);
    alpha = pq > 0 ? gamma / pq : 0.0;
    if (writer) {
      if (i > 0) at.rr[i - 1] = sums.value[1], at.gamma[i + 1] = gamma;
      at.delta[i] = sums.value[0];
      at.pq[i] = pq;
      at.alpha[i + 1] = alpha;
    }
    // p = u + beta p ; s = w + beta s ; x += alpha p ; r -= alpha s ; u = D^-1 r
    Sums<2> norms;
    for (Offset row = blockIdx.x * static_cast<Offset>(persistent_block) + threadIdx.x; row < rows;
         row += static_cast<Offset>(gridDim.x) * persistent_block) {
      const double direction = args.u[row] + beta * args.p[row], product = args.w[row] + beta * args.s[row];
      const double next = args.r[row] - alpha * product;
      const double u = scaled ? __ldg(args.inverse_diagonal.data() + row) * next : next;
      args.p[row] = direction;
      args.s[row] = product;
      args.x[row] += alpha * direction;
      args.r[row] = next;
      if (scaled) args.u[row] = u;
      norms.value[0] += next * next;
      norms.value[1] += next * u;
    }
    norms = kernels::block_sums<2, persistent_block>(norms);
    if (threadIdx.x == 0) {
      double* own = args.norms + i % 2 * 2 * gridDim.x + blockIdx.x;
      own[0] = norms.value[0];
      own[gridDim.x] = norms.value[1];
    }
    grid.sync();
  }
  const Sums<3> sums = sum_blocks(args.delta, args.norms + (args.count + 1) % 2 * 2 * gridDim.x);
  if (writer) {
    at.rr[args.count - 1] = sums.value[1];
    at.gamma[args.count + 1] = sums.value[2];
  }
}

}  // namespace

void persistent_iterations(Cuda& exec, const linalg::CrsView<const double>& A, View<const double> inverse_diagonal,
                           View<double> x, View<double> r, View<double> p, View<double> s, View<double> w, View<double> u,
                           const PersistentScalars& scalars, int count) {
  if (A.rows == 0 || count == 0) return;
  const int blocks = exec.multiprocessors();
  PersistentArgs args{A, inverse_diagonal, x, r, p, s, w, u, scalars, nullptr, nullptr, count};
  // Behind the ticket of the reductions, which must stay zero.
  args.delta = reinterpret_cast<double*>(static_cast<char*>(exec.scratch(256 + 5 * sizeof(double) * blocks)) + 256);
  args.norms = args.delta + blocks;
  const double mean = static_cast<double>(A.col_ind.size()) / A.rows;
  void* parameters[] = {&args};
  const void* kernel = mean <= 9    ? reinterpret_cast<const void*>(persistent_cg<2>)
                       : mean <= 20 ? reinterpret_cast<const void*>(persistent_cg<4>)
                       : mean <= 48 ? reinterpret_cast<const void*>(persistent_cg<8>)
                                    : reinterpret_cast<const void*>(persistent_cg<32>);
  TESSERA_CUDA_CHECK(cudaLaunchCooperativeKernel(kernel, dim3(static_cast<unsigned>(blocks)), dim3(persistent_block),
                                                 parameters, 0, exec.stream()));
#ifndef NDEBUG
  exec.synchronize();
#endif
}

}  // namespace tessera::solvers
