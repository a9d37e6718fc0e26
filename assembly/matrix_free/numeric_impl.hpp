#pragma once
// Numeric set-up, written once for both backends: factors at the points, loads, diagonals and element matrices.
#include <algorithm>

#include "assembly/matrix_free/blocks.hpp"
#include "assembly/matrix_free/geometry.hpp"
#include "assembly/matrix_free/operator.hpp"
#include "assembly/space/jacobian.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly::matrix_free {

/// Geometry of one block for the set-up, in double.
struct PointsView {
  int dim = 3, points = 0, geometry_nodes = 0, nodes = 0;
  const double* coordinates = nullptr;  ///< [mesh nodes, 3]
  const Index* geometry = nullptr;      ///< [cells, geometry_nodes]
  const double* map = nullptr;          ///< [points, dim, geometry_nodes]
  const double* weights = nullptr;      ///< [points]
  const double* basis = nullptr;        ///< [points, dim + 1, nodes]: reference derivatives, then values
  const Index* region = nullptr;

  TESSERA_HD forms::Place at(Offset cell, int q) const { return {region ? region[cell] : 0, cell, q, points}; }

  template <int d>
  TESSERA_HD void jacobian(Offset cell, int q, double (&J)[d][d]) const {
    sum_jacobian<d>(
        geometry_nodes, [&](int g) { return coordinates + Offset{3} * geometry[cell * geometry_nodes + g]; },
        map + Offset{q} * d * geometry_nodes, J);
  }
};

/// Values at a point that stand for a form: the packed tensor between reference gradients, and C_vv where it is there.
template <class Form>
TESSERA_HD int factor_count(const Form& form, int dim) {
  return dim * (dim + 1) / 2 + (forms::has(form, forms::value_value) ? 1 : 0);
}

/// out[cell, m, q] = packed w |det J| J^-1 C_gg J^-T, then w |det J| C_vv where it is there; cells from `first`.
template <int dim, class Form, class T>
struct WriteFactors {
  PointsView view;
  Form form;
  Offset first;
  T* out;
  TESSERA_HD void operator()(Offset i) const {
    const Offset cell = first + i / view.points;
    const int q = static_cast<int>(i % view.points);
    double J[dim][dim], inverse[dim][dim], G[tensor_size<dim>] = {};
    view.jacobian(cell, q, J);
    const double measure = view.weights[q] * absolute(invert<dim, double>(J, inverse));
    const forms::Place at = view.at(cell, q);
    forms::pull_back_tangent<dim>(form, at, inverse, measure, G);
    T* to = out + i / view.points * factor_count(form, dim) * view.points + q;
    for (int m = 0; m < tensor_size<dim>; ++m) to[Offset{m} * view.points] = static_cast<T>(G[m]);
    if (forms::has(form, forms::value_value))
      to[Offset{tensor_size<dim>} * view.points] = static_cast<T>(measure * forms::tangent_at<dim>(form, at).vv);
  }
};

/// out[cell, q] = w |det J| l.
template <int dim, class Form>
struct WriteLoads {
  PointsView view;
  Form form;
  Offset first;
  double* out;
  TESSERA_HD void operator()(Offset i) const {
    const Offset cell = first + i / view.points;
    const int q = static_cast<int>(i % view.points);
    double J[dim][dim], inverse[dim][dim];
    view.jacobian(cell, q, J);
    const double load = forms::load_at<dim>(form, view.at(cell, q));
    out[i] = view.weights[q] * absolute(invert<dim, double>(J, inverse)) * load;
  }
};

template <class Exec, class Form, class T>
void write_factors(Exec& exec, const PointsView& view, const Form& form, Offset first, Offset cells, T* out) {
  const Offset count = cells * view.points;
  if (view.dim == 1) for_each(exec, count, WriteFactors<1, Form, T>{view, form, first, out});
  if (view.dim == 2) for_each(exec, count, WriteFactors<2, Form, T>{view, form, first, out});
  if (view.dim == 3) for_each(exec, count, WriteFactors<3, Form, T>{view, form, first, out});
}

template <class Exec, class Form>
void write_loads(Exec& exec, const PointsView& view, const Form& form, Offset first, Offset cells, double* out) {
  const Offset count = cells * view.points;
  if (view.dim == 1) for_each(exec, count, WriteLoads<1, Form>{view, form, first, out});
  if (view.dim == 2) for_each(exec, count, WriteLoads<2, Form>{view, form, first, out});
  if (view.dim == 3) for_each(exec, count, WriteLoads<3, Form>{view, form, first, out});
}

