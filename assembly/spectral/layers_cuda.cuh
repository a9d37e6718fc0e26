#pragma once
// The cells of layers on CUDA: a block a cell, a thread a node.
#include "assembly/spectral/attenuated_cuda.cuh"
#include "assembly/spectral/cells_cuda.cuh"
#include "assembly/spectral/layers.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly::spectral {
namespace kernels {

/// J^-1 and w |J| at the node of a thread.
template <int n, int dim, bool stored, class T>
__device__ T inverse_at(const BlockView<T>& block, const Line<n, T>& line, Offset cell, int q, const int (&at)[3],
                        T (&inverse)[dim][dim]) {
  constexpr int N = power(n, dim);
  if constexpr (stored) {
    const T* const geometry = block.geometry + cell * ((dim * dim + 1) * N) + q;
    for (int a = 0; a < dim; ++a)
      for (int d = 0; d < dim; ++d) inverse[a][d] = geometry[(a * dim + d) * N];
    return geometry[dim * dim * N];
  } else {
    const T* const map = block.map + cell * matrix_free::map_entries<dim>;
    const matrix_free::LineJacobian<dim, T> jacobian([&](int e) { return map[e]; }, line.points[at[1]],
                                                     dim == 3 ? line.points[at[2]] : T(0));
    T J[dim][dim];
    jacobian.at(line.points[at[0]], J);
    const T det = matrix_free::adjugate<dim, T>(J, inverse);
    for (int a = 0; a < dim; ++a)
      for (int d = 0; d < dim; ++d) inverse[a][d] /= det;
    T weight = line.weights[at[0]] * line.weights[at[1]];
    if constexpr (dim == 3) weight *= line.weights[at[2]];
    return weight * det;
  }
}

/// Adds the forces of a part of a law to those of the thread's node. Shared: values [components, N], flux [dim, N] of a
/// component at a time.
template <int part, int n, int dim, class Law, bool stored, class T>
__device__ void add_layer_part(const LayerView<T>& layer, const Line<n, T>& line, Offset cell, int q, const T* u,
                               const MemoryView<T>& remembered, const T* k, T weight, const T (&inverse)[dim][dim],
                               T* values, T* flux, T (&sum)[Law::components(dim)]) {
  using Parts = forms::PartsOf<Law>;
  using Part = typename Parts::template Part<part>;
  constexpr int C = Law::components(dim), N = power(n, dim);
  constexpr int step[3] = {1, n, n * n};
  const int active = active_axes(layer.axes), slots = slots_of(C, dim, active);
  const int at[3] = {q % n, q / n % n, dim == 3 ? q / (n * n) : 0};
  const Index dof = layer.block.dofs[cell * N + q];
  T g[C][dim], s[C][dim];
  __syncthreads();
  for (int c = 0; c < C; ++c) {
    if constexpr (Parts::attenuates)
      values[c * N + q] = remembered.template combined<C>(
          u, dof, c, [&](int l) { return k[Law::moduli(dim) + part * mechanisms + l]; });
    else
      values[c * N + q] = u[Offset{dof} * C + c];
  }
  __syncthreads();
  for (int c = 0; c < C; ++c) {
    T reference[dim] = {};
    for (int a = 0; a < dim; ++a) {
      const T* const along = values + c * N + q - at[a] * step[a];
      for (int m = 0; m < n; ++m) reference[a] += line.slope[at[a] * n + m] * along[m * step[a]];
    }
    for (int d = 0; d < dim; ++d) {
      g[c][d] = 0;
      for (int a = 0; a < dim; ++a) g[c][d] += inverse[a][d] * reference[a];
    }
  }
  T* const memory = layer.memory + (cell * layer.slots + part * slots) * N + q;
  stretched_flux<dim, Part, T>(
      layer, k, g, s, [&](int axis, int which) { return layer.profile_of(cell, axis, which, N, active)[q]; },
      [&](int slot) { return memory[slot * N]; }, [&](int slot, T z) { memory[slot * N] = z; });
  const T by = layer.lag[cell] / layer.before;
  for (int c = 0; c < C; ++c) {
    __syncthreads();
    for (int a = 0; a < dim; ++a) {
      T of_axis = 0;
      for (int d = 0; d < dim; ++d) of_axis += inverse[a][d] * s[c][d];
      flux[a * N + q] = weight * of_axis;
    }
    __syncthreads();
    T force = 0;
    for (int a = 0; a < dim; ++a) {
      const T* const along = flux + a * N + q - at[a] * step[a];
      for (int m = 0; m < n; ++m) force += line.slope[m * n + at[a]] * along[m * step[a]];
    }
    T& last = memory[(slots - C + c) * N];
    sum[c] += layer.pass == Pass::begin ? force : force + by * (force - last);
    if (layer.pass != Pass::look) last = force;
  }
}

template <int n, int dim, class Law, bool stored, class T>
__global__ void __launch_bounds__(power(n, dim))
    apply_layer(const LayerView<T> layer, const __grid_constant__ Line<n, T> line, const T* u,
                const MemoryView<T> memory, T* elements) {
  constexpr int C = Law::components(dim), K = Law::coefficients(dim), N = power(n, dim), size = entry_size(C);
  __shared__ T values[C * N], flux[dim * N];
  const BlockView<T>& block = layer.block;
  const Offset cell = blockIdx.x;
  const int q = threadIdx.x;
  const int at[3] = {q % n, q / n % n, dim == 3 ? q / (n * n) : 0};
  T inverse[dim][dim], k[K], sum[C] = {};
  const T weight = inverse_at<n, dim, stored>(block, line, cell, q, at, inverse);
  for (int m = 0; m < K; ++m) k[m] = block.coefficients_of(cell, q)[m * block.component_stride];
  add_layer_part<0, n, dim, Law, stored>(layer, line, cell, q, u, memory, k, weight, inverse, values, flux, sum);
  if constexpr (forms::PartsOf<Law>::count == 2)
    add_layer_part<1, n, dim, Law, stored>(layer, line, cell, q, u, memory, k, weight, inverse, values, flux, sum);
  T* const out = elements + (block.first + cell * N + q) * size;
  for (int c = 0; c < C; ++c) out[c] = -sum[c];
}

}  // namespace kernels

/// The element vector has the forces of the nodes of cells in layers.
template <class Law, class T>
void apply_layer(Cuda& exec, const Rule& rule, const LayerView<T>& layer, const T* u, const MemoryView<T>& memory,
                 T* elements) {
  on_kernel_lattice(layer.block.dim, layer.block.n, [&](auto of_dim, auto of_n) {
    constexpr int dim = of_dim(), n = of_n();
    const auto run = [&](auto kernel) {
      launch(exec, kernel, Offset{layer.block.cells}, power(n, dim), layer, Line<n, T>(rule), u, memory, elements);
    };
    if (layer.block.map)
      run(kernels::apply_layer<n, dim, Law, false, T>);
    else
      run(kernels::apply_layer<n, dim, Law, true, T>);
  });
}

}  // namespace tessera::assembly::spectral
