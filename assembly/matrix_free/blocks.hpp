#pragma once
#include <memory>
#include <vector>

#include "assembly/matrix_free/line_tables.hpp"
#include "base/array.hpp"
#include "base/backend.hpp"
#include "forms/components.hpp"

namespace tessera::assembly::matrix_free {

// An application is two passes: every block writes the contributions of its cells to one long element vector, then each
// dof adds up its own through a list. No two threads write one place, so the result is repeatable. Dofs inside a quad
// or hex have one cell only and are written to y at once.

/// Quads or hexes applied by sum factorisation. n = order + 1 nodes and Gauss points an axis; places are lexicographic,
/// x fastest, of forms with several unknowns a node those of one component after the other: [components, n^dim].
template <class Form>
struct TensorView {
  using T = typename Form::Number;
  int dim = 3;
  int n = 2;
  Index cells = 0;
  Offset first = 0;        ///< where its cells begin in the element vector
  Offset cell_stride = 0;  ///< of dofs and of the element vector: place l of cell c stands at place(c, l)
  Offset place_stride = 1;
  const Index* dofs = nullptr;  ///< ~dof where its value is fixed
  const T* map = nullptr;       ///< multilinear cells: 2^dim - 1 coefficients of dim, see LineJacobian; null: `factors`
  Offset map_stride = 0;        ///< of cells; entries of a cell stand map_step apart
  Offset map_step = 1;
  /// [cells, components, n^dim]: w |det J| J^-1 C_gg J^-T packed, then w |det J| C_vv where it is there; of forms with
  /// several unknowns a node J^-1 row by row, then w |det J|.
  const T* factors = nullptr;
  const Index* region = nullptr;  ///< [cells]; null: all 0
  Form form;                      ///< with `map`, or with several unknowns a node
  bool has_value = false;         ///< C_vv is there; with several unknowns a node C has rows and columns of values

  TESSERA_HD int points() const { return dim == 2 ? n * n : n * n * n; }
  TESSERA_HD int places() const { return forms::components_of<Form>(dim) * points(); }
  TESSERA_HD Offset place(Offset cell, int l) const { return cell * cell_stride + l * place_stride; }
  TESSERA_HD Index region_of(Offset cell) const { return region ? region[cell] : 0; }
};

/// Whether CUDA gives each cell of a tensor block one thread, which holds it in registers; such blocks are stored in
/// columns of cells, so that neighbouring threads read neighbouring entries.
constexpr bool one_thread_a_cell(int n, int dim) { return n == 2 || (n == 3 && dim == 2); }

/// Cells, or facets, with their matrices kept; a node has a row for each of its unknowns. Entry i of cell c stands at c
/// * cell_stride + i * node_stride.
template <class T>
struct LocalView {
  int nodes = 0;  ///< rows
  Index cells = 0;
  Offset first = 0;  ///< where its cells begin in the element vector
  Offset cell_stride = 0, node_stride = 0;
  Offset matrix_stride = 0, entry_stride = 0;  ///< of cells and of entries of the matrices
  const Index* dofs = nullptr;                 ///< ~dof where its value is fixed
  const T* matrices = nullptr;                 ///< packed upper triangles

  TESSERA_HD Offset place(Offset cell, int node) const { return cell * cell_stride + node * node_stride; }
};

/// Indices that an operator and its copies in float have in common. Whoever changes them and is not alone makes a copy
/// of its own before: see own().
template <class Space>
using SharedIndices = std::shared_ptr<Array<Index, Space>>;

template <class Space>
SharedIndices<Space> share(Array<Index, Space> indices) {
  return std::make_shared<Array<Index, Space>>(std::move(indices));
}

template <class Space, class Form>
struct TensorBlock {
  using T = typename Form::Number;
  LineTables tables;
  SharedIndices<Space> dofs;
  SharedIndices<Space> region;  ///< null: all 0
  Array<T, Space> map, factors;
  std::vector<Array<T, Space>> fields;
  TensorView<Form> view;
};

template <class Space, class T>
struct LocalBlock {
  SharedIndices<Space> dofs;
  Array<T, Space> matrices;
  LocalView<T> view;
};

/// Adds up the element vector: y[rows[i]] = sum of entries[ptr[i] .. ptr[i+1]).
struct GatherView {
  Index count = 0;
  const Index* rows = nullptr;
  const Index* ptr = nullptr;
  const Index* entries = nullptr;
};
template <class Space>
struct GatherList {
  Array<Index, Space> rows, ptr, entries;

  GatherView view() const { return {static_cast<Index>(rows.size()), rows.data(), ptr.data(), entries.data()}; }
  double bytes() const { return static_cast<double>(rows.bytes() + ptr.bytes() + entries.bytes()); }
};
/// Never changed, only replaced: copies in float have it in common with their operator.
template <class Space>
using SharedGatherList = std::shared_ptr<const GatherList<Space>>;
struct HostGatherList {
  std::vector<Index> rows, ptr, entries;
};

/// elements of the block = its cells' contributions to A x; those of dofs inside the cells go to y instead.
template <class Form>
void apply_tensor(Threads& exec, const LineTables& tables, const TensorView<Form>& block,
                  const typename Form::Number* x, typename Form::Number* y, typename Form::Number* elements);
template <class Form>
void apply_tensor(Cuda& exec, const LineTables& tables, const TensorView<Form>& block, const typename Form::Number* x,
                  typename Form::Number* y, typename Form::Number* elements);

}  // namespace tessera::assembly::matrix_free
