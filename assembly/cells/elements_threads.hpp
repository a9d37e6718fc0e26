#pragma once
// Element matrices and loads on threads, apart from where they go.
#include <algorithm>
#include <vector>

#include "assembly/cells/data.hpp"
#include "assembly/cells/form.hpp"

namespace tessera::assembly {

/// Elements that share one vector register.
inline constexpr int lanes = 8;

/// Jacobian of a cell at a point.
template <int dim>
inline void cell_jacobian(const BlockView& block, Offset place, int point, double (&J)[dim][dim]) {
  for (int d = 0; d < dim; ++d)
    for (int a = 0; a < dim; ++a) J[d][a] = 0;
  const double* map = block.map + static_cast<Offset>(point) * dim * block.geometry_nodes;
  for (int g = 0; g < block.geometry_nodes; ++g) {
    const double* x = block.geometry_point(place, g);
    for (int d = 0; d < dim; ++d)
      for (int a = 0; a < dim; ++a) J[d][a] += x[d] * map[a * block.geometry_nodes + g];
  }
}

/// Workspace of one thread.
struct Workspace {
  std::vector<double> matrix, load, flux;
  explicit Workspace(const BlockView& block, int dim)
      : matrix(static_cast<std::size_t>(block.nodes) * block.nodes),
        load(block.nodes),
        flux(static_cast<std::size_t>(dim + 1) * block.nodes) {}

  /// Entry (i, j) of the matrix, of which a symmetric one has the upper half.
  double entry(const BlockView& block, int i, int j) const {
    return matrix[i <= j || !block.symmetric ? i * block.nodes + j : j * block.nodes + i];
  }
};

/// Element matrix of a straight simplex: sum over pairs of G_ab R_ab, plus c times the mass.
template <int dim>
void affine_element(const BlockView& block, Offset place, Workspace& work) {
  double J[dim][dim], inverse[dim][dim];
  cell_jacobian<dim>(block, place, 0, J);
  const double scale = absolute(invert<dim, double>(J, inverse));
  const Index region = block.region_of(place);
  const Offset cell = block.cell_of(place);
  double G[symmetric<dim> + 1] = {};
  if (!block.k.empty()) pull_back<dim>(block.k.at(region, cell, 0, 1), block.k.components, inverse, scale, G);
  const int terms = symmetric<dim> + (block.c.empty() ? 0 : 1);
  if (!block.c.empty()) G[symmetric<dim>] = scale * *block.c.at(region, cell, 0, 1);
  const int count = block.nodes * block.nodes;
  double* matrix = work.matrix.data();
#pragma omp simd
  for (int e = 0; e < count; ++e) matrix[e] = G[0] * block.reference[e];
  for (int m = 1; m < terms; ++m) {
    const double factor = G[m];
    const double* reference = block.reference + static_cast<Offset>(m) * count;
#pragma omp simd
    for (int e = 0; e < count; ++e) matrix[e] += factor * reference[e];
  }
  if (block.f.empty()) return;
  for (int i = 0; i < block.nodes; ++i) {
    double sum = 0;
    if (!block.f.per_point)
      sum = *block.f.at(region, cell, 0, 1) * block.load[i];
    else
      for (int q = 0; q < block.points; ++q)
        sum += block.weights[q] * *block.f.at(region, cell, q, block.points) *
               block.basis[(q * (dim + 1) + dim) * block.nodes + i];
    work.load[i] = scale * sum;
  }
}

/// Element matrix by quadrature: sum_q B_i . (G B_j) with B the reference gradients and the value; the upper half and what
/// shares its vector registers. `fixed` is the number of dofs where the compiler shall know it, else 0.
template <int dim, int fixed>
void general_element(const BlockView& block, Offset place, Workspace& work) {
  const int n = fixed > 0 ? fixed : block.nodes;
  const Index region = block.region_of(place);
  const Offset cell = block.cell_of(place);
  double* __restrict__ matrix = work.matrix.data();
  double* __restrict__ load = work.load.data();
  double* __restrict__ flux = work.flux.data();
  std::fill_n(matrix, n * n, 0.0);
  std::fill_n(load, n, 0.0);
  for (int q = 0; q < block.points; ++q) {
    double J[dim][dim], inverse[dim][dim], G[symmetric<dim>] = {};
    cell_jacobian<dim>(block, place, q, J);
    const double scale = absolute(invert<dim, double>(J, inverse)) * block.weights[q];
    if (!block.k.empty())
      pull_back<dim>(block.k.at(region, cell, q, block.points), block.k.components, inverse, scale, G);
    const double* __restrict__ B = block.basis + static_cast<Offset>(q) * (dim + 1) * n;
    const double* __restrict__ phi = B + dim * n;
    const double mass = block.c.empty() ? 0.0 : scale * *block.c.at(region, cell, q, block.points);
    for (int a = 0; a < dim; ++a) {
#pragma omp simd
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int e = 0; e < dim; ++e) sum += G[a <= e ? packed(a, e, dim) : packed(e, a, dim)] * B[e * n + j];
        flux[a * n + j] = sum;
      }
    }
#pragma omp simd
    for (int j = 0; j < n; ++j) flux[dim * n + j] = mass * phi[j];
    for (int i = 0; i < n; ++i) {
      double* __restrict__ row = matrix + i * n;
#pragma omp simd
      for (int j = i / lanes * lanes; j < n; ++j) {
        double sum = row[j];
        for (int a = 0; a <= dim; ++a) sum += B[a * n + i] * flux[a * n + j];
        row[j] = sum;
      }
    }
    if (block.f.empty()) continue;
    const double source = scale * *block.f.at(region, cell, q, block.points);
#pragma omp simd
    for (int i = 0; i < n; ++i) load[i] += source * phi[i];
  }
}

