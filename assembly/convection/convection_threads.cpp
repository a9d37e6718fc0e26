#include <algorithm>

#include "assembly/assembler_elements_threads.hpp"
#include "assembly/convection/convection_form.hpp"
#include "assembly/convection/convection_impl.hpp"

namespace tessera::assembly {
namespace {

/// All points of a cell, in the workspace.
template <int dim>
const ConvectionPoint<dim>* convection_points(const BlockView& block, Offset place, Workspace& work) {
  auto* points = reinterpret_cast<ConvectionPoint<dim>*>(work.points.data());
  double J[dim][dim];
  for (int q = 0; q < block.points; ++q) {
    cell_jacobian<dim>(block, place, q, J);
    make_convection_point<dim>(block, GlobalGeometry{block}, place, q, J, block.weights[q], points[q]);
  }
  return points;
}

/// Columns of row i, `tile` at a time, in registers; returns the load.
template <int dim, int tile>
double sum_row(const BlockView& block, const ConvectionPoint<dim>* points, int i, double* row) {
  const ConvectionView& view = block.convection;
  const int n = block.nodes;
  double load = 0;
  for (int first = 0; first < n; first += tile) {
    double sum[tile] = {}, factor[convection_rows<dim>];
    load = 0;
    const double* basis = view.basis;
    for (int q = 0; q < block.points; ++q, basis += view.rows * view.width) {
      load += convection_factors<dim>(view, points[q], basis, i, factor);
      for (int r = 0; r < view.rows; ++r)
#pragma omp simd
        for (int l = 0; l < tile; ++l) sum[l] += factor[r] * basis[r * view.width + first + l];
    }
    std::copy_n(sum, std::min(tile, n - first), row + first);
  }
  return load;
}

template <int dim>
double sum_row(const BlockView& block, const ConvectionPoint<dim>* points, int i, double* row) {
  if (block.nodes <= 4) return sum_row<dim, 4>(block, points, i, row);
  return sum_row<dim, convection_tile>(block, points, i, row);
}

}  // namespace

template <int dim>
void convection_values(const BlockView& block, Offset place, Workspace& work) {
  const ConvectionPoint<dim>* points = convection_points<dim>(block, place, work);
  for (int i = 0; i < block.nodes; ++i)
    work.load[i] = sum_row<dim>(block, points, i, &work.matrix[static_cast<std::size_t>(i) * block.nodes]);
}

template <int dim>
double convection_row(const BlockView& block, Offset place, int i, Workspace& work, double* row) {
  return sum_row<dim>(block, convection_points<dim>(block, place, work), i, row);
}

template void convection_values<1>(const BlockView&, Offset, Workspace&);
template void convection_values<2>(const BlockView&, Offset, Workspace&);
template void convection_values<3>(const BlockView&, Offset, Workspace&);
template double convection_row<1>(const BlockView&, Offset, int, Workspace&, double*);
template double convection_row<2>(const BlockView&, Offset, int, Workspace&, double*);
template double convection_row<3>(const BlockView&, Offset, int, Workspace&, double*);

template class ConvectionAssembler<Threads>;

}  // namespace tessera::assembly
