#include "assembly/cells/residual.hpp"

#include <algorithm>
#include <cmath>

#include "assembly/cells/data.hpp"
#include "assembly/convection/convection_form.hpp"
#include "assembly/convection/convection_tables.hpp"
#include "assembly/space/host_loop.hpp"

namespace tessera::assembly {
namespace {

constexpr Offset cells_per_chunk = 128;
/// Cells whose residuals are in memory before they are added in order.
constexpr Index cells_per_batch = 1 << 14;

/// A block of cells as the point functions of convection_form.hpp see it. Borrows mesh, dofs and data.
struct Block {
  BlockTables tables;
  ConvectionTables convection;
  BlockView view;

  Block(const mesh::Mesh& mesh, const mesh::CellBlock& cells, const DofBlock& dofs, int order, bool supg)
      : tables(make_tables(cells, order, false)), convection(make_convection_tables(cells, order, supg)) {
    view.nodes = dofs.nodes;
    view.geometry_nodes = cells.nodes_per_cell;
    view.points = tables.points;
    view.cells = cells.cells();
    view.cell_stride = dofs.nodes;
    view.node_stride = 1;
    view.geometry_stride = cells.nodes_per_cell;
    view.geometry_step = 1;
    view.dofs = dofs.dofs.data();
    view.geometry = cells.nodes.data();
    view.coordinates = mesh.points.data();
    view.map = tables.map.data();
    view.weights = tables.weights.data();
    view.convection.order = order;
    view.convection.simplex_axes = convection.simplex_axes;
    view.convection.supg = supg;
    view.convection.width = convection.width;
    view.convection.rows = convection.rows;
    view.convection.basis = convection.basis.data();
    view.convection.map_second = convection.map_second.empty() ? nullptr : convection.map_second.data();
  }
  Block(const Block&) = delete;
};

/// Where the values of each coefficient begin for the block at hand.
struct Cursor {
  const ConvectionData& data;
  Offset points = 0;  ///< of the blocks before

  CoefficientView view(const Coefficient& coefficient) const {
    if (coefficient.values.empty()) return {};
    const Offset first = coefficient.per_point ? points * coefficient.components : 0;
    return {coefficient.values.data() + first, coefficient.components, coefficient.per_point};
  }
  void place(Block& block, Index first_cell) {
    const DiffusionData& diffusion = data.diffusion;
    block.view.region = diffusion.region.empty() ? nullptr : diffusion.region.data() + first_cell;
    block.view.k = view(diffusion.k);
    block.view.c = view(diffusion.c);
    block.view.f = view(diffusion.f);
    block.view.convection.velocity = view(data.velocity);
    block.view.convection.divergence = view(data.divergence);
    points += Offset{block.view.cells} * block.view.points;
  }
};

/// Calls visit(block) for every block of cells with its coefficients in place.
template <class Visit>
void for_each_block(const mesh::Mesh& mesh, const DofMap& dofs, const ConvectionData& data, bool supg, Visit visit) {
  check_map(mesh, dofs);
  check_data(data.diffusion, mesh.cells());
  Cursor cursor{data};
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    Block block(mesh, mesh.blocks[b], dofs.blocks[b], dofs.order, supg);
    cursor.place(block, mesh.blocks[b].first_cell);
    visit(block);
  }
}

template <int dim>
ConvectionPoint<dim> point_of(const BlockView& block, Index cell, int q) {
  double J[dim][dim] = {};
  const double* map = block.map + static_cast<Offset>(q) * dim * block.geometry_nodes;
  for (int g = 0; g < block.geometry_nodes; ++g) {
    const double* x = block.geometry_point(cell, g);
    for (int d = 0; d < dim; ++d)
      for (int a = 0; a < dim; ++a) J[d][a] += x[d] * map[a * block.geometry_nodes + g];
  }
  ConvectionPoint<dim> point;
  make_convection_point<dim>(block, GlobalGeometry{block}, cell, q, J, block.weights[q], point);
  return point;
}

template <int dim>
CellSums sums_of(const BlockView& block, Index cell, const double* u) {
  const ConvectionView& view = block.convection;
  const bool with_u = !block.c.empty() || !view.velocity.empty();
  CellSums sums;
  for (int q = 0; q < block.points; ++q) {
    const ConvectionPoint<dim> point = point_of<dim>(block, cell, q);
    sums.source += point.source;
    sums.gross += std::abs(point.source);
    if (!with_u) continue;
    const double* basis = view.basis + static_cast<Offset>(q) * view.rows * view.width;
    double value[dim + 1] = {};
    for (int j = 0; j < block.nodes; ++j)
      for (int a = 0; a <= dim; ++a) value[a] += basis[a * view.width + j] * u[block.dof(cell, j)];
    double carried = 0;
    for (int a = 0; a < dim; ++a) carried += point.beta[a] * value[a];
    sums.reaction += point.gamma * value[dim];
    sums.convection += carried;
    sums.gross += std::abs(point.gamma * value[dim]) + std::abs(carried);
  }
  return sums;
}

/// residual [nodes] = a(u, phi_i) - l(phi_i) over one cell.
template <int dim>
void residual_of(const BlockView& block, Index cell, const double* u, double* residual) {
  const ConvectionView& view = block.convection;
  std::fill_n(residual, block.nodes, 0.0);
  for (int q = 0; q < block.points; ++q) {
    const ConvectionPoint<dim> point = point_of<dim>(block, cell, q);
    const double* basis = view.basis + static_cast<Offset>(q) * view.rows * view.width;
    double flux[dim + 1] = {}, of_column[dim + 1];
    for (int j = 0; j < block.nodes; ++j) {
      convection_flux<dim>(view, point, basis, j, of_column);
      for (int a = 0; a <= dim; ++a) flux[a] += of_column[a] * u[block.dof(cell, j)];
    }
    for (int i = 0; i < block.nodes; ++i)
      residual[i] += convection_entry<dim>(view, basis, i, flux) - convection_load<dim>(view, point, basis, i);
  }
}

}  // namespace