/// Calls body(first, count) for ranges of cells with at most points_per_chunk points.
template <class Body>
void for_cell_chunks(Index cells, int points, Body body) {
  const Offset size = std::max<Offset>(1, points_per_chunk / points);
  for (Offset first = 0; first < cells; first += size) body(first, std::min<Offset>(size, cells - first));
}

/// out = factor M^T in along an axis of [cells, n^dim], or out += it; M is [points, nodes].
struct ContractAxis {
  int n, stride, size;  ///< stride = n^axis, size = n^dim
  const double* matrix;
  const double* in;
  Offset in_stride;  ///< of cells
  double factor;
  bool add;
  double* out;
  Offset out_stride;  ///< of cells; places of a cell stand out_step apart
  Offset out_step;
  TESSERA_HD void operator()(Offset t) const {
    const Offset cell = t / size;
    const int l = static_cast<int>(t % size), i = l / stride % n;
    const double* line = in + cell * in_stride + (l - i * stride);
    double sum = 0;
    for (int q = 0; q < n; ++q) sum += matrix[q * n + i] * line[q * stride];
    double& to = out[cell * out_stride + l * out_step];
    to = (add ? to : 0.0) + factor * sum;
  }
};

/// Where the results of a contraction go: the element vector from the first of a range of cells.
struct Target {
  double* values;
  Offset cell_stride, place_stride;
};

/// Contracts [cells, n^dim] values at the points (cells `in_stride` apart) with one [points, nodes] matrix an axis.
template <class Exec>
void contract_axes(Exec& exec, int n, int dim, Offset cells, const double* const* matrices, const double* in,
                   Offset in_stride, double factor, bool add, const Target& out, double* scratch) {
  int size = 1;
  for (int axis = 0; axis < dim; ++axis) size *= n;
  const Offset count = cells * size;
  double* first = scratch;
  double* second = scratch + count;
  for_each(exec, count, ContractAxis{n, 1, size, matrices[0], in, in_stride, 1, false, first, size, 1});
  if (dim == 3) {
    for_each(exec, count, ContractAxis{n, n, size, matrices[1], first, size, 1, false, second, size, 1});
    std::swap(first, second);
  }
  for_each(exec, count,
           ContractAxis{n, size / n, size, matrices[dim - 1], first, size, factor, add, out.values, out.cell_stride,
                        out.place_stride});
}

/// diagonal_i = sum_q sum_ab G_ab (d_a phi_i)(d_b phi_i) + m phi_i^2: products of one-dimensional tables, so each term
/// is contracted axis by axis. products: B B, B D, D D, each [points, nodes]; elements: the block's part of the element
/// vector.
template <class Exec, class Form, class Block>
void tensor_diagonal(Exec& exec, const PointsView& view, const Form& form, const Block& block, const double* products,
                     int, double* elements) {
  using Space = typename Exec::Space;
  const int n = block.n, dim = view.dim, entries = factor_count(form, dim), N = view.points;
  const Offset chunk = std::min<Offset>(block.cells, std::max<Offset>(1, points_per_chunk / N));
  Array<double, Space> factors(chunk * N * entries), scratch(chunk * N * 2);
  for_cell_chunks(block.cells, N, [&](Offset first, Offset count) {
    write_factors(exec, view, form, first, count, factors.data());
    const Target target{elements + first * block.cell_stride, block.cell_stride, block.place_stride};
    const auto add = [&](const double* const* matrices, int entry, double factor) {
      contract_axes(exec, n, dim, count, matrices, factors.data() + entry * N, Offset{N} * entries, factor, entry > 0,
                    target, scratch.data());
    };
    for (int a = 0; a < dim; ++a)
      for (int b = a; b < dim; ++b) {
        const double* matrices[3];
        for (int axis = 0; axis < dim; ++axis) matrices[axis] = products + ((axis == a) + (axis == b)) * n * n;
        add(matrices, packed(a, b, dim), a == b ? 1 : 2);
      }
    const double* masses[3] = {products, products, products};
    if (forms::has(form, forms::value_value)) add(masses, entries - 1, 1);
  });
  exec.synchronize();
}

