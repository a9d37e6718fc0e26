#pragma once
// What the cells of a patch do together to each node, once they have their forces in shared memory.
#include <cuda_pipeline.h>

#include <algorithm>

#include "assembly/spectral/patches.hpp"
#include "assembly/spectral/view.hpp"

namespace tessera::assembly::spectral::kernels {

/// A node of the element vector, written at once.
template <int size, class T>
struct alignas(std::min<std::size_t>(16, size * sizeof(T))) Entry {
  T numbers[size] = {};
};

/// Starts to bring words, four at a time, to shared memory.
__device__ __forceinline__ void bring_words(const Index* from, int count, Index* to) {
  for (int k = 4 * static_cast<int>(threadIdx.x); k < count; k += 4 * static_cast<int>(blockDim.x))
    __pipeline_memcpy_async(to + k, from + k, 16);
  __pipeline_commit();
}

/// What the places of a node in shared memory add up to, each component `step` behind the one before.
template <int C, int step, class T>
__device__ __forceinline__ void add_places(const PatchLists<const Index>& lists, int node, const T* shared,
                                           T (&sum)[C]) {
  const int last = lists.first[node + 1];
#pragma unroll
  for (int c = 0; c < C; ++c) sum[c] = 0;
#pragma unroll 1
  for (int k = lists.first[node]; k < last; ++k) {
    const T* const from = shared + lists.addresses[k];
#pragma unroll
    for (int c = 0; c < C; ++c) sum[c] += from[c * step];
  }
}

/// The sums of the nodes that other cells have, too, to the element vector.
template <int C, int step, int threads, class T>
__device__ __forceinline__ void add_up_outer(const Patch& patch, const PatchLists<const Index>& lists, const T* shared,
                                             T* elements) {
  constexpr int size = entry_size(C);
  T* const behind = elements + Offset{patch.outer - patch.own} * size;
  for (int node = patch.own + threadIdx.x; node < patch.nodes; node += threads) {
    T sum[C];
    add_places<C, step>(lists, node, shared, sum);
    Entry<size, T> entry;
#pragma unroll
    for (int c = 0; c < C; ++c) entry.numbers[c] = sum[c];
    *reinterpret_cast<Entry<size, T>*>(behind + node * size) = entry;
  }
}

/// The cells of a patch have their forces in shared memory, cell by cell: what they do together to each node.
template <int C, int step, int places, int threads, class T>
__device__ __forceinline__ void add_up_patch(const Patch& patch, const Index* words, const T* shared, T* elements,
                                             const Target<T>& target) {
  const PatchLists<const Index> lists(words, places, patch.nodes);
  for (int node = threadIdx.x; node < patch.own; node += threads) {
    // What moves is on its way before the sum.
    const Index dof = lists.rows[node];
    const Offset row = Offset{dof} * C;
    const T scale = target.scale[dof];
    T sum[C];
    if (target.v) {
      T v[C], u[C];
#pragma unroll
      for (int c = 0; c < C; ++c) v[c] = target.v[row + c], u[c] = target.u[row + c];
      add_places<C, step>(lists, node, shared, sum);
#pragma unroll
      for (int c = 0; c < C; ++c) {
        v[c] += target.kick * (scale * sum[c]);
        target.v[row + c] = v[c];
        target.u[row + c] = u[c] + target.drift * v[c];
      }
    } else {
      add_places<C, step>(lists, node, shared, sum);
#pragma unroll
      for (int c = 0; c < C; ++c) target.to[row + c] = scale * sum[c];
    }
  }
  add_up_outer<C, step, threads>(patch, lists, shared, elements);
}

/// The same, v and u number by number as they lie in memory, not node by node: sums go through shared memory once more.
/// What is moved is on its way before, `batch` numbers a thread, of all if a patch is a brick.
template <int C, int step, int places, int threads, int batch, class T>
__device__ __forceinline__ void add_up_in_order(const Patch& patch, const Index* words, T* shared, T* elements,
                                                const Target<T>& target) {
  constexpr int rounds = (places + threads - 1) / threads;
  const PatchLists<const Index> lists(words, places, patch.nodes);
  const int numbers = patch.own * C;
  T scale[batch], v[batch], u[batch], sum[rounds][C];
  const auto take = [&](int i, T& scale, T& v, T& u) {
    const Index dof = lists.rows[i / C];
    const Offset row = Offset{dof} * C + i % C;
    scale = target.scale[dof];
    if (target.v) v = target.v[row], u = target.u[row];
  };
  const auto move = [&](int i, T scale, T v, T u) {
    const Offset row = Offset{lists.rows[i / C]} * C + i % C;
    if (target.v) {
      v += target.kick * (scale * shared[i]);
      target.v[row] = v;
      target.u[row] = u + target.drift * v;
    } else {
      target.to[row] = scale * shared[i];
    }
  };
#pragma unroll
  for (int b = 0; b < batch; ++b)
    if (const int i = threadIdx.x + b * threads; i < numbers) take(i, scale[b], v[b], u[b]);
#pragma unroll
  for (int r = 0; r < rounds; ++r)
    if (const int node = threadIdx.x + r * threads; node < patch.own) add_places<C, step>(lists, node, shared, sum[r]);
  add_up_outer<C, step, threads>(patch, lists, shared, elements);
  __syncthreads();
#pragma unroll
  for (int r = 0; r < rounds; ++r)
    if (const int node = threadIdx.x + r * threads; node < patch.own)
#pragma unroll
      for (int c = 0; c < C; ++c) shared[node * C + c] = sum[r][c];
  __syncthreads();
#pragma unroll
  for (int b = 0; b < batch; ++b)
    if (const int i = threadIdx.x + b * threads; i < numbers) move(i, scale[b], v[b], u[b]);
#pragma unroll 1
  for (int i = threadIdx.x + batch * threads; i < numbers; i += threads) {
    T more[3] = {};
    take(i, more[0], more[1], more[2]);
    move(i, more[0], more[1], more[2]);
  }
}

}  // namespace tessera::assembly::spectral::kernels
