#pragma once
// Element matrices and loads of symmetric forms on CUDA, apart from where they go (sinks.cuh).
#include "assembly/cells/cell_point.hpp"
#include "assembly/cells/simplex.hpp"
#include "assembly/cells/sinks.cuh"

namespace tessera::assembly::kernels {

using forms::gradient_gradient;
using forms::load_value;
using forms::value_value;

/// Mean over a cell of the tensor between gradients, where these are constant: sum_q w_q A_q / sum_q w_q. Returns its
/// components.
template <int dim, class Form>
__device__ inline int mean_tensor(const BlockView& block, const Form& form, forms::Place x,
                                  double (&mean)[tensor_size<dim>]) {
  if (!forms::has(form, gradient_gradient)) return 1;
  const auto tensor = forms::tangent_at<dim>(form, x).gg;
  if (form.constant(gradient_gradient)) {
    for (int m = 0; m < tensor_size<dim>; ++m)
      if (m < tensor.components) mean[m] = tensor.values[m];
    return tensor.components;
  }
  double total = 0;
  for (int q = 0; q < block.points; ++q) {
    x.point = q;
    const auto at_point = forms::tangent_at<dim>(form, x).gg;
    total += block.weights[q];
    for (int m = 0; m < tensor_size<dim>; ++m)
      if (m < tensor.components) mean[m] += block.weights[q] * at_point.values[m];
  }
  for (int m = 0; m < tensor_size<dim>; ++m) mean[m] /= total;
  return tensor.components;
}

/// sum_q w_q l_q phi_i(q).
template <int dim, class Form>
__device__ inline double load_at_points(const BlockView& block, const Form& form, forms::Place x, int i) {
  double sum = 0;
  for (int q = 0; q < block.points; ++q) {
    x.point = q;
    sum += block.weights[q] * forms::load_at<dim>(form, x) *
           block.basis[(static_cast<Offset>(q) * (dim + 1) + dim) * block.nodes + i];
  }
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

/// Jacobian at a quadrature point; neighbouring lanes take neighbouring points.
template <int dim, class Geometry>
__device__ inline void jacobian_at_point(const BlockView& block, const Geometry& geometry, Offset place, int q,
                                         double (&J)[dim][dim]) {
  sum_jacobian<dim>(
      block.geometry_nodes, [&](int g) { return geometry.point(place, g); },
      [&](int a, int g) { return block.map_columns[(g * dim + a) * block.points + q]; }, J);
}

/// Linear straight simplices in closed form, a thread each. Coefficients at points count by their weighted mean where
/// the gradients are constant.
template <int dim, class Form>
struct LinearSimplex {
  static constexpr ElementKind kind = ElementKind::linear_simplex;
  static constexpr int lanes = lanes_of(kind);
  static constexpr bool is_symmetric = true;
  static constexpr int n = dim + 1;
  BlockView block;
  Form form;

  __host__ __device__ ElementMemory memory() const { return {}; }
  __device__ void prepare(double*) const {}

  template <class Geometry, class Sink>
  __device__ void add(Offset place, int, const double*, double*, const Geometry& geometry, const Sink& sink) const {
    double x[n][dim], grad[n][dim], matrix[n * (n + 1) / 2], loads[n] = {};
    for (int i = 0; i < n; ++i) {
      const double* point = geometry.point(place, i);
      for (int d = 0; d < dim; ++d) x[i][d] = point[d];
    }
    const forms::Place at = block.at(place, 0);
    const double jacobian = simplex_gradients<dim, double>(x, grad);
    double tensor[tensor_size<dim>] = {};
    const int components = mean_tensor<dim>(block, form, at, tensor);
    const bool constant_value = forms::has(form, value_value) && form.constant(value_value);
    const double value = constant_value ? forms::tangent_at<dim>(form, at).vv : 0.0;
    simplex_matrix<dim, double>(grad, jacobian, tensor, components, constant_value ? &value : nullptr, matrix);
    const double scale = reference_factor<dim> * jacobian;
    if (forms::has(form, value_value) && !constant_value) add_values_at_points(at, scale, matrix);
    const bool loaded = forms::has(form, load_value);
    if (loaded) {
      const bool constant = form.constant(load_value);
      const double mean = constant ? forms::load_at<dim>(form, at) * scale * block.load[0] : 0.0;
      for (int i = 0; i < n; ++i) loads[i] = constant ? mean : scale * load_at_points<dim>(block, form, at, i);
    }
    hand_over<n, true>(sink, place, matrix, loads, loaded);
  }

  __device__ void add_values_at_points(forms::Place x, double scale, double (&matrix)[n * (n + 1) / 2]) const {
    for (int q = 0; q < block.points; ++q) {
      x.point = q;
      const double* phi = block.basis + (q * (dim + 1) + dim) * n;
      const double w = scale * block.weights[q] * forms::tangent_at<dim>(form, x).vv;
      for (int i = 0; i < n; ++i)
        for (int j = i; j < n; ++j) matrix[packed(i, j, n)] += w * phi[i] * phi[j];
    }
  }
};

/// Straight simplices of any order with a tangent that is constant on the cell, a thread each: the entries are sums
/// over pairs of G_ab R_ab, and C_vv times the mass; the reference matrices stand entry by entry in shared memory.
template <int dim, class Form>
struct AffineSimplex {
  static constexpr ElementKind kind = ElementKind::affine_simplex;
  static constexpr int lanes = lanes_of(kind);
  static constexpr bool is_symmetric = true;
  static constexpr int terms = tensor_size<dim> + 1;
  BlockView block;
  Form form;

  __host__ __device__ ElementMemory memory() const { return affine_memory(block, dim); }
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
    forms::pull_back_tangent<dim>(form, {region, 0, 0, 1}, inverse, scale, G);
    G[tensor_size<dim>] = forms::scaled_value<dim>(form, {region, 0, 0, 1}, scale);
    const int n = block.nodes;
    const double* reference = tables;
    for (int i = 0; i < n; ++i)
      for (int j = i; j < n; ++j, reference += terms) {
        double sum = G[0] * reference[0];
        for (int m = 1; m < terms; ++m) sum += G[m] * reference[m];
        sink.entry(place, i, j, sum);
      }
    const bool loaded = forms::has(form, load_value);
    if (!loaded && !Sink::wants_every_value) return;
    const forms::Place at = block.at(place, 0);
    for (int i = 0; i < n; ++i) {
      double value = 0;
      if (loaded)
        value = form.constant(load_value) ? scale * forms::load_at<dim>(form, at) * block.load[i]
                                          : scale * load_at_points<dim>(block, form, at, i);
      sink.load(place, i, value);
    }
  }
};

/// Cells of few dofs whose geometry has the same nodes (bilinear quads, trilinear hexes, linear prisms), a thread each,
/// the matrix in registers; basis and weights in shared memory.
template <int dim, int n, class Form>
struct SmallElement {
  static constexpr ElementKind kind = ElementKind::small;
  static constexpr int lanes = lanes_of(kind);
  static constexpr bool is_symmetric = true;
  BlockView block;
  Form form;

