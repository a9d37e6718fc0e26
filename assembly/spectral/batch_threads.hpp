#pragma once
// The cells of a batch on the host, one a lane of the vector registers. Sources that include it are compiled with
// -Wno-psabi, as lanes_threads.hpp says.
#include <algorithm>

#include "assembly/spectral/lanes_threads.hpp"

namespace tessera::assembly::spectral::host {

/// The tables of an axis.
template <int n, class T>
struct FoldedLine {
  T points[n], weights[n];
  FoldedMatrix<n, T> slope, force;  ///< derivatives, and what is minus their transpose

  explicit FoldedLine(const Rule& rule) : slope(rule.slope, false, 1), force(rule.slope, true, -1) {
    for (int i = 0; i < n; ++i)
      points[i] = static_cast<T>(rule.points[i]), weights[i] = static_cast<T>(rule.weights[i]);
  }
};

/// g[c][a] = scale sum_d A[a][d] s[c][d] for the flux s of the gradient sum_a A[a][d] g[c][a]. Laws are linear in both
/// of their arguments, so that the scale goes where fewer numbers are.
template <int dim, class Law, class V>
inline void scaled_flux(const V (&A)[dim][dim], V scale, const V* k, V (&g)[Law::components(dim)][dim]) {
  constexpr int C = Law::components(dim), K = Law::coefficients(dim);
  constexpr bool scales_material = K < C * dim;
  V gradient[C][dim], s[C][dim], material[K];
  for (int m = 0; m < K; ++m) material[m] = scales_material ? scale * k[m] : k[m];
  for (int c = 0; c < C; ++c)
    for (int d = 0; d < dim; ++d) {
      V sum = A[0][d] * g[c][0];
      for (int a = 1; a < dim; ++a) sum += A[a][d] * g[c][a];
      gradient[c][d] = scales_material ? sum : scale * sum;
    }
  Law::template flux<dim, V>(material, gradient, s);
  for (int c = 0; c < C; ++c)
    for (int a = 0; a < dim; ++a) {
      V sum = A[a][0] * s[c][0];
      for (int d = 1; d < dim; ++d) sum += A[a][d] * s[c][d];
      g[c][a] = sum;
    }
}

/// Cells [number * lanes, (number + 1) * lanes) of a block; those beyond the last repeat it. Dofs, material and
/// geometry lie in the order of lanes (in_order).
template <int n, int dim, class Law, class T>
struct Batch {
  using V = typename Vector<T>::type;
  static constexpr int W = lanes<T>, N = power(n, dim), C = Law::components(dim), K = Law::coefficients(dim);
  static constexpr int dimensions = dim, layer = n * n, layers = N / layer;

  const BlockView<T>& block;
  const FoldedLine<n, T>& line;
  Offset number = 0;
  int count = 0;                 ///< cells
  V u[C][N];                     ///< values, then forces
  V third[C][dim == 3 ? N : 1];  ///< slopes along z, then fluxes
  V second[C][layer];            ///< slopes along y of a layer, then fluxes

  Batch(const BlockView<T>& block, const FoldedLine<n, T>& line) : block(block), line(line) {}

  void begin(Offset batch) {
    number = batch;
    count = static_cast<int>(std::min<Offset>(W, block.cells - batch * W));
  }
  Offset cell(int lane) const { return number * W + std::min(lane, count - 1); }
  /// The dofs of place q, one a lane.
  const Index* dofs(int q) const { return block.dofs + (number * N + q) * W; }

  /// Those of the next batch are brought near meanwhile.
  [[gnu::noinline]] void take_values(const T* from) {
    const Index* of = dofs(0);
    const int ahead = (number + 1) * W < block.cells ? W * N : 0;
    for (int q = 0; q < N; ++q, of += W) {
#pragma GCC unroll 16
      for (int lane = 0; lane < W; ++lane) __builtin_prefetch(from + Offset{of[lane + ahead]} * C, 0, 2);
      for (int c = 0; c < C; ++c) u[c][q] = of_lanes<V>([&](int lane) { return from[Offset{of[lane]} * C + c]; });
    }
  }
  /// Number m of the material at place q.
  V coefficient(int m, int q) const {
    return load<V>(block.coefficients +
                   (number * block.cell_stride + m * block.component_stride + q * block.place_stride) * W);
  }
  void take_coefficients(int q, V (&k)[K]) const {
    for (int m = 0; m < K; ++m) k[m] = coefficient(m, q);
  }

