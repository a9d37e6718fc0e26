#pragma once
// The cells of laws with memory on CUDA: a block a cell, a thread a node.
#include "assembly/spectral/attenuated.hpp"
#include "assembly/spectral/flux_cuda.cuh"
#include "base/parallel.hpp"

namespace tessera::assembly::spectral {
namespace kernels {

/// Adds the forces of a part of a law to those of the thread's node. Shared: values [components, N], flux [dim, N] of a
/// component at a time.
template <int part, int n, int dim, class Law, bool stored, class T>
__device__ void add_part(const BlockView<T>& block, const Line<n, T>& line, Offset cell, int q, const T* u,
                         const MemoryView<T>& memory, T* values, T* flux, T (&sum)[Law::components(dim)]) {
  using Part = typename Law::template Part<part>;
  constexpr int C = Law::components(dim), K = Law::coefficients(dim), N = power(n, dim);
  const int at[3] = {q % n, q / n % n, dim == 3 ? q / (n * n) : 0};
  constexpr int step[3] = {1, n, n * n};
  T material[K];
  const T* const from = block.coefficients_of(cell, q);
  for (int m = 0; m < K; ++m) material[m] = from[m * block.component_stride];
  const Index dof = block.dofs[cell * N + q];
  __syncthreads();
  for (int c = 0; c < C; ++c)
    values[c * N + q] = memory.template combined<C>(
        u, dof, c, [&](int l) { return material[Law::moduli(dim) + part * mechanisms + l]; });
  __syncthreads();
  T g[C][dim];
  for (int c = 0; c < C; ++c)
    for (int a = 0; a < dim; ++a) {
      g[c][a] = 0;
      const T* const along = values + c * N + q - at[a] * step[a];
      for (int m = 0; m < n; ++m) g[c][a] += line.slope[at[a] * n + m] * along[m * step[a]];
    }
  if constexpr (stored) {
    const T* const geometry = block.geometry + cell * ((dim * dim + 1) * N) + q;
    flux_of_stored<dim, Part, T>([&](int e) { return geometry[e * N]; }, material, g);
  } else {
    const T* const map = block.map + cell * matrix_free::map_entries<dim>;
    const matrix_free::LineJacobian<dim, T> jacobian([&](int e) { return map[e]; }, line.points[at[1]],
                                                     dim == 3 ? line.points[at[2]] : T(0));
    T J[dim][dim];
    jacobian.at(line.points[at[0]], J);
    T weight = line.weights[at[0]] * line.weights[at[1]];
    if constexpr (dim == 3) weight *= line.weights[at[2]];
    flux_of_map<dim, Part, T>(J, weight, material, g);
  }
  for (int c = 0; c < C; ++c) {
    __syncthreads();
    for (int a = 0; a < dim; ++a) flux[a * N + q] = g[c][a];
    __syncthreads();
    for (int a = 0; a < dim; ++a) {
      const T* const along = flux + a * N + q - at[a] * step[a];
      for (int m = 0; m < n; ++m) sum[c] += line.slope[m * n + at[a]] * along[m * step[a]];
    }
  }
}

template <int n, int dim, class Law, bool stored, class T>
__global__ void __launch_bounds__(power(n, dim))
    apply_attenuated(const BlockView<T> block, const __grid_constant__ Line<n, T> line, const T* u,
                     const MemoryView<T> memory, T* elements) {
  constexpr int C = Law::components(dim), N = power(n, dim), size = entry_size(C);
  __shared__ T values[C * N], flux[dim * N];
  const Offset cell = blockIdx.x;
  const int q = threadIdx.x;
  T sum[C] = {};
  add_part<0, n, dim, Law, stored>(block, line, cell, q, u, memory, values, flux, sum);
  if constexpr (Law::parts == 2) add_part<1, n, dim, Law, stored>(block, line, cell, q, u, memory, values, flux, sum);
  T* const force = elements + (block.first + cell * N + q) * size;
  for (int c = 0; c < C; ++c) force[c] = -sum[c];
}

}  // namespace kernels

/// The element vector has the forces of the nodes of cells.
template <class Law, class T>
void apply_attenuated(Cuda& exec, const Rule& rule, const BlockView<T>& block, const T* u, const MemoryView<T>& memory,
                      T* elements) {
  on_lattice(block.dim, block.n, [&](auto of_dim, auto of_n) {
    constexpr int dim = of_dim(), n = of_n();
    const auto run = [&](auto kernel) {
      launch(exec, kernel, Offset{block.cells}, power(n, dim), block, Line<n, T>(rule), u, memory, elements);
    };
    if (block.map)
      run(kernels::apply_attenuated<n, dim, Law, false, T>);
    else
      run(kernels::apply_attenuated<n, dim, Law, true, T>);
  });
}

}  // namespace tessera::assembly::spectral
