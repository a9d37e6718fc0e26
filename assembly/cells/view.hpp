#pragma once
// Cells, as kernels see them, and where their values go.
#include <cstdint>

#include "assembly/space/sparsity.hpp"
#include "base/types.hpp"
#include "forms/tangent.hpp"
#include "linalg/crs.hpp"
#include "linalg/row_layout.hpp"

namespace tessera::assembly {

using forms::absolute;
using forms::invert;
using forms::packed;
using forms::packed_symmetric;
using forms::tensor_size;

/// Values that are kept of an n x n element matrix: the upper half row by row where it is symmetric, else all rows.
TESSERA_HD constexpr int entry_count(bool symmetric, int n) { return symmetric ? n * (n + 1) / 2 : n * n; }
/// Which of them is entry (i, j).
TESSERA_HD constexpr int entry_number(bool symmetric, int i, int j, int n) {
  if (!symmetric) return i * n + j;
  return i <= j ? packed(i, j, n) : packed(j, i, n);
}

/// Columns of padded_basis: a multiple of 8 that is 8 more than one of 16, so that four rows of eight meet no bank
/// conflict.
TESSERA_HD constexpr int basis_stride(int nodes) {
  const int whole = (nodes + 7) / 8 * 8;
  return whole % 16 == 8 ? whole : whole + 8;
}

/// Tables of elements that are not symmetric: rows of `width` columns, zeros behind the dofs. Second derivatives are
/// packed, mixed ones doubled; they are there where the form asks for them and they do not vanish.
struct WideBasis {
  int order = 1;
  int simplex_axes = 0;  ///< of the reference cell: the first axes span a unit simplex, the others run over [-1, 1]
  int width = 0;
  int rows = 0;                        ///< a point: dim derivatives, the value, second derivatives
  const double* basis = nullptr;       ///< [points, rows, width]
  const double* map_second = nullptr;  ///< [points, dim (dim+1)/2, geometry_nodes]; null: affine cells, or not needed

  TESSERA_HD constexpr int size() const { return rows * width; }
  /// Rows of point q, of a table like `basis`.
  TESSERA_HD forms::BasisRows at(const double* table, int q) const { return {table + q * size(), width, rows}; }
};

/// One block of cells as kernels see it. "Place" is the position of a cell in the order of processing: the natural one
/// on threads, colour by colour on CUDA. Entry i of cell place c is at dofs[c * cell_stride + i * node_stride].
struct BlockView {
  int nodes = 0;
  int geometry_nodes = 0;
  int points = 0;
  Index cells = 0;
  bool symmetric = true;                          ///< element matrices
  int components = 1;                             ///< unknowns a node: dofs are those of nodes, entries blocks
  Offset cell_stride = 0, node_stride = 0;        ///< of dofs
  Offset geometry_stride = 0, geometry_step = 0;  ///< of geometry
  Offset slot_stride = 0, slot_step = 0;          ///< of slots, whose entry is i * nodes + j
  const Index* dofs = nullptr;
  const Index* geometry = nullptr;       ///< mesh nodes of the cells
  const std::uint16_t* slots = nullptr;  ///< position of dof j in the row of dof i; null: search the row
  const Index* cell = nullptr;           ///< number in the block of the cell at a place; null: the place itself
  const Index* region = nullptr;         ///< by place; null: all 0
  const double* coordinates = nullptr;   ///< [mesh nodes, 3]
  const double* basis = nullptr;         ///< [points, dim + 1, nodes]: reference derivatives, then values
  const double* map = nullptr;           ///< [points, dim, geometry_nodes]: derivatives of the geometric map
  const double* weights = nullptr;       ///< [points]
  const double* reference = nullptr;     ///< [dim (dim+1)/2 + 1, nodes, nodes]: stiffness by packed pair, then mass
  const double* load = nullptr;          ///< [nodes]: integrals of the basis
  const double* reference_entries = nullptr;  ///< CUDA: [upper entries, dim (dim+1)/2 + 1], reference by entry
  const double* padded_basis =
      nullptr;  ///< CUDA: [points, 4, basis_stride(nodes)]: derivatives, at 3 the values; zeros elsewhere
  const double* map_columns = nullptr;  ///< CUDA: [geometry_nodes, dim, points], map for lanes that take points
  WideBasis wide;

