#pragma once
#include <algorithm>

#include "assembly/cells/host_cells.hpp"
#include "assembly/cells/residual.hpp"
#include "assembly/space/host_loop.hpp"

namespace tessera::assembly {

inline constexpr Offset residual_cells_per_chunk = 128;
/// Cells whose residuals are in memory before they are added in order.
inline constexpr Index residual_cells_per_batch = 1 << 14;

/// residual [nodes] = a(u, phi_i) - l(phi_i) over one cell. u null: 0.
template <int dim, class Form>
void residual_of(const HostCells<Form>& block, Index cell, const double* u, double* residual) {
  const BlockView& view = block.view;
  std::fill_n(residual, view.nodes, 0.0);
  for (int q = 0; q < view.points; ++q) {
    const forms::AtPoint<Form, dim> point = block.template point<dim>(cell, q);
    const forms::BasisRows basis = block.basis(q);
    double flux[dim + 1] = {};
    if (u) {
      // Fluxes are linear in the column of the basis: that of u at once.
      double of_u[dim + 1 + dim * (dim + 1) / 2] = {};
      for (int j = 0; j < view.nodes; ++j) {
        const double value = u[view.dof(cell, j)];
        for (int row = 0; row < basis.rows; ++row) of_u[row] += basis(row, j) * value;
      }
      point.flux(forms::BasisRows{of_u, 1, basis.rows}, 0, flux);
    }
    for (int i = 0; i < view.nodes; ++i) residual[i] += entry_of_flux<dim>(basis, i, flux) - point.load(basis, i);
  }
}

/// The same of a form with several unknowns a node: residual [nodes, components].
template <int dim, class Form>
void component_residual_of(const HostCells<Form>& block, Index cell, const double* u, double* residual) {
  constexpr int m = forms::components_of<Form>(dim);
  const BlockView& view = block.view;
  std::fill_n(residual, view.nodes * m, 0.0);
  for (int q = 0; q < view.points; ++q) {
    double J[dim][dim], inverse[dim][dim], state[m][dim + 1] = {}, flux[m][dim + 1];
    cell_jacobian<dim>(view, cell, q, J);
    const double weight = absolute(invert<dim, double>(J, inverse)) * view.weights[q];
    const forms::BasisRows basis = block.basis(q);
    const auto physical = [&](int j, double(&B)[dim + 1]) {
      for (int d = 0; d < dim; ++d) {
        B[d] = 0;
        for (int a = 0; a < dim; ++a) B[d] += inverse[a][d] * basis(a, j);
      }
      B[dim] = basis(dim, j);
    };
    double B[dim + 1];
    for (int j = 0; u && j < view.nodes; ++j) {
      physical(j, B);
      for (int d = 0; d < m; ++d)
        for (int b = 0; b <= dim; ++b) state[d][b] += B[b] * u[Offset{view.dof(cell, j)} * m + d];
    }
    const forms::Place at = view.at(cell, q);
    for (int c = 0; c < m; ++c) {
      double l[dim + 1] = {}, C[dim + 1][dim + 1];
      if (forms::has(block.form, forms::load_value)) block.form.template load<dim>(at, c, l);
      for (int a = 0; a <= dim; ++a) flux[c][a] = -l[a];
      for (int d = 0; u && d < m; ++d) {
        block.form.template tangent<dim>(at, c, d, C);
        for (int a = 0; a <= dim; ++a)
          for (int b = 0; b <= dim; ++b) flux[c][a] += C[a][b] * state[d][b];
      }
    }
    for (int i = 0; i < view.nodes; ++i) {
      physical(i, B);
      for (int c = 0; c < m; ++c)
        for (int a = 0; a <= dim; ++a) residual[i * m + c] += weight * B[a] * flux[c][a];
    }
  }
}

/// The residual of a cell of a form, whichever it is.
template <int dim, class Form>
void any_residual_of(const HostCells<Form>& block, Index cell, const double* u, double* residual) {
  if constexpr (forms::has_components<Form>)
    component_residual_of<dim>(block, cell, u, residual);
  else
    residual_of<dim>(block, cell, u, residual);
}

template <class Form>
void add_residual(const mesh::Mesh& mesh, const DofMap& dofs, const typename Form::Data& data, const Form& form,
                  std::span<const double> u, std::span<const Index> slot, std::span<double> residual, int threads) {
  const auto of_cell = mesh.dim == 1   ? any_residual_of<1, Form>
                       : mesh.dim == 2 ? any_residual_of<2, Form>
                                       : any_residual_of<3, Form>;
  const int m = forms::components_of<Form>(mesh.dim);
  for_each_block(mesh, dofs, data, form, [&](const HostCells<Form>& block) {
    const int nodes = block.view.nodes;
    std::vector<double> values(static_cast<std::size_t>(std::min(block.view.cells, residual_cells_per_batch)) * nodes *
                               m);
    for (Index start = 0; start < block.view.cells; start += residual_cells_per_batch) {
      const Index count = std::min(residual_cells_per_batch, block.view.cells - start);
      for_chunks(count, residual_cells_per_chunk, threads, [&](Offset, Offset first, Offset last) {
        for (Offset i = first; i < last; ++i)
          of_cell(block, start + static_cast<Index>(i), u.empty() ? nullptr : u.data(), &values[i * nodes * m]);
      });
      for (Index i = 0; i < count; ++i)
        for (int k = 0; k < nodes * m; ++k)
          if (const Index at = slot[Offset{block.view.dof(start + i, k / m)} * m + k % m]; at >= 0)
            residual[at] += values[static_cast<std::size_t>(i) * nodes * m + k];
    }
  });
}

}  // namespace tessera::assembly
