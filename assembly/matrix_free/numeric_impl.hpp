#pragma once
// Numeric set-up, written once for both backends: factors at the points, loads, diagonals and element matrices.
#include <algorithm>

#include "assembly/cells/form.hpp"
#include "assembly/matrix_free/blocks.hpp"
#include "assembly/matrix_free/matrix_free.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly::matrix_free {

/// Geometry and coefficients of one block for the set-up, in double.
struct PointsView {
  int dim = 3, points = 0, geometry_nodes = 0, nodes = 0;
  const double* coordinates = nullptr;  ///< [mesh nodes, 3]
  const Index* geometry = nullptr;      ///< [cells, geometry_nodes]
  const double* map = nullptr;          ///< [points, dim, geometry_nodes]
  const double* weights = nullptr;      ///< [points]
  const double* basis = nullptr;        ///< [points, dim + 1, nodes]: reference derivatives, then values
  const Index* region = nullptr;
  CoefficientAt<double> k, c, f;

  TESSERA_HD Index region_of(Offset cell) const { return region ? region[cell] : 0; }

  template <int d>
  TESSERA_HD void jacobian(Offset cell, int q, double (&J)[d][d]) const {
    const double* slope = map + Offset{q} * d * geometry_nodes;
    for (int i = 0; i < d; ++i)
      for (int a = 0; a < d; ++a) J[i][a] = 0;
    for (int g = 0; g < geometry_nodes; ++g) {
      const double* x = coordinates + Offset{3} * geometry[cell * geometry_nodes + g];
      for (int i = 0; i < d; ++i)
        for (int a = 0; a < d; ++a) J[i][a] += x[i] * slope[a * geometry_nodes + g];
    }
  }
};

/// out[cell, m, q] = packed w |det J| J^-1 k J^-T, then w |det J| c where there is c; cells from `first`.
template <int dim, class T>
struct WriteFactors {
  PointsView view;
  Offset first;
  T* out;
  TESSERA_HD void operator()(Offset i) const {
    const Offset cell = first + i / view.points;
    const int q = static_cast<int>(i % view.points);
    const int entries = symmetric<dim> + (view.c.values ? 1 : 0);
    double J[dim][dim], inverse[dim][dim], G[symmetric<dim>];
    view.jacobian(cell, q, J);
    const double measure = view.weights[q] * absolute(invert<dim, double>(J, inverse));
    const Index region = view.region_of(cell);
    pull_back<dim>(view.k.cell(region, cell, view.points) + q * view.k.step(), view.k.components, inverse, measure, G);
    T* to = out + i / view.points * entries * view.points + q;
    for (int m = 0; m < symmetric<dim>; ++m) to[Offset{m} * view.points] = static_cast<T>(G[m]);
    if (view.c.values)
      to[Offset{symmetric<dim>} * view.points] =
          static_cast<T>(measure * view.c.cell(region, cell, view.points)[q * view.c.step()]);
  }
};

/// out[cell, q] = w |det J| f.
template <int dim>
struct WriteSource {
  PointsView view;
  Offset first;
  double* out;
  TESSERA_HD void operator()(Offset i) const {
    const Offset cell = first + i / view.points;
    const int q = static_cast<int>(i % view.points);
    double J[dim][dim], inverse[dim][dim];
    view.jacobian(cell, q, J);
    const double f = view.f.cell(view.region_of(cell), cell, view.points)[q * view.f.step()];
    out[i] = view.weights[q] * absolute(invert<dim, double>(J, inverse)) * f;
  }
};

template <class Exec, class T>
void write_factors(Exec& exec, const PointsView& view, Offset first, Offset cells, T* out) {
  const Offset count = cells * view.points;
  if (view.dim == 1) for_each(exec, count, WriteFactors<1, T>{view, first, out});
  if (view.dim == 2) for_each(exec, count, WriteFactors<2, T>{view, first, out});
  if (view.dim == 3) for_each(exec, count, WriteFactors<3, T>{view, first, out});
}

