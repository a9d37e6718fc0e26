#include "assembly/assembler_launch.cuh"
#include "assembly/convection/convection_impl.hpp"

namespace tessera::assembly {
namespace kernels {

constexpr int convection_columns = 4;  ///< of a row that a lane sums in registers

/// Places first .. first + count, which share no dof; `lanes` threads (a power of two, at most 32) take a cell. First its points go to
/// shared memory, then lanes take tiles of rows.
template <int dim>
__global__ void __launch_bounds__(cells_block)
    add_convection_cells(ConvectionView view, Target target, Offset first, Offset count, int lanes) {
  extern __shared__ double shared[];
  const int group = threadIdx.x / lanes, lane = threadIdx.x % lanes;
  const Offset item = blockIdx.x * static_cast<Offset>(blockDim.x / lanes) + group;
  auto* points = reinterpret_cast<ConvectionPoint<dim>*>(shared) + group * view.block.points;
  const bool active = item < count;  // lanes of a warp stay together: they meet below
  if (active)
    for (int q = lane; q < view.block.points; q += lanes) make_convection_point<dim>(view, first + item, q, points[q]);
  __syncwarp();
  if (!active) return;
  const Offset place = first + item;
  const int n = view.block.nodes, tiles = (n + convection_columns - 1) / convection_columns;
  for (int work = lane; work < n * tiles; work += lanes)
    add_convection_entries<dim, convection_columns>(view, points, target, place, work / tiles,
                                                    work % tiles * convection_columns);
  if (view.block.f.empty()) return;
  for (int i = lane; i < n; i += lanes) target.b[view.block.dof(place, i)] += convection_load<dim>(view, points, i);
}

}  // namespace kernels

namespace {

template <int dim>
void launch_convection(Cuda& exec, const BlockData<Device>& block, const ConvectionView& view, const Target& target) {
  constexpr std::size_t most_shared = 99 * 1024;  // of a block, on the architectures that have least
  const int n = view.block.nodes;
  int lanes = 4;
  while (lanes < 32 && lanes < n * (n + kernels::convection_columns - 1) / kernels::convection_columns) lanes *= 2;
  const std::size_t of_cell = sizeof(ConvectionPoint<dim>) * view.block.points;
  int threads = kernels::cells_block;
  while (threads > 32 && threads / lanes * of_cell > most_shared) threads /= 2;
  const Offset cells = threads / lanes;
  for (std::size_t colour = 0; colour + 1 < block.colour_ptr.size(); ++colour) {
    const Offset first = block.colour_ptr[colour], count = block.colour_ptr[colour + 1] - first;
    launch_with_shared(exec, kernels::add_convection_cells<dim>, (count + cells - 1) / cells, threads, cells * of_cell,
                       view, target, first, count, lanes);
  }
}

}  // namespace

void add_convection(Cuda& exec, const BlockData<Device>& block, const ConvectionView& view, const Target& target) {
  if (block.dim == 1) launch_convection<1>(exec, block, view, target);
  if (block.dim == 2) launch_convection<2>(exec, block, view, target);
  if (block.dim == 3) launch_convection<3>(exec, block, view, target);
}

template class ConvectionAssembler<Cuda>;

}  // namespace tessera::assembly
