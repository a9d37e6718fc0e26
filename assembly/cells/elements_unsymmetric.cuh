#pragma once
// Element matrices and loads of forms that are not symmetric on CUDA, apart from where they go (sinks.cuh).
#include "assembly/cells/elements.cuh"
#include "forms/pulled.hpp"

namespace tessera::assembly::kernels {

/// A point of a cell, made anew.
template <int dim, class Form, class Geometry>
__device__ inline void make_point(const BlockView& block, const Form& form, const Geometry& geometry, Offset place,
                                  int q, const double (&J)[dim][dim], double weight, forms::AtPoint<Form, dim>& p) {
  forms::make_at_point<dim>(form, CellPoint<dim, Geometry>(block, geometry, place, q, J, weight), p);
}

/// Cells of at most four dofs, a thread each, the matrix in registers; the basis in shared memory.
template <int dim, int n, class Form>
struct SmallUnsymmetric {
  static constexpr ElementKind kind = ElementKind::thread_a_cell;
  static constexpr int lanes = lanes_of(kind);
  static constexpr bool is_symmetric = false;
  using Point = forms::AtPoint<Form, dim>;
  BlockView block;
  Form form;

  __host__ __device__ int table_size() const { return block.points * block.wide.size(); }
  __host__ __device__ ElementMemory memory() const { return wide_memory(block, 0); }
  __device__ void prepare(double* tables) const {
    for (int e = threadIdx.x; e < table_size(); e += blockDim.x) tables[e] = block.wide.basis[e];
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
    hand_over<n, false>(sink, place, matrix, loads, forms::has(form, load_value));
  }

 private:
  /// Linear functions on a straight simplex: one Jacobian; where the coefficients are constant, one point.
  template <class Geometry>
  __device__ void add_simplex(Offset place, const double* tables, const Geometry& geometry, double (&matrix)[n * n],
                              double (&loads)[n]) const {
    double J[dim][dim];
    affine_jacobian<dim>(geometry, place, J);
    Point p;
    if constexpr (requires { p.simplex(block.wide.at(tables, 0), matrix, loads); }) {
      if (form.constant()) {
        make_point<dim>(block, form, geometry, place, 0, J, n * block.load[0], p);
        return p.simplex(block.wide.at(tables, 0), matrix, loads);
      }
    }
#pragma unroll 1
    for (int q = 0; q < block.points; ++q) {
      make_point<dim>(block, form, geometry, place, q, J, block.weights[q], p);
      add_point(p, block.wide.at(tables, q), matrix, loads);
    }
  }

  template <class Geometry>
  __device__ void add_points(Offset place, const double* tables, const Geometry& geometry, double (&matrix)[n * n],
                             double (&loads)[n]) const {
#pragma unroll 1
    for (int q = 0; q < block.points; ++q) {
      double J[dim][dim];
      jacobian_at_point<dim>(block, geometry, place, q, J);
      Point p;
      make_point<dim>(block, form, geometry, place, q, J, block.weights[q], p);
      add_point(p, block.wide.at(tables, q), matrix, loads);
    }
  }

  __device__ void add_point(const Point& p, const forms::BasisRows& basis, double (&matrix)[n * n],
                            double (&loads)[n]) const {
#pragma unroll
    for (int j = 0; j < n; ++j) {
      double flux[dim + 1];
      p.flux(basis, j, flux);
#pragma unroll
      for (int i = 0; i < n; ++i) matrix[i * n + j] += entry_of_flux<dim>(basis, i, flux);
      loads[j] += p.load(basis, j);
    }
  }
};

/// Cells of at most eight dofs, eight lanes each: first the lanes take the points, then columns, which stay in
/// registers. The basis and the points are in shared memory.
template <int dim, class Form>
struct ColumnElement {
  static constexpr ElementKind kind = ElementKind::columns;
  static constexpr int lanes = lanes_of(kind);
  static constexpr bool is_symmetric = false;
  using Point = forms::AtPoint<Form, dim>;
  BlockView block;
  Form form;

  __host__ __device__ int table_size() const { return block.points * block.wide.size(); }
  __host__ __device__ ElementMemory memory() const { return wide_memory(block, sizeof(Point)); }
  __device__ void prepare(double* tables) const {
    for (int e = threadIdx.x; e < table_size(); e += blockDim.x) tables[e] = block.wide.basis[e];
  }

  template <class Geometry, class Sink>
  __device__ void add(Offset place, int lane, const double* tables, double* work, const Geometry& geometry,
                      const Sink& sink) const {
    const unsigned group = 0xffu << (threadIdx.x % 32 / lanes * lanes);  // others may be done already
    auto* points = reinterpret_cast<Point*>(work);
    for (int q = lane; q < block.points; q += lanes) {
      double J[dim][dim];
      jacobian_at_point<dim>(block, geometry, place, q, J);
      make_point<dim>(block, form, geometry, place, q, J, block.weights[q], points[q]);
    }
    __syncwarp(group);
    if (lane < block.nodes) {
      double column[lanes] = {}, load = 0;
      forms::BasisRows basis = block.wide.at(tables, 0);
      for (int q = 0; q < block.points; ++q, basis.values += block.wide.size()) {
        double flux[dim + 1];
        points[q].flux(basis, lane, flux);
#pragma unroll
        for (int i = 0; i < lanes; ++i) column[i] += entry_of_flux<dim>(basis, i, flux);
        load += points[q].load(basis, lane);
      }
#pragma unroll
      for (int i = 0; i < lanes; ++i)
        if (i < block.nodes) sink.entry(place, i, lane, column[i]);
      if (forms::has(form, load_value) || Sink::wants_every_value) sink.load(place, lane, load);
    }
    __syncwarp(group);
  }
};

}  // namespace tessera::assembly::kernels
