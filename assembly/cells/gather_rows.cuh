#pragma once
// nonzeros on CUDA: rows gather the contributions of the cells around them, each cell computed again by each of its
// rows. No additions in memory that others see, no zeroing, every value written once. (Cecka et al. 2011, "thread per
// non-zero"; here a lane or a warp a row.)
#include "assembly/cells/launch.cuh"
#include "assembly/cells/simplex_block_rows.cuh"

namespace tessera::assembly {
namespace kernels {

/// Blocks that the registers of a multiprocessor must hold; 0: as the compiler likes. In space one block less (86
/// registers a thread, not 80) was 8 to 12 per cent slower (H200, 2026-11-22).
template <int dim>
inline constexpr int gather_blocks = dim == 3 ? 6 : 0;

/// One warp a row of any elements. By quadrature, lanes take the points, (G B_i) to shared memory, then the columns;
/// straight simplices sum G_ab R_ab. A cell's columns are distinct, and cells follow one another, so the sums need no
/// more than the order of a warp.
template <int dim, class Form>
__global__ void __launch_bounds__(cells_block, gather_blocks<dim>)
    gather_any(BlockView block, Form form, bool affine, Target target, const Offset* around_ptr, const Index* around,
               const Index* list, Index count, bool add) {
  extern __shared__ double shared[];
  constexpr int width = dim + 2;
  const Offset item = Offset{blockIdx.x} * (cells_block / 32) + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (item >= count) return;
  const Index row = list ? list[item] : static_cast<Index>(item);
  const int n = block.nodes;
  double* work = shared + threadIdx.x / 32 * block.points * width;
  const Offset start = target.layout.first(row);
  const GlobalGeometry geometry{block};
  const Index length = static_cast<Index>(target.pattern.row_ptr[row + 1] - target.pattern.row_ptr[row]);
  if (!add)
    for (Index k = lane; k < length; k += 32) target.values[start + k * target.layout.step()] = 0;
  __syncwarp();
  double load = 0;
  for (Offset at = around_ptr[row]; at < around_ptr[row + 1]; ++at) {
    const Offset place = around[at] / n;
    const int i = around[at] % n;
    forms::Place x = block.at(place, 0);
    double G[tensor_size<dim> + 1] = {};
    if (affine) {
      double J[dim][dim], inverse[dim][dim];
      affine_jacobian<dim>(geometry, place, J);
      const double scale = absolute(invert<dim, double>(J, inverse));
      forms::pull_back_tangent<dim>(form, {x.region, 0, 0, 1}, inverse, scale, G);
      G[tensor_size<dim>] = forms::scaled_value<dim>(form, {x.region, 0, 0, 1}, scale);
      if (forms::has(form, load_value))
        load += scale * (form.constant(load_value) ? forms::load_at<dim>(form, x) * block.load[i]
                                                   : load_at_points<dim>(block, form, x, i));
    } else {
      for (int q = lane; q < block.points; q += 32) {
        x.point = q;
        double J[dim][dim], inverse[dim][dim];
        jacobian_at_point<dim>(block, geometry, place, q, J);
        const double scale = absolute(invert<dim, double>(J, inverse)) * block.weights[q];
        forms::pull_back_tangent<dim>(form, x, inverse, scale, G);
        const double* B = block.basis + static_cast<Offset>(q) * (dim + 1) * n;
        for (int a = 0; a < dim; ++a) {
          double flux = 0;
          for (int e = 0; e < dim; ++e) flux += G[packed_symmetric(a, e, dim)] * B[e * n + i];
          work[q * width + a] = flux;
        }
        work[q * width + dim] =
            forms::has(form, value_value) ? scale * forms::tangent_at<dim>(form, x).vv * B[dim * n + i] : 0.0;
        work[q * width + dim + 1] =
            forms::has(form, load_value) ? scale * forms::load_at<dim>(form, x) * B[dim * n + i] : 0.0;
      }
      __syncwarp();
      for (int q = 0; q < block.points; ++q) load += work[q * width + dim + 1];
    }
    for (int j = lane; j < n; j += 32) {
      double sum = 0;
      if (affine)
        for (int m = 0; m < tensor_size<dim> + 1; ++m) sum += G[m] * block.reference[(m * n + i) * n + j];
      else
        for (int q = 0; q < block.points; ++q)
          for (int a = 0; a <= dim; ++a)
            sum += work[q * width + a] * block.basis[(static_cast<Offset>(q) * (dim + 1) + a) * n + j];
      target.values[start + entry_slot(block, target.pattern, place, i, j) * target.layout.step()] += sum;
    }
    __syncwarp();
  }
  if (lane == 0) target.b[row] = add ? target.b[row] + load : load;
}

/// One warp a row of a form that is not symmetric, cell after cell around it: lanes take the points, which go to shared
/// memory, then the columns.
template <int dim, class Form>
__global__ void __launch_bounds__(cells_block)
    gather_unsymmetric(BlockView block, Form form, Target target, const Offset* around_ptr, const Index* around,
                       const Index* list, Index count, bool add) {
  extern __shared__ double shared[];
  using Point = forms::AtPoint<Form, dim>;
  const int n = block.nodes, lane = threadIdx.x % 32;
  const Offset item = Offset{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
  if (item >= count) return;
  const Index row = list ? list[item] : static_cast<Index>(item);
  auto* points = reinterpret_cast<Point*>(shared) + threadIdx.x / 32 * block.points;
  const Offset start = target.layout.first(row), step = target.layout.step();
  const Index length = static_cast<Index>(target.pattern.row_ptr[row + 1] - target.pattern.row_ptr[row]);
  if (!add)
    for (Index k = lane; k < length; k += 32) target.values[start + k * step] = 0;
  __syncwarp();
  double load = 0;
  for (Offset at = around_ptr[row]; at < around_ptr[row + 1]; ++at) {
    const Offset place = around[at] / n;
    const int i = around[at] % n;
    for (int q = lane; q < block.points; q += 32) {
      double J[dim][dim];
      jacobian_at_point<dim>(block, GlobalGeometry{block}, place, q, J);
      make_point<dim>(block, form, GlobalGeometry{block}, place, q, J, block.weights[q], points[q]);
    }
    __syncwarp();
    for (int q = 0; q < block.points; ++q) load += points[q].load(block.wide.at(block.wide.basis, q), i);
    for (int j = lane; j < n; j += 32) {
      double sum = 0, flux[dim + 1];
      for (int q = 0; q < block.points; ++q) {
        const forms::BasisRows basis = block.wide.at(block.wide.basis, q);
        points[q].flux(basis, j, flux);
        sum += entry_of_flux<dim>(basis, i, flux);
      }
      target.values[start + entry_slot(block, target.pattern, place, i, j) * step] += sum;
    }
    __syncwarp();
  }
  if (lane == 0) target.b[row] = add ? target.b[row] + load : load;
}

/// One warp a block row of a form with several unknowns a node, cell after cell around it and pair after pair of
/// components: lanes take the points, (C^T B_i) to shared memory, then the columns.
template <int dim, class Form>
__global__ void __launch_bounds__(cells_block)
    gather_block_rows(BlockView block, Form form, Target target, const Offset* around_ptr, const Index* around,
                      const Index* list, Index count, bool add) {
  extern __shared__ double shared[];
  using Pair = forms::ComponentPair<Form>;
  constexpr int m = forms::components_of<Form>(dim), width = dim + 2;
  const int n = block.nodes, lane = threadIdx.x % 32;
  const Offset item = Offset{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
  if (item >= count) return;
  const Offset row = list ? list[item] : item;
  double* work = shared + threadIdx.x / 32 * block.points * width;
  if (!add)
    for (Offset k = target.pattern.row_ptr[row] * m * m + lane; k < target.pattern.row_ptr[row + 1] * m * m; k += 32)
      target.values[k] = 0;
  __syncwarp();
  double loads[m] = {};
  for (Offset at = around_ptr[row]; at < around_ptr[row + 1]; ++at) {
    const Offset place = around[at] / n;
    const int i = around[at] % n;
#pragma unroll 1
    for (int number = 0; number < m * m; ++number) {
      const Pair pair{form, number / m, number % m};
      for (int q = lane; q < block.points; q += 32) {
        double J[dim][dim];
        jacobian_at_point<dim>(block, GlobalGeometry{block}, place, q, J);
        forms::Pulled<dim> p;
        make_point<dim>(block, pair, GlobalGeometry{block}, place, q, J, block.weights[q], p);
        const double* B = block.basis + static_cast<Offset>(q) * (dim + 1) * n + i;
        p.row(B, n, work + q * width);
        work[q * width + dim + 1] = p.load({block.basis + static_cast<Offset>(q) * (dim + 1) * n, n, dim + 1}, i);
      }
      __syncwarp();
      if (pair.test == pair.trial)
        for (int q = 0; q < block.points; ++q) loads[pair.test] += work[q * width + dim + 1];
      for (int j = lane; j < n; j += 32) {
        double sum = 0;
        for (int q = 0; q < block.points; ++q)
          for (int b = 0; b <= dim; ++b)
            sum += work[q * width + b] * block.basis[(static_cast<Offset>(q) * (dim + 1) + b) * n + j];
        target.values[target_position(block, target, place, i, j) * m * m + number] += sum;
      }
      __syncwarp();
    }
  }
  if (lane == 0)
    for (int c = 0; c < m; ++c) {
      double& b = target.b[row * m + c];
      b = add ? b + loads[c] : loads[c];
    }
}

}  // namespace kernels

/// The rows that a warp takes each: those that lanes have left over.
struct WarpRows {
  const Index* list = nullptr;  ///< null: all
  Index count = 0;
};

template <int dim, class Form>
void gather_block_rows_of(Cuda& exec, const BlockData<Device>& block, const Form& form, const Target& target,
                          bool add) {
  WarpRows rows{nullptr, target.pattern.rows};
  if (block.rows.capacity > 0 && !form.tests_values()) {
    gather_simplex_block_rows<dim>(exec, block, form, target, add);
    rows = {block.rows.long_rows.data(), static_cast<Index>(block.rows.long_rows.size())};
  }
  const std::size_t of_warp = gather_bytes(block, traits_of(form, dim));
  const int warps = warps_of_block(of_warp, shared_for_groups());
  launch_with_shared(exec, kernels::gather_block_rows<dim, Form>, (Offset{rows.count} + warps - 1) / warps, warps * 32,
                     warps * of_warp, block.view, form, target, block.around.ptr.data(), block.around.items.data(),
                     rows.list, rows.count, add);
}

template <int dim, class Form>
void gather_rows_of(Cuda& exec, const BlockData<Device>& block, const Form& form, const Target& target, bool add) {
  const BlockView& view = block.view;
  WarpRows rows{nullptr, target.pattern.rows};
  if (block.rows.capacity > 0 && (!Form::symmetric || block.kernel == Kernel::linear_simplex)) {
    gather_simplex_rows<dim>(exec, block, form, target, add);
    rows = {block.rows.long_rows.data(), static_cast<Index>(block.rows.long_rows.size())};
  }
  const std::size_t of_warp = gather_bytes(block, traits_of(form, dim));
  if constexpr (Form::symmetric) {
    const bool constant = form.constant(forms::gradient_gradient) && form.constant(forms::value_value);
    const bool affine = block.kernel != Kernel::general && constant;
    const std::size_t shared = affine ? 0 : cells_block / 32 * of_warp;
    launch_with_shared(exec, kernels::gather_any<dim, Form>, (Offset{rows.count} * 32 + cells_block - 1) / cells_block,
                       cells_block, shared, view, form, affine, target, block.around.ptr.data(),
                       block.around.items.data(), rows.list, rows.count, add);
  } else {
    const int warps = warps_of_block(of_warp, shared_for_groups());
    launch_with_shared(exec, kernels::gather_unsymmetric<dim, Form>, (Offset{rows.count} + warps - 1) / warps,
                       warps * 32, warps * of_warp, view, form, target, block.around.ptr.data(),
                       block.around.items.data(), rows.list, rows.count, add);
  }
}

/// Every row gathers; `add`: to what is there, else it overwrites.
template <class Form>
void gather_rows(Cuda& exec, const BlockData<Device>& block, const Form& form, const Target& target, bool add) {
  if constexpr (forms::has_components<Form>) {
    if (block.dim == 1) gather_block_rows_of<1>(exec, block, form, target, add);
    if (block.dim == 2) gather_block_rows_of<2>(exec, block, form, target, add);
    if (block.dim == 3) gather_block_rows_of<3>(exec, block, form, target, add);
  } else {
    if (block.dim == 1) gather_rows_of<1>(exec, block, form, target, add);
    if (block.dim == 2) gather_rows_of<2>(exec, block, form, target, add);
    if (block.dim == 3) gather_rows_of<3>(exec, block, form, target, add);
  }
}

}  // namespace tessera::assembly