template <int dim>
void general_element(const BlockView& block, Offset place, Workspace& work) {
  if (dim == 3 && block.nodes == 8) return general_element<dim, 8>(block, place, work);
  if (dim == 3 && block.nodes == 27) return general_element<dim, 27>(block, place, work);
  if (block.nodes == 4) return general_element<dim, 4>(block, place, work);
  if (dim == 2 && block.nodes == 9) return general_element<dim, 9>(block, place, work);
  general_element<dim, 0>(block, place, work);
}

/// The matrix and load of an element with a velocity, and row i of the matrix alone (convection_threads.cpp).
template <int dim>
void convection_values(const BlockView& block, Offset place, Workspace& work);
template <int dim>
double convection_row(const BlockView& block, Offset place, int i, Workspace& work, double* row);

template <int dim>
void element_values_of(const BlockData<Host>& block, Offset place, Workspace& work) {
  if (block.kernel == Kernel::convection)
    convection_values<dim>(block.view, place, work);
  else if (block.kernel == Kernel::general)
    general_element<dim>(block.view, place, work);
  else
    affine_element<dim>(block.view, place, work);
}

/// An element's matrix, of a symmetric one the upper half, and where there is a source its load, to `work`.
inline void element_values(const BlockData<Host>& block, Offset place, Workspace& work) {
  if (block.dim == 1) return element_values_of<1>(block, place, work);
  if (block.dim == 2) return element_values_of<2>(block, place, work);
  element_values_of<3>(block, place, work);
}

/// Row i of an element's matrix to `row` [nodes]; returns its load.
template <int dim>
double element_row(const BlockData<Host>& data, Offset place, int i, Workspace& work, double* __restrict__ row) {
  const BlockView& block = data.view;
  if (data.kernel == Kernel::convection) return convection_row<dim>(block, place, i, work, row);
  const int n = block.nodes;
  const Index region = block.region_of(place);
  const Offset cell = block.cell_of(place);
  const bool affine = data.kernel != Kernel::general;
  double J[dim][dim], inverse[dim][dim] = {}, G[symmetric<dim>] = {};
  double load = 0, scale = 0;
  std::fill_n(row, n, 0.0);
  for (int q = 0; q < block.points; ++q) {
    if (q == 0 || !affine) {
      cell_jacobian<dim>(block, place, q, J);
      scale = absolute(invert<dim, double>(J, inverse));
    }
    const double w = scale * block.weights[q];
    const double* B = block.basis + static_cast<Offset>(q) * (dim + 1) * n;
    const double* phi = B + dim * n;
    if (!block.f.empty()) load += w * *block.f.at(region, cell, q, block.points) * phi[i];
    if (affine) continue;
    if (!block.k.empty()) pull_back<dim>(block.k.at(region, cell, q, block.points), block.k.components, inverse, w, G);
    double flux[dim + 1];
    for (int a = 0; a < dim; ++a) {
      flux[a] = 0;
      for (int e = 0; e < dim; ++e) flux[a] += G[a <= e ? packed(a, e, dim) : packed(e, a, dim)] * B[e * n + i];
    }
    flux[dim] = block.c.empty() ? 0.0 : w * *block.c.at(region, cell, q, block.points) * phi[i];
    for (int a = 0; a <= dim; ++a)
#pragma omp simd
      for (int j = 0; j < n; ++j) row[j] += flux[a] * B[a * n + j];
  }
  if (!affine) return load;
  double terms[symmetric<dim> + 1] = {};
  if (!block.k.empty()) pull_back<dim>(block.k.at(region, cell, 0, 1), block.k.components, inverse, scale, terms);
  if (!block.c.empty()) terms[symmetric<dim>] = scale * *block.c.at(region, cell, 0, 1);
  for (int m = 0; m < symmetric<dim> + 1; ++m) {
    const double* reference = block.reference + (static_cast<Offset>(m) * n + i) * n;
#pragma omp simd
    for (int j = 0; j < n; ++j) row[j] += terms[m] * reference[j];
  }
  return load;
}

}  // namespace tessera::assembly