MeshPart part_of(const mesh::Mesh& mesh, const DofMap& dofs, std::span<const Index> cells) {
  MeshPart part;
  part.mesh.dim = mesh.dim;
  part.mesh.order = mesh.order;
  part.dofs.order = dofs.order;
  part.dofs.dofs = dofs.dofs;
  std::size_t at = 0;
  Index first_cell = 0;
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    const mesh::CellBlock& from = mesh.blocks[b];
    const DofBlock& from_dofs = dofs.blocks[b];
    mesh::CellBlock block{from.shape, from.order, from.nodes_per_cell, {}, first_cell};
    DofBlock of_dofs{from_dofs.shape, from_dofs.geometry_order, from_dofs.nodes, {}, first_cell};
    for (; at < cells.size() && cells[at] < from.first_cell + from.cells(); ++at) {
      const Index local = cells[at] - from.first_cell;
      for (int n = 0; n < from.nodes_per_cell; ++n) {
        const double* x = mesh.point(from.cell(local)[n]);
        block.nodes.push_back(part.mesh.nodes());
        part.mesh.points.insert(part.mesh.points.end(), x, x + 3);
      }
      of_dofs.dofs.insert(of_dofs.dofs.end(), from_dofs.cell(local), from_dofs.cell(local) + from_dofs.nodes);
    }
    first_cell += block.cells();
    part.mesh.blocks.push_back(std::move(block));
    part.dofs.blocks.push_back(std::move(of_dofs));
  }
  return part;
}

CellSums sum_cells(const mesh::Mesh& mesh, const DofMap& dofs, const ConvectionData& data, std::span<const double> u,
                   int threads) {
  CellSums total;
  const auto of_cell = mesh.dim == 1 ? sums_of<1> : mesh.dim == 2 ? sums_of<2> : sums_of<3>;
  for_each_block(mesh, dofs, data, false, [&](Block& block) {
    block.view.k = {};
    const Index cells = block.view.cells;
    std::vector<CellSums> parts(static_cast<std::size_t>((cells + cells_per_chunk - 1) / cells_per_chunk));
    for_chunks(cells, cells_per_chunk, threads, [&](Offset chunk, Offset first, Offset last) {
      for (Offset cell = first; cell < last; ++cell)
        parts[chunk].add(of_cell(block.view, static_cast<Index>(cell), u.data()));
    });
    for (const CellSums& part : parts) total.add(part);
  });
  return total;
}

void add_residual(const mesh::Mesh& mesh, const DofMap& dofs, const ConvectionData& data, bool supg,
                  std::span<const double> u, std::span<const Index> slot, std::span<double> residual, int threads) {
  const auto of_cell = mesh.dim == 1 ? residual_of<1> : mesh.dim == 2 ? residual_of<2> : residual_of<3>;
  for_each_block(mesh, dofs, data, supg, [&](const Block& block) {
    const int nodes = block.view.nodes;
    std::vector<double> values(static_cast<std::size_t>(std::min(block.view.cells, cells_per_batch)) * nodes);
    for (Index start = 0; start < block.view.cells; start += cells_per_batch) {
      const Index count = std::min(cells_per_batch, block.view.cells - start);
      for_chunks(count, cells_per_chunk, threads, [&](Offset, Offset first, Offset last) {
        for (Offset i = first; i < last; ++i)
          of_cell(block.view, start + static_cast<Index>(i), u.data(), &values[i * nodes]);
      });
      for (Index i = 0; i < count; ++i)
        for (int n = 0; n < nodes; ++n)
          if (const Index at = slot[block.view.dof(start + i, n)]; at >= 0)
            residual[at] += values[static_cast<std::size_t>(i) * nodes + n];
    }
  });
}

}  // namespace tessera::assembly
