#pragma once
// The right-hand side without the matrix: rows gather, whatever the strategy of the matrix. Cells first write
// w_q |J_q| l_q at their points, so that no Jacobian is computed twice, but for symmetric forms on straight simplices
// and forms that bring an AtPoint of their own.
#include "assembly/cells/block.hpp"
#include "assembly/cells/cell_point.hpp"
#include "base/parallel.hpp"
#include "forms/components.hpp"
#include "forms/pulled.hpp"

namespace tessera::assembly {

/// |det J| of a cell at a point, from the reference cell.
template <int dim>
TESSERA_HD_INLINE inline double volume_factor(const BlockView& block, Offset place, int point) {
  double J[dim][dim], inverse[dim][dim];
  cell_jacobian<dim>(block, place, point, J);
  return absolute(invert<dim, double>(J, inverse));
}

/// Of a form that is not symmetric: its load at a point, pulled back, is dim + 1 numbers.
template <class Form, int dim>
inline constexpr bool has_pulled_load =
    !Form::symmetric && !forms::has_components<Form> && std::is_same_v<forms::AtPoint<Form, dim>, forms::Pulled<dim>>;

/// Integral of l . B_i over a cell of a form that is not symmetric, whose loads may test with gradients.
template <int dim, class Form>
TESSERA_HD inline double wide_load(const BlockView& block, const Form& form, Offset place, int i) {
  const GlobalGeometry geometry{block};
  double sum = 0;
  for (int q = 0; q < block.points; ++q) {
    double J[dim][dim];
    forms::AtPoint<Form, dim> p;
    cell_jacobian<dim>(block, place, q, J);
    forms::make_at_point<dim>(form, CellPoint<dim, GlobalGeometry>(block, geometry, place, q, J, block.weights[q]), p);
    sum += p.load(block.wide.at(block.wide.basis, q), i);
  }
  return sum;
}

/// Integrals of l_c . B_i over a cell of a form with several unknowns a node, added to sums [components].
template <int dim, class Form>
TESSERA_HD inline void add_component_loads(const BlockView& block, const Form& form, Offset place, int i,
                                           double* sums) {
  for (int q = 0; q < block.points; ++q) {
    double J[dim][dim], inverse[dim][dim], gradient[dim], l[dim + 1];
    cell_jacobian<dim>(block, place, q, J);
    const double weight = absolute(invert<dim, double>(J, inverse)) * block.weights[q];
    const double* basis = block.basis + static_cast<Offset>(q) * (dim + 1) * block.nodes + i;
    for (int d = 0; d < dim; ++d) {
      gradient[d] = 0;
      for (int a = 0; a < dim; ++a) gradient[d] += inverse[a][d] * basis[a * block.nodes];
    }
    for (int c = 0; c < forms::components_of<Form>(dim); ++c) {
      form.template load<dim>(block.at(place, q), c, l);
      double sum = l[dim] * basis[dim * block.nodes];
      for (int d = 0; d < dim; ++d) sum += l[d] * gradient[d];
      sums[c] += weight * sum;
    }
  }
}

/// Integral of l . B_i over a cell; `at_points`: what write_point_loads has written.
template <int dim, class Form>
TESSERA_HD inline double cell_load(const BlockView& block, const Form& form, const double* at_points, Offset place,
                                   int i) {
  if constexpr (has_pulled_load<Form, dim>) {
    const double* l = at_points + place * block.points * (dim + 1);
    double sum = 0;
    for (int q = 0; q < block.points; ++q, l += dim + 1) {
      const forms::BasisRows basis = block.wide.at(block.wide.basis, q);
      for (int a = 0; a <= dim; ++a) sum += l[a] * basis(a, i);
    }
    return sum;
  } else if constexpr (!Form::symmetric) {
    return wide_load<dim>(block, form, place, i);
  } else {
    const double* phi = block.basis + dim * block.nodes + i;
    const int step = (dim + 1) * block.nodes;
    double sum = 0;
    if (at_points) {
      for (int q = 0; q < block.points; ++q) sum += at_points[place * block.points + q] * phi[q * step];
      return sum;
    }
    const double scale = volume_factor<dim>(block, place, 0);
    forms::Place x = block.at(place, 0);
    if (form.constant(forms::load_value)) return scale * forms::load_at<dim>(form, x) * block.load[i];
    for (int q = 0; q < block.points; ++q) {
      x.point = q;
      sum += block.weights[q] * forms::load_at<dim>(form, x) * phi[q * step];
    }
    return scale * sum;
  }
}

/// w |J| l at point q of a place: one number of a symmetric form, dim + 1 of one with a pulled load.
template <int dim, class Form>
TESSERA_HD inline void write_point_load(const BlockView& view, const Form& form, Offset place, int q, double* to) {
  if constexpr (has_pulled_load<Form, dim>) {
    const GlobalGeometry geometry{view};
    double J[dim][dim];
    forms::Pulled<dim> p;
    cell_jacobian<dim>(view, place, q, J);
    forms::make_at_point<dim>(form, CellPoint<dim, GlobalGeometry>(view, geometry, place, q, J, view.weights[q]), p);
    for (int a = 0; a <= dim; ++a) to[a] = p.l[a];
  } else {
    *to = view.weights[q] * volume_factor<dim>(view, place, q) * forms::load_at<dim>(form, view.at(place, q));
  }
}

/// w |J| l at the points of all places: one number of a symmetric form, [dim + 1] of one with a pulled load; null where
/// rows do without.
template <int dim, class Exec, class Form>
const double* write_point_loads(Exec& exec, BlockData<typename Exec::Space>& block, const Form& form) {
  const BlockView view = block.view;
  constexpr int numbers = has_pulled_load<Form, dim> ? dim + 1 : 1;
  if ((!Form::symmetric && numbers == 1) || (Form::symmetric && block.straight_simplex)) return nullptr;
  if (block.point_loads.empty())
    block.point_loads = Array<double, typename Exec::Space>(Offset{block.cells} * view.points * numbers);
  double* const at_points = block.point_loads.data();
  for_each(exec, Offset{block.cells} * view.points, [=] TESSERA_HD(Offset item) {
    write_point_load<dim>(view, form, item / view.points, static_cast<int>(item % view.points),
                          at_points + item * numbers);
  });
  return at_points;
}

/// Rows gather their loads, [rows].
template <int dim, class Exec, class Form>
void gather_loads(Exec& exec, BlockData<typename Exec::Space>& block, const Form& form, const Offset* ptr,
                  const Index* items, View<double> b) {
  const BlockView view = block.view;
  const double* const at_points = write_point_loads<dim>(exec, block, form);
  for_each(exec, b.size(), [=] TESSERA_HD(Offset row) {
    double sum = 0;
    for (Offset k = ptr[row]; k < ptr[row + 1]; ++k)
      sum += cell_load<dim>(view, form, at_points, items[k] / view.nodes, items[k] % view.nodes);
    b[row] += sum;
  });
}

/// Nodes gather their loads, [nodes, components].
template <int dim, class Exec, class Form>
void gather_component_loads(Exec& exec, const BlockData<typename Exec::Space>& block, const Form& form,
                            const Offset* ptr, const Index* items, View<double> b) {
  constexpr int components = forms::components_of<Form>(dim);
  const BlockView view = block.view;
  for_each(exec, b.size() / components, [=] TESSERA_HD(Offset node) {
    double sums[components] = {};
    for (Offset k = ptr[node]; k < ptr[node + 1]; ++k)
      add_component_loads<dim>(view, form, items[k] / view.nodes, items[k] % view.nodes, sums);
    for (int c = 0; c < components; ++c) b[node * components + c] += sums[c];
  });
}

/// Adds a block's part to b [dofs, components].
template <int dim, class Exec, class Form>
void add_loads(Exec& exec, BlockData<typename Exec::Space>& block, const Form& form, View<double> b) {
  if (block.around.ptr.empty() && block.load_lists.ptr.empty())
    block.load_lists = cells_around(exec, block, static_cast<Index>(b.size() / block.view.components));
  const auto& lists = block.around.ptr.empty() ? block.load_lists : block.around;
  if constexpr (forms::has_components<Form>)
    gather_component_loads<dim>(exec, block, form, lists.ptr.data(), lists.items.data(), b);
  else
    gather_loads<dim>(exec, block, form, lists.ptr.data(), lists.items.data(), b);
}

}  // namespace tessera::assembly
