// ConvectionAssembler on CUDA, and `nonzeros` of it; the other strategies take its elements from convection_elements.cuh.
#include "assembly/assembler_launch.cuh"
#include "assembly/convection/convection_impl.hpp"

namespace tessera::assembly {
namespace kernels {

/// One warp a row, cell after cell around it: lanes take the points, whose factors of the row go to shared memory, then the columns. A
/// cell's columns are distinct, so the sums need no more than the order of a warp.
template <int dim>
__global__ void __launch_bounds__(cells_block)
    gather_convection(BlockView block, Target target, const Offset* around_ptr, const Index* around, bool add) {
  extern __shared__ double shared[];
  const ConvectionView& view = block.convection;
  const int n = block.nodes, width = view.rows + 1, lane = threadIdx.x % 32;
  const Index row = (blockIdx.x * cells_block + threadIdx.x) / 32;
  if (row >= target.pattern.rows) return;
  double* work = shared + threadIdx.x / 32 * block.points * width;
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
      double J[dim][dim], factor[convection_rows<dim>];
      jacobian_at_point<dim>(block, GlobalGeometry{block}, place, q, J);
      ConvectionPoint<dim> point;
      make_convection_point<dim>(block, GlobalGeometry{block}, place, q, J, block.weights[q], point);
      const double* basis = view.basis + static_cast<Offset>(q) * view.rows * view.width;
      work[q * width + view.rows] = convection_factors<dim>(view, point, basis, i, factor);
      for (int r = 0; r < convection_rows<dim>; ++r)
        if (r < view.rows) work[q * width + r] = factor[r];
    }
    __syncwarp();
    for (int q = 0; q < block.points; ++q) load += work[q * width + view.rows];
    for (int j = lane; j < n; j += 32) {
      double sum = 0;
      for (int q = 0; q < block.points; ++q)
        for (int r = 0; r < view.rows; ++r)
          sum += work[q * width + r] * view.basis[(static_cast<Offset>(q) * view.rows + r) * view.width + j];
      target.values[start + entry_slot(block, target.pattern, place, i, j) * step] += sum;
    }
    __syncwarp();
  }
  if (lane == 0) target.b[row] = add ? target.b[row] + load : load;
}

}  // namespace kernels

void gather_convection(Cuda& exec, const BlockData<Device>& block, const Target& target, bool add) {
  constexpr int warps = kernels::cells_block / 32;
  const std::size_t shared = sizeof(double) * warps * block.view.points * (block.view.convection.rows + 1);
  const auto gather = block.dim == 1   ? kernels::gather_convection<1>
                      : block.dim == 2 ? kernels::gather_convection<2>
                                       : kernels::gather_convection<3>;
  launch_with_shared(exec, gather, (Offset{target.pattern.rows} + warps - 1) / warps, kernels::cells_block, shared,
                     block.view, target, block.around.ptr.data(), block.around.items.data(), add);
}

template class ConvectionAssembler<Cuda>;

}  // namespace tessera::assembly
