#pragma once
// The numeric set-up of forms with several unknowns a node: see numeric_impl.hpp, whose functions these stand for.
#include "assembly/matrix_free/numeric_impl.hpp"
#include "forms/components.hpp"

namespace tessera::assembly::matrix_free {

/// Numbers at a point that stand for the geometry: J^-1 row by row, then w |det J|.
constexpr int inverse_count(int dim) { return dim * dim + 1; }

/// A quadrature point as forms::ComponentPair sees it.
template <int dim>
struct GeometryPoint : forms::Place {
  double inverse[dim][dim];
  double measure;  ///< w |det J|

  TESSERA_HD GeometryPoint(const PointsView& view, Offset cell, int q) : forms::Place(view.at(cell, q)) {
    double J[dim][dim];
    view.jacobian(cell, q, J);
    measure = view.weights[q] * absolute(invert<dim, double>(J, inverse));
  }
};

/// out[cell, entry, q]: J^-1, then w |det J|; cells from `first`.
template <int dim, class T>
struct WriteInverses {
  PointsView view;
  Offset first;
  T* out;
  TESSERA_HD void operator()(Offset i) const {
    const int q = static_cast<int>(i % view.points);
    const GeometryPoint<dim> x(view, first + i / view.points, q);
    T* to = out + i / view.points * (dim * dim + 1) * view.points + q;
    for (int a = 0; a < dim; ++a)
      for (int d = 0; d < dim; ++d) to[Offset{a * dim + d} * view.points] = static_cast<T>(x.inverse[a][d]);
    to[Offset{dim * dim} * view.points] = static_cast<T>(x.measure);
  }
};

/// out[cell, c, a, q] = w |det J| of the load l_c between reference derivatives, and the value last.
template <int dim, class Form>
struct WriteComponentLoads {
  PointsView view;
  Form form;
  Offset first;
  double* out;
  TESSERA_HD void operator()(Offset i) const {
    constexpr int m = forms::components_of<Form>(dim);
    const int q = static_cast<int>(i % view.points);
    const GeometryPoint<dim> x(view, first + i / view.points, q);
    double* to = out + i / view.points * m * (dim + 1) * view.points + q;
    for (int c = 0; c < m; ++c) {
      double l[dim + 1];
      form.template load<dim>(x, c, l);
      for (int a = 0; a <= dim; ++a, to += view.points) {
        double sum = 0;
        for (int d = 0; d < dim && a < dim; ++d) sum += x.inverse[a][d] * l[d];
        *to = x.measure * (a < dim ? sum : l[dim]);
      }
    }
  }
};

/// out[cell, entry, q] = S_ab, a <= b < tested, packed: of the pair (c, d) what stands before B_a B_b in B^T C_cd B.
template <int dim, class Form>
struct WritePairs {
  PointsView view;
  Form form;
  int c, d, tested;
  Offset first;
  double* out;
  TESSERA_HD void operator()(Offset i) const {
    const int q = static_cast<int>(i % view.points);
    const GeometryPoint<dim> x(view, first + i / view.points, q);
    forms::Pulled<dim> at;
    forms::ComponentPair<Form>{form, c, d}.template pull_back<dim>(x, at);
    [[maybe_unused]] const auto& [C, l] = at;
    double* to = out + i / view.points * (tested * (tested + 1) / 2) * view.points + q;
    for (int a = 0; a < tested; ++a)
      for (int b = a; b < tested; ++b, to += view.points) *to = a == b ? C[a][a] : C[a][b] + C[b][a];
  }
};

/// Row (i, c) of the element matrices from the diagonal on, summed in the type of the matrices.
template <int dim, class Form, class T>
struct WriteRows {
  PointsView view;
  Form form;
  const double* inverses;  ///< of WriteInverses
  Offset first, count;     ///< cells
  LocalView<T> block;
  T* matrices;
  TESSERA_HD void operator()(Offset t) const {
    constexpr int m = forms::components_of<Form>(dim);
    const bool by_cell = block.cell_stride != 1;  // neighbouring threads write neighbouring entries
    const Offset cell = by_cell ? t / block.nodes : t % count;
    const int rows = block.nodes, n = view.nodes, row = static_cast<int>(by_cell ? t % rows : t / count);
    const int i = row / m, c = row % m, tested = form.tests_values() ? dim + 1 : dim, Q = view.points;
    T* A = matrices + (first + cell) * block.matrix_stride + packed(row, row, rows) * block.entry_stride;
    for (int k = 0; k < rows - row; ++k) A[k * block.entry_stride] = 0;
    for (int q = 0; q < Q; ++q) {
      const double* B = view.basis + Offset{q} * (dim + 1) * n;
      const double* at = inverses + cell * (dim * dim + 1) * Q + q;
      double inverse[dim][dim], test[dim + 1], flux[m][dim + 1];
      for (int a = 0; a < dim; ++a)
        for (int d = 0; d < dim; ++d) inverse[a][d] = at[(a * dim + d) * Q];
      for (int d = 0; d < dim; ++d) {
        test[d] = 0;
        for (int a = 0; a < dim; ++a) test[d] += inverse[a][d] * B[a * n + i];
      }
      test[dim] = B[dim * n + i];
      for (int d = 0; d < m; ++d) {  // flux_d = J^-1 C_cd^T of the test function
        double C[dim + 1][dim + 1], physical[dim + 1];
        form.template tangent<dim>(view.at(first + cell, q), c, d, C);
        for (int b = 0; b < tested; ++b) {
          physical[b] = 0;
          for (int a = 0; a < tested; ++a) physical[b] += C[a][b] * test[a];
        }
        for (int b = 0; b < dim; ++b) {
          flux[d][b] = 0;
          for (int e = 0; e < dim; ++e) flux[d][b] += inverse[b][e] * physical[e];
          flux[d][b] *= at[dim * dim * Q];
        }
        flux[d][dim] = tested > dim ? at[dim * dim * Q] * physical[dim] : 0.0;
      }
      T* to = A;
      for (int j = i; j < n; ++j)
        for (int d = j == i ? c : 0; d < m; ++d, to += block.entry_stride) {
          double sum = 0;
          for (int b = 0; b < tested; ++b) sum += flux[d][b] * B[b * n + j];
          *to += static_cast<T>(sum);
        }
    }
  }
};

/// Loads of cells with element matrices, from those of WriteComponentLoads.
template <int dim>
struct SumComponentLoads {
  PointsView view;
  int components;
  const double* loads;
  Offset first, cell_stride, node_stride;
  double* elements;
  TESSERA_HD void operator()(Offset t) const {
    const int rows = view.nodes * components, row = static_cast<int>(t % rows), i = row / components;
    const Offset cell = t / rows;
    const double* l = loads + (cell * components + row % components) * (dim + 1) * view.points;
    double sum = 0;
    for (int q = 0; q < view.points; ++q)
      for (int a = 0; a <= dim; ++a)
        sum += l[a * view.points + q] * view.basis[(Offset{q} * (dim + 1) + a) * view.nodes + i];
    elements[(first + cell) * cell_stride + row * node_stride] = sum;
  }
};

template <class Exec, class T>
void write_inverses(Exec& exec, const PointsView& view, Offset first, Offset cells, T* out) {
  const Offset count = cells * view.points;
  if (view.dim == 1) for_each(exec, count, WriteInverses<1, T>{view, first, out});
  if (view.dim == 2) for_each(exec, count, WriteInverses<2, T>{view, first, out});
  if (view.dim == 3) for_each(exec, count, WriteInverses<3, T>{view, first, out});
}

template <class Exec, class Form>
void write_component_loads(Exec& exec, const PointsView& view, const Form& form, Offset first, Offset cells,
                           double* out) {
  const Offset count = cells * view.points;
  if (view.dim == 1) for_each(exec, count, WriteComponentLoads<1, Form>{view, form, first, out});
  if (view.dim == 2) for_each(exec, count, WriteComponentLoads<2, Form>{view, form, first, out});
  if (view.dim == 3) for_each(exec, count, WriteComponentLoads<3, Form>{view, form, first, out});
}

/// Cells whose numbers, `each` a point, are in memory at a time.
inline Offset cells_of_a_chunk(Index cells, int points, int each) {
  return std::min<Offset>(cells, std::max<Offset>(1, points_per_chunk / (Offset{points} * each)));
}

/// diagonal_(ic) = sum_q sum_ab S_ab B_a(phi_i) B_b(phi_i) of the pairs (c, c + s): each term is a product of
/// one-dimensional tables.
template <class Exec, class Form, class Block>
requires forms::has_components<Form>
void tensor_diagonal(Exec& exec, const PointsView& view, const Form& form, const Block& block, const double* products,
                     int s, double* elements) {
  using Space = typename Exec::Space;
  const int n = block.n, dim = view.dim, N = view.points, m = forms::components_of<Form>(dim);
  const int tested = form.tests_values() ? dim + 1 : dim, entries = tested * (tested + 1) / 2;
  const Offset chunk = cells_of_a_chunk(block.cells, N, m);
  Array<double, Space> factors(chunk * N * entries), scratch(chunk * N * 2);
  for_cell_chunks(block.cells, N * m, [&](Offset first, Offset count) {
    for (int c = 0; c < m; ++c) {
      const int d = (c + s) % m;
      if (dim == 2) for_each(exec, count * N, WritePairs<2, Form>{view, form, c, d, tested, first, factors.data()});
      if (dim == 3) for_each(exec, count * N, WritePairs<3, Form>{view, form, c, d, tested, first, factors.data()});
      const Target target{elements + first * block.cell_stride + Offset{c} * N * block.place_stride, block.cell_stride,
                          block.place_stride};
      for (int a = 0; a < tested; ++a)
        for (int b = a; b < tested; ++b) {
          const double* matrices[3];
          for (int axis = 0; axis < dim; ++axis) matrices[axis] = products + ((axis == a) + (axis == b)) * n * n;
          const int entry = packed(a, b, tested);
          contract_axes(exec, n, dim, count, matrices, factors.data() + Offset{entry} * N, Offset{N} * entries, 1,
                        entry > 0, target, scratch.data());
        }
    }
  });
  exec.synchronize();
}

/// load_(ic) = sum_q sum_a l_ca B_a(phi_i). `tables`: those of diagonal_tables.
template <class Exec, class Form, class Block>
requires forms::has_components<Form>
void tensor_load(Exec& exec, const PointsView& view, const Form& form, const Block& block, const double* tables,
                 double* elements) {
  using Space = typename Exec::Space;
  const int n = block.n, dim = view.dim, N = view.points, m = forms::components_of<Form>(dim), each = m * (dim + 1);
  const double* derivative = tables + 4 * n * n;
  const Offset chunk = cells_of_a_chunk(block.cells, N, each);
  Array<double, Space> loads(chunk * N * each), scratch(chunk * N * 2);
  for_cell_chunks(block.cells, N * each, [&](Offset first, Offset count) {
    write_component_loads(exec, view, form, first, count, loads.data());
    for (int c = 0; c < m; ++c) {
      const Target target{elements + first * block.cell_stride + Offset{c} * N * block.place_stride, block.cell_stride,
                          block.place_stride};
      for (int a = dim; a >= (forms::has(form, forms::load_gradient) ? 0 : dim); --a) {
        const double* matrices[3];
        for (int axis = 0; axis < dim; ++axis) matrices[axis] = axis == a ? derivative : tables;
        contract_axes(exec, n, dim, count, matrices, loads.data() + Offset{c * (dim + 1) + a} * N, Offset{N} * each, 1,
                      a < dim, target, scratch.data());
      }
    }
  });
  exec.synchronize();
}

template <class Exec, class Form, class T>
requires forms::has_components<Form>
void write_matrices(Exec& exec, const PointsView& view, const Form& form, const Index*, const LocalView<T>& block,
                    T* matrices) {
  using Space = typename Exec::Space;
  const int each = inverse_count(view.dim);
  Array<double, Space> inverses(cells_of_a_chunk(block.cells, view.points, each) * view.points * each);
  for_cell_chunks(block.cells, view.points * each, [&](Offset first, Offset count) {
    write_inverses(exec, view, first, count, inverses.data());
    const double* at = inverses.data();
    const Offset items = count * block.nodes;
    if (view.dim == 1) for_each(exec, items, WriteRows<1, Form, T>{view, form, at, first, count, block, matrices});
    if (view.dim == 2) for_each(exec, items, WriteRows<2, Form, T>{view, form, at, first, count, block, matrices});
    if (view.dim == 3) for_each(exec, items, WriteRows<3, Form, T>{view, form, at, first, count, block, matrices});
  });
  exec.synchronize();
}

template <class Exec, class Form, class T>
requires forms::has_components<Form>
void local_load(Exec& exec, const PointsView& view, const Form& form, const LocalView<T>& block, double* elements) {
  using Space = typename Exec::Space;
  const int dim = view.dim, m = forms::components_of<Form>(dim), each = m * (dim + 1);
  Array<double, Space> loads(cells_of_a_chunk(block.cells, view.points, each) * view.points * each);
  for_cell_chunks(block.cells, view.points * each, [&](Offset first, Offset count) {
    write_component_loads(exec, view, form, first, count, loads.data());
    const Offset items = count * block.nodes;
    const auto sum = [&](auto of_dim) {
      for_each(exec, items,
               SumComponentLoads<decltype(of_dim)::value>{view, m, loads.data(), first, block.cell_stride,
                                                          block.node_stride, elements});
    };
    if (dim == 1) sum(std::integral_constant<int, 1>{});
    if (dim == 2) sum(std::integral_constant<int, 2>{});
    if (dim == 3) sum(std::integral_constant<int, 3>{});
  });
  exec.synchronize();
}

}  // namespace tessera::assembly::matrix_free
