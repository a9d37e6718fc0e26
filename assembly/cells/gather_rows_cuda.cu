// nonzeros on CUDA: rows gather the contributions of the cells around them, each cell computed again by each of its rows. No additions in
// memory that others see, no zeroing, every value written once. (Cecka et al. 2011, "thread per non-zero"; here a lane or a warp a row.)
#include "assembly/cells/launch.cuh"
#include "assembly/cells/lists_impl.hpp"

namespace tessera::assembly {
namespace kernels {

/// One warp a row of any elements. By quadrature, lanes take the points, (G B_i) to shared memory, then the columns; straight simplices
/// sum G_ab R_ab. A cell's columns are distinct, and cells follow one another, so the sums need no more than the order of a warp.
template <int dim>
__global__ void __launch_bounds__(cells_block)
    gather_any(BlockView block, bool affine, Target target, const Offset* around_ptr, const Index* around,
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
    const Index region = block.region_of(place);
    const Offset cell = block.cell_of(place);
    double G[symmetric<dim> + 1] = {};
    if (affine) {
      double J[dim][dim], inverse[dim][dim];
      affine_jacobian<dim>(geometry, place, J);
      const double scale = absolute(invert<dim, double>(J, inverse));
      if (!block.k.empty()) pull_back<dim>(block.k.at(region, 0, 0, 1), block.k.components, inverse, scale, G);
      if (!block.c.empty()) G[symmetric<dim>] = scale * block.c.values[region];
      if (!block.f.empty())
        load +=
            scale * (block.f.per_point ? load_at_points<dim>(block, cell, i) : block.f.values[region] * block.load[i]);
    } else {
      for (int q = lane; q < block.points; q += 32) {
        double J[dim][dim], inverse[dim][dim];
        jacobian_at_point<dim>(block, geometry, place, q, J);
        const double scale = absolute(invert<dim, double>(J, inverse)) * block.weights[q];
        if (!block.k.empty())
          pull_back<dim>(block.k.at(region, cell, q, block.points), block.k.components, inverse, scale, G);
        const double* B = block.basis + static_cast<Offset>(q) * (dim + 1) * n;
        for (int a = 0; a < dim; ++a) {
          double flux = 0;
          for (int e = 0; e < dim; ++e) flux += G[a <= e ? packed(a, e, dim) : packed(e, a, dim)] * B[e * n + i];
          work[q * width + a] = flux;
        }
        work[q * width + dim] =
            block.c.empty() ? 0.0 : scale * *block.c.at(region, cell, q, block.points) * B[dim * n + i];
        work[q * width + dim + 1] =
            block.f.empty() ? 0.0 : scale * *block.f.at(region, cell, q, block.points) * B[dim * n + i];
      }
      __syncwarp();
      for (int q = 0; q < block.points; ++q) load += work[q * width + dim + 1];
    }
    for (int j = lane; j < n; j += 32) {
      double sum = 0;
      if (affine)
        for (int m = 0; m < symmetric<dim> + 1; ++m) sum += G[m] * block.reference[(m * n + i) * n + j];
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

}  // namespace kernels

namespace {

template <int dim>
void launch_gather(Cuda& exec, const BlockData<Device>& block, const Target& target, bool add) {
  const BlockView& view = block.view;
  const Index rows = target.pattern.rows;
  const bool affine = block.kernel != Kernel::general;
  const Index* list = nullptr;
  Index listed = rows;
  if (block.rows.capacity > 0 && block.kernel == Kernel::linear_simplex) {
    gather_simplex_rows(exec, block, target, add);
    list = block.rows.long_rows.data();
    listed = static_cast<Index>(block.rows.long_rows.size());
  }
  const bool gathers_affine = affine && !(view.k.per_point || view.c.per_point);
  const std::size_t shared =
      gathers_affine ? 0 : sizeof(double) * (kernels::cells_block / 32) * view.points * (dim + 2);
  launch_with_shared(exec, kernels::gather_any<dim>,
                     (Offset{listed} * 32 + kernels::cells_block - 1) / kernels::cells_block, kernels::cells_block,
                     shared, view, gathers_affine, target, block.around.ptr.data(), block.around.items.data(), list,
                     listed, add);
}

}  // namespace

void make_row_lists(Cuda& exec, BlockData<Device>& block, const linalg::CrsView<const double>& pattern) {
  block.around = cells_around(exec, block, pattern.rows);
  if (!block.is_linear_simplex() || pattern.rows == 0) return;
  make_simplex_rows(exec, block, pattern);
  if (block.rows.capacity > 0 && block.rows.long_rows.size() == 0) block.around = {};
}

void gather_rows(Cuda& exec, const BlockData<Device>& block, const Target& target, bool add) {
  if (block.kernel == Kernel::convection) return gather_convection(exec, block, target, add);
  if (block.dim == 1) launch_gather<1>(exec, block, target, add);
  if (block.dim == 2) launch_gather<2>(exec, block, target, add);
  if (block.dim == 3) launch_gather<3>(exec, block, target, add);
}

}  // namespace tessera::assembly
