#pragma once
// The right-hand side without the matrix: rows gather, whatever the strategy of the matrix. Cells of symmetric forms that are not straight
// simplices first write w_q |J_q| l_q at their points, so that no Jacobian is computed twice.
#include "assembly/cells/block.hpp"
#include "assembly/cells/cell_point.hpp"
#include "base/parallel.hpp"
#include "forms/pulled.hpp"

namespace tessera::assembly {

/// |det J| of a cell at a point, from the reference cell.
template <int dim>
TESSERA_HD inline double volume_factor(const BlockView& block, Offset place, int point) {
  double J[dim][dim], inverse[dim][dim];
  cell_jacobian<dim>(block, place, point, J);
  return absolute(invert<dim, double>(J, inverse));
}

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

/// Integral of l phi_i over a cell; `at_points`: w |J| l at the points of all places, null for straight simplices.
template <int dim, class Form>
TESSERA_HD inline double cell_load(const BlockView& block, const Form& form, const double* at_points, Offset place,
                                   int i) {
  if constexpr (!Form::symmetric) {
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

/// Adds a block's part to b [dofs].
template <int dim, class Exec, class Form>
void add_loads(Exec& exec, BlockData<typename Exec::Space>& block, const Form& of_block, View<double> b) {
  const Form form = of_block;
  const BlockView view = block.view;
  double* at_points = nullptr;
  if (Form::symmetric && !block.straight_simplex) {
    if (block.point_loads.empty())
      block.point_loads = Array<double, typename Exec::Space>(Offset{block.cells} * view.points);
    at_points = block.point_loads.data();
    for_each(exec, block.point_loads.size(), [=] TESSERA_HD(Offset item) {
      const Offset place = item / view.points;
      const int q = static_cast<int>(item % view.points);
      at_points[item] =
          view.weights[q] * volume_factor<dim>(view, place, q) * forms::load_at<dim>(form, view.at(place, q));
    });
  }
  if (block.around.ptr.empty() && block.load_lists.ptr.empty())
    block.load_lists = cells_around(exec, block, static_cast<Index>(b.size()));
  const auto& lists = block.around.ptr.empty() ? block.load_lists : block.around;
  const Offset* ptr = lists.ptr.data();
  const Index* items = lists.items.data();
  for_each(exec, b.size(), [=] TESSERA_HD(Offset row) {
    double sum = 0;
    for (Offset k = ptr[row]; k < ptr[row + 1]; ++k)
      sum += cell_load<dim>(view, form, at_points, items[k] / view.nodes, items[k] % view.nodes);
    b[row] += sum;
  });
}

}  // namespace tessera::assembly
