#pragma once
// The cells of a block on CUDA. n^(dim-1) threads hold a cell, each a column of n nodes along the last axis in
// registers; the cell is walked layer by layer, and shared memory has one layer of values and of fluxes. Derivatives
// along the column need no shared memory. Several cells share a block.
#include "assembly/spectral/view.hpp"
#include "base/error.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly::spectral {

/// Cells that share a block, so that it has about 128 threads.
template <int n, int dim>
inline constexpr int cells_per_block = dim == 2 ? 128 / n : (n* n > 64 ? 1 : 128 / (n * n));

namespace kernels {

template <int n, int dim, class Law, bool stored, class T>
__global__ void __launch_bounds__(cells_per_block<n, dim>* power(n, dim - 1))
    apply_spectral(const BlockView<T> block, const __grid_constant__ Line<n, T> line, const T* u, const T* scale, T* f,
                   T* elements) {
  constexpr int C = Law::components(dim), K = Law::coefficients(dim), N = power(n, dim), layer = power(n, dim - 1);
  constexpr int together = cells_per_block<n, dim>, last = dim - 1;
  constexpr int entries = matrix_free::map_entries<dim>;
  __shared__ T values[together][C][layer], fluxes[together][C][dim - 1][layer];
  __shared__ T map[stored ? 1 : together][stored ? 1 : entries];  // in registers it would take 42 of these at n = 5
  __shared__ T slope[n * n], points[n], weights[n];               // where threads differ in the index
  const int own = threadIdx.x / layer, s = threadIdx.x % layer, i = s % n, j = s / n;
  const Offset cell = blockIdx.x * Offset{together} + own;
  const bool active = cell < block.cells;
  for (int k = threadIdx.x; k < n * n; k += together * layer) slope[k] = line.slope[k];
  if (threadIdx.x < n) points[threadIdx.x] = line.points[threadIdx.x], weights[threadIdx.x] = line.weights[threadIdx.x];

  const Index* const dofs = block.dofs + cell * N + s;
  T r[C][n], out[C][n];
#pragma unroll
  for (int k = 0; k < n; ++k)
#pragma unroll
    for (int c = 0; c < C; ++c) {
      r[c][k] = active ? u[Offset{dofs[k * layer]} * C + c] : T(0);
      out[c][k] = 0;
    }
  if constexpr (!stored)
    for (int e = s; e < entries; e += layer) map[own][e] = active ? block.map[cell * entries + e] : T(0);

#pragma unroll
  for (int k = 0; k < n; ++k) {
#pragma unroll
    for (int c = 0; c < C; ++c) values[own][c][s] = r[c][k];
    __syncthreads();
    if (active) {
      const int q = k * layer + s;
      T g[C][dim], at_place[K];
#pragma unroll
      for (int c = 0; c < C; ++c) {
        T along[dim] = {};
#pragma unroll
        for (int m = 0; m < n; ++m) {
          along[0] += slope[i * n + m] * values[own][c][m + j * n];
          if constexpr (dim == 3) along[1] += slope[j * n + m] * values[own][c][i + m * n];
          along[last] += line.slope[k * n + m] * r[c][m];
        }
        for (int a = 0; a < dim; ++a) g[c][a] = along[a];
      }
      const T* const material = block.coefficients_of(cell, q);
      for (int m = 0; m < K; ++m) at_place[m] = material[m * block.component_stride];
      if constexpr (stored) {
        const T* const geometry = block.geometry + cell * ((dim * dim + 1) * N) + q;
        flux_of_stored<dim, Law, T>([&](int e) { return geometry[e * N]; }, at_place, g);
      } else {
        const T eta = dim == 3 ? points[j] : line.points[k], zeta = dim == 3 ? line.points[k] : T(0);
        const T weight = weights[i] * line.weights[k] * (dim == 3 ? weights[j] : T(1));
        T J[dim][dim];
        matrix_free::LineJacobian<dim, T>([&](int e) { return map[own][e]; }, eta, zeta).at(points[i], J);
        flux_of_map<dim, Law, T>(J, weight, at_place, g);
      }
#pragma unroll
      for (int c = 0; c < C; ++c) {
        for (int a = 0; a < last; ++a) fluxes[own][c][a][s] = g[c][a];
#pragma unroll
        for (int m = 0; m < n; ++m) out[c][m] += line.slope[k * n + m] * g[c][last];
      }
    }
    __syncthreads();
    if (active)
#pragma unroll
      for (int c = 0; c < C; ++c) {
        T sum = 0;
#pragma unroll
        for (int m = 0; m < n; ++m) {
          sum += slope[m * n + i] * fluxes[own][c][0][m + j * n];
          if constexpr (dim == 3) sum += slope[m * n + j] * fluxes[own][c][1][i + m * n];
        }
        out[c][k] += sum;
      }
  }

  if (!active) return;
  const bool inside = i > 0 && i < n - 1 && (dim == 2 || (j > 0 && j < n - 1));
  T* const shared_nodes = elements + (block.first + cell * N + s) * C;
#pragma unroll
  for (int k = 0; k < n; ++k) {
    if (inside && k > 0 && k < n - 1) {
      const Index dof = dofs[k * layer];
      if (dof >= block.owned) continue;
      const T by = -scale[dof];
      for (int c = 0; c < C; ++c) f[Offset{dof} * C + c] = by * out[c][k];
    } else {
      for (int c = 0; c < C; ++c) shared_nodes[k * layer * C + c] = -out[c][k];
    }
  }
}

}  // namespace kernels

namespace device {

template <int n, int dim, class Law, class T>
void apply_block(Cuda& exec, const Rule& rule, const BlockView<T>& block, const T* u, const T* scale, T* f,
                 T* elements) {
  constexpr int together = cells_per_block<n, dim>, threads = together * power(n, dim - 1);
  const Offset blocks = (Offset{block.cells} + together - 1) / together;
  const auto run = [&](auto kernel) {
    launch(exec, kernel, blocks, threads, block, Line<n, T>(rule), u, scale, f, elements);
  };
  if (block.map)
    run(kernels::apply_spectral<n, dim, Law, false, T>);
  else
    run(kernels::apply_spectral<n, dim, Law, true, T>);
}

template <int dim, class Law, class T>
void apply_of_dim(Cuda& exec, const Rule& rule, const BlockView<T>& block, const T* u, const T* scale, T* f,
                  T* elements) {
  switch (block.n) {
    case 3: return apply_block<3, dim, Law>(exec, rule, block, u, scale, f, elements);
    case 4: return apply_block<4, dim, Law>(exec, rule, block, u, scale, f, elements);
    case 5: return apply_block<5, dim, Law>(exec, rule, block, u, scale, f, elements);
    case 6: return apply_block<6, dim, Law>(exec, rule, block, u, scale, f, elements);
    case 7: return apply_block<7, dim, Law>(exec, rule, block, u, scale, f, elements);
    case 8: return apply_block<8, dim, Law>(exec, rule, block, u, scale, f, elements);
    case 9: return apply_block<9, dim, Law>(exec, rule, block, u, scale, f, elements);
  }
  throw Error(ExitCode::internal, "no spectral elements of this degree");
}

}  // namespace device

template <class Law, class T>
void apply_cells(Cuda& exec, const Rule& rule, const BlockView<T>& block, const T* u, const T* scale, T* f,
                 T* elements) {
  if (block.dim == 2) return device::apply_of_dim<2, Law>(exec, rule, block, u, scale, f, elements);
  device::apply_of_dim<3, Law>(exec, rule, block, u, scale, f, elements);
}

}  // namespace tessera::assembly::spectral
