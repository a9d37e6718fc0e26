#pragma once
// The cells of layers on the host. Sources that include it are compiled with -Wno-psabi, as lanes_threads.hpp says.
#include "assembly/spectral/attenuated_threads.hpp"
#include "assembly/spectral/layers.hpp"

namespace tessera::assembly::spectral {
namespace host {

/// A batch of cells in a layer, of a law or of a part of one, whose slots begin at `first`. Those beyond the last
/// repeat it, and remember the same.
template <int n, int dim, class Law, class T>
struct LayerBatch : Batch<n, dim, Law, T> {
  using Base = Batch<n, dim, Law, T>;
  using Base::W, Base::N, Base::C, Base::K;
  using typename Base::V;

  const LayerView<T>& layer;
  const int active, slots, first;

  LayerBatch(const LayerView<T>& layer, const FoldedLine<n, T>& line, int part)
      : Base(layer.block, line),
        layer(layer),
        active(active_axes(layer.axes)),
        slots(slots_of(C, dim, active)),
        first(part * slots) {}

  T* remembered(int lane, int slot) const { return layer.memory + (this->cell(lane) * layer.slots + first + slot) * N; }
  V recall(int slot, int q) const {
    return of_lanes<V>([&](int lane) { return remembered(lane, slot)[q]; });
  }
  void keep(int slot, int q, V z) const {
    for (int lane = 0; lane < W; ++lane) remembered(lane, slot)[q] = z[lane];
  }

  void at_point(int q, const V* k, const V (&inverse)[dim][dim], V weight, V (&reference)[C][dim]) {
    V g[C][dim], s[C][dim];
    for (int c = 0; c < C; ++c)
      for (int d = 0; d < dim; ++d) {
        g[c][d] = inverse[0][d] * reference[c][0];
        for (int a = 1; a < dim; ++a) g[c][d] += inverse[a][d] * reference[c][a];
      }
    stretched_flux<dim, Law, V>(
        layer, k, g, s,
        [&](int axis, int which) {
          return of_lanes<V>([&](int lane) { return layer.profile_of(this->cell(lane), axis, which, N, active)[q]; });
        },
        [&](int slot) { return recall(slot, q); }, [&](int slot, V z) { keep(slot, q, z); });
    for (int c = 0; c < C; ++c)
      for (int a = 0; a < dim; ++a) {
        V sum = inverse[a][0] * s[c][0];
        for (int d = 1; d < dim; ++d) sum += inverse[a][d] * s[c][d];
        reference[c][a] = weight * sum;
      }
  }

  /// u becomes the force of u + eta u', u' from the force of the last step. Memory has the sign of K u.
  void add_lag() {
    const V by = of_lanes<V>([&](int lane) { return layer.lag[this->cell(lane)] / layer.before; });
    for (int c = 0; c < C; ++c)
      for (int q = 0; q < N; ++q) {
        const int slot = slots - C + c;
        const V now = -this->u[c][q];
        if (layer.pass != Pass::begin) this->u[c][q] -= by * (now - recall(slot, q));
        if (layer.pass != Pass::look) keep(slot, q, now);
      }
  }

  void apply() {
    V k[K];
    this->take_coefficients(0, k);
    this->apply_with([&](int j, int l) {
      return [this, j, l, &k](int i, int q, V(&g)[C][dim]) {
        if (this->block.place_stride != 0) this->take_coefficients(q, k);
        V inverse[dim][dim];
        const V weight = this->inverse_at(i, j, l, q, inverse);
        at_point(q, k, inverse, weight, g);
      };
    });
    add_lag();
  }
};

/// The forces of part `part` of a law.
template <class Law, int part, class Cells, class T>
void apply_layer_part(Cells& batch, Offset number, const T* u, const MemoryView<T>& memory) {
  batch.begin(number);
  if constexpr (forms::PartsOf<Law>::attenuates)
    take_part<Law, part>(batch, u, memory);
  else
    batch.take_values(u);
  batch.apply();
}

template <int n, int dim, class Law, class T>
void apply_layer_cells(Threads& exec, const Rule& rule, const LayerView<T>& layer, const T* u,
                       const MemoryView<T>& memory, T* elements) {
  using Parts = forms::PartsOf<Law>;
  constexpr int last_part = Parts::count - 1;
  using Cells = LayerBatch<n, dim, typename Parts::template Part<last_part>, T>;
  using Others = LayerBatch<n, dim, typename Parts::template Part<0>, T>;
  constexpr int W = Cells::W, N = Cells::N, size = entry_size(Cells::C);
  const BlockView<T>& block = layer.block;
  const FoldedLine<n, T> line(rule);
  T* const out = elements + block.first * size;
  parallel_ranges(exec.count(), (block.cells + W - 1) / W, [&](Offset first, Offset last, int) {
    const auto batch = std::make_unique<Cells>(layer, line, last_part);
    const auto other = std::make_unique<Others>(layer, line, 0);
    for (Offset b = first; b < last; ++b) {
      apply_layer_part<Law, last_part>(*batch, b, u, memory);
      if constexpr (Parts::count == 2) {
        apply_layer_part<Law, 0>(*other, b, u, memory);
        for (int c = 0; c < Cells::C; ++c)
          for (int q = 0; q < N; ++q) batch->u[c][q] += other->u[c][q];
      }
      batch->give_forces(out + b * W * N * size, false);
    }
  });
}

}  // namespace host

/// The element vector has the forces of the nodes of cells in layers.
template <class Law, class T>
void apply_layer(Threads& exec, const Rule& rule, const LayerView<T>& layer, const T* u, const MemoryView<T>& memory,
                 T* elements) {
  on_lattice(layer.block.dim, layer.block.n, [&](auto dim, auto n) {
    host::apply_layer_cells<n(), dim(), Law>(exec, rule, layer, u, memory, elements);
  });
}

}  // namespace tessera::assembly::spectral
