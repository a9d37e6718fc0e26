#pragma once
// Element matrices and loads of the diffusion on CUDA, apart from where they go (assembler_sinks.cuh).
#include "assembly/cells/form.hpp"
#include "assembly/cells/sinks.cuh"

namespace tessera::assembly::kernels {

/// Mean of k over a cell where its gradients are constant: sum_q w_q k_q / sum_q w_q.
template <int dim>
__device__ inline void mean_diffusivity(const BlockView& block, Index region, Offset cell,
                                        double (&k)[symmetric<dim>]) {
  if (block.k.empty()) return;
  const int components = block.k.components;
  if (!block.k.per_point) {
    for (int m = 0; m < symmetric<dim>; ++m)
      if (m < components) k[m] = block.k.values[Offset{region} * components + m];
    return;
  }
  double total = 0;
  for (int q = 0; q < block.points; ++q) {
    const double* value = block.k.at(region, cell, q, block.points);
    total += block.weights[q];
    for (int m = 0; m < symmetric<dim>; ++m)
      if (m < components) k[m] += block.weights[q] * value[m];
  }
  for (int m = 0; m < symmetric<dim>; ++m) k[m] /= total;
}

/// sum_q w_q f_q phi_i(q).
template <int dim>
__device__ inline double load_at_points(const BlockView& block, Offset cell, int i) {
  const double* f = block.f.at(0, cell, 0, block.points);
  double sum = 0;
  for (int q = 0; q < block.points; ++q)
    sum += block.weights[q] * f[q] * block.basis[(static_cast<Offset>(q) * (dim + 1) + dim) * block.nodes + i];
  return sum;
}

/// Jacobian of a straight simplex from its reference cell.
template <int dim, class Geometry>
__device__ inline void affine_jacobian(const Geometry& geometry, Offset place, double (&J)[dim][dim]) {
  const double* origin = geometry.point(place, 0);
  for (int a = 0; a < dim; ++a) {
    const double* x = geometry.point(place, a + 1);
    for (int d = 0; d < dim; ++d) J[d][a] = reference_factor<dim> * (x[d] - origin[d]);
  }
}

/// Linear straight simplices in closed form, a thread each. Coefficients at points count by their weighted mean where the gradients
/// are constant.
template <int dim>
struct LinearSimplex {
  static constexpr int lanes = 1;
  static constexpr bool is_symmetric = true;
  static constexpr int n = dim + 1;
  BlockView block;

  __host__ __device__ std::size_t table_bytes() const { return 0; }
  __host__ __device__ std::size_t work_bytes() const { return 0; }
  __device__ void prepare(double*) const {}

  template <class Geometry, class Sink>
  __device__ void add(Offset place, int, const double*, double*, const Geometry& geometry, const Sink& sink) const {
    double x[n][dim], grad[n][dim], matrix[n * (n + 1) / 2], loads[n] = {};
    for (int i = 0; i < n; ++i) {
      const double* point = geometry.point(place, i);
      for (int d = 0; d < dim; ++d) x[i][d] = point[d];
    }
    const Index region = block.region_of(place);
    const Offset cell = block.cell_of(place);
    const double jacobian = simplex_gradients<dim, double>(x, grad);
    double k[symmetric<dim>] = {};
    mean_diffusivity<dim>(block, region, cell, k);
    const double c = block.c.empty() || block.c.per_point ? 0.0 : block.c.values[region];
    simplex_matrix<dim, double>(grad, jacobian, k, block.k.components,
                                block.c.empty() || block.c.per_point ? nullptr : &c, matrix);
    const double scale = reference_factor<dim> * jacobian;
    if (block.c.per_point) add_mass_at_points(cell, scale, matrix);
    if (!block.f.empty()) {
      const double mean = block.f.per_point ? 0.0 : block.f.values[region] * scale * block.load[0];
      for (int i = 0; i < n; ++i) loads[i] = block.f.per_point ? scale * load_at_points<dim>(block, cell, i) : mean;
    }
    hand_over<n, true>(sink, place, matrix, loads, !block.f.empty());
  }

  __device__ void add_mass_at_points(Offset cell, double scale, double (&matrix)[n * (n + 1) / 2]) const {
    for (int q = 0; q < block.points; ++q) {
      const double* phi = block.basis + (q * (dim + 1) + dim) * n;
      const double w = scale * block.weights[q] * *block.c.at(0, cell, q, block.points);
      for (int i = 0; i < n; ++i)
        for (int j = i; j < n; ++j) matrix[packed(i, j, n)] += w * phi[i] * phi[j];
    }
  }
};

/// Straight simplices of any order with coefficients constant on the cell, a thread each: the entries are sums over pairs of
/// G_ab R_ab, and c times the mass; the reference matrices stand entry by entry in shared memory.
template <int dim>
struct AffineSimplex {
  static constexpr int lanes = 1;
  static constexpr bool is_symmetric = true;
  static constexpr int terms = symmetric<dim> + 1;
  BlockView block;

