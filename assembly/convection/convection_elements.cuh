#pragma once
// Element matrices and loads with a velocity on CUDA, apart from where they go (assembler_sinks.cuh).
#include "assembly/assembler_elements.cuh"
#include "assembly/assembler_tiled.cuh"
#include "assembly/convection/convection_form.hpp"

namespace tessera::assembly::kernels {

/// Cells of at most four dofs, a thread each, the matrix in registers; the basis in shared memory.
template <int dim, int n>
struct SmallConvection {
  static constexpr int lanes = 1;
  static constexpr bool is_symmetric = false;
  BlockView block;

  __host__ __device__ int table_size() const { return block.points * block.convection.rows * block.convection.width; }
  __host__ __device__ std::size_t table_bytes() const { return sizeof(double) * table_size(); }
  __host__ __device__ std::size_t work_bytes() const { return 0; }
  __device__ void prepare(double* tables) const {
    for (int e = threadIdx.x; e < table_size(); e += blockDim.x) tables[e] = block.convection.basis[e];
  }

  template <class Geometry, class Sink>
  __device__ void add(Offset place, int, const double* tables, double*, const Geometry& geometry,
                      const Sink& sink) const {
    double matrix[n * n] = {}, loads[n] = {};
    if constexpr (n == dim + 1) {
      if (block.geometry_nodes == n)
        add_simplex(place, tables, geometry, matrix, loads);
      else
        add_points(place, tables, geometry, matrix, loads);
    } else {
      add_points(place, tables, geometry, matrix, loads);
    }
    hand_over<n, false>(sink, place, matrix, loads, !block.f.empty());
  }

 private:
  __device__ bool is_constant() const {
    return !block.k.per_point && !block.c.per_point && !block.f.per_point && !block.convection.velocity.per_point &&
           !block.convection.divergence.per_point;
  }

  /// Linear functions on a straight simplex: one Jacobian; where the coefficients are constant, one point for all, and
  ///   int phi_i = |T|/n,   int phi_i phi_j = (1 + delta_ij) |T|/(n (n+1)).
  template <class Geometry>
  __device__ void add_simplex(Offset place, const double* tables, const Geometry& geometry, double (&matrix)[n * n],
                              double (&loads)[n]) const {
    double J[dim][dim];
    affine_jacobian<dim>(geometry, place, J);
    ConvectionPoint<dim> p;
    if (!is_constant()) {
#pragma unroll 1
      for (int q = 0; q < block.points; ++q) {
        make_convection_point<dim>(block, geometry, place, q, J, block.weights[q], p);
        add_point(p, tables + q * block.convection.rows * block.convection.width, matrix, loads);
      }
      return;
    }
    constexpr double mean = 1.0 / n;
    make_convection_point<dim>(block, geometry, place, 0, J, n * block.load[0], p);
    const int width = block.convection.width;
#pragma unroll
    for (int i = 0; i < n; ++i) {
      double test = 0, factor[dim];
      for (int a = 0; a < dim; ++a) test += p.beta[a] * tables[a * width + i];
      test *= p.tau;
      for (int a = 0; a < dim; ++a) {
        factor[a] = mean * p.beta[a] + test * p.r[a];
        for (int b = 0; b < dim; ++b)
          factor[a] += p.G[a <= b ? packed(a, b, dim) : packed(b, a, dim)] * tables[b * width + i];
      }
#pragma unroll
      for (int j = 0; j < n; ++j) {
        double sum = p.gamma * mean * (test + (i == j ? 2.0 : 1.0) / (n + 1));
        for (int a = 0; a < dim; ++a) sum += factor[a] * tables[a * width + j];
        matrix[i * n + j] = sum;
      }
      loads[i] = p.source * (mean + test);
    }
  }

  template <class Geometry>
  __device__ void add_points(Offset place, const double* tables, const Geometry& geometry, double (&matrix)[n * n],
                             double (&loads)[n]) const {
#pragma unroll 1
    for (int q = 0; q < block.points; ++q) {
      double J[dim][dim];
      jacobian_at_point<dim>(block, geometry, place, q, J);
      ConvectionPoint<dim> p;
      make_convection_point<dim>(block, geometry, place, q, J, block.weights[q], p);
      add_point(p, tables + q * block.convection.rows * block.convection.width, matrix, loads);
    }
  }

