#pragma once
// The right-hand side without the matrix: rows gather, whatever the strategy of the matrix. Cells that are not straight simplices first
// write w_q |J_q| f_q at their points, so that no Jacobian is computed twice.
#include "assembly/cells/data.hpp"
#include "assembly/cells/form.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly {

/// |det J| of a cell at a point, from the reference cell.
template <int dim>
TESSERA_HD inline double volume_factor(const BlockView& block, Offset place, int point) {
  double J[dim][dim] = {}, inverse[dim][dim];
  const double* map = block.map + static_cast<Offset>(point) * dim * block.geometry_nodes;
  for (int g = 0; g < block.geometry_nodes; ++g) {
    const double* x = block.geometry_point(place, g);
    for (int d = 0; d < dim; ++d)
      for (int a = 0; a < dim; ++a) J[d][a] += x[d] * map[a * block.geometry_nodes + g];
  }
  return absolute(invert<dim, double>(J, inverse));
}

/// Integral of f phi_i over a cell; `at_points`: w |J| f at the points of all places, null for straight simplices.
template <int dim>
TESSERA_HD inline double cell_load(const BlockView& block, const double* at_points, Offset place, int i) {
  const Offset cell = block.cell_of(place);
  const double* phi = block.basis + dim * block.nodes + i;
  const int step = (dim + 1) * block.nodes;
  double sum = 0;
  if (at_points) {
    for (int q = 0; q < block.points; ++q) sum += at_points[place * block.points + q] * phi[q * step];
    return sum;
  }
  const double scale = volume_factor<dim>(block, place, 0);
  if (!block.f.per_point) return scale * block.f.values[block.region_of(place)] * block.load[i];
  for (int q = 0; q < block.points; ++q)
    sum += block.weights[q] * *block.f.at(0, cell, q, block.points) * phi[q * step];
  return scale * sum;
}

/// Adds a block's part to b [dofs].
template <int dim, class Exec>
void add_loads(Exec& exec, BlockData<typename Exec::Space>& block, View<double> b) {
  const BlockView view = block.view;
  double* at_points = nullptr;
  if (!block.straight_simplex) {
    if (block.point_loads.empty())
      block.point_loads = Array<double, typename Exec::Space>(Offset{block.cells} * view.points);
    at_points = block.point_loads.data();
    for_each(exec, block.point_loads.size(), [=] TESSERA_HD(Offset item) {
      const Offset place = item / view.points;
      const int q = static_cast<int>(item % view.points);
      const double f = *view.f.at(view.region_of(place), view.cell_of(place), q, view.points);
      at_points[item] = view.weights[q] * volume_factor<dim>(view, place, q) * f;
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
      sum += cell_load<dim>(view, at_points, items[k] / view.nodes, items[k] % view.nodes);
    b[row] += sum;
  });
}

template <class Exec>
void Assembler<Exec>::refill_vector(View<double> b) {
  check_system(state_->map->dofs, state_->map->dofs, b.size(), true);
  for_each(exec_, b.size(), [=] TESSERA_HD(Offset i) { b[i] = 0; });
  for (BlockData<Space>& block : state_->blocks) {
    if (block.cells == 0 || block.view.f.empty()) continue;
    if (block.dim == 1) add_loads<1>(exec_, block, b);
    if (block.dim == 2) add_loads<2>(exec_, block, b);
    if (block.dim == 3) add_loads<3>(exec_, block, b);
  }
}

}  // namespace tessera::assembly
