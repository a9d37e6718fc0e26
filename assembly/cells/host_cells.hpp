#pragma once
// Cells with their tables and their form on the host, for integrals that no assembler makes.
#include "assembly/cells/cell_point.hpp"
#include "assembly/cells/checks.hpp"
#include "assembly/cells/place_fields.hpp"
#include "assembly/cells/tables.hpp"
#include "forms/components.hpp"

namespace tessera::assembly {

/// A block of cells in their natural order. Borrows mesh, dofs and data.
template <class Form>
struct HostCells {
  BlockTables tables;
  WideTables wide;
  BlockView view;
  Form form;

  HostCells(const mesh::Mesh& mesh, const mesh::CellBlock& cells, const DofBlock& dofs, int order, LineNodes nodes,
            bool second)
      : tables(make_tables(cells, order, nodes, false)), wide(make_wide_tables(cells, order, nodes, second)) {
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
    view.wide = {order,     simplex_axes(cells.shape), wide.width,
                 wide.rows, wide.basis.data(),         wide.map_second.empty() ? nullptr : wide.map_second.data()};
  }
  HostCells(const HostCells&) = delete;

  /// What stands at point q of a cell.
  template <int dim>
  forms::AtPoint<Form, dim> point(Index cell, int q) const {
    double J[dim][dim];
    cell_jacobian<dim>(view, cell, q, J);
    const GlobalGeometry geometry{view};
    forms::AtPoint<Form, dim> result;
    forms::make_at_point<dim>(form, CellPoint<dim, GlobalGeometry>(view, geometry, cell, q, J, view.weights[q]),
                              result);
    return result;
  }
  forms::BasisRows basis(int q) const { return view.wide.at(view.wide.basis, q); }
};

/// Calls visit(block) for every block of cells with its coefficients in place.
template <class Form, class Visit>
void for_each_block(const mesh::Mesh& mesh, const DofMap& dofs, const typename Form::Data& data, const Form& form,
                    Visit visit) {
  check_map(mesh, dofs);
  check_form_data<Form>(data, mesh.cells(), mesh.dim);
  FieldCursor<Form> first{};
  const std::vector<Index>& region = Form::region(data);
  for (std::size_t b = 0; b < mesh.blocks.size(); ++b) {
    bool second = false;
    if constexpr (requires { form.needs_second(); }) second = form.needs_second();
    HostCells<Form> block(mesh, mesh.blocks[b], dofs.blocks[b], dofs.order, dofs.nodes, second);
    block.form = form;
    block.view.region = region.empty() ? nullptr : region.data() + mesh.blocks[b].first_cell;
    borrow_form(Form::coefficients(data), Offset{block.view.cells} * block.view.points, first, block.form);
    visit(block);
  }
}

}  // namespace tessera::assembly
