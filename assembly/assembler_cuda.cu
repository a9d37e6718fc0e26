#include "assembly/assemble_impl.hpp"
#include "assembly/dirichlet_impl.hpp"
#include "assembly/form.hpp"
#include "mesh/colouring.hpp"

namespace tessera::assembly {
namespace kernels {

constexpr int simplex_block = 128;
/// Warps of a block of the kernels with one warp an element.
constexpr int element_warps = 4;

/// One thread adds one linear simplex of a colour: places first .. first + count.
template <int dim>
__global__ void __launch_bounds__(simplex_block)
    add_simplices(BlockView block, linalg::CrsView<double> A, View<double> b, Offset first, Offset count) {
  constexpr int n = dim + 1;
  const Offset item = blockIdx.x * static_cast<Offset>(simplex_block) + threadIdx.x;
  if (item >= count) return;
  const Offset place = first + item;
  double x[n][dim], grad[n][dim], matrix[n * (n + 1) / 2];
  Index dofs[n];
  for (int i = 0; i < n; ++i) dofs[i] = block.dof(place, i);
  for (int i = 0; i < n; ++i) {
    const double* point = block.geometry_point(place, i);
    for (int d = 0; d < dim; ++d) x[i][d] = point[d];
  }
  const Index region = block.region_of(place);
  const double jacobian = simplex_gradients<dim, double>(x, grad);
  double k[symmetric<dim>] = {};
  if (!block.k.empty())
    for (int m = 0; m < symmetric<dim>; ++m)
      if (m < block.k.components) k[m] = block.k.values[Offset{region} * block.k.components + m];
  const double c = block.c.empty() ? 0.0 : block.c.values[region];
  simplex_matrix<dim, double>(grad, jacobian, k, block.k.components, block.c.empty() ? nullptr : &c, matrix);

  // All reads before all writes: the entries of an element are distinct, and its loads overlap.
  double* target[n * n];
  double sum[n * n];
  for (int i = 0; i < n; ++i) {
    double* row = A.values.data() + A.row_ptr[dofs[i]];
    for (int j = 0; j < n; ++j) target[i * n + j] = row + block.slots[place * block.slot_stride + (i * n + j) * block.slot_step];
  }
  for (int e = 0; e < n * n; ++e) sum[e] = *target[e];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) sum[i * n + j] += matrix[i <= j ? packed(i, j, n) : packed(j, i, n)];
  for (int e = 0; e < n * n; ++e) *target[e] = sum[e];

