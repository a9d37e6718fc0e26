#pragma once
// Sum factorisation on the host for forms with several unknowns a node: see tensor_threads.hpp.
#include "assembly/matrix_free/component_point.hpp"
#include "assembly/matrix_free/tensor_threads.hpp"

namespace tessera::assembly::matrix_free::host {

/// A batch of cells, one a lane; cells beyond the last repeat it.
template <int n, int dim, class Form>
requires forms::has_components<Form>
struct Batch<n, dim, Form> {
  using T = typename Form::Number;
  using V = typename Vector<T>::type;
  static constexpr int W = lanes<T>;
  static constexpr int N = power(n, dim);
  static constexpr int m = forms::components_of<Form>(dim);
  static constexpr int places = m * N;

  const TensorView<Form>& block;
  const Line<T>& line;
  Offset cells[W];
  V u[places];                              // dofs [components, N], then values at the points, then the result
  V flux[m * dim][N];                       // reference gradients of the components, then reference fluxes
  V tangents[m][m][dim + 1][dim + 1] = {};  // C of the pairs c <= d
  Index region = -1;                        // all of whose cells have these tangents; -1: none

  Batch(const TensorView<Form>& block, const Line<T>& line) : block(block), line(line) {}

  forms::Place at(int lane, int q) const { return {block.region_of(cells[lane]), cells[lane], q, N}; }

  void load_tangents(int q) {
    for (int c = 0; c < m; ++c)
      for (int d = c; d < m; ++d)
        for (int lane = 0; lane < W; ++lane) {
          T C[dim + 1][dim + 1];
          block.form.template tangent<dim>(at(lane, q), c, d, C);
          for (int a = 0; a <= dim; ++a)
            for (int b = 0; b <= dim; ++b) tangents[c][d][a][b][lane] = C[a][b];
        }
  }

  /// Those of coefficients that are constant in a cell. Most batches lie in one region.
  void load_constant_tangents() {
    const Index first = block.region_of(cells[0]);
    bool same = true;
    for (int lane = 1; lane < W; ++lane) same &= block.region_of(cells[lane]) == first;
    if (same && first == region) return;
    region = same ? first : -1;
    if (!same) return load_tangents(0);
    for (int c = 0; c < m; ++c)
      for (int d = c; d < m; ++d) {
        T C[dim + 1][dim + 1];
        block.form.template tangent<dim>(at(0, 0), c, d, C);
        for (int a = 0; a <= dim; ++a)
          for (int b = 0; b <= dim; ++b) tangents[c][d][a][b] = V{} + C[a][b];
      }
  }

  void at_point(int q, const V (&inverse)[dim][dim], V measure) {
    V g[m][dim], values[m];
    for (int c = 0; c < m; ++c) {
      for (int a = 0; a < dim; ++a) g[c][a] = flux[c * dim + a][q];
      values[c] = u[c * N + q];
    }
    apply_pairs<dim, m, V>(
        inverse, measure, [&](int c, int d) -> const V(&)[dim + 1][dim + 1] { return tangents[c][d]; }, block.has_value,
        g, values);
    for (int c = 0; c < m; ++c) {
      for (int a = 0; a < dim; ++a) flux[c * dim + a][q] = g[c][a];
      u[c * N + q] = values[c];
    }
  }

  void at_points() {
    const bool varies = !block.form.constant();
    V map[map_entries<dim>];
    if (!varies) load_constant_tangents();
    for (int i = 0; i < map_entries<dim> && block.map; ++i)
      for (int lane = 0; lane < W; ++lane) map[i][lane] = block.map[cells[lane] * map_entries<dim> + i];
    for (int row = 0; row < N / n; ++row)
      for (int i = 0; i < n; ++i) {
        const int q = row * n + i;
        V inverse[dim][dim], measure;
        if (varies) load_tangents(q);
        if (block.map) {
          const int j = row % n, l = dim == 3 ? row / n : 0;
          V J[dim][dim];
          LineJacobian<dim, V>([&](int k) { return map[k]; }, line.points[j], line.points[l]).at(line.points[i], J);
          const T weight = line.weights[i] * line.weights[j] * (dim == 3 ? line.weights[l] : T(1));
          const V det = adjugate<dim, V>(J, inverse), scale = T(1) / det;
          for (int a = 0; a < dim; ++a)
            for (int d = 0; d < dim; ++d) inverse[a][d] *= scale;
          measure = weight * absolute(det);
        } else {
          for (int lane = 0; lane < W; ++lane) {
            const T* from = block.factors + cells[lane] * ((dim * dim + 1) * N) + q;
            for (int k = 0; k < dim * dim; ++k) inverse[k / dim][k % dim][lane] = from[k * N];
            measure[lane] = from[dim * dim * N];
          }
        }
        at_point(q, inverse, measure);
      }
  }

  void apply() {
    // Of each component u = B u ; g_a = D_a u
    for (int c = 0; c < m; ++c) {
      V* of = u + c * N;
      contract_all<n, dim, false>(line.basis, of);
      contract<n, dim, 0, false, false>(line.slope, of, flux[c * dim]);
      contract<n, dim, 1, false, false>(line.slope, of, flux[c * dim + 1]);
      if constexpr (dim == 3) contract<n, dim, 2, false, false>(line.slope, of, flux[c * dim + 2]);
    }
    // f = C (g, u), in reference coordinates
    at_points();
    // v = sum_a D_a^T f_a (+ f of the value) ; v = B^T v
    for (int c = 0; c < m; ++c) {
      V* of = u + c * N;
      if (block.has_value)
        contract<n, dim, 0, true, true>(line.slope, flux[c * dim], of);
      else
        contract<n, dim, 0, true, false>(line.slope, flux[c * dim], of);
      contract<n, dim, 1, true, true>(line.slope, flux[c * dim + 1], of);
      if constexpr (dim == 3) contract<n, dim, 2, true, true>(line.slope, flux[c * dim + 2], of);
      contract_all<n, dim, true>(line.basis, of);
    }
  }
};

}  // namespace tessera::assembly::matrix_free::host
