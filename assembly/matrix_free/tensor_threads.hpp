#pragma once
// Sum factorisation on the host: several cells share the vector registers, one a lane.
// Vectors wider than the target's registers have no settled calling convention; none leaves this file. Sources that
// include it are compiled with -Wno-psabi.

#include <algorithm>
#include <memory>

#include "assembly/matrix_free/blocks.hpp"
#include "assembly/matrix_free/geometry.hpp"
#include "base/error.hpp"
#include "base/team.hpp"

namespace tessera::assembly::matrix_free {
namespace host {

/// 64 bytes of cells.
template <class T>
inline constexpr int lanes = static_cast<int>(64 / sizeof(T));
template <class T>
struct Vector;
template <>
struct Vector<double> {
  using type = double __attribute__((vector_size(64)));
};
template <>
struct Vector<float> {
  using type = float __attribute__((vector_size(64)));
};

constexpr int power(int n, int dim) { return dim == 0 ? 1 : n * power(n, dim - 1); }

/// out = M in along an axis of [n^dim] values, or M^T in; `add`: out += it. in and out may be the same unless `add`.
template <int n, int dim, int axis, bool transposed, bool add, class T, class V>
inline void contract(const T* M, const V* in, V* out) {
  constexpr int stride = power(n, axis);
  for (int outer = 0; outer < power(n, dim); outer += stride * n)
    for (int inner = 0; inner < stride; ++inner) {
      V column[n];
      for (int i = 0; i < n; ++i) column[i] = in[outer + inner + i * stride];
      for (int q = 0; q < n; ++q) {
        V sum = (transposed ? M[q] : M[q * n]) * column[0];
        for (int i = 1; i < n; ++i) sum += (transposed ? M[i * n + q] : M[q * n + i]) * column[i];
        V& to = out[outer + inner + q * stride];
        to = add ? to + sum : sum;
      }
    }
}

template <int n, int dim, bool transposed, class T, class V>
inline void contract_all(const T* M, V* values) {
  contract<n, dim, 0, transposed, false>(M, values, values);
  contract<n, dim, 1, transposed, false>(M, values, values);
  if constexpr (dim == 3) contract<n, dim, 2, transposed, false>(M, values, values);
}

template <class T>
struct Line {
  T points[max_line], weights[max_line], basis[max_line * max_line], slope[max_line * max_line];
  explicit Line(const LineTables& tables) {
    std::copy(std::begin(tables.points), std::end(tables.points), points);
    std::copy(std::begin(tables.weights), std::end(tables.weights), weights);
    std::copy(std::begin(tables.basis), std::end(tables.basis), basis);
    std::copy(std::begin(tables.slope), std::end(tables.slope), slope);
  }
};

/// A batch of cells, one a lane; cells beyond the last repeat it.
template <int n, int dim, class Form>
struct Batch {
  using T = typename Form::Number;
  using V = typename Vector<T>::type;
  static constexpr int W = lanes<T>;
  static constexpr int N = power(n, dim);
  static constexpr int places = N;

  const TensorView<Form>& block;
  const Line<T>& line;
  Offset cells[W];
  V u[N];          // dofs, then values at the points, then the result
  V flux[dim][N];  // reference gradient, then reference flux

  Batch(const TensorView<Form>& block, const Line<T>& line) : block(block), line(line) {}

  template <class Load>
  static V load(Load value) {
    V result{};
    for (int lane = 0; lane < W; ++lane) result[lane] = value(lane);
    return result;
  }

  forms::Place at(int lane, int q) const { return {block.region_of(cells[lane]), cells[lane], q, N}; }

  void load_tensor(int q, V* values) const {
    if constexpr ((Form::couples & forms::gradient_gradient) == 0) return;
    for (int m = 0; m < block.form.tensor_components(); ++m)
      values[m] = load([&](int lane) { return forms::tangent_at<dim>(block.form, at(lane, q)).gg.values[m]; });
  }
  void load_value(int q, V& value) const {
    value = load([&](int lane) { return forms::tangent_at<dim>(block.form, at(lane, q)).vv; });
  }

  void at_points_of_map() {
    V map[map_entries<dim>], tensor[tensor_size<dim>], value{};
    for (int i = 0; i < map_entries<dim>; ++i)
      map[i] = load([&](int lane) { return block.map[cells[lane] * map_entries<dim> + i]; });
    const bool tensor_varies = !block.form.constant(forms::gradient_gradient),
               value_varies = !block.form.constant(forms::value_value);
    load_tensor(0, tensor);
    if (block.has_value) load_value(0, value);
    for (int row = 0; row < N / n; ++row) {
      const int j = row % n, l = dim == 3 ? row / n : 0;
      const LineJacobian<dim, V> jacobian([&](int i) { return map[i]; }, line.points[j], line.points[l]);
      const T weight = line.weights[j] * (dim == 3 ? line.weights[l] : T(1));
      for (int i = 0; i < n; ++i) {
        const int q = row * n + i;
        if (tensor_varies) load_tensor(q, tensor);
        V J[dim][dim], g[dim];
        jacobian.at(line.points[i], J);
        for (int a = 0; a < dim; ++a) g[a] = flux[a][q];
        const V measure = apply_form<dim, Form>(
            J, V{} + weight * line.weights[i],
            [&] {
              return forms::TensorView<V>{tensor, block.form.tensor_components()};
            },
            g);
        for (int a = 0; a < dim; ++a) flux[a][q] = g[a];
        if (!block.has_value) continue;
        if (value_varies) load_value(q, value);
        u[q] *= measure * value;
      }
    }
  }