  /// u = - sum_a D_a^T F_a, where F is what `make_row(j, l)` makes of the slopes D_a u at the points of a row along x:
  /// its result is called with the point's number in the row and in the cell, and with F[c][a].
  template <class MakeRow>
  void apply_with(MakeRow make_row) {
    constexpr Strides<layer, 1> along_z;
    constexpr Strides<n, 1> along_y;
    if constexpr (dim == 3)
      for (int c = 0; c < C; ++c) differentiate<false, layer>(line.slope, u[c], third[c], along_z, along_z);
    for (int l = 0; l < layers; ++l) {
      for (int c = 0; c < C; ++c) differentiate<false, n>(line.slope, u[c] + l * layer, second[c], along_y, along_y);
      for (int j = 0; j < n; ++j) apply_row(l * layer + j * n, j, make_row(j, l));
      for (int c = 0; c < C; ++c) differentiate<true, n>(line.force, second[c], u[c] + l * layer, along_y, along_y);
    }
    if constexpr (dim == 3)
      for (int c = 0; c < C; ++c) differentiate<true, layer>(line.force, third[c], u[c], along_z, along_z);
  }
  template <class Row>
  [[gnu::flatten]] void at_points(int first, int j, V (&along)[C][n], Row row) {
#pragma GCC unroll 1
    for (int i = 0; i < n; ++i) {
      V g[C][dim];
      for (int c = 0; c < C; ++c) {
        g[c][0] = along[c][i];
        g[c][1] = second[c][j * n + i];
        if constexpr (dim == 3) g[c][2] = third[c][first + i];
      }
      row(i, first + i, g);
      for (int c = 0; c < C; ++c) {
        along[c][i] = g[c][0];
        second[c][j * n + i] = g[c][1];
        if constexpr (dim == 3) third[c][first + i] = g[c][2];
      }
    }
  }
  template <class Row>
  void apply_row(int first, int j, Row row) {
    constexpr Strides<1, N> of_cell;
    constexpr Strides<1, n> of_row;
    V along[C][n];
    differentiate<false, C>(line.slope, u[0] + first, along[0], of_cell, of_row);
    at_points(first, j, along, row);
    differentiate<false, C>(line.force, along[0], u[0] + first, of_row, of_cell);
  }

  /// Entry i of the maps of the cells, and of the geometry stored at place q.
  V map(int i) const { return load<V>(block.map + (number * matrix_free::map_entries<dim> + i) * W); }
  V geometry(int i, int q) const { return load<V>(block.geometry + ((number * (dim * dim + 1) + i) * N + q) * W); }

  /// J^-1 at a place, of point i of row (j, l); returns w |J|.
  V inverse_at(int i, int j, int l, int q, V (&inverse)[dim][dim]) const {
    if (!block.map) {
      for (int a = 0; a < dim; ++a)
        for (int d = 0; d < dim; ++d) inverse[a][d] = geometry(a * dim + d, q);
      return geometry(dim * dim, q);
    }
    V J[dim][dim];
    jacobian_of_row(j, l).at(line.points[i], J);
    const V det = matrix_free::adjugate<dim, V>(J, inverse);
    for (auto& row : inverse)
      for (V& entry : row) entry = entry / det;
    return weight_of_row(j, l) * line.weights[i] * det;
  }
  matrix_free::LineJacobian<dim, V> jacobian_of_row(int j, int l) const {
    return {[&](int i) { return map(i); }, line.points[j], line.points[l]};
  }
  T weight_of_row(int j, int l) const { return line.weights[j] * (dim == 3 ? line.weights[l] : T(1)); }

  void apply() {
    V k[K];
    take_coefficients(0, k);
    const bool varies = block.place_stride != 0;
    if (block.map)
      apply_with([&](int j, int l) {
        return [this, jacobian = jacobian_of_row(j, l), weight = weight_of_row(j, l), varies, &k](int i, int q,
                                                                                                  V(&g)[C][dim]) {
          if (varies) take_coefficients(q, k);
          V J[dim][dim], adj[dim][dim];
          jacobian.at(line.points[i], J);
          const V det = matrix_free::adjugate<dim, V>(J, adj);
          scaled_flux<dim, Law, V>(adj, (V{} + weight * line.weights[i]) / det, k, g);
        };
      });
    else
      apply_with([&](int j, int l) {
        return [this, j, l, varies, &k](int i, int q, V(&g)[C][dim]) {
          if (varies) take_coefficients(q, k);
          V inverse[dim][dim];
          const V weight = inverse_at(i, j, l, q, inverse);
          scaled_flux<dim, Law, V>(inverse, weight, k, g);
        };
      });
  }

  /// The forces to entries [cells, N]; all lanes, or the cells that there are.
  [[gnu::noinline]] void give_forces(T* entries, bool all_lanes) const {
    constexpr int size = entry_size(C);
    if (all_lanes || count == W) {
      for (int q = 0; q < N; ++q) {
        V forces[C];
        for (int c = 0; c < C; ++c) forces[c] = u[c][q];
        store_entries<C>(forces, entries + q * size, N * size);
      }
      return;
    }
    for (int lane = 0; lane < count; ++lane)
      for (int q = 0; q < N; ++q)
        for (int c = 0; c < C; ++c) entries[(lane * N + q) * size + c] = u[c][q][lane];
  }
};

}  // namespace tessera::assembly::spectral::host
