#pragma once
// Linear straight simplices around a vertex, a lane a vertex: the vertices that its strip holds.
#include <cstdint>

#include "assembly/cells/simplex_strip.hpp"
#include "base/parallel.hpp"
#include "forms/tensor.hpp"

namespace tessera::assembly::kernels {

using forms::absolute;

/// Steps of a row that stand together, one load: [groups, 32 lanes, steps].
template <int dim>
inline constexpr int strip_group = dim == 3 ? 4 : 2;

/// SimplexRows as the kernel sees it.
struct SimplexRowsView {
  int capacity;
  const Index* order;
  const Offset* step_ptr;
  const std::uint16_t* steps;
  const Index* nodes;
  const Index* cells;
  const Index* first_nodes;
  const std::uint32_t* first_columns;
};

/// Values that one load brings.
template <class T, int n>
struct alignas(sizeof(T) * n) Pack {
  T at[n];
  __device__ static Pack load(const T* from) { return *reinterpret_cast<const Pack*>(from); }
};

template <int dim>
inline constexpr double unit_measure = dim == 1 ? 1.0 : (dim == 2 ? 0.5 : 1.0 / 6);

__device__ inline void cross(const double (&u)[3], const double (&v)[3], double (&result)[3]) {
  result[0] = u[1] * v[2] - u[2] * v[1];
  result[1] = u[2] * v[0] - u[0] * v[2];
  result[2] = u[0] * v[1] - u[1] * v[0];
}

template <int dim>
__device__ double dot(const double (&u)[dim], const double (&v)[dim]) {
  double sum = u[0] * v[0];
  for (int d = 1; d < dim; ++d) sum += u[d] * v[d];
  return sum;
}

/// The vertices that a lane's strip holds, oldest first. A vertex keeps the sums of its entries in the row, one or one
/// for each unknown of a node, until it is dropped; then they are added to the lane's column of shared memory.
template <int dim, int entries = 1>
struct HeldVertices {
  double* sums;             ///< [columns of the row, entries, 32], at this lane
  double edge[dim][dim];    ///< from the row's vertex
  double normal[dim][dim];  ///< of the sides through the row's vertex: grad phi_a = normal[a] / det
  double sum[dim][entries];
  int column[dim];

  __device__ void begin(int a, int at, const double (&to)[dim]) {
    for (int d = 0; d < dim; ++d) edge[a][d] = to[d];
    column[a] = at;
    for (int e = 0; e < entries; ++e) sum[a][e] = 0;
  }
  __device__ void drop(int at, const double (&value)[entries]) {
    for (int e = 0; e < entries; ++e) sums[(at * entries + e) * 32] += value[e];
  }
  __device__ void drop_all() {
    for (int a = 0; a < dim; ++a) drop(column[a], sum[a]);
  }

  /// Pushes a vertex and makes `normal` those of the new cell. Returns its |det|.
  __device__ double push(bool drops_second, int at, const double (&to)[dim]) {
    if constexpr (dim == 1) {
      drop(column[0], sum[0]);
      begin(0, at, to);
      normal[0][0] = 1;
      return absolute(to[0]);
    } else if constexpr (dim == 2) {
      drop(column[0], sum[0]);
      for (int d = 0; d < 2; ++d) edge[0][d] = edge[1][d];
      column[0] = column[1];
      for (int e = 0; e < entries; ++e) sum[0][e] = sum[1][e];
      begin(1, at, to);
      normal[0][0] = edge[1][1], normal[0][1] = -edge[1][0];
      normal[1][0] = -edge[0][1], normal[1][1] = edge[0][0];
      return absolute(edge[0][0] * edge[1][1] - edge[0][1] * edge[1][0]);
    } else {
      // The kept vertex goes first, the newest second. All three products are formed anew: the known one would take
      // twelve registers and as many instructions to choose.
      double dropped[entries];
      for (int e = 0; e < entries; ++e) dropped[e] = drops_second ? sum[1][e] : sum[0][e];
      drop(drops_second ? column[1] : column[0], dropped);
      for (int d = 0; d < 3; ++d) {
        edge[0][d] = drops_second ? edge[0][d] : edge[1][d];
        edge[1][d] = edge[2][d];
      }
      column[0] = drops_second ? column[0] : column[1];
      column[1] = column[2];
      for (int e = 0; e < entries; ++e) {
        sum[0][e] = drops_second ? sum[0][e] : sum[1][e];
        sum[1][e] = sum[2][e];
      }
      begin(2, at, to);
      cross(edge[1], edge[2], normal[0]);
      cross(edge[2], edge[0], normal[1]);
      cross(edge[0], edge[1], normal[2]);
      return absolute(edge[2][0] * normal[2][0] + edge[2][1] * normal[2][1] + edge[2][2] * normal[2][2]);
    }
  }

  /// sum of the normals: det times minus the gradient of the row's own basis function.
  __device__ void inward_normal(double (&inward)[dim]) const {
    for (int d = 0; d < dim; ++d) {
      inward[d] = normal[0][d];
      for (int a = 1; a < dim; ++a) inward[d] += normal[a][d];
    }
  }

  /// Entries of a cell, scale flux . normal_a + mass.
  __device__ void add(const double (&flux)[dim], double scale, double mass) {
    for (int a = 0; a < dim; ++a) sum[a][0] = scale * dot(flux, normal[a]) + (sum[a][0] + mass);
  }
  /// The same for each unknown of a node, without mass.
  __device__ void add(const double (&flux)[entries][dim], double scale) {
    for (int a = 0; a < dim; ++a)
      for (int e = 0; e < entries; ++e) sum[a][e] += scale * dot(flux[e], normal[a]);
  }
};

}  // namespace tessera::assembly::kernels