template <class Exec>
void write_source(Exec& exec, const PointsView& view, Offset first, Offset cells, double* out) {
  const Offset count = cells * view.points;
  if (view.dim == 1) for_each(exec, count, WriteSource<1>{view, first, out});
  if (view.dim == 2) for_each(exec, count, WriteSource<2>{view, first, out});
  if (view.dim == 3) for_each(exec, count, WriteSource<3>{view, first, out});
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

/// diagonal_i = sum_q sum_ab G_ab (d_a phi_i)(d_b phi_i) + m phi_i^2: products of one-dimensional tables, so each term is
/// contracted axis by axis. products: B B, B D, D D, each [points, nodes]; elements: the block's part of the element vector.
template <class Exec, class T>
void tensor_diagonal(Exec& exec, const PointsView& view, const TensorView<T>& block, const double* products,
                     double* elements) {
  using Space = typename Exec::Space;
  const int n = block.n, dim = view.dim, entries = dim * (dim + 1) / 2 + (view.c.values ? 1 : 0), N = view.points;
  const Offset chunk = std::min<Offset>(block.cells, std::max<Offset>(1, points_per_chunk / N));
  Array<double, Space> factors(chunk * N * entries), scratch(chunk * N * 2);
  for_cell_chunks(block.cells, N, [&](Offset first, Offset count) {
    write_factors(exec, view, first, count, factors.data());
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
    if (view.c.values) add(masses, entries - 1, 1);
  });
  exec.synchronize();
}

/// load_i = sum_q w |det J| f phi_i.
template <class Exec, class T>
void tensor_load(Exec& exec, const PointsView& view, const TensorView<T>& block, const double* basis,
                 double* elements) {
  using Space = typename Exec::Space;
  const int N = view.points;
  const Offset chunk = std::min<Offset>(block.cells, std::max<Offset>(1, points_per_chunk / N));
  Array<double, Space> source(chunk * N), scratch(chunk * N * 2);
  const double* matrices[3] = {basis, basis, basis};
  for_cell_chunks(block.cells, N, [&](Offset first, Offset count) {
    write_source(exec, view, first, count, source.data());
    contract_axes(exec, block.n, view.dim, count, matrices, source.data(), N, 1, false,
                  {elements + first * block.cell_stride, block.cell_stride, block.place_stride}, scratch.data());
  });
  exec.synchronize();
}

/// Entry (i, j) of the element matrices, i <= j, from factors of cells from `first`.
template <int dim, class T>
struct WriteMatrix {
  PointsView view;
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
    const double* G = factors + cell * (symmetric<dim> + (view.c.values ? 1 : 0)) * Q;
    double sum = 0;
    for (int q = 0; q < Q; ++q) {
      const double* basis = view.basis + Offset{q} * (dim + 1) * n;
      for (int a = 0; a < dim; ++a) {
        double flux = 0;
        for (int b = 0; b < dim; ++b)
          flux += G[(a <= b ? packed(a, b, dim) : packed(b, a, dim)) * Q + q] * basis[b * n + j];
        sum += basis[a * n + i] * flux;
      }
      if (view.c.values) sum += G[symmetric<dim> * Q + q] * basis[dim * n + i] * basis[dim * n + j];
    }
    matrices[(first + cell) * block.matrix_stride + entry * block.entry_stride] = static_cast<T>(sum);
  }
};

template <class Exec, class T>
void write_matrices(Exec& exec, const PointsView& view, const Index* pairs, const LocalView<T>& block, T* matrices) {
  using Space = typename Exec::Space;
  const int dim = view.dim, factors_each = dim * (dim + 1) / 2 + (view.c.values ? 1 : 0);
  const int entries = view.nodes * (view.nodes + 1) / 2;
  const Offset chunk = std::min<Offset>(block.cells, std::max<Offset>(1, points_per_chunk / view.points));
  Array<double, Space> factors(chunk * view.points * factors_each);
  for_cell_chunks(block.cells, view.points, [&](Offset first, Offset count) {
    write_factors(exec, view, first, count, factors.data());
    const Offset items = count * entries;
    if (dim == 1)
      for_each(exec, items, WriteMatrix<1, T>{view, factors.data(), pairs, entries, first, block, matrices});
    if (dim == 2)
      for_each(exec, items, WriteMatrix<2, T>{view, factors.data(), pairs, entries, first, block, matrices});
    if (dim == 3)
      for_each(exec, items, WriteMatrix<3, T>{view, factors.data(), pairs, entries, first, block, matrices});
  });
  exec.synchronize();
}

/// Loads of cells with element matrices.
struct WriteLoad {
  PointsView view;
  const double* source;
  Offset first, cell_stride, node_stride;
  double* elements;
  TESSERA_HD void operator()(Offset t) const {
    const Offset cell = t / view.nodes;
    const int i = static_cast<int>(t % view.nodes);
    double sum = 0;
    for (int q = 0; q < view.points; ++q)
      sum += source[cell * view.points + q] * view.basis[(Offset{q} * (view.dim + 1) + view.dim) * view.nodes + i];
    elements[(first + cell) * cell_stride + i * node_stride] = sum;
  }
};

template <class Exec, class T>
void local_load(Exec& exec, const PointsView& view, const LocalView<T>& block, double* elements) {
  using Space = typename Exec::Space;
  const Offset chunk = std::min<Offset>(block.cells, std::max<Offset>(1, points_per_chunk / view.points));
  Array<double, Space> source(chunk * view.points);
  for_cell_chunks(block.cells, view.points, [&](Offset first, Offset count) {
    write_source(exec, view, first, count, source.data());
    for_each(exec, count * view.nodes,
             WriteLoad{view, source.data(), first, block.cell_stride, block.node_stride, elements});
  });
  exec.synchronize();
}

}  // namespace tessera::assembly::matrix_free
