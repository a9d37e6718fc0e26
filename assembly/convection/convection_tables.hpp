#pragma once
#include <vector>

#include "mesh/mesh.hpp"

namespace tessera::assembly {

/// Tables of ConvectionView on the host.
struct ConvectionTables {
  int rows = 0, width = 0, simplex_axes = 0;
  std::vector<double> basis, map_second;
};

/// Axes of the reference cell that span a unit simplex; the others run over [-1, 1].
int simplex_axes(mesh::Shape shape);

/// For elements of `order` on the cells of a block, at the points of its cell integrals. `residual`: with what the strong residual
/// needs, second derivatives of basis and map, where they are not zero.
ConvectionTables make_convection_tables(const mesh::CellBlock& cells, int order, bool residual);

}  // namespace tessera::assembly
