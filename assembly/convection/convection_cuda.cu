// ConvectionAssembler on CUDA, and `nonzeros` of it; the other strategies take its elements from convection_elements.cuh.
#include "assembly/cells/launch.cuh"
#include "assembly/convection/convection_impl.hpp"

namespace tessera::assembly {
namespace kernels {

/// One warp a row, cell after cell around it: lanes take the points, which go to shared memory, then the columns. A cell's columns are
/// distinct, so the sums need no more than the order of a warp.
template <int dim>
__global__ void __launch_bounds__(cells_block)
    gather_convection(BlockView block, Target target, const Offset* around_ptr, const Index* around, const Index* list,
                      Index count, bool add) {
  extern __shared__ double shared[];
  const ConvectionView& view = block.convection;
  const int n = block.nodes, lane = threadIdx.x % 32;
  const Offset item = Offset{blockIdx.x} * (blockDim.x / 32) + threadIdx.x / 32;
  if (item >= count) return;
  const Index row = list ? list[item] : static_cast<Index>(item);
  auto* points = reinterpret_cast<ConvectionPoint<dim>*>(shared) + threadIdx.x / 32 * block.points;
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
      make_convection_point<dim>(block, GlobalGeometry{block}, place, q, J, block.weights[q], points[q]);
    }
    __syncwarp();
    const int stride = view.rows * view.width;
    for (int q = 0; q < block.points; ++q) load += convection_load<dim>(view, points[q], view.basis + q * stride, i);
    for (int j = lane; j < n; j += 32) {
      double sum = 0, flux[dim + 1];
      for (int q = 0; q < block.points; ++q) {
        convection_flux<dim>(view, points[q], view.basis + q * stride, j, flux);
        sum += convection_entry<dim>(view, view.basis + q * stride, i, flux);
      }
      target.values[start + entry_slot(block, target.pattern, place, i, j) * step] += sum;
    }
    __syncwarp();
  }
  if (lane == 0) target.b[row] = add ? target.b[row] + load : load;
}

}  // namespace kernels

void gather_convection(Cuda& exec, const BlockData<Device>& block, const Target& target, bool add) {
  const Index* list = nullptr;
  Index rows = target.pattern.rows;
  if (block.rows.capacity > 0) {
    gather_simplex_rows(exec, block, target, add);
    list = block.rows.long_rows.data();
    rows = static_cast<Index>(block.rows.long_rows.size());
  }
  const std::size_t point = block.dim == 1   ? sizeof(ConvectionPoint<1>)
                            : block.dim == 2 ? sizeof(ConvectionPoint<2>)
                                             : sizeof(ConvectionPoint<3>);
  constexpr std::size_t most_shared = 99 * 1024;  // of a block, on the architectures that have least
  const std::size_t of_warp = block.view.points * point;
  int warps = kernels::cells_block / 32;
  while (warps > 1 && warps * of_warp > most_shared) warps /= 2;
  const auto gather = block.dim == 1   ? kernels::gather_convection<1>
                      : block.dim == 2 ? kernels::gather_convection<2>
                                       : kernels::gather_convection<3>;
  launch_with_shared(exec, gather, (Offset{rows} + warps - 1) / warps, warps * 32, warps * of_warp, block.view, target,
                     block.around.ptr.data(), block.around.items.data(), list, rows, add);
}

template class ConvectionAssembler<Cuda>;

}  // namespace tessera::assembly
