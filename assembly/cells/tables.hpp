#pragma once
// Tables of elements on the host.
#include <vector>

#include "assembly/space/element.hpp"

namespace tessera::assembly {

/// See BlockView.
struct BlockTables {
  int points = 0;
  std::vector<double> basis, map, weights, reference, load, reference_entries, padded_basis, map_columns;
};
BlockTables make_tables(const mesh::CellBlock& cells, int order, LineNodes nodes, bool straight_simplex);

/// Tables of WideBasis.
struct WideTables {
  int rows = 0, width = 0;
  std::vector<double> basis, map_second;
};
/// For elements of `order` on the cells of a block, at the points of its cell integrals. `second`: with second
/// derivatives of basis and map, where they are not zero.
WideTables make_wide_tables(const mesh::CellBlock& cells, int order, LineNodes nodes, bool second);

/// Rows a point of these tables, and columns: a vector register, or the side of a tile.
int wide_rows(mesh::Shape shape, int order, bool second);
constexpr int wide_width(int nodes) { return (nodes + 7) / 8 * 8; }

/// Axes of the reference cell that span a unit simplex; the others run over [-1, 1].
int simplex_axes(mesh::Shape shape);

}  // namespace tessera::assembly
