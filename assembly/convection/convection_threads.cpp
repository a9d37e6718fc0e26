#include <algorithm>

#include "assembly/cells/elements_threads.hpp"
#include "assembly/convection/convection_form.hpp"
#include "assembly/convection/convection_impl.hpp"

namespace tessera::assembly {
namespace {

template <int dim>
ConvectionPoint<dim> point_of(const BlockView& block, Offset place, int q, double weight) {
  double J[dim][dim];
  ConvectionPoint<dim> point;
  cell_jacobian<dim>(block, place, q, J);
  make_convection_point<dim>(block, GlobalGeometry{block}, place, q, J, weight, point);
  return point;
}

/// Rows first .. last of the matrix to `matrix`, and their loads to `load`: sum_q B_i . flux_j with the derivatives and the value as B.
/// `fixed` is the number of dofs where the compiler shall know it, else 0.
template <int dim, int fixed>
void sum_rows(const BlockView& block, Offset place, int first, int last, double* __restrict__ flux,
              double* __restrict__ matrix, double* __restrict__ load) {
  const ConvectionView& view = block.convection;
  const int n = fixed > 0 ? fixed : block.nodes;
  std::fill_n(matrix, (last - first) * n, 0.0);
  std::fill_n(load, last - first, 0.0);
  const double* __restrict__ basis = view.basis;
  for (int q = 0; q < block.points; ++q, basis += view.rows * view.width) {
    const ConvectionPoint<dim> point = point_of<dim>(block, place, q, block.weights[q]);
#pragma omp simd
    for (int j = 0; j < n; ++j) {
      double of_column[dim + 1];
      convection_flux<dim>(view, point, basis, j, of_column);
      for (int a = 0; a <= dim; ++a) flux[a * n + j] = of_column[a];
    }
    for (int i = first; i < last; ++i) {
      double* __restrict__ row = matrix + (i - first) * n;
#pragma omp simd
      for (int j = 0; j < n; ++j) {
        double sum = row[j];
        for (int a = 0; a <= dim; ++a) sum += basis[a * view.width + i] * flux[a * n + j];
        row[j] = sum;
      }
      load[i - first] += convection_load<dim>(view, point, basis, i);
    }
  }
}

template <int dim>
void sum_rows(const BlockView& block, Offset place, int first, int last, Workspace& work, double* matrix,
              double* load) {
  if (block.nodes == 4) return sum_rows<dim, 4>(block, place, first, last, work.flux.data(), matrix, load);
  if (dim == 3 && block.nodes == 8) return sum_rows<dim, 8>(block, place, first, last, work.flux.data(), matrix, load);
  sum_rows<dim, 0>(block, place, first, last, work.flux.data(), matrix, load);
}

}  // namespace

template <int dim>
void convection_values(const BlockView& block, Offset place, Workspace& work) {
  if (block.nodes != dim + 1 || block.geometry_nodes != dim + 1 || !is_constant(block))
    return sum_rows<dim>(block, place, 0, block.nodes, work, work.matrix.data(), work.load.data());
  const ConvectionPoint<dim> point = point_of<dim>(block, place, 0, block.nodes * block.load[0]);
  convection_simplex<dim>(block.convection, point, block.convection.basis, work.matrix.data(), work.load.data());
}

template <int dim>
double convection_row(const BlockView& block, Offset place, int i, Workspace& work, double* row) {
  double load;
  sum_rows<dim>(block, place, i, i + 1, work, row, &load);
  return load;
}

template void convection_values<1>(const BlockView&, Offset, Workspace&);
template void convection_values<2>(const BlockView&, Offset, Workspace&);
template void convection_values<3>(const BlockView&, Offset, Workspace&);
template double convection_row<1>(const BlockView&, Offset, int, Workspace&, double*);
template double convection_row<2>(const BlockView&, Offset, int, Workspace&, double*);
template double convection_row<3>(const BlockView&, Offset, int, Workspace&, double*);

template class ConvectionAssembler<Threads>;

}  // namespace tessera::assembly
