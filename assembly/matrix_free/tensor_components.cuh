#pragma once
// Sum factorisation on CUDA for forms with several unknowns a node. As in tensor_cuda.cuh n^(dim-1) threads hold a
// cell, a line each; here everything between two passes along lines is in shared memory: the values of all components,
// and their gradients.
#include "assembly/cells/launch.cuh"
#include "assembly/matrix_free/component_point.hpp"
#include "assembly/matrix_free/component_sizes.hpp"
#include "assembly/matrix_free/tensor_cuda.cuh"

namespace tessera::assembly::matrix_free {

/// The sizes of a block of cells.
template <int n, int dim, class Form>
struct ComponentSizes {
  using T = typename Form::Number;
  static constexpr int m = forms::components_of<Form>(dim);
  static constexpr ComponentCells sizes{n, dim, m, sizeof(T)};
  static constexpr int lines = sizes.lines, N = sizes.points, cells = sizes.cells;
};

namespace kernels {

template <int n, int dim, class Form, class T = typename Form::Number>
__global__ void __launch_bounds__(ComponentSizes<n, dim, Form>::cells* ComponentSizes<n, dim, Form>::lines)
    apply_components(TensorView<Form> block, const __grid_constant__ LineConstants<n, T> line, const T* x, T* y,
                     T* elements) {
  using Sizes = ComponentSizes<n, dim, Form>;
  constexpr int lines = Sizes::lines, N = Sizes::N, m = Sizes::m;
  extern __shared__ __align__(16) unsigned char component_memory[];
  const int in_block = threadIdx.x / lines, lane = threadIdx.x % lines, eta = lane % n, zeta = lane / n;
  const Offset cell = blockIdx.x * Offset{Sizes::cells} + in_block;
  const bool active = cell < block.cells;
  T* U = reinterpret_cast<T*>(component_memory) + in_block * (m * (dim + 1) * N);  // [m, N]
  T* G = U + m * N;                                                                // [m, dim, N]
  const Index* dofs = block.dofs + (active ? cell : 0) * Offset{m * N};
  // The thread's line along an axis: where it begins, and its step.
  const auto step_of = [](int axis) { return axis == 0 ? 1 : axis == 1 ? n : n * n; };
  const auto first_of = [&](int axis) {
    const int step = step_of(axis);
    return lane % step + lane / step * step * n;
  };
  T r[n];

  for (int l = lane; l < m * N; l += lines) {
    const Index dof = active ? dofs[l] : -1;
    U[l] = dof < 0 ? T(0) : x[dof];
  }
  __syncthreads();
  // u = B u, axis by axis
#pragma unroll 1
  for (int axis = 0; axis < dim; ++axis) {
#pragma unroll 1
    for (int c = 0; c < m; ++c) pass_line<n, false>(line.basis, U + c * N, first_of(axis), step_of(axis), r);
    __syncthreads();
  }
  // gradients at the points
#pragma unroll 1
  for (int k = 0; k < m * dim; ++k) {
    const int axis = k % dim;
    load_line<n>(U + k / dim * N, first_of(axis), step_of(axis), r);
    apply_line<n, false>(line.slope, r);
    store_line<n>(G + k * N, first_of(axis), step_of(axis), r);
  }
  __syncthreads();
  // f = C (g, u) at the points of the line along x, in reference coordinates
  if (active) {
    const bool values = block.form.tests_values();
#pragma unroll 1
    for (int i = 0; i < n; ++i) {
      const int q = lane * n + i;
      T inverse[dim][dim], measure, g[m][dim], u[m];
      if (block.map) {
        const T* map = block.map + cell * block.map_stride;
        T J[dim][dim];
        LineJacobian<dim, T>([&](int k) { return map[k * block.map_step]; }, line.points[eta], line.points[zeta])
            .at(line.points[i], J);
        const T det = adjugate<dim, T>(J, inverse), scale = T(1) / det;
        for (int a = 0; a < dim; ++a)
          for (int d = 0; d < dim; ++d) inverse[a][d] *= scale;
        measure = line.weights[i] * line.weights[eta] * (dim == 3 ? line.weights[zeta] : T(1)) * absolute(det);
      } else {
        const T* from = block.factors + cell * Offset{(dim * dim + 1) * N} + q;
        for (int a = 0; a < dim; ++a)
          for (int d = 0; d < dim; ++d) inverse[a][d] = from[(a * dim + d) * N];
        measure = from[dim * dim * N];
      }
      for (int c = 0; c < m; ++c) {
        for (int a = 0; a < dim; ++a) g[c][a] = G[(c * dim + a) * N + q];
        u[c] = U[c * N + q];
      }
      const forms::Place at{block.region_of(cell), cell, q, N};
      struct Tangent {
        T entries[dim + 1][dim + 1];
        __device__ const T (&operator[](int a) const)[dim + 1] { return entries[a]; }
      };
      apply_pairs<dim, m, T>(
          inverse, measure,
          [&](int c, int d) {
            Tangent tangent;
            block.form.template tangent<dim>(at, c, d, tangent.entries);
            return tangent;
          },
          values, g, u);
      for (int c = 0; c < m; ++c) {
        for (int a = 0; a < dim; ++a) G[(c * dim + a) * N + q] = g[c][a];
        U[c * N + q] = values ? u[c] : T(0);
      }
    }
  }
  __syncthreads();
  // v = sum_a D_a^T f_a (+ f of the value)
#pragma unroll 1
  for (int axis = 0; axis < dim; ++axis) {
    const int first = first_of(axis), step = step_of(axis);
#pragma unroll 1
    for (int c = 0; c < m; ++c) {
      load_line<n>(G + (c * dim + axis) * N, first, step, r);
      apply_line<n, true>(line.slope, r);
#pragma unroll
      for (int i = 0; i < n; ++i) U[c * N + first + i * step] += r[i];
    }
    __syncthreads();
  }
  // v = B^T v
#pragma unroll 1
  for (int axis = 0; axis < dim; ++axis) {
#pragma unroll 1
    for (int c = 0; c < m; ++c) pass_line<n, true>(line.basis, U + c * N, first_of(axis), step_of(axis), r);
    __syncthreads();
  }
  if (!active) return;
  T* out = elements + block.first + cell * Offset{m * N};
  for (int l = lane; l < m * N; l += lines) {
    if (!is_interior(l, n, dim))
      out[l] = U[l];
    else if (dofs[l] >= 0)
      y[dofs[l]] = U[l];
  }
}

}  // namespace kernels

template <int n, int dim, class Form, class T = typename Form::Number>
void launch_components(Cuda& exec, const LineTables& tables, const TensorView<Form>& block, const T* x, T* y,
                       T* elements) {
  using Sizes = ComponentSizes<n, dim, Form>;
  constexpr std::size_t shared = Sizes::sizes.block_bytes();
  launch_with_shared(exec, kernels::apply_components<n, dim, Form>,
                     (Offset{block.cells} + Sizes::cells - 1) / Sizes::cells, Sizes::cells * Sizes::lines, shared,
                     block, LineConstants<n, T>(tables), x, y, elements);
}

template <int n, class Form, class T = typename Form::Number>
requires forms::has_components<Form>
void launch_tensor(Cuda& exec, const LineTables& tables, const TensorView<Form>& block, const T* x, T* y, T* elements) {
  if (block.dim == 2) return launch_components<n, 2>(exec, tables, block, x, y, elements);
  launch_components<n, 3>(exec, tables, block, x, y, elements);
}

}  // namespace tessera::assembly::matrix_free