  if (block.f.empty()) return;
  if (!block.f.per_point) {
    const double load = block.f.values[region] * reference_factor<dim> * jacobian * block.load[0];
    for (int i = 0; i < n; ++i) b[dofs[i]] += load;
    return;
  }
  const double* f = block.f.at(0, block.cell_of(place), 0, block.points);
  double load[n] = {};
  for (int q = 0; q < block.points; ++q) {
    const double source = block.weights[q] * f[q];
    for (int i = 0; i < n; ++i) load[i] += source * block.basis[(q * (dim + 1) + dim) * n + i];
  }
  for (int i = 0; i < n; ++i) b[dofs[i]] += reference_factor<dim> * jacobian * load[i];
}

/// Jacobian of a cell at a point.
template <int dim>
__device__ void cell_jacobian(const BlockView& block, Offset place, int point, double (&J)[dim][dim]) {
  for (int d = 0; d < dim; ++d)
    for (int a = 0; a < dim; ++a) J[d][a] = 0;
  const double* map = block.map + static_cast<Offset>(point) * dim * block.geometry_nodes;
  for (int g = 0; g < block.geometry_nodes; ++g) {
    const double* x = block.geometry_point(place, g);
    for (int d = 0; d < dim; ++d)
      for (int a = 0; a < dim; ++a) J[d][a] += x[d] * map[a * block.geometry_nodes + g];
  }
}

/// Adds to entry (i, j) of the element at `place`.
__device__ inline void add_entry(const BlockView& block, const linalg::CrsView<double>& A, Offset place, int i, int j,
                                 double value) {
  const Index row = block.dof(place, i);
  A.values[entry_position(block, A, place, i, j, row, block.slots ? 0 : block.dof(place, j))] += value;
}

/// One warp adds one straight simplex with constant coefficients: lanes over the entries, sum over pairs of G_ab R_ab.
template <int dim>
__global__ void __launch_bounds__(32 * element_warps)
    add_affine(BlockView block, linalg::CrsView<double> A, View<double> b, Offset first, Offset count) {
  const Offset item = blockIdx.x * static_cast<Offset>(element_warps) + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (item >= count) return;
  const Offset place = first + item;
  const int n = block.nodes;
  double J[dim][dim], inverse[dim][dim], G[symmetric<dim> + 1] = {};
  cell_jacobian<dim>(block, place, 0, J);
  const double scale = absolute(invert<dim, double>(J, inverse));
  const Index region = block.region_of(place);
  if (!block.k.empty()) pull_back<dim>(block.k.at(region, 0, 0, 1), block.k.components, inverse, scale, G);
  if (!block.c.empty()) G[symmetric<dim>] = scale * block.c.values[region];
  for (int e = lane; e < n * n; e += 32) {
    double sum = 0;
    for (int m = 0; m < symmetric<dim> + 1; ++m) sum += G[m] * block.reference[m * n * n + e];
    add_entry(block, A, place, e / n, e % n, sum);
  }
  if (block.f.empty()) return;
  const Offset cell = block.cell_of(place);
  for (int i = lane; i < n; i += 32) {
    double sum = 0;
    if (!block.f.per_point)
      sum = block.f.values[region] * block.load[i];
    else
      for (int q = 0; q < block.points; ++q)
        sum += block.weights[q] * *block.f.at(region, cell, q, block.points) * block.basis[(q * (dim + 1) + dim) * n + i];
    b[block.dof(place, i)] += scale * sum;
  }
}

/// One warp adds one element by quadrature. First the lanes take the points: G = w |J| J^-1 k J^-T, w |J| c and w |J| f into
/// shared memory. Then they take tiles of `tile` rows by one column, upper half only: sum_q B_i . (G B_j).
template <int dim, int tile>
__global__ void __launch_bounds__(32 * element_warps)
    add_general(BlockView block, linalg::CrsView<double> A, View<double> b, Offset first, Offset count) {
  constexpr int factors = symmetric<dim> + 2;
  extern __shared__ double shared[];
  const Offset item = blockIdx.x * static_cast<Offset>(element_warps) + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (item >= count) return;  // whole warps
  const Offset place = first + item;
  const int n = block.nodes;
  double* G = shared + static_cast<Offset>(threadIdx.x / 32) * block.points * factors;
  const Index region = block.region_of(place);
  const Offset cell = block.cell_of(place);
  for (int q = lane; q < block.points; q += 32) {
    double J[dim][dim], inverse[dim][dim], at_point[symmetric<dim>] = {};
    cell_jacobian<dim>(block, place, q, J);
    const double scale = absolute(invert<dim, double>(J, inverse)) * block.weights[q];
    if (!block.k.empty())
      pull_back<dim>(block.k.at(region, cell, q, block.points), block.k.components, inverse, scale, at_point);
    for (int m = 0; m < symmetric<dim>; ++m) G[q * factors + m] = at_point[m];
    G[q * factors + symmetric<dim>] = block.c.empty() ? 0.0 : scale * *block.c.at(region, cell, q, block.points);
    G[q * factors + symmetric<dim> + 1] = block.f.empty() ? 0.0 : scale * *block.f.at(region, cell, q, block.points);
  }
  __syncwarp();
  const int tiles = (n + tile - 1) / tile;
  for (int task = lane; task < tiles * n; task += 32) {
    const int i0 = task / n * tile, j = task % n;
    if (j < i0) continue;
    double sum[tile] = {};
    for (int q = 0; q < block.points; ++q) {
      const double* B = block.basis + static_cast<Offset>(q) * (dim + 1) * n;
      const double* g = G + q * factors;
      double flux[dim + 1];
      for (int a = 0; a < dim; ++a) {
        flux[a] = 0;
        for (int e = 0; e < dim; ++e) flux[a] += g[a <= e ? packed(a, e, dim) : packed(e, a, dim)] * B[e * n + j];
      }
      flux[dim] = g[symmetric<dim>] * B[dim * n + j];
      for (int t = 0; t < tile; ++t) {
        const int i = i0 + t < n ? i0 + t : n - 1;
        for (int a = 0; a <= dim; ++a) sum[t] += flux[a] * B[a * n + i];
      }
    }
    for (int t = 0; t < tile; ++t) {
      const int i = i0 + t;
      if (i > j || i >= n) continue;
      add_entry(block, A, place, i, j, sum[t]);
      if (i != j) add_entry(block, A, place, j, i, sum[t]);
    }
  }
  if (block.f.empty()) return;
  for (int i = lane; i < n; i += 32) {
    double sum = 0;
    for (int q = 0; q < block.points; ++q)
      sum += G[q * factors + symmetric<dim> + 1] * block.basis[(static_cast<Offset>(q) * (dim + 1) + dim) * n + i];
    b[block.dof(place, i)] += sum;
  }
}

}  // namespace kernels

template <int dim, int tile>
void launch_general(Cuda& exec, const BlockView& block, const linalg::CrsView<double>& A, View<double> b, Offset first,
                    Offset count) {
  if (count <= 0) return;
  const std::size_t shared = sizeof(double) * kernels::element_warps * block.points * (symmetric<dim> + 2);
  auto kernel = kernels::add_general<dim, tile>;
  TESSERA_CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
  const Offset blocks = (count + kernels::element_warps - 1) / kernels::element_warps;
  kernel<<<static_cast<unsigned>(blocks), 32 * kernels::element_warps, shared, exec.stream()>>>(block, A, b, first, count);
  TESSERA_CUDA_CHECK(cudaGetLastError());
}

