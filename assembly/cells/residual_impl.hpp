#pragma once
#include <algorithm>

#include "assembly/cells/host_cells.hpp"
#include "assembly/cells/residual.hpp"
#include "assembly/space/host_loop.hpp"

namespace tessera::assembly {

inline constexpr Offset residual_cells_per_chunk = 128;
/// Cells whose residuals are in memory before they are added in order.
inline constexpr Index residual_cells_per_batch = 1 << 14;

/// residual [nodes] = a(u, phi_i) - l(phi_i) over one cell.
template <int dim, class Form>
void residual_of(const HostCells<Form>& block, Index cell, const double* u, double* residual) {
  const BlockView& view = block.view;
  std::fill_n(residual, view.nodes, 0.0);
  for (int q = 0; q < view.points; ++q) {
    const forms::AtPoint<Form, dim> point = block.template point<dim>(cell, q);
    const forms::BasisRows basis = block.basis(q);
    double flux[dim + 1] = {}, of_column[dim + 1];
    for (int j = 0; j < view.nodes; ++j) {
      point.flux(basis, j, of_column);
      for (int a = 0; a <= dim; ++a) flux[a] += of_column[a] * u[view.dof(cell, j)];
    }
    for (int i = 0; i < view.nodes; ++i) residual[i] += entry_of_flux<dim>(basis, i, flux) - point.load(basis, i);
  }
}

template <class Form>
void add_residual(const mesh::Mesh& mesh, const DofMap& dofs, const typename Form::Data& data, const Form& form,
                  std::span<const double> u, std::span<const Index> slot, std::span<double> residual, int threads) {
  const auto of_cell = mesh.dim == 1   ? residual_of<1, Form>
                       : mesh.dim == 2 ? residual_of<2, Form>
                                       : residual_of<3, Form>;
  for_each_block(mesh, dofs, data, form, [&](const HostCells<Form>& block) {
    const int nodes = block.view.nodes;
    std::vector<double> values(static_cast<std::size_t>(std::min(block.view.cells, residual_cells_per_batch)) * nodes);
    for (Index start = 0; start < block.view.cells; start += residual_cells_per_batch) {
      const Index count = std::min(residual_cells_per_batch, block.view.cells - start);
      for_chunks(count, residual_cells_per_chunk, threads, [&](Offset, Offset first, Offset last) {
        for (Offset i = first; i < last; ++i)
          of_cell(block, start + static_cast<Index>(i), u.data(), &values[i * nodes]);
      });
      for (Index i = 0; i < count; ++i)
        for (int n = 0; n < nodes; ++n)
          if (const Index at = slot[block.view.dof(start + i, n)]; at >= 0)
            residual[at] += values[static_cast<std::size_t>(i) * nodes + n];
    }
  });
}

}  // namespace tessera::assembly
