#pragma once
// The cells of laws with memory on the host: the parts of a law one after the other, each as a law of its own of the
// displacement that is left of u. Sources that include it are compiled with -Wno-psabi, as cells_threads.hpp says.
#include "assembly/spectral/attenuated.hpp"
#include "assembly/spectral/cells_threads.hpp"

namespace tessera::assembly::spectral {
namespace host {

/// A part of a law on the cells of a batch; its result is added to `sum`.
template <int part, int n, int dim, class Law, class T, class V>
void add_part(const BlockView<T>& block, const Line<n, T>& line, const Offset* batch_cells, const T* u,
              const MemoryView<T>& memory, V (&sum)[Law::components(dim)][power(n, dim)]) {
  using Part = typename Law::template Part<part>;
  constexpr int C = Law::components(dim), N = power(n, dim);
  const auto batch = std::make_unique<Batch<n, dim, Part, T>>(block, line);
  for (int lane = 0; lane < lanes<T>; ++lane) {
    const Offset cell = batch->cells[lane] = batch_cells[lane];
    const Index* const dofs = block.dofs + cell * N;
    for (int q = 0; q < N; ++q) {
      const T* const k =
          block.coefficients_of(cell, q) + Offset{Law::moduli(dim) + part * mechanisms} * block.component_stride;
      for (int c = 0; c < C; ++c)
        batch->u[c][q][lane] =
            memory.template combined<C>(u, dofs[q], c, [&](int l) { return k[l * block.component_stride]; });
    }
  }
  batch->apply();
  for (int c = 0; c < C; ++c)
    for (int q = 0; q < N; ++q) sum[c][q] += batch->u[c][q];
}

template <int n, int dim, class Law, class T>
void apply_attenuated_block(Threads& exec, const Rule& rule, const BlockView<T>& block, const T* u,
                            const MemoryView<T>& memory, T* elements) {
  using V = typename Vector<T>::type;
  constexpr int W = lanes<T>, N = power(n, dim), C = Law::components(dim);
  struct Sums {
    V of[C][N];
  };
  const Line<n, T> line(rule);
  parallel_ranges(exec.count(), (block.cells + W - 1) / W, [&](Offset first, Offset last, int) {
    const auto sums = std::make_unique<Sums>();
    for (Offset b = first; b < last; ++b) {
      const int count = static_cast<int>(std::min<Offset>(W, block.cells - b * W));
      Offset cells[W];
      for (int lane = 0; lane < W; ++lane) cells[lane] = b * W + std::min(lane, count - 1);
      for (auto& of_component : sums->of)
        for (V& sum : of_component) sum = V{};
      add_part<0, n, dim, Law>(block, line, cells, u, memory, sums->of);
      if constexpr (Law::parts == 2) add_part<1, n, dim, Law>(block, line, cells, u, memory, sums->of);
      for (int lane = 0; lane < count; ++lane) {
        T* const out = elements + (block.first + cells[lane] * N) * entry_size(C);
        for (int q = 0; q < N; ++q)
          for (int c = 0; c < C; ++c) out[q * entry_size(C) + c] = -sums->of[c][q][lane];
      }
    }
  });
}

}  // namespace host

/// The element vector has the forces of the nodes of cells.
template <class Law, class T>
void apply_attenuated(Threads& exec, const Rule& rule, const BlockView<T>& block, const T* u,
                      const MemoryView<T>& memory, T* elements) {
  on_lattice(block.dim, block.n, [&](auto dim, auto n) {
    host::apply_attenuated_block<n(), dim(), Law>(exec, rule, block, u, memory, elements);
  });
}

}  // namespace tessera::assembly::spectral