template <int dim>
void refill_colour(Cuda& exec, const BlockData<Device>& block, const linalg::CrsView<double>& A, View<double> b, Offset first,
                   Offset count) {
  const Offset warps = (count + kernels::element_warps - 1) / kernels::element_warps;
  if (block.kernel == Kernel::linear_simplex)
    launch(exec, kernels::add_simplices<dim>, (count + kernels::simplex_block - 1) / kernels::simplex_block,
           kernels::simplex_block, block.view, A, b, first, count);
  else if (block.kernel == Kernel::affine_simplex)
    launch(exec, kernels::add_affine<dim>, warps, 32 * kernels::element_warps, block.view, A, b, first, count);
  else if (block.view.nodes <= 10)
    launch_general<dim, 2>(exec, block.view, A, b, first, count);
  else
    launch_general<dim, 4>(exec, block.view, A, b, first, count);
}

void order_cells(Cuda&, const mesh::CellBlock& cells, const DofBlock& dofs, Index all_dofs, BlockData<Device>& block) {
  const Offset count = block.cells;
  mesh::Colouring colouring = mesh::colour_cells({dofs.dofs.data(), dofs.dofs.size()}, dofs.nodes, all_dofs);
  block.colour_ptr = std::move(colouring.ptr);
  block.order = std::move(colouring.cells);
  block.cell = to_space<Device>(block.order);
  // Column-major where a thread takes an element, so that neighbours read neighbours; row-major where a warp does.
  const bool by_columns = block.straight_simplex && dofs.nodes == block.dim + 1;
  auto place_nodes = [&](const std::vector<Index>& nodes, int per_cell, Offset& stride, Offset& step) {
    stride = by_columns ? 1 : per_cell;
    step = by_columns ? count : 1;
    std::vector<Index> placed(nodes.size());
    for (Offset place = 0; place < count; ++place)
      for (int i = 0; i < per_cell; ++i)
        placed[place * stride + i * step] = nodes[static_cast<Offset>(block.order[place]) * per_cell + i];
    return to_space<Device>(placed);
  };
  BlockView& view = block.view;
  block.dofs = place_nodes(dofs.dofs, dofs.nodes, view.cell_stride, view.node_stride);
  view.geometry_stride = view.cell_stride, view.geometry_step = view.node_stride;
  if (!block.geometry_is_dofs)
    block.geometry = place_nodes(cells.nodes, cells.nodes_per_cell, view.geometry_stride, view.geometry_step);
  view.dofs = block.dofs.data();
  view.geometry = block.geometry_is_dofs ? block.dofs.data() : block.geometry.data();
  view.slot_stride = by_columns ? 1 : Offset{dofs.nodes} * dofs.nodes;
  view.slot_step = by_columns ? count : 1;
}

void fill_slots(Cuda& exec, const BlockData<Device>& block, const linalg::CrsView<double>& A, std::uint16_t* slots,
                int* long_row) {
  const int n = block.view.nodes;
  const BlockView view = block.view;  // without slots as yet: positions are searched
  for_each(exec, Offset{block.cells} * n * n, [=] TESSERA_HD(Offset item) {
    const Offset place = view.slot_stride == 1 ? item % view.slot_step : item / view.slot_stride;
    const int entry = static_cast<int>(view.slot_stride == 1 ? item / view.slot_step : item % view.slot_stride);
    const int i = entry / n, j = entry % n;
    const Index row = view.dof(place, i);
    if (A.row_ptr[row + 1] - A.row_ptr[row] > longest_row) *long_row = 1;  // every writer writes the same
    slots[item] = static_cast<std::uint16_t>(entry_position(view, A, place, i, j, row, view.dof(place, j)) - A.row_ptr[row]);
  });
}

void refill_block(Cuda& exec, const BlockData<Device>& block, const linalg::CrsView<double>& A, View<double> b) {
  for (std::size_t colour = 0; colour + 1 < block.colour_ptr.size(); ++colour) {
    const Offset first = block.colour_ptr[colour];
    const Offset count = block.colour_ptr[colour + 1] - first;
    if (block.dim == 1) refill_colour<1>(exec, block, A, b, first, count);
    if (block.dim == 2) refill_colour<2>(exec, block, A, b, first, count);
    if (block.dim == 3) refill_colour<3>(exec, block, A, b, first, count);
  }
}

template class Assembler<Cuda>;
template void eliminate_dirichlet<Cuda>(Cuda&, linalg::Crs<Device>&, View<double>, const std::vector<Index>&,
                                        const std::vector<double>&);

}  // namespace tessera::assembly
