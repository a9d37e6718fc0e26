#pragma once
// The cells of a block on the host: several cells share the vector registers, one a lane.
// Vectors wider than the target's registers have no settled calling convention; none leaves this file. Sources that
// include it are compiled with -Wno-psabi.
#include <algorithm>
#include <memory>

#include "assembly/matrix_free/tensor_threads.hpp"
#include "assembly/spectral/view.hpp"

namespace tessera::assembly::spectral {
namespace host {

using matrix_free::host::contract;
using matrix_free::host::lanes;
using matrix_free::host::Vector;

/// A batch of cells; those beyond the last repeat it.
template <int n, int dim, class Law, class T>
struct Batch {
  using V = typename Vector<T>::type;
  static constexpr int W = lanes<T>, N = power(n, dim), C = Law::components(dim), K = Law::coefficients(dim);

  const BlockView<T>& block;
  const Line<n, T>& line;
  Offset cells[W];
  V u[C][N];          // values, then the result
  V flux[C][dim][N];  // reference gradient, then reference flux

  Batch(const BlockView<T>& block, const Line<n, T>& line) : block(block), line(line) {}

  template <class Load>
  static V load(Load value) {
    V result{};
    for (int lane = 0; lane < W; ++lane) result[lane] = value(lane);
    return result;
  }
  void load_coefficients(int q, V (&k)[K]) const {
    for (int m = 0; m < K; ++m)
      k[m] = load([&](int lane) { return block.coefficients_of(cells[lane], q)[m * block.component_stride]; });
  }
  void take(int q, V (&g)[C][dim]) const {
    for (int c = 0; c < C; ++c)
      for (int a = 0; a < dim; ++a) g[c][a] = flux[c][a][q];
  }
  void give(int q, const V (&g)[C][dim]) {
    for (int c = 0; c < C; ++c)
      for (int a = 0; a < dim; ++a) flux[c][a][q] = g[c][a];
  }

  void at_points_of_map() {
    constexpr int entries = matrix_free::map_entries<dim>;
    V map[entries], k[K];
    for (int i = 0; i < entries; ++i) map[i] = load([&](int lane) { return block.map[cells[lane] * entries + i]; });
    load_coefficients(0, k);
    for (int row = 0; row < N / n; ++row) {
      const int j = row % n, l = dim == 3 ? row / n : 0;
      const matrix_free::LineJacobian<dim, V> jacobian([&](int i) { return map[i]; }, line.points[j], line.points[l]);
      const T weight = line.weights[j] * (dim == 3 ? line.weights[l] : T(1));
      for (int i = 0; i < n; ++i) {
        const int q = row * n + i;
        if (block.place_stride != 0) load_coefficients(q, k);
        V J[dim][dim], g[C][dim];
        jacobian.at(line.points[i], J);
        take(q, g);
        flux_of_map<dim, Law, V>(J, V{} + weight * line.weights[i], k, g);
        give(q, g);
      }
    }
  }

  void at_points_of_geometry() {
    constexpr int entries = dim * dim + 1;
    V k[K];
    load_coefficients(0, k);
    for (int q = 0; q < N; ++q) {
      if (block.place_stride != 0) load_coefficients(q, k);
      V g[C][dim];
      take(q, g);
      const auto entry = [&](int i) {
        return load([&](int lane) { return block.geometry[(cells[lane] * entries + i) * N + q]; });
      };
      flux_of_stored<dim, Law, V>(entry, k, g);
      give(q, g);
    }
  }

  /// u = sum_a D_a^T F_a of F made of D_a u.
  void apply() {
    for (int c = 0; c < C; ++c) {
      contract<n, dim, 0, false, false>(line.slope, u[c], flux[c][0]);
      contract<n, dim, 1, false, false>(line.slope, u[c], flux[c][1]);
      if constexpr (dim == 3) contract<n, dim, 2, false, false>(line.slope, u[c], flux[c][2]);
    }
    if (block.map)
      at_points_of_map();
    else
      at_points_of_geometry();
    for (int c = 0; c < C; ++c) {
      contract<n, dim, 0, true, false>(line.slope, flux[c][0], u[c]);
      contract<n, dim, 1, true, true>(line.slope, flux[c][1], u[c]);
      if constexpr (dim == 3) contract<n, dim, 2, true, true>(line.slope, flux[c][2], u[c]);
    }
  }
};

template <int n, int dim, class Law, class T>
void apply_block(Threads& exec, const Rule& rule, const BlockView<T>& block, const T* u, T* elements) {
  using Cells = Batch<n, dim, Law, T>;
  constexpr int W = Cells::W, N = Cells::N, C = Cells::C;
  const Line<n, T> line(rule);
  const Offset batches = (block.cells + W - 1) / W;
  parallel_ranges(exec.count(), batches, [&](Offset first, Offset last, int) {
    const auto batch = std::make_unique<Cells>(block, line);
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

/// The element vector has the forces -K u of the nodes of cells. Of patches it has their sums at nodes that others
/// have, too, and the target those of all others.
template <class Law, class T>
void apply_cells(Threads& exec, const Rule& rule, const BlockView<T>& block, const T* u, T* elements,
                 const Target<T>&) {
  on_lattice(block.dim, block.n,
             [&](auto dim, auto n) { host::apply_block<n(), dim(), Law>(exec, rule, block, u, elements); });
}
template <class Law, class T>
PatchLayout patch_layout(Threads&, int, int) {
  return {};
}

}  // namespace tessera::assembly::spectral
