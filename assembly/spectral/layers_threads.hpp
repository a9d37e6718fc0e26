#pragma once
// The cells of layers on the host. Sources that include it are compiled with -Wno-psabi, as cells_threads.hpp says.
#include "assembly/spectral/cells_threads.hpp"
#include "assembly/spectral/layers.hpp"

namespace tessera::assembly::spectral {
namespace host {

/// A batch of cells in a layer. Those beyond the last repeat it, and remember the same.
template <int n, int dim, class Law, class T>
struct LayerBatch : Batch<n, dim, Law, T> {
  using Base = Batch<n, dim, Law, T>;
  using Base::W, Base::N, Base::C, Base::K;
  using typename Base::V;

  const LayerView<T>& layer;
  const int active;

  LayerBatch(const LayerView<T>& layer, const Line<n, T>& line)
      : Base(layer.block, line), layer(layer), active(active_axes(layer.axes)) {}

  T* remembered(int lane, int slot) const { return layer.memory + (this->cells[lane] * layer.slots + slot) * N; }

  void at_point(int q, const V* k, const V (&inverse)[dim][dim], V weight) {
    V reference[C][dim], g[C][dim], s[C][dim];
    this->take(q, reference);
    for (int c = 0; c < C; ++c)
      for (int d = 0; d < dim; ++d) {
        g[c][d] = inverse[0][d] * reference[c][0];
        for (int a = 1; a < dim; ++a) g[c][d] += inverse[a][d] * reference[c][a];
      }
    stretched_flux<dim, Law, V>(
        layer, k, g, s,
        [&](int axis, int which) {
          return Base::load([&](int lane) { return layer.profile_of(this->cells[lane], axis, which, N, active)[q]; });
        },
        [&](int slot) { return Base::load([&](int lane) { return remembered(lane, slot)[q]; }); },
        [&](int slot, V z) {
          for (int lane = 0; lane < W; ++lane) remembered(lane, slot)[q] = z[lane];
        });
    for (int c = 0; c < C; ++c)
      for (int a = 0; a < dim; ++a) {
        V sum = inverse[a][0] * s[c][0];
        for (int d = 1; d < dim; ++d) sum += inverse[a][d] * s[c][d];
        reference[c][a] = weight * sum;
      }
    this->give(q, reference);
  }

  void at_points_of_map() {
    constexpr int entries = matrix_free::map_entries<dim>;
    V map[entries], k[K];
    for (int i = 0; i < entries; ++i)
      map[i] = Base::load([&](int lane) { return this->block.map[this->cells[lane] * entries + i]; });
    for (int q = 0; q < N; ++q) {
      const int i = q % n, j = q / n % n, l = dim == 3 ? q / (n * n) : 0;
      const matrix_free::LineJacobian<dim, V> jacobian([&](int e) { return map[e]; }, this->line.points[j],
                                                       this->line.points[l]);
      V J[dim][dim], inverse[dim][dim];
      jacobian.at(this->line.points[i], J);
      const V det = matrix_free::adjugate<dim, V>(J, inverse);
      for (auto& row : inverse)
        for (V& entry : row) entry = entry / det;
      const T weight = this->line.weights[i] * this->line.weights[j] * (dim == 3 ? this->line.weights[l] : T(1));
      if (q == 0 || this->block.place_stride != 0) this->load_coefficients(q, k);
      at_point(q, k, inverse, weight * det);
    }
  }

  void at_points_of_geometry() {
    constexpr int entries = dim * dim + 1;
    V k[K];
    for (int q = 0; q < N; ++q) {
      if (q == 0 || this->block.place_stride != 0) this->load_coefficients(q, k);
      const auto entry = [&](int i) {
        return Base::load([&](int lane) { return this->block.geometry[(this->cells[lane] * entries + i) * N + q]; });
      };
      V inverse[dim][dim];
      for (int a = 0; a < dim; ++a)
        for (int d = 0; d < dim; ++d) inverse[a][d] = entry(a * dim + d);
      at_point(q, k, inverse, entry(dim * dim));
    }
  }

  /// u becomes the force of u + eta u', u' from the force of the last step.
  void add_lag() {
    const V by = Base::load([&](int lane) { return layer.lag[this->cells[lane]] / layer.before; });
    for (int c = 0; c < C; ++c)
      for (int q = 0; q < N; ++q) {
        const int slot = layer.slots - C + c;
        const V force = this->u[c][q];
        if (layer.pass != Pass::begin)
          this->u[c][q] += by * (force - Base::load([&](int lane) { return remembered(lane, slot)[q]; }));
        if (layer.pass == Pass::look) continue;
        for (int lane = 0; lane < W; ++lane) remembered(lane, slot)[q] = force[lane];
      }
  }

  void apply() {
    const T* const slope = this->line.slope;
    for (int c = 0; c < C; ++c) {
      contract<n, dim, 0, false, false>(slope, this->u[c], this->flux[c][0]);
      contract<n, dim, 1, false, false>(slope, this->u[c], this->flux[c][1]);
      if constexpr (dim == 3) contract<n, dim, 2, false, false>(slope, this->u[c], this->flux[c][2]);
    }
    if (this->block.map)
      at_points_of_map();
    else
      at_points_of_geometry();
    for (int c = 0; c < C; ++c) {
      contract<n, dim, 0, true, false>(slope, this->flux[c][0], this->u[c]);
      contract<n, dim, 1, true, true>(slope, this->flux[c][1], this->u[c]);
      if constexpr (dim == 3) contract<n, dim, 2, true, true>(slope, this->flux[c][2], this->u[c]);
    }
    add_lag();
  }
};

template <int n, int dim, class Law, class T>
void apply_layer_cells(Threads& exec, const Rule& rule, const LayerView<T>& layer, const T* u, T* elements) {
  using Cells = LayerBatch<n, dim, Law, T>;
  constexpr int W = Cells::W, N = Cells::N, C = Cells::C;
  const BlockView<T>& block = layer.block;
  const Line<n, T> line(rule);
  parallel_ranges(exec.count(), (block.cells + W - 1) / W, [&](Offset first, Offset last, int) {
    const auto batch = std::make_unique<Cells>(layer, line);
    for (Offset b = first; b < last; ++b) {
      const int count = static_cast<int>(std::min<Offset>(W, block.cells - b * W));
      for (int lane = 0; lane < W; ++lane) {
        batch->cells[lane] = b * W + std::min(lane, count - 1);
        const Index* const dofs = block.dofs + batch->cells[lane] * N;
        for (int q = 0; q < N; ++q)
          for (int c = 0; c < C; ++c) batch->u[c][q][lane] = u[Offset{dofs[q]} * C + c];
      }
      batch->apply();
      for (int lane = 0; lane < count; ++lane) {
        T* const out = elements + (block.first + batch->cells[lane] * N) * entry_size(C);
        for (int q = 0; q < N; ++q)
          for (int c = 0; c < C; ++c) out[q * entry_size(C) + c] = -batch->u[c][q][lane];
      }
    }
  });
}

}  // namespace host

/// The element vector has the forces of the nodes of cells in layers.
template <class Law, class T>
void apply_layer(Threads& exec, const Rule& rule, const LayerView<T>& layer, const T* u, T* elements) {
  on_lattice(layer.block.dim, layer.block.n,
             [&](auto dim, auto n) { host::apply_layer_cells<n(), dim(), Law>(exec, rule, layer, u, elements); });
}

}  // namespace tessera::assembly::spectral