  void at_points_of_factors() {
    const int entries = tensor_size<dim> + (block.has_value ? 1 : 0);
    const auto factor = [&](int m, int q) {
      return load([&](int lane) { return block.factors[(cells[lane] * entries + m) * N + q]; });
    };
    for (int q = 0; q < N; ++q) {
      V g[dim];
      for (int a = 0; a < dim; ++a) g[a] = flux[a][q];
      apply_factors<dim, V>([&](int m) { return factor(m, q); }, g);
      for (int a = 0; a < dim; ++a) flux[a][q] = g[a];
      if (block.has_value) u[q] *= factor(tensor_size<dim>, q);
    }
  }

  void apply() {
    // u = B u ; g_a = D_a u ; f = G g ; v = sum_a D_a^T f_a + m u ; v = B^T v
    contract_all<n, dim, false>(line.basis, u);
    contract<n, dim, 0, false, false>(line.slope, u, flux[0]);
    contract<n, dim, 1, false, false>(line.slope, u, flux[1]);
    if constexpr (dim == 3) contract<n, dim, 2, false, false>(line.slope, u, flux[2]);
    if (block.map)
      at_points_of_map();
    else
      at_points_of_factors();
    if (block.has_value)
      contract<n, dim, 0, true, true>(line.slope, flux[0], u);
    else
      contract<n, dim, 0, true, false>(line.slope, flux[0], u);
    contract<n, dim, 1, true, true>(line.slope, flux[1], u);
    if constexpr (dim == 3) contract<n, dim, 2, true, true>(line.slope, flux[2], u);
    contract_all<n, dim, true>(line.basis, u);
  }
};

template <int n, int dim, class Form, class T = typename Form::Number>
void apply_block(Threads& exec, const LineTables& tables, const TensorView<Form>& block, const T* x, T* y,
                 T* elements) {
  constexpr int W = lanes<T>, N = Batch<n, dim, Form>::places;
  const Line<T> line(tables);
  const Offset batches = (block.cells + W - 1) / W;
  parallel_ranges(exec.count(), batches, [&](Offset first, Offset last, int) {
    const auto batch = std::make_unique<Batch<n, dim, Form>>(block, line);
    for (Offset b = first; b < last; ++b) {
      const int count = static_cast<int>(std::min<Offset>(W, block.cells - b * W));
      for (int lane = 0; lane < W; ++lane) {
        batch->cells[lane] = b * W + std::min(lane, count - 1);
        const Index* dofs = block.dofs + batch->cells[lane] * N;
        for (int l = 0; l < N; ++l) batch->u[l][lane] = dofs[l] < 0 ? T(0) : x[dofs[l]];
      }
      batch->apply();
      for (int lane = 0; lane < count; ++lane) {
        const Index* dofs = block.dofs + batch->cells[lane] * N;
        T* out = elements + block.first + batch->cells[lane] * N;
        for (int l = 0; l < N; ++l) {
          if (!is_interior(l, n, dim))
            out[l] = batch->u[l][lane];
          else if (dofs[l] >= 0)
            y[dofs[l]] = batch->u[l][lane];
        }
      }
    }
  });
}

template <int dim, class Form, class T = typename Form::Number>
void apply_of_dim(Threads& exec, const LineTables& tables, const TensorView<Form>& block, const T* x, T* y,
                  T* elements) {
  switch (block.n) {
    case 2: return apply_block<2, dim>(exec, tables, block, x, y, elements);
    case 3: return apply_block<3, dim>(exec, tables, block, x, y, elements);
    case 4: return apply_block<4, dim>(exec, tables, block, x, y, elements);
    case 5: return apply_block<5, dim>(exec, tables, block, x, y, elements);
    case 6: return apply_block<6, dim>(exec, tables, block, x, y, elements);
    case 7: return apply_block<7, dim>(exec, tables, block, x, y, elements);
    case 8: return apply_block<8, dim>(exec, tables, block, x, y, elements);
    case 9: return apply_block<9, dim>(exec, tables, block, x, y, elements);
  }
  throw Error(ExitCode::internal, "no sum factorisation of this order");
}

}  // namespace host

template <class Form>
void apply_tensor(Threads& exec, const LineTables& tables, const TensorView<Form>& block,
                  const typename Form::Number* x, typename Form::Number* y, typename Form::Number* elements) {
  if (block.dim == 2) return host::apply_of_dim<2>(exec, tables, block, x, y, elements);
  host::apply_of_dim<3>(exec, tables, block, x, y, elements);
}

}  // namespace tessera::assembly::matrix_free
