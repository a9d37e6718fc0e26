#include <cmath>

#include "assembly/cells/host_cells.hpp"
#include "assembly/space/host_loop.hpp"
#include "physics/forms/convection_data.hpp"

namespace tessera::forms {

namespace {

constexpr Offset cells_per_chunk = 128;
using Cells = assembly::HostCells<Convection>;

template <int dim>
CellSums sums_of(const Cells& block, Index cell, const double* u) {
  CellSums sums;
  for (int q = 0; q < block.view.points; ++q) {
    const Convection::AtPoint<dim> point = block.point<dim>(cell, q);
    sums.source += point.source;
    sums.gross += std::abs(point.source);
    const BasisRows basis = block.basis(q);
    double value[dim + 1] = {};
    for (int j = 0; j < block.view.nodes; ++j)
      for (int a = 0; a <= dim; ++a) value[a] += basis(a, j) * u[block.view.dof(cell, j)];
    double carried = 0;
    for (int a = 0; a < dim; ++a) carried += point.beta[a] * value[a];
    sums.reaction += point.gamma * value[dim];
    sums.convection += carried;
    sums.gross += std::abs(point.gamma * value[dim]) + std::abs(carried);
  }
  return sums;
}

/// Of f alone.
template <int dim>
CellSums source_of(const Cells& block, Index cell) {
  const bool straight = block.view.geometry_nodes == dim + 1;  // one Jacobian a cell
  CellSums sums;
  double J[dim][dim], inverse[dim][dim], measure = 0;
  for (int q = 0; q < block.view.points; ++q) {
    if (q == 0 || !straight) {
      assembly::cell_jacobian<dim>(block.view, cell, q, J);
      measure = std::abs(invert<dim, double>(J, inverse));
    }
    const double source = *block.form.f.at(block.view.at(cell, q)) * (measure * block.view.weights[q]);
    sums.source += source;
    sums.gross += std::abs(source);
  }
  return sums;
}

/// Of all terms that there are.
template <int dim>
CellSums sums_of_cell(const Cells& block, Index cell, const double* u) {
  const forms::Convection& form = block.form;
  if (form.c.empty() && form.velocity.empty()) return form.f.empty() ? CellSums{} : source_of<dim>(block, cell);
  return sums_of<dim>(block, cell, u);
}

}  // namespace

CellSums sum_cells(const mesh::Mesh& mesh, const assembly::DofMap& dofs, const ConvectionData& data,
                   std::span<const double> u, int threads) {
  CellSums total;
  const auto of_cell = mesh.dim == 1 ? sums_of_cell<1> : mesh.dim == 2 ? sums_of_cell<2> : sums_of_cell<3>;
  assembly::for_each_block(mesh, dofs, data, Convection{}, [&](Cells& block) {
    block.form.k = {};
    const Index cells = block.view.cells;
    std::vector<CellSums> parts(static_cast<std::size_t>((cells + cells_per_chunk - 1) / cells_per_chunk));
    assembly::for_chunks(cells, cells_per_chunk, threads, [&](Offset chunk, Offset first, Offset last) {
      for (Offset cell = first; cell < last; ++cell)
        parts[chunk].add(of_cell(block, static_cast<Index>(cell), u.data()));
    });
    for (const CellSums& part : parts) total.add(part);
  });
  return total;
}

}  // namespace tessera::forms