  __device__ void add_point(const ConvectionPoint<dim>& p, const double* basis, double (&matrix)[n * n],
                            double (&loads)[n]) const {
    const ConvectionView& view = block.convection;
#pragma unroll
    for (int i = 0; i < n; ++i) {
      double factor[convection_rows<dim>];
      loads[i] += convection_factors<dim>(view, p, basis, i, factor);
#pragma unroll
      for (int r = 0; r <= dim; ++r)
#pragma unroll
        for (int j = 0; j < n; ++j) matrix[i * n + j] += factor[r] * basis[r * view.width + j];
      if (view.rows == dim + 1) continue;
#pragma unroll
      for (int r = dim + 1; r < convection_rows<dim>; ++r)
#pragma unroll
        for (int j = 0; j < n; ++j) matrix[i * n + j] += factor[r] * basis[r * view.width + j];
    }
  }
};

/// The points of TiledElement with a velocity. With t = tau beta, to shared memory: the matrices [points, 4, 4]
///   G + t r^T   t gamma
///   beta^T      gamma
/// the factors (t, 1) source of the load [points, 4], and where second derivatives count, t and G [points, 10].
template <int dim>
struct ConvectionAtPoints {
  static constexpr bool is_symmetric = false;
  static constexpr bool has_second = true;

  __host__ __device__ static bool needs_second(const BlockView& block) { return block.convection.rows > dim + 1; }
  __host__ __device__ static int size(const BlockView& block) { return (needs_second(block) ? 30 : 20) * block.points; }

  template <class Geometry>
  __device__ static void make(const BlockView& block, Offset place, int lane, double* work, const Geometry& geometry) {
    for (int q = lane; q < block.points; q += 32) {
      double J[dim][dim], t[4] = {};
      jacobian_at_point<dim>(block, geometry, place, q, J);
      ConvectionPoint<dim> p;
      make_convection_point<dim>(block, geometry, place, q, J, block.weights[q], p);
      for (int a = 0; a < dim; ++a) t[a] = p.tau * p.beta[a];
      double* to = work + 16 * q;
#pragma unroll
      for (int a = 0; a < 3; ++a) {
#pragma unroll
        for (int b = 0; b < 3; ++b)
          to[4 * a + b] =
              a < dim && b < dim ? p.G[a <= b ? packed(a, b, dim) : packed(b, a, dim)] + t[a] * p.r[b] : 0.0;
        to[4 * a + 3] = t[a] * p.gamma;
        to[12 + a] = a < dim ? p.beta[a] : 0.0;
      }
      to[15] = p.gamma;
      double* load = work + 16 * block.points + 4 * q;
      for (int a = 0; a < 3; ++a) load[a] = t[a] * p.source;
      load[3] = p.source;
      if (!needs_second(block)) continue;
      double* second = work + 20 * block.points + 10 * q;
      for (int a = 0; a < 4; ++a) second[a] = t[a];
      for (int m = 0; m < symmetric<dim>; ++m) second[4 + m] = p.G[m];
    }
  }

  /// - t_a (G : D^2 phi_j): what the second derivatives of column j add to component a of G B_j.
  __device__ static double second(const BlockView& block, const double* work, int q, int a, int j) {
    if (!needs_second(block)) return 0;
    const ConvectionView& view = block.convection;
    const double* at_point = work + 20 * block.points + 10 * q;
    const double* D2 = view.basis + (static_cast<Offset>(q) * view.rows + dim + 1) * view.width + j;
    double sum = 0;
    for (int m = 0; m < symmetric<dim>; ++m) sum += at_point[4 + m] * D2[m * view.width];
    return -at_point[a] * sum;
  }

  __device__ static double load(const BlockView& block, const double* work, const double* basis, int i) {
    const int stride = basis_stride(block.nodes);
    double value = 0;
    for (int q = 0; q < block.points; ++q)
      for (int a = 0; a < 4; ++a) value += work[16 * block.points + 4 * q + a] * basis[(q * 4 + a) * stride + i];
    return value;
  }
};

}  // namespace tessera::assembly::kernels
