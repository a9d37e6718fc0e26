#pragma once
// What sum factorisation on CUDA does at the points of a line, which a thread has in registers.
#include "assembly/matrix_free/blocks.hpp"
#include "assembly/matrix_free/geometry.hpp"

namespace tessera::assembly::matrix_free {

/// Tables of one order as a kernel parameter: parameters are constants, which multiplications take as operands.
template <int n, class T>
struct LineConstants {
  T basis[n * n], slope[n * n], points[n], weights[n];

  explicit LineConstants(const LineTables& tables) {
    for (int i = 0; i < n * n; ++i)
      basis[i] = static_cast<T>(tables.basis[i]), slope[i] = static_cast<T>(tables.slope[i]);
    for (int i = 0; i < n; ++i)
      points[i] = static_cast<T>(tables.points[i]), weights[i] = static_cast<T>(tables.weights[i]);
  }
};

/// Blocks that a multiprocessor should hold at least; fewer registers than the compiler would take pay only at n = 3
/// (H200, November 2026: 11.5 instead of 10.4 G dofs/s at order 2, 21.3 instead of 22.9 at order 4). In single
/// precision 8 is what the compiler chose before at_points_alike.
template <int n, class T>
inline constexpr int blocks_wanted = n == 3 ? (std::is_same_v<T, double> ? 6 : 8) : 0;

/// Whether the Jacobian is the same along the line, as in parallelepipeds.
template <int dim, class T>
__device__ __forceinline__ bool is_constant(const LineJacobian<dim, T>& jacobian) {
  bool result = true;
#pragma unroll
  for (int a = 0; a + 1 < dim; ++a)
#pragma unroll
    for (int d = 0; d < dim; ++d) result = result && jacobian.growth[a][d] == 0;
  return result;
}

/// G = (w / |det J|) A A^T packed, A = adj(J): the tensor between reference gradients of the identity. Returns w |det
/// J|.
template <int dim, class T>
__device__ __forceinline__ T pull_back_identity(const T (&J)[dim][dim], T weight, T (&G)[tensor_size<dim>]) {
  T adj[dim][dim];
  const T det = absolute(adjugate<dim, T>(J, adj)), scale = weight / det;
#pragma unroll
  for (int a = 0; a < dim; ++a)
#pragma unroll
    for (int b = a; b < dim; ++b) {
      T sum = adj[a][0] * adj[b][0];
#pragma unroll
      for (int d = 1; d < dim; ++d) sum += adj[a][d] * adj[b][d];
      G[packed(a, b, dim)] = scale * sum;
    }
  return weight * det;
}

/// at_line_of_points where the Jacobian is the same along the line and the tensor a number times the identity: what
/// comes of J is made once, so that of 68 operations of a point 20 are left. The tensors of points stand `step` apart.
template <int n, int dim, class Form, class T>
__device__ __forceinline__ void at_points_alike(const TensorView<Form>& block, const LineConstants<n, T>& line,
                                                const LineJacobian<dim, T>& jacobian, T weight, const T* tensor,
                                                int step, forms::Place at, T (&gx)[n], T* gy, T* gz, T* u) {
  T J[dim][dim], G[tensor_size<dim>];
  jacobian.at(T(0), J);
  const T measure = pull_back_identity<dim>(J, weight, G);
#pragma unroll
  for (int i = 0; i < n; ++i) {
    const T scale = line.weights[i] * tensor[i * step];
    T g[dim];
    g[0] = scale * gx[i], g[1] = scale * gy[i];
    if constexpr (dim == 3) g[2] = scale * gz[i];
    apply_factors<dim, T>([&](int m) { return G[m]; }, g);
    gx[i] = g[0], gy[i] = g[1];
    if constexpr (dim == 3) gz[i] = g[2];
    if (!forms::has(block.form, forms::value_value)) continue;
    u[i] *= measure * line.weights[i] * forms::tangent_at<dim>(block.form, at).vv;
    ++at.point;
  }
}

/// The form at the n points of a line along x, point i being number q0 + i of the cell: (gx, gy, gz) becomes the flux,
/// u becomes m u where there is a C_vv. The entries of the cell's map stand `map_step` apart.
template <int n, int dim, class Form, class T>
__device__ __forceinline__ void at_line_of_points(const TensorView<Form>& block, const LineConstants<n, T>& line,
                                                  Offset cell, const T* map, Offset map_step, int a, int b, T (&gx)[n],
                                                  T* gy, T* gz, T* u) {
  constexpr int N = dim == 2 ? n * n : n * n * n;
  const int q0 = (dim == 2 ? a : a + n * b) * n;
  if (block.map) {
    forms::Place at{block.region_of(cell), cell, q0, N};
    // Tensors of a line stand at even steps: a pointer that moves costs fewer instructions than a place a point, but
    // registers, which a kernel that is held to few of them (blocks_wanted) would spill.
    constexpr bool moves = blocks_wanted<n, T> == 0;
    auto tensor = forms::tangent_at<dim>(block.form, at).gg;
    const int step =
        static_cast<int>(forms::tangent_at<dim>(block.form, {at.region, cell, q0 + 1, N}).gg.values - tensor.values);
    const LineJacobian<dim, T> jacobian([&](int i) { return map[i * map_step]; }, line.points[a], line.points[b]);
    const T weight = line.weights[a] * (dim == 3 ? line.weights[b] : T(1));
    if constexpr ((Form::couples & forms::gradient_gradient) != 0) {
      if (tensor.components == 1 && is_constant(jacobian))
        return at_points_alike<n, dim>(block, line, jacobian, weight, tensor.values, step, at, gx, gy, gz, u);
    }
#pragma unroll
    for (int i = 0; i < n; ++i) {
      at.point = q0 + i;
      T J[dim][dim], g[dim];
      jacobian.at(line.points[i], J);
      g[0] = gx[i], g[1] = gy[i];
      if constexpr (dim == 3) g[2] = gz[i];
      const auto tensor_here = [&] {
        if constexpr (moves)
          return tensor;
        else
          return forms::tangent_at<dim>(block.form, at).gg;
      };
      const T measure = apply_form<dim, Form>(J, weight * line.weights[i], tensor_here, g);
      gx[i] = g[0], gy[i] = g[1];
      if constexpr (dim == 3) gz[i] = g[2];
      if (forms::has(block.form, forms::value_value)) u[i] *= measure * forms::tangent_at<dim>(block.form, at).vv;
      if constexpr (moves) tensor.values += step;
    }
  } else {
    const T* factors = block.factors + cell * ((tensor_size<dim> + (block.has_value ? 1 : 0)) * N) + q0;
#pragma unroll
    for (int i = 0; i < n; ++i) {
      T g[dim];
      g[0] = gx[i], g[1] = gy[i];
      if constexpr (dim == 3) g[2] = gz[i];
      apply_factors<dim, T>([&](int m) { return factors[m * N + i]; }, g);
      gx[i] = g[0], gy[i] = g[1];
      if constexpr (dim == 3) gz[i] = g[2];
      if (block.has_value) u[i] *= factors[tensor_size<dim> * N + i];
    }
  }
}

}  // namespace tessera::assembly::matrix_free
