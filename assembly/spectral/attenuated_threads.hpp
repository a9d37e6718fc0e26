#pragma once
// The cells of laws with memory on the host: the parts of a law one after the other, each as a law of its own of the
// displacement that is left of u. Sources that include it are compiled with -Wno-psabi, as lanes_threads.hpp says.
#include "assembly/spectral/attenuated.hpp"
#include "assembly/spectral/cells_threads.hpp"

namespace tessera::assembly::spectral {
namespace host {

/// What a part of a law takes of u at the nodes of the cells of a batch.
template <class Law, int part, int n, int dim, class Part, class T>
void take_part(Batch<n, dim, Part, T>& batch, const T* u, const MemoryView<T>& memory) {
  using V = typename Batch<n, dim, Part, T>::V;
  constexpr int C = Law::components(dim);
  for (int q = 0; q < power(n, dim); ++q) {
    const Index* const dofs = batch.dofs(q);
    V of_memory[mechanisms];
    for (int l = 0; l < mechanisms; ++l) of_memory[l] = batch.coefficient(Law::moduli(dim) + part * mechanisms + l, q);
    for (int c = 0; c < C; ++c)
      batch.u[c][q] = memory.combined(
          of_lanes<V>([&](int lane) { return u[Offset{dofs[lane]} * C + c]; }),
          [&](int l) { return of_lanes<V>([&](int lane) { return memory.z[memory.at(dofs[lane], l, c)]; }); },
          of_memory);
  }
}

/// The forces of a part of a law on the cells of a batch.
template <class Law, int part, int n, int dim, class Part, class T>
void apply_part(Batch<n, dim, Part, T>& batch, Offset number, const T* u, const MemoryView<T>& memory) {
  batch.begin(number);
  take_part<Law, part>(batch, u, memory);
  batch.apply();
}

template <int n, int dim, class Law, class T>
void apply_attenuated_block(Threads& exec, const Rule& rule, const BlockView<T>& block, const T* u,
                            const MemoryView<T>& memory, T* elements) {
  constexpr int W = lanes<T>, N = power(n, dim), size = entry_size(Law::components(dim));
  constexpr int last_part = Law::parts - 1;
  const FoldedLine<n, T> line(rule);
  T* const out = elements + block.first * size;
  parallel_ranges(exec.count(), (block.cells + W - 1) / W, [&](Offset first, Offset last, int) {
    const auto batch = std::make_unique<Batch<n, dim, typename Law::template Part<last_part>, T>>(block, line);
    const auto other = std::make_unique<Batch<n, dim, typename Law::template Part<0>, T>>(block, line);
    for (Offset b = first; b < last; ++b) {
      apply_part<Law, last_part>(*batch, b, u, memory);
      if constexpr (Law::parts == 2) {
        apply_part<Law, 0>(*other, b, u, memory);
        for (int c = 0; c < Law::components(dim); ++c)
          for (int q = 0; q < N; ++q) batch->u[c][q] += other->u[c][q];
      }
      batch->give_forces(out + b * W * N * size, false);
    }
  });
}

}  // namespace host

inline MemoryLayout memory_layout(const Threads&) { return {}; }

/// The element vector has the forces of the nodes of cells.
template <class Law, class T>
void apply_attenuated(Threads& exec, const Rule& rule, const BlockView<T>& block, const T* u,
                      const MemoryView<T>& memory, T* elements, const Target<T>&) {
  on_lattice(block.dim, block.n, [&](auto dim, auto n) {
    host::apply_attenuated_block<n(), dim(), Law>(exec, rule, block, u, memory, elements);
  });
}

}  // namespace tessera::assembly::spectral