  TESSERA_HD Index dof(Offset place, int i) const { return dofs[place * cell_stride + i * node_stride]; }
  TESSERA_HD const double* geometry_point(Offset place, int g) const {
    return coordinates + Offset{3} * geometry[place * geometry_stride + g * geometry_step];
  }
  TESSERA_HD Index region_of(Offset place) const { return region ? region[place] : 0; }
  TESSERA_HD Offset cell_of(Offset place) const { return cell ? cell[place] : place; }
  /// Where the coefficients of a point stand.
  TESSERA_HD forms::Place at(Offset place, int q) const { return {region_of(place), cell_of(place), q, points}; }
  /// Values that an element contributes: its matrix, the upper half row by row where it is symmetric, then its load.
  TESSERA_HD int entries() const { return entry_count(symmetric, nodes) + nodes; }
  /// Which of them is entry (i, j) of the matrix, or entry i of the load.
  TESSERA_HD int entry(int i, int j) const { return entry_number(symmetric, i, j, nodes); }
  TESSERA_HD int load_entry(int i) const { return entry_count(symmetric, nodes) + i; }
  /// Numbers that an element contributes: an entry of the matrix has components^2, one of the load `components`.
  TESSERA_HD Offset values() const {
    return Offset{entry_count(symmetric, nodes)} * components * components + Offset{nodes} * components;
  }
};

/// Coordinates straight from the mesh.
struct GlobalGeometry {
  BlockView block;
  TESSERA_HD const double* point(Offset place, int g) const { return block.geometry_point(place, g); }
};

/// Where a refill goes.
struct Target {
  linalg::RowLayout layout;
  double* values = nullptr;
  double* b = nullptr;
  linalg::CrsView<const double> pattern;  ///< of make_matrix; its values are not read
};

/// Place of dof j in the row of dof i: by slot, or a search in the row where there are no slots.
TESSERA_HD inline Index entry_slot(const BlockView& block, const linalg::CrsView<const double>& A, Offset place, int i,
                                   int j) {
  if (block.slots) return block.slots[place * block.slot_stride + (i * block.nodes + j) * block.slot_step];
  const Index row = block.dof(place, i);
  const Offset first = A.row_ptr[row];
  return find_in_row(A.col_ind.data() + first, static_cast<Index>(A.row_ptr[row + 1] - first), block.dof(place, j));
}

/// Where entry (i, j) of the element at `place` goes.
TESSERA_HD inline Offset target_position(const BlockView& block, const Target& target, Offset place, int i, int j) {
  return target.layout.first(block.dof(place, i)) +
         entry_slot(block, target.pattern, place, i, j) * target.layout.step();
}

/// Where target t of a Reduction stands. row_of is null where the layout is that of the pattern.
TESSERA_HD inline double* target_of(const Target& target, const Index* row_of, Offset nnz, Index t) {
  if (t >= nnz) return target.b + (t - nnz);
  if (!row_of) return target.values + t;
  const Index row = row_of[t];
  return target.values + target.layout.first(row) + (t - target.pattern.row_ptr[row]) * target.layout.step();
}

/// Position in A of dof j in the row of dof i: by slot, or a search in the row where there are no slots.
TESSERA_HD inline Offset entry_position(const BlockView& block, const linalg::CrsView<double>& A, Offset place, int i,
                                        int j, Index row, Index col) {
  const Offset first = A.row_ptr[row];
  if (block.slots) return first + block.slots[place * block.slot_stride + (i * block.nodes + j) * block.slot_step];
  return first + find_in_row(A.col_ind.data() + first, static_cast<Index>(A.row_ptr[row + 1] - first), col);
}

}  // namespace tessera::assembly
