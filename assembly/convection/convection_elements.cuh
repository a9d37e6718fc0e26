#pragma once
// Element matrices and loads with a velocity on CUDA, apart from where they go (assembler_sinks.cuh).
#include "assembly/cells/elements.cuh"
#include "assembly/cells/tiled.cuh"
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
  /// Linear functions on a straight simplex: one Jacobian; where the coefficients are constant, one point.
  template <class Geometry>
  __device__ void add_simplex(Offset place, const double* tables, const Geometry& geometry, double (&matrix)[n * n],
                              double (&loads)[n]) const {
    double J[dim][dim];
    affine_jacobian<dim>(geometry, place, J);
    ConvectionPoint<dim> p;
    if (is_constant(block)) {
      make_convection_point<dim>(block, geometry, place, 0, J, n * block.load[0], p);
      return convection_simplex<dim>(block.convection, p, tables, matrix, loads);
    }
#pragma unroll 1
    for (int q = 0; q < block.points; ++q) {
      make_convection_point<dim>(block, geometry, place, q, J, block.weights[q], p);
      add_point(p, tables + q * block.convection.rows * block.convection.width, matrix, loads);
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
#pragma unroll
    for (int j = 0; j < n; ++j) {
      double flux[dim + 1];
      convection_flux<dim>(block.convection, p, basis, j, flux);
#pragma unroll
      for (int i = 0; i < n; ++i) matrix[i * n + j] += convection_entry<dim>(block.convection, basis, i, flux);
      loads[j] += convection_load<dim>(block.convection, p, basis, j);
    }
  }
};

/// Cells of at most eight dofs, eight lanes each: first the lanes take the points, then columns, which stay in registers. The basis and
/// the points are in shared memory.
template <int dim>
struct ColumnConvection {
  static constexpr int lanes = 8;
  static constexpr bool is_symmetric = false;
  BlockView block;

  __host__ __device__ int table_size() const { return block.points * block.convection.rows * block.convection.width; }
  __host__ __device__ std::size_t table_bytes() const { return sizeof(double) * table_size(); }
  __host__ __device__ std::size_t work_bytes() const { return sizeof(ConvectionPoint<dim>) * block.points; }
  __device__ void prepare(double* tables) const {
    for (int e = threadIdx.x; e < table_size(); e += blockDim.x) tables[e] = block.convection.basis[e];
  }

  template <class Geometry, class Sink>
  __device__ void add(Offset place, int lane, const double* tables, double* work, const Geometry& geometry,
                      const Sink& sink) const {
    const ConvectionView& view = block.convection;
    const unsigned group = 0xffu << (threadIdx.x % 32 / lanes * lanes);  // others may be done already
    auto* points = reinterpret_cast<ConvectionPoint<dim>*>(work);
    for (int q = lane; q < block.points; q += lanes) {
      double J[dim][dim];
      jacobian_at_point<dim>(block, geometry, place, q, J);
      make_convection_point<dim>(block, geometry, place, q, J, block.weights[q], points[q]);
    }
    __syncwarp(group);
    if (lane < block.nodes) {
      double column[lanes] = {}, load = 0;
      const double* basis = tables;
      for (int q = 0; q < block.points; ++q, basis += view.rows * view.width) {
        double flux[dim + 1];
        convection_flux<dim>(view, points[q], basis, lane, flux);
#pragma unroll
        for (int i = 0; i < lanes; ++i) column[i] += convection_entry<dim>(view, basis, i, flux);
        load += convection_load<dim>(view, points[q], basis, lane);
      }
#pragma unroll
      for (int i = 0; i < lanes; ++i)
        if (i < block.nodes) sink.entry(place, i, lane, column[i]);
      if (!block.f.empty() || Sink::wants_every_value) sink.load(place, lane, load);
    }
    __syncwarp(group);
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