/// load_i = sum_q w |det J| l phi_i.
template <class Exec, class Form, class Block>
void tensor_load(Exec& exec, const PointsView& view, const Form& form, const Block& block, const double* basis,
                 double* elements) {
  using Space = typename Exec::Space;
  const int N = view.points;
  const Offset chunk = std::min<Offset>(block.cells, std::max<Offset>(1, points_per_chunk / N));
  Array<double, Space> loads(chunk * N), scratch(chunk * N * 2);
  const double* matrices[3] = {basis, basis, basis};
  for_cell_chunks(block.cells, N, [&](Offset first, Offset count) {
    write_loads(exec, view, form, first, count, loads.data());
    contract_axes(exec, block.n, view.dim, count, matrices, loads.data(), N, 1, false,
                  {elements + first * block.cell_stride, block.cell_stride, block.place_stride}, scratch.data());
  });
  exec.synchronize();
}

/// Entry (i, j) of the element matrices, i <= j, from factors of cells from `first`.
template <int dim, class T>
struct WriteMatrix {
  PointsView view;
  bool has_value;
  const double* factors;
  const Index* pairs;  ///< [entries]: i * nodes + j
  int entries;
  Offset first;
  LocalView<T> block;
  T* matrices;
  TESSERA_HD void operator()(Offset t) const {
    const Offset cell = t / entries;
    const int entry = static_cast<int>(t % entries), n = view.nodes;
    const int i = pairs[entry] / n, j = pairs[entry] % n, Q = view.points;
    const double* G = factors + cell * (tensor_size<dim> + (has_value ? 1 : 0)) * Q;
    double sum = 0;
    for (int q = 0; q < Q; ++q) {
      const double* basis = view.basis + Offset{q} * (dim + 1) * n;
      for (int a = 0; a < dim; ++a) {
        double flux = 0;
        for (int b = 0; b < dim; ++b) flux += G[packed_symmetric(a, b, dim) * Q + q] * basis[b * n + j];
        sum += basis[a * n + i] * flux;
      }
      if (has_value) sum += G[tensor_size<dim> * Q + q] * basis[dim * n + i] * basis[dim * n + j];
    }
    matrices[(first + cell) * block.matrix_stride + entry * block.entry_stride] = static_cast<T>(sum);
  }
};

template <class Exec, class Form, class T>
void write_matrices(Exec& exec, const PointsView& view, const Form& form, const Index* pairs, const LocalView<T>& block,
                    T* matrices) {
  using Space = typename Exec::Space;
  const int dim = view.dim, factors_each = factor_count(form, dim);
  const bool has_value = forms::has(form, forms::value_value);
  const int entries = view.nodes * (view.nodes + 1) / 2;
  const Offset chunk = std::min<Offset>(block.cells, std::max<Offset>(1, points_per_chunk / view.points));
  Array<double, Space> factors(chunk * view.points * factors_each);
  for_cell_chunks(block.cells, view.points, [&](Offset first, Offset count) {
    write_factors(exec, view, form, first, count, factors.data());
    const Offset items = count * entries;
    if (dim == 1)
      for_each(exec, items, WriteMatrix<1, T>{view, has_value, factors.data(), pairs, entries, first, block, matrices});
    if (dim == 2)
      for_each(exec, items, WriteMatrix<2, T>{view, has_value, factors.data(), pairs, entries, first, block, matrices});
    if (dim == 3)
      for_each(exec, items, WriteMatrix<3, T>{view, has_value, factors.data(), pairs, entries, first, block, matrices});
  });
  exec.synchronize();
}

/// Loads of cells with element matrices.
struct WriteLoad {
  PointsView view;
  const double* loads;
  Offset first, cell_stride, node_stride;
  double* elements;
  TESSERA_HD void operator()(Offset t) const {
    const Offset cell = t / view.nodes;
    const int i = static_cast<int>(t % view.nodes);
    double sum = 0;
    for (int q = 0; q < view.points; ++q)
      sum += loads[cell * view.points + q] * view.basis[(Offset{q} * (view.dim + 1) + view.dim) * view.nodes + i];
    elements[(first + cell) * cell_stride + i * node_stride] = sum;
  }
};

template <class Exec, class Form, class T>
void local_load(Exec& exec, const PointsView& view, const Form& form, const LocalView<T>& block, double* elements) {
  using Space = typename Exec::Space;
  const Offset chunk = std::min<Offset>(block.cells, std::max<Offset>(1, points_per_chunk / view.points));
  Array<double, Space> loads(chunk * view.points);
  for_cell_chunks(block.cells, view.points, [&](Offset first, Offset count) {
    write_loads(exec, view, form, first, count, loads.data());
    for_each(exec, count * view.nodes,
             WriteLoad{view, loads.data(), first, block.cell_stride, block.node_stride, elements});
  });
  exec.synchronize();
}

}  // namespace tessera::assembly::matrix_free
