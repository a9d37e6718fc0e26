#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "assembly/spectral/rule.hpp"
#include "base/cuda_check.hpp"
#include "base/parallel.hpp"
#include "bench/support/point_kernel.hpp"
#include "linalg/vector_ops.hpp"
#include "mesh/colouring.hpp"

namespace tessera::bench {
namespace kernels {

constexpr int n = 5, points = n * n * n, threads = 128, dim = 3, entries = dim * dim + 1;

__constant__ float slopes_in_float[n * n];
__constant__ double slopes_in_double[n * n];
template <class T>
__device__ T slope(int i) {
  if constexpr (sizeof(T) == 4)
    return slopes_in_float[i];
  else
    return slopes_in_double[i];
}

/// A block a cell of `which`; the last three threads have no point.
template <bool atomic, class T>
__global__ void __launch_bounds__(threads)
    force_of_points(const Index* which, const Index* dofs, const T* geometry, const T* material, const T* u, T* f) {
  __shared__ T values[dim][points], flux[dim][dim][points];
  const Offset cell = which[blockIdx.x];
  const int q = threadIdx.x;
  const bool active = q < points;
  const int at[dim] = {q % n, q / n % n, q / (n * n)};
  constexpr int step[dim] = {1, n, n * n};
  Offset first = 0;
  if (active) {
    first = Offset{dofs[cell * points + q]} * dim;
    for (int c = 0; c < dim; ++c) values[c][q] = u[first + c];
  }
  __syncthreads();
  if (active) {
    T along[dim][dim], inverse[dim][dim], g[dim][dim];
#pragma unroll
    for (int c = 0; c < dim; ++c)
#pragma unroll
      for (int a = 0; a < dim; ++a) {
        T sum = 0;
        const T* const line = values[c] + q - at[a] * step[a];
#pragma unroll
        for (int m = 0; m < n; ++m) sum += slope<T>(at[a] * n + m) * line[m * step[a]];
        along[c][a] = sum;
      }
    const T* const of_cell = geometry + cell * (entries * points) + q;
#pragma unroll
    for (int a = 0; a < dim; ++a)
#pragma unroll
      for (int d = 0; d < dim; ++d) inverse[a][d] = of_cell[(a * dim + d) * points];
    const T weight = of_cell[dim * dim * points], lambda = material[2 * cell], mu = material[2 * cell + 1];
#pragma unroll
    for (int c = 0; c < dim; ++c)
#pragma unroll
      for (int d = 0; d < dim; ++d)
        g[c][d] = along[c][0] * inverse[0][d] + along[c][1] * inverse[1][d] + along[c][2] * inverse[2][d];
    const T pressure = lambda * (g[0][0] + g[1][1] + g[2][2]);
#pragma unroll
    for (int c = 0; c < dim; ++c)
#pragma unroll
      for (int a = 0; a < dim; ++a) {
        T sum = pressure * inverse[a][c];
#pragma unroll
        for (int d = 0; d < dim; ++d) sum += mu * (g[c][d] + g[d][c]) * inverse[a][d];
        flux[c][a][q] = weight * sum;
      }
  }
  __syncthreads();
  if (!active) return;
#pragma unroll
  for (int c = 0; c < dim; ++c) {
    T sum = 0;
#pragma unroll
    for (int a = 0; a < dim; ++a) {
      const T* const line = flux[c][a] + q - at[a] * step[a];
#pragma unroll
      for (int m = 0; m < n; ++m) sum += slope<T>(m * n + at[a]) * line[m * step[a]];
    }
    if constexpr (atomic)
      atomicAdd(f + first + c, -sum);
    else
      f[first + c] -= sum;
  }
}

}  // namespace kernels

namespace {

template <class T>
void set_slopes() {
  const assembly::spectral::Rule& rule = assembly::spectral::rule(kernels::n - 1);
  const std::vector<T> values(rule.slope, rule.slope + kernels::n * kernels::n);
  if constexpr (sizeof(T) == 4)
    TESSERA_CUDA_CHECK(cudaMemcpyToSymbol(kernels::slopes_in_float, values.data(), values.size() * sizeof(T)));
  else
    TESSERA_CUDA_CHECK(cudaMemcpyToSymbol(kernels::slopes_in_double, values.data(), values.size() * sizeof(T)));
}

/// The largest difference of two vectors over the largest number of the second one.
template <class T>
double difference(const std::vector<T>& some, const std::vector<T>& others) {
  double most = 0, size = 0;
  for (std::size_t i = 0; i < some.size(); ++i) {
    most = std::max(most, std::abs(static_cast<double>(some[i]) - static_cast<double>(others[i])));
    size = std::max(size, std::abs(static_cast<double>(others[i])));
  }
  return most / size;
}

}  // namespace

template <class T>
std::vector<Row> point_kernel_rows(Cuda& exec, const PointForce<T>& of) {
  if (of.cells.n != kernels::n || of.cells.dim != kernels::dim) return {};
  set_slopes<T>();
  const mesh::CellBlock& block = of.mesh.blocks.front();
  const Index count = of.cells.cells;
  const std::vector<double> geometry = assembly::spectral::stored_geometry(of.mesh, of.cells, 0, count);
  const auto inverse = to_space<Device>(std::vector<T>(geometry.begin(), geometry.end()));
  const auto material = to_space<Device>(std::vector<T>(2 * static_cast<std::size_t>(count), T(1)));
  const auto dofs = to_space<Device>(of.cells.dofs);
  // Cells that share a node share a corner.
  const mesh::Colouring colouring = mesh::colour_cells(block.nodes, block.nodes_per_cell, of.mesh.nodes());
  const auto by_colour = to_space<Device>(colouring.cells);
  Array<T, Device> f(of.u.size());
  const double bytes = static_cast<double>(inverse.bytes() + material.bytes() + dofs.bytes()) +
                       static_cast<double>(2 * of.u.size() + of.scale.size()) * sizeof(T);
  std::vector<T> expected(static_cast<std::size_t>(of.expected.size()));
  copy_bytes(Device{}, of.expected.data(), Host{}, expected.data(), expected.size() * sizeof(T));
  std::vector<Row> rows;
  for (const bool atomic : {false, true}) {
    const auto force = [&] {
      linalg::fill(exec, f.view(), 0);
      if (atomic)
        launch(exec, kernels::force_of_points<true, T>, Offset{count}, kernels::threads, by_colour.data(), dofs.data(),
               inverse.data(), material.data(), of.u.data(), f.data());
      for (int c = 0; !atomic && c < colouring.colours(); ++c)
        launch(exec, kernels::force_of_points<false, T>, Offset{colouring.size(c)}, kernels::threads,
               by_colour.data() + colouring.ptr[static_cast<std::size_t>(c)], dofs.data(), inverse.data(),
               material.data(), of.u.data(), f.data());
      const View<T> to = f.view();
      const View<const T> scale = of.scale;
      for_each(exec, to.size(), [=] TESSERA_HD(Offset i) { to[i] *= scale[i / kernels::dim]; });
    };
    Row row;
    row.name = atomic ? "a thread a point, atomic" : "a thread a point, by colours";
    row.bytes = bytes;
    row.timing = measure(exec, force);
    char note[80];
    std::snprintf(note, sizeof note, "%.4g M elements/s, %d colours, differs by %.1e",
                  1e-3 * count / row.timing.median_ms, atomic ? 0 : colouring.colours(),
                  difference(to_vector(f), expected));
    row.note = note;
    rows.push_back(row);
  }
  return rows;
}

template std::vector<Row> point_kernel_rows(Cuda&, const PointForce<float>&);
template std::vector<Row> point_kernel_rows(Cuda&, const PointForce<double>&);

}  // namespace tessera::bench
