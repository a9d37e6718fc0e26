#include "base/chained_launch.cuh"
#include "base/reduce_over_ranks.hpp"
#include "linalg/ghost_product_impl.hpp"

namespace tessera::linalg {
namespace {

/// q_rows[k] += factor (A g)_k of the ghosts that arrive, and *pq becomes the sum over ranks of *pq and (p_rows, A g),
/// where p is given.
template <bool dot, class T>
__global__ void __launch_bounds__(reduce_block)
    add_arriving_rows(T factor, CrsView<const T> A, View<const Index> rows, const __grid_constant__ PeerArrival arrival,
                      View<const T> p, View<T> q, double* pq, unsigned* ticket, Sums<1>* partial,
                      const __grid_constant__ PeerSums peers) {
  let_next_kernel_start();
  await_kernels_before();
  const unsigned number = peer::await(arrival);
  const bool first = blockIdx.x == 0 && threadIdx.x == 0;
  Sums<1> sum;
  if (dot && first) sum.value[0] = *pq;
  const Offset stride = static_cast<Offset>(gridDim.x) * reduce_block;
  for (Offset k = blockIdx.x * static_cast<Offset>(reduce_block) + threadIdx.x; k < A.rows; k += stride) {
    T value = 0;
    for (Offset j = A.row_ptr[k]; j < A.row_ptr[k + 1]; ++j)
      value += A.values[j] * peer::entry<T>(arrival, number, A.col_ind[j]);
    const Index row = rows[k];
    q[row] += factor * value;
    if (dot) sum.value[0] += static_cast<double>(p[row]) * value;
  }
  if (dot) sum = kernels::block_sums<1, reduce_block>(sum);
  if (!kernels::sum_of_blocks(sum, ticket, partial)) return;
  *arrival.exchanges = number;
  if (!dot) return;
  peer::sum_over_ranks(peers, sum.value);
  *pq = sum.value[0];
}

template <bool dot, class T>
bool launch_arriving(Cuda& exec, double factor, const CrsView<const T>& A, Halo<Cuda>& halo, View<const T> p, View<T> q,
                     double* pq) {
  const PeerArrival* const arrival = halo.arrival();
  if (!arrival) return false;
  const ReduceScratch<Sums<1>> scratch(exec, A.rows);
  const PeerSums peers = dot ? peers_of(exec) : PeerSums{};
  launch_chained(exec, add_arriving_rows<dot, T>, scratch.blocks, reduce_block, 0, static_cast<T>(factor), A,
                 View<const Index>(halo.boundary().view()), *arrival, p, q, pq, scratch.ticket, scratch.partial, peers);
  if (dot && peers.ranks == 0) sum_over_ranks(exec, {{pq}});
  return true;
}

}  // namespace

template <class T>
bool detail::add_arriving(Cuda& exec, double factor, const CrsView<const T>& A, Halo<Cuda>& halo, View<T> y) {
  return launch_arriving<false>(exec, factor, A, halo, View<const T>(), y, nullptr);
}

template <class T>
bool detail::add_arriving_dot(Cuda& exec, const CrsView<const T>& A, Halo<Cuda>& halo, View<const T> p, View<T> q,
                              double* pq) {
  return launch_arriving<true>(exec, 1, A, halo, p, q, pq);
}

TESSERA_INSTANTIATE_GHOST_PRODUCT(Cuda, double);
TESSERA_INSTANTIATE_GHOST_PRODUCT(Cuda, float);

}  // namespace tessera::linalg