  __host__ __device__ ElementMemory memory() const { return small_memory(block, dim); }
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
    forms::Place at = block.at(place, 0);
#pragma unroll 1
    for (int q = 0; q < block.points; ++q) {
      at.point = q;
      const double* B = tables + q * (dim + 1) * n;
      double J[dim][dim] = {}, inverse[dim][dim], G[tensor_size<dim>] = {};
#pragma unroll
      for (int g = 0; g < n; ++g)
        for (int d = 0; d < dim; ++d)
          for (int a = 0; a < dim; ++a) J[d][a] += x[g][d] * B[a * n + g];
      const double scale = absolute(invert<dim, double>(J, inverse)) * tables[block.points * (dim + 1) * n + q];
      forms::pull_back_tangent<dim>(form, at, inverse, scale, G);
#pragma unroll
      for (int j = 0; j < n; ++j) {
        double flux[dim];
        for (int a = 0; a < dim; ++a) {
          flux[a] = 0;
          for (int e = 0; e < dim; ++e) flux[a] += G[packed_symmetric(a, e, dim)] * B[e * n + j];
        }
#pragma unroll
        for (int i = 0; i <= j; ++i)
          for (int a = 0; a < dim; ++a) matrix[packed(i, j, n)] += flux[a] * B[a * n + i];
      }
      const double* phi = B + dim * n;
      if (forms::has(form, value_value)) {
        const double mass = scale * forms::tangent_at<dim>(form, at).vv;
#pragma unroll
        for (int j = 0; j < n; ++j)
          for (int i = 0; i <= j; ++i) matrix[packed(i, j, n)] += mass * phi[j] * phi[i];
      }
      if (forms::has(form, load_value)) {
        const double load = scale * forms::load_at<dim>(form, at);
        for (int i = 0; i < n; ++i) loads[i] += load * phi[i];
      }
    }
    hand_over<n, true>(sink, place, matrix, loads, forms::has(form, load_value));
  }
};

}  // namespace tessera::assembly::kernels
