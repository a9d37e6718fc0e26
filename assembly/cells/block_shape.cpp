#include "assembly/cells/block_shape.hpp"

#include "assembly/cells/checks.hpp"
#include "assembly/cells/tables.hpp"
#include "assembly/space/quadrature.hpp"
#include "assembly/space/quadrature_points.hpp"

namespace tessera::assembly {

BlockShape shape_of(const mesh::CellBlock& cells, const DofBlock& dofs, int order, const FormTraits& form) {
  BlockShape block;
  block.shape = cells.shape;
  block.dim = mesh::dimension(cells.shape);
  block.cells = cells.cells();
  block.straight_simplex = cells.order == 1 && mesh::vertex_count(cells.shape) == block.dim + 1;
  block.kernel = !form.symmetric || !block.straight_simplex ? Kernel::general
                 : order == 1                               ? Kernel::linear_simplex
                                                            : Kernel::affine_simplex;
  block.geometry_is_dofs = are_equal(dofs.dofs.view(), cells.nodes);
  block.block_rows = form.block_rows;
  BlockView& view = block.view;
  view.nodes = dofs.nodes;
  view.geometry_nodes = cells.nodes_per_cell;
  view.points = quadrature(cells.shape, quadrature_degree(cells, order)).size();
  view.cells = block.cells;
  view.symmetric = form.symmetric;
  view.components = form.components;
  if (!form.symmetric) {
    view.wide.order = order;
    view.wide.simplex_axes = simplex_axes(cells.shape);
    view.wide.width = wide_width(dofs.nodes);
    view.wide.rows = wide_rows(cells.shape, order, form.second);
  }
  return block;
}

bool threads_take_cells(const BlockShape& block) {
  if (block.block_rows) return false;
  const BlockView& view = block.view;
  if (!view.symmetric) return is_thread_a_cell(block) || (!block.adds && block.dim > 1 && view.nodes <= 8);
  const bool few =
      block.shape == mesh::Shape::quad || block.shape == mesh::Shape::hex || block.shape == mesh::Shape::prism;
  const bool linear = block.straight_simplex && view.nodes == block.dim + 1;
  return linear || (!block.adds && (block.straight_simplex || (few && block.geometry_is_dofs && view.nodes <= 8)));
}

ElementKind element_kind(const BlockShape& block) {
  const BlockView& view = block.view;
  const bool large = block.dim > 1 && view.nodes > 32;
  if (block.block_rows || !view.symmetric) {
    if (!block.block_rows && is_thread_a_cell(block)) return ElementKind::thread_a_cell;
    constexpr int lanes = lanes_of(ElementKind::columns);
    if (!block.block_rows && block.dim > 1 && view.nodes <= lanes) return ElementKind::columns;
    return large ? ElementKind::large_unsymmetric : ElementKind::tiled;
  }
  if (block.kernel == Kernel::linear_simplex) return ElementKind::linear_simplex;
  if (!block.adds) {
    if (block.kernel == Kernel::affine_simplex) return ElementKind::affine_simplex;
    // Isoparametric cells of so few dofs that a thread keeps the matrix in registers.
    if (block.dim > 1 && block.by_columns && !block.straight_simplex) return ElementKind::small;
  }
  return large ? ElementKind::large : ElementKind::tiled;
}

}  // namespace tessera::assembly
