#include <omp.h>

#include <algorithm>

#include "assembly/convection/convection_impl.hpp"

namespace tessera::assembly {
namespace {

template <int dim, int tile>
void add_place(const ConvectionView& view, const Target& target, Offset place,
               std::vector<ConvectionPoint<dim>>& points) {
  for (int q = 0; q < view.block.points; ++q) make_convection_point<dim>(view, place, q, points[q]);
  for (int i = 0; i < view.block.nodes; ++i) {
    for (int first = 0; first < view.block.nodes; first += tile)
      add_convection_entries<dim, tile>(view, points.data(), target, place, i, first);
    if (!view.block.f.empty()) target.b[view.block.dof(place, i)] += convection_load<dim>(view, points.data(), i);
  }
}

/// Chunks of consecutive cells; those of one colour share no dof.
template <int dim>
void add_chunks(Threads& exec, const BlockData<Host>& block, const ConvectionView& view, const Target& target) {
#pragma omp parallel num_threads(exec.count())
  {
    std::vector<ConvectionPoint<dim>> points(static_cast<std::size_t>(view.block.points));
    for (std::size_t colour = 0; colour + 1 < block.colour_ptr.size(); ++colour) {
#pragma omp for schedule(dynamic)
      for (Offset k = block.colour_ptr[colour]; k < block.colour_ptr[colour + 1]; ++k) {
        const Offset first = Offset{block.chunks[k]} * block.chunk_cells;
        const Offset last = std::min<Offset>(block.cells, first + block.chunk_cells);
        for (Offset place = first; place < last; ++place)
          if (view.block.nodes <= 4)
            add_place<dim, 4>(view, target, place, points);
          else
            add_place<dim, convection_tile>(view, target, place, points);
      }
    }
  }
}

}  // namespace

void add_convection(Threads& exec, const BlockData<Host>& block, const ConvectionView& view, const Target& target) {
  if (block.dim == 1) add_chunks<1>(exec, block, view, target);
  if (block.dim == 2) add_chunks<2>(exec, block, view, target);
  if (block.dim == 3) add_chunks<3>(exec, block, view, target);
}

template class ConvectionAssembler<Threads>;

}  // namespace tessera::assembly
