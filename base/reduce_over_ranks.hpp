#pragma once
// reduce() and reduce_pair() over all ranks of the execution's link, repeatable as these are.
#include "base/link.hpp"
#include "base/peer_sums.hpp"
#include "base/reduce_pair.hpp"

#ifdef __CUDACC__
#include "base/peer_kernels.cuh"
#endif

namespace tessera {

template <class F>
void reduce_over_ranks(Threads& exec, Offset count, F f, double* result) {
  reduce(exec, count, f, result);
  sum_over_ranks(exec, {{result}});
}

template <class F>
void reduce_pair_over_ranks(Threads& exec, Offset count, F f, double* first, double* second) {
  reduce_pair(exec, count, f, first, second);
  sum_over_ranks(exec, {{first}, {second}});
}

#ifdef __CUDACC__
namespace kernels {

template <int n, class F>
__global__ void __launch_bounds__(reduce_block)
    reduce_over_ranks(Offset count, F f, unsigned* ticket, Sums<n>* partial, SumTargets<n> targets,
                      const __grid_constant__ PeerSums peers) {
  Sums<n> sums;
  const Offset stride = static_cast<Offset>(gridDim.x) * reduce_block;
  for (Offset i = blockIdx.x * static_cast<Offset>(reduce_block) + threadIdx.x; i < count; i += stride) sums += f(i);
  sums = block_sums<n, reduce_block>(sums);
  if (!sum_of_blocks(sums, ticket, partial)) return;
  peer::sum_over_ranks(peers, sums.value);
#pragma unroll
  for (int k = 0; k < n; ++k) *targets.value[k] = sums.value[k];
}

}  // namespace kernels

/// Of the execution's link, where kernels can form the next sum over ranks; else of no ranks.
inline PeerSums peers_of(const Cuda& exec) {
  const PeerSums* const peers = exec.link() ? exec.link()->sums_in_kernels() : nullptr;
  return peers ? *peers : PeerSums{};
}

namespace detail {

template <int n, class F>
void reduce_over_ranks(Cuda& exec, Offset count, F f, SumTargets<n> targets) {
  const ReduceScratch<Sums<n>> scratch(exec, count);
  const PeerSums peers = peers_of(exec);
  launch(exec, kernels::reduce_over_ranks<n, F>, scratch.blocks, reduce_block, count, f, scratch.ticket,
         scratch.partial, targets, peers);
  if (peers.ranks > 0) return;
  if constexpr (n == 1)
    sum_over_ranks(exec, {{targets.value[0]}});
  else
    sum_over_ranks(exec, {{targets.value[0]}, {targets.value[1]}});
}

template <class F>
struct OneAsSums {
  F f;
  __device__ Sums<1> operator()(Offset i) const { return {{f(i)}}; }
};

}  // namespace detail

template <class F>
void reduce_over_ranks(Cuda& exec, Offset count, F f, double* result) {
  detail::reduce_over_ranks<1>(exec, count, detail::OneAsSums<F>{f}, {{result}});
}

template <class F>
void reduce_pair_over_ranks(Cuda& exec, Offset count, F f, double* first, double* second) {
  detail::reduce_over_ranks<2>(exec, count, detail::PairAsSums<F>{f}, {{first, second}});
}
#endif

}  // namespace tessera
