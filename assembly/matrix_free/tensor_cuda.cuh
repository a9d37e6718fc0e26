#pragma once
// Sum factorisation on CUDA. n^(dim-1) threads hold a cell, each a line of n values in registers: along a line a table
// is applied with constants as operands, and shared memory only turns the lines from one axis to the next.
#include "assembly/matrix_free/kernel_sizes.hpp"
#include "assembly/matrix_free/tensor_points.cuh"
#include "base/parallel.hpp"

namespace tessera::assembly::matrix_free {

/// Cells that share a block, so that it has about 128 threads.
template <int n, int dim>
inline constexpr int cells_per_block = dim == 2 ? 128 / n : (n* n > 64 ? 1 : 128 / (n * n));

/// Of apply_quads: without a bound the compiler takes two registers too many for a seventh block at n = 5. 0: it
/// decides.
template <int n, class T>
inline constexpr int quads_wanted = n == 5 && std::is_same_v<T, double> ? 7 : 0;

/// Places of [n^dim] values in shared memory, and what is left free after the three arrays of a hex. Chosen by search
/// for the least conflicts of banks over the lines along the three axes: on average 1.3 to 1.6 times the unavoidable
/// accesses, without the free space 2.4 at n = 3.
template <int n>
struct Padded {
  static constexpr int row = n == 7 ? 9 : n | 1;
  static constexpr int plane = row * n;
  static constexpr int free = n == 3 ? 10 : n == 5 ? 6 : n == 6 ? 8 : n == 7 ? 14 : 0;
  static constexpr int hex = 3 * plane * n + free;
};

/// r = M r, or M^T r.
template <int n, bool transposed, class T>
__device__ __forceinline__ void apply_line(const T (&M)[n * n], T (&r)[n]) {
  T out[n];
#pragma unroll
  for (int q = 0; q < n; ++q) {
    out[q] = (transposed ? M[q] : M[q * n]) * r[0];
#pragma unroll
    for (int i = 1; i < n; ++i) out[q] += (transposed ? M[i * n + q] : M[q * n + i]) * r[i];
  }
#pragma unroll
  for (int q = 0; q < n; ++q) r[q] = out[q];
}

template <int n, class T>
__device__ __forceinline__ void load_line(const T* shared, int first, int stride, T (&r)[n]) {
#pragma unroll
  for (int i = 0; i < n; ++i) r[i] = shared[first + i * stride];
}

template <int n, class T>
__device__ __forceinline__ void store_line(T* shared, int first, int stride, const T (&r)[n]) {
#pragma unroll
  for (int i = 0; i < n; ++i) shared[first + i * stride] = r[i];
}

/// A line turned from one axis to another: taken from shared memory, r = M r or M^T r, and put back.
template <int n, bool transposed, class T>
__device__ __forceinline__ void pass_line(const T (&M)[n * n], T* shared, int first, int stride, T (&r)[n]) {
  load_line<n>(shared, first, stride, r);
  apply_line<n, transposed>(M, r);
  store_line<n>(shared, first, stride, r);
}

/// The values of x at the dofs of a line, `step` apart; 0 where there is none.
template <int n, class T>
__device__ __forceinline__ void gather_line(const Index* dofs, int step, const T* x, T (&r)[n]) {
#pragma unroll
  for (int i = 0; i < n; ++i) {
    const Index dof = dofs[i * step];
    r[i] = dof < 0 ? T(0) : x[dof];
  }
}

/// A finished line: dofs that no other cell has to y, the others to the cell's element vector; `inside`: no end of
/// another axis.
template <int n, class T>
__device__ __forceinline__ void scatter_line(const Index* dofs, int step, bool inside, const T (&r)[n], T* y, T* out) {
#pragma unroll
  for (int i = 0; i < n; ++i) {
    if (inside && i > 0 && i < n - 1) {
      const Index dof = dofs[i * step];
      if (dof >= 0) y[dof] = r[i];
    } else {
      out[i * step] = r[i];
    }
  }
}

/// A contraction of n^dim values in registers along an axis: out = M in, or M^T in.
template <int n, int dim, int axis, bool transposed, class T>
__device__ __forceinline__ void contract_registers(const T (&M)[n * n], const T* in, T* out) {
  constexpr int stride = axis == 0 ? 1 : axis == 1 ? n : n * n, N = dim == 2 ? n * n : n * n * n;
#pragma unroll
  for (int line = 0; line < N / n; ++line) {
    const int first = line % stride + line / stride * stride * n;
    T r[n];
#pragma unroll
    for (int i = 0; i < n; ++i) r[i] = in[first + i * stride];
    apply_line<n, transposed>(M, r);
#pragma unroll
    for (int i = 0; i < n; ++i) out[first + i * stride] = r[i];
  }
}

template <int n, int dim, bool transposed, class T>
__device__ __forceinline__ void contract_all(const T (&M)[n * n], T* u) {
  contract_registers<n, dim, 0, transposed>(M, u, u);
  contract_registers<n, dim, 1, transposed>(M, u, u);
  if constexpr (dim == 3) contract_registers<n, dim, 2, transposed>(M, u, u);
}

inline constexpr int small_cells_block = 128;

namespace kernels {

/// A small cell a thread, all in registers.
template <int n, int dim, class Form, class T = typename Form::Number>
__global__ void __launch_bounds__(small_cells_block)
    apply_small(TensorView<Form> block, const __grid_constant__ LineConstants<n, T> line, const T* x, T* y,
                T* elements) {
  constexpr int N = dim == 2 ? n * n : n * n * n;
  const Offset cell = blockIdx.x * Offset{small_cells_block} + threadIdx.x;
  if (cell >= block.cells) return;
  T u[N], g[dim][N];
#pragma unroll
  for (int l = 0; l < N; ++l) {
    const Index dof = block.dofs[block.place(cell, l)];
    u[l] = dof < 0 ? T(0) : x[dof];
  }
  contract_all<n, dim, false>(line.basis, u);
  contract_registers<n, dim, 0, false>(line.slope, u, g[0]);
  contract_registers<n, dim, 1, false>(line.slope, u, g[1]);
  if constexpr (dim == 3) contract_registers<n, dim, 2, false>(line.slope, u, g[2]);
#pragma unroll
  for (int row = 0; row < N / n; ++row) {
    T gx[n], m[n];
#pragma unroll
    for (int i = 0; i < n; ++i) gx[i] = g[0][row * n + i], m[i] = u[row * n + i];
    at_line_of_points<n, dim>(block, line, cell, block.map + cell * block.map_stride, block.map_step, row % n, row / n,
                              gx, g[1] + row * n, dim == 3 ? g[dim - 1] + row * n : nullptr, m);
#pragma unroll
    for (int i = 0; i < n; ++i) g[0][row * n + i] = gx[i], u[row * n + i] = block.has_value ? m[i] : T(0);
  }
  T v[N];
#pragma unroll
  for (int axis = 0; axis < dim; ++axis) {
    if (axis == 0) contract_registers<n, dim, 0, true>(line.slope, g[0], v);
    if (axis == 1) contract_registers<n, dim, 1, true>(line.slope, g[1], v);
    if constexpr (dim == 3)
      if (axis == 2) contract_registers<n, dim, 2, true>(line.slope, g[2], v);
#pragma unroll
    for (int l = 0; l < N; ++l) u[l] += v[l];
  }
  contract_all<n, dim, true>(line.basis, u);
#pragma unroll
  for (int l = 0; l < N; ++l) {
    if (is_interior(l, n, dim)) {
      const Index dof = block.dofs[block.place(cell, l)];
      if (dof >= 0) y[dof] = u[l];
    } else {
      elements[block.first + block.place(cell, l)] = u[l];
    }
  }
}

/// A hex of n^3 dofs: threads (a, b), see the file's head.
template <int n, class Form, class T = typename Form::Number>
__global__ void __launch_bounds__(cells_per_block<n, 3>* n* n, blocks_wanted<n, T>)
    apply_hexes(TensorView<Form> block, const __grid_constant__ LineConstants<n, T> line, const T* x, T* y,
                T* elements) {
  constexpr int row = Padded<n>::row, plane = Padded<n>::plane, N = n * n * n;
  constexpr int cells = cells_per_block<n, 3>;
  __shared__ T shared[cells * Padded<n>::hex];
  __shared__ T maps[cells][map_entries<3>];
  const int in_block = threadIdx.x / (n * n), lane = threadIdx.x % (n * n), a = lane % n, b = lane / n;
  const Offset first_cell = blockIdx.x * Offset{cells}, cell = first_cell + in_block;
  const bool active = cell < block.cells;
  T* U = shared + in_block * Padded<n>::hex;
  T* V = U + plane * n;
  T* W = V + plane * n;
  const int x_line = a * row + b * plane, y_line = a + b * plane, z_line = a + b * row;
  const Index* dofs = block.dofs + cell * N + lane;

  T r[n] = {}, g[n];
  if (active) gather_line<n>(dofs, n * n, x, r);
  if (block.map) {
    const T* from = block.map + first_cell * map_entries<3>;
    const Offset entries = (block.cells - first_cell) * map_entries<3>;
    for (int i = threadIdx.x; i < cells * map_entries<3> && i < entries; i += cells * n * n) maps[0][i] = from[i];
  }
  // u = B u, axis by axis
  apply_line<n, false>(line.basis, r);
  store_line<n>(U, z_line, plane, r);
  __syncthreads();
  pass_line<n, false>(line.basis, U, y_line, row, r);
  __syncthreads();
  pass_line<n, false>(line.basis, U, x_line, 1, r);
  // gradient at the points
  apply_line<n, false>(line.slope, r);
  __syncthreads();
  load_line<n>(U, y_line, row, g);
  apply_line<n, false>(line.slope, g);
  store_line<n>(V, y_line, row, g);
  load_line<n>(U, z_line, plane, g);
  apply_line<n, false>(line.slope, g);
  store_line<n>(W, z_line, plane, g);
  __syncthreads();
  if (active)
    at_line_of_points<n, 3>(block, line, cell, maps[in_block], 1, a, b, r, V + x_line, W + x_line, U + x_line);
  __syncthreads();
  // v = sum_a D_a^T f_a (+ m u)
  pass_line<n, true>(line.slope, V, y_line, row, g);
  pass_line<n, true>(line.slope, W, z_line, plane, g);
  apply_line<n, true>(line.slope, r);
  __syncthreads();
  if (block.has_value) {
#pragma unroll
    for (int i = 0; i < n; ++i) r[i] += U[x_line + i];
  }
#pragma unroll
  for (int i = 0; i < n; ++i) r[i] += V[x_line + i] + W[x_line + i];
  // B^T v
  apply_line<n, true>(line.basis, r);
  store_line<n>(U, x_line, 1, r);
  __syncthreads();
  pass_line<n, true>(line.basis, U, y_line, row, r);
  __syncthreads();
  load_line<n>(U, z_line, plane, r);
  apply_line<n, true>(line.basis, r);
  if (!active) return;
  T* out = elements + block.first + cell * N + lane;
  scatter_line<n>(dofs, n * n, a > 0 && a < n - 1 && b > 0 && b < n - 1, r, y, out);
}

/// A quad of n^2 dofs: n threads, each a line.
template <int n, class Form, class T = typename Form::Number>
__global__ void __launch_bounds__(cells_per_block<n, 2>* n, quads_wanted<n, T>)
    apply_quads(TensorView<Form> block, const __grid_constant__ LineConstants<n, T> line, const T* x, T* y,
                T* elements) {
  constexpr int row = Padded<n>::row, N = n * n;
  __shared__ T shared[cells_per_block<n, 2>][2][Padded<n>::plane];
  const int in_block = threadIdx.x / n, a = threadIdx.x % n;
  const Offset cell = blockIdx.x * Offset{cells_per_block<n, 2>} + in_block;
  const bool active = cell < block.cells;
  T* U = shared[in_block][0];
  T* V = shared[in_block][1];
  const int x_line = a * row, y_line = a;
  const Index* dofs = block.dofs + cell * N + a;

  T r[n] = {}, g[n];
  if (active) gather_line<n>(dofs, n, x, r);
  apply_line<n, false>(line.basis, r);
  store_line<n>(U, y_line, row, r);
  __syncthreads();
  pass_line<n, false>(line.basis, U, x_line, 1, r);
  apply_line<n, false>(line.slope, r);
  __syncthreads();
  load_line<n>(U, y_line, row, g);
  apply_line<n, false>(line.slope, g);
  store_line<n>(V, y_line, row, g);
  __syncthreads();
  if (active)
    at_line_of_points<n, 2>(block, line, cell, block.map + cell * block.map_stride, block.map_step, a, 0, r, V + x_line,
                            static_cast<T*>(nullptr), U + x_line);
  __syncthreads();
  pass_line<n, true>(line.slope, V, y_line, row, g);
  apply_line<n, true>(line.slope, r);
  __syncthreads();
  if (block.has_value) {
#pragma unroll
    for (int i = 0; i < n; ++i) r[i] += U[x_line + i];
  }
#pragma unroll
  for (int i = 0; i < n; ++i) r[i] += V[x_line + i];
  apply_line<n, true>(line.basis, r);
  store_line<n>(U, x_line, 1, r);
  __syncthreads();
  load_line<n>(U, y_line, row, r);
  apply_line<n, true>(line.basis, r);
  if (!active) return;
  T* out = elements + block.first + cell * N + a;
  scatter_line<n>(dofs, n, a > 0 && a < n - 1, r, y, out);
}

}  // namespace kernels

template <int n, class Form, class T = typename Form::Number>
void launch_tensor(Cuda& exec, const LineTables& tables, const TensorView<Form>& block, const T* x, T* y, T* elements) {
  const LineConstants<n, T> line(tables);
  if constexpr (one_thread_a_cell(n, 2))
    if (block.dim == 2)
      return launch(exec, kernels::apply_small<n, 2, Form>,
                    (Offset{block.cells} + small_cells_block - 1) / small_cells_block, small_cells_block, block, line,
                    x, y, elements);
  if constexpr (one_thread_a_cell(n, 3))
    if (block.dim == 3)
      return launch(exec, kernels::apply_small<n, 3, Form>,
                    (Offset{block.cells} + small_cells_block - 1) / small_cells_block, small_cells_block, block, line,
                    x, y, elements);
  const auto blocks = [&](int cells) { return (Offset{block.cells} + cells - 1) / cells; };
  if (block.dim == 2) {
    constexpr int cells = cells_per_block<n, 2>;
    launch(exec, kernels::apply_quads<n, Form>, blocks(cells), cells * n, block, line, x, y, elements);
  } else {
    constexpr int cells = cells_per_block<n, 3>;
    launch(exec, kernels::apply_hexes<n, Form>, blocks(cells), cells * n * n, block, line, x, y, elements);
  }
}

/// launch_tensor, where this build has it.
template <int n, class Form, class T = typename Form::Number>
void launch_tensor_of(Cuda& exec, const LineTables& tables, const TensorView<Form>& block, const T* x, T* y,
                      T* elements) {
  if constexpr (has_kernels(n))
    launch_tensor<n>(exec, tables, block, x, y, elements);
  else
    refuse_size();
}

template <class Form>
void apply_tensor(Cuda& exec, const LineTables& tables, const TensorView<Form>& block, const typename Form::Number* x,
                  typename Form::Number* y, typename Form::Number* elements) {
  switch (block.n) {
    case 2: return launch_tensor_of<2>(exec, tables, block, x, y, elements);
    case 3: return launch_tensor_of<3>(exec, tables, block, x, y, elements);
    case 4: return launch_tensor_of<4>(exec, tables, block, x, y, elements);
    case 5: return launch_tensor_of<5>(exec, tables, block, x, y, elements);
    case 6: return launch_tensor_of<6>(exec, tables, block, x, y, elements);
    case 7: return launch_tensor_of<7>(exec, tables, block, x, y, elements);
    case 8: return launch_tensor_of<8>(exec, tables, block, x, y, elements);
    case 9: return launch_tensor_of<9>(exec, tables, block, x, y, elements);
  }
}

}  // namespace tessera::assembly::matrix_free