  __host__ __device__ std::size_t table_bytes() const {
    return sizeof(double) * terms * block.nodes * (block.nodes + 1) / 2;
  }
  __host__ __device__ std::size_t work_bytes() const { return 0; }
  __device__ void prepare(double* tables) const {
    for (int e = threadIdx.x; e < terms * block.nodes * (block.nodes + 1) / 2; e += blockDim.x)
      tables[e] = block.reference_entries[e];
  }

  template <class Geometry, class Sink>
  __device__ void add(Offset place, int, const double* tables, double*, const Geometry& geometry,
                      const Sink& sink) const {
    double J[dim][dim], inverse[dim][dim], G[terms] = {};
    affine_jacobian<dim>(geometry, place, J);
    const double scale = absolute(invert<dim, double>(J, inverse));
    const Index region = block.region_of(place);
    if (!block.k.empty()) pull_back<dim>(block.k.at(region, 0, 0, 1), block.k.components, inverse, scale, G);
    if (!block.c.empty()) G[symmetric<dim>] = scale * block.c.values[region];
    const int n = block.nodes;
    const double* reference = tables;
    for (int i = 0; i < n; ++i)
      for (int j = i; j < n; ++j, reference += terms) {
        double sum = G[0] * reference[0];
        for (int m = 1; m < terms; ++m) sum += G[m] * reference[m];
        sink.entry(place, i, j, sum);
      }
    if (block.f.empty() && !Sink::wants_every_value) return;
    const Offset cell = block.cell_of(place);
    for (int i = 0; i < n; ++i) {
      double value = 0;
      if (block.f.per_point)
        value = scale * load_at_points<dim>(block, cell, i);
      else if (!block.f.empty())
        value = scale * block.f.values[region] * block.load[i];
      sink.load(place, i, value);
    }
  }
};

/// Cells of few dofs whose geometry has the same nodes (bilinear quads, trilinear hexes, linear prisms), a thread each, the matrix in
/// registers; basis and weights in shared memory.
template <int dim, int n>
struct SmallElement {
  static constexpr int lanes = 1;
  static constexpr bool is_symmetric = true;
  BlockView block;

  __host__ __device__ int table_size() const { return block.points * ((dim + 1) * n + 1); }
  __host__ __device__ std::size_t table_bytes() const { return sizeof(double) * table_size(); }
  __host__ __device__ std::size_t work_bytes() const { return 0; }
  __device__ void prepare(double* tables) const {
    const int basis = block.points * (dim + 1) * n;
    for (int e = threadIdx.x; e < basis; e += blockDim.x) tables[e] = block.basis[e];
    for (int q = threadIdx.x; q < block.points; q += blockDim.x) tables[basis + q] = block.weights[q];
  }

  template <class Geometry, class Sink>
  __device__ void add(Offset place, int, const double* tables, double*, const Geometry& geometry,
                      const Sink& sink) const {
    double x[n][dim], matrix[n * (n + 1) / 2] = {}, loads[n] = {};
#pragma unroll
    for (int i = 0; i < n; ++i) {
      const double* point = geometry.point(place, i);
#pragma unroll
      for (int d = 0; d < dim; ++d) x[i][d] = point[d];
    }
    const Index region = block.region_of(place);
    const Offset cell = block.cell_of(place);
#pragma unroll 1
    for (int q = 0; q < block.points; ++q) {
      const double* B = tables + q * (dim + 1) * n;
      double J[dim][dim] = {}, inverse[dim][dim], G[symmetric<dim>] = {};
#pragma unroll
      for (int g = 0; g < n; ++g)
        for (int d = 0; d < dim; ++d)
          for (int a = 0; a < dim; ++a) J[d][a] += x[g][d] * B[a * n + g];
      const double scale = absolute(invert<dim, double>(J, inverse)) * tables[block.points * (dim + 1) * n + q];
      if (!block.k.empty())
        pull_back<dim>(block.k.at(region, cell, q, block.points), block.k.components, inverse, scale, G);
#pragma unroll
      for (int j = 0; j < n; ++j) {
        double flux[dim];
        for (int a = 0; a < dim; ++a) {
          flux[a] = 0;
          for (int e = 0; e < dim; ++e) flux[a] += G[a <= e ? packed(a, e, dim) : packed(e, a, dim)] * B[e * n + j];
        }
#pragma unroll
        for (int i = 0; i <= j; ++i)
          for (int a = 0; a < dim; ++a) matrix[packed(i, j, n)] += flux[a] * B[a * n + i];
      }
      const double* phi = B + dim * n;
      if (!block.c.empty()) {
        const double mass = scale * *block.c.at(region, cell, q, block.points);
#pragma unroll
        for (int j = 0; j < n; ++j)
          for (int i = 0; i <= j; ++i) matrix[packed(i, j, n)] += mass * phi[j] * phi[i];
      }
      if (!block.f.empty()) {
        const double source = scale * *block.f.at(region, cell, q, block.points);
        for (int i = 0; i < n; ++i) loads[i] += source * phi[i];
      }
    }
    hand_over<n, true>(sink, place, matrix, loads, !block.f.empty());
  }
};

}  // namespace tessera::assembly::kernels
