#pragma once
#include <vector>

#include "base/backend.hpp"
#include "linalg/block_crs.hpp"
#include "linalg/crs.hpp"
#include "linalg/row_layout.hpp"

namespace tessera::assembly {

/// Eliminates u[dofs] = values symmetrically: for a free row i, b_i -= sum of a_ij values_j and a_ij = 0; the row of a
/// fixed dof keeps its own diagonal entry (which keeps the conditioning; 1 where it is not positive) and b_j = a_jj
/// values_j. A dof given twice takes its last value. One pass over A; every row is its own, so the result is
/// repeatable. Throws Error(internal) for a dof outside A or where dofs and values differ in length.
template <class Exec>
void eliminate_dirichlet(Exec& exec, linalg::Crs<typename Exec::Space>& A, View<double> b,
                         const std::vector<Index>& dofs, const std::vector<double>& values);
/// The same on the values of another format: entry k of a row of `pattern` stands where `layout` says. The values of
/// `pattern` are neither read nor written, so a matrix that is assembled straight into its format needs none in CRS.
template <class Exec>
void eliminate_dirichlet(Exec& exec, const linalg::Crs<typename Exec::Space>& pattern, const linalg::RowLayout& layout,
                         View<double> values, View<double> b, const std::vector<Index>& dofs,
                         const std::vector<double>& prescribed);

/// The same of block rows: row node * block + c is component c of a node.
template <class Exec>
void eliminate_dirichlet(Exec& exec, linalg::BlockCrs<typename Exec::Space>& A, View<double> b,
                         const std::vector<Index>& rows, const std::vector<double>& values);

/// What an elimination took out of a matrix, kept, so that prescribed values may change while the matrix stays: in
/// time, in the steps of Newton's method or of a load.
template <class Space>
struct RemovedColumns {
  Array<Index, Space> fixed;      ///< rows; -1 where a row comes again later: its last value counts
  Array<Index, Space> number;     ///< [all rows] of each its place in `fixed`; -1: it is free
  Array<double, Space> diagonal;  ///< [fixed], undefined at -1
  Array<Index, Space> rows;       ///< free rows that lost entries
  Array<Offset, Space> ptr;       ///< [rows + 1]
  Array<Index, Space> columns;    ///< of the entries, as places in `fixed`
  Array<double, Space> entries;
};

/// Takes rows and columns `fixed` out of A, as eliminate_dirichlet does. Throws Error(internal) for a row outside A.
template <class Exec>
RemovedColumns<typename Exec::Space> remove_columns(Exec& exec, linalg::Crs<typename Exec::Space>& A,
                                                    const std::vector<Index>& fixed);
template <class Exec>
RemovedColumns<typename Exec::Space> remove_columns(Exec& exec, linalg::BlockCrs<typename Exec::Space>& A,
                                                    const std::vector<Index>& fixed);

/// The same for other values of the matrix of which `removed` is: no allocations, nothing waits.
template <class Exec>
void remove_again(Exec& exec, linalg::Crs<typename Exec::Space>& A, RemovedColumns<typename Exec::Space>& removed);

/// b of the problem without prescribed values becomes that with them, [fixed], where b lives. Throws Error(internal)
/// for another number of values.
template <class Exec>
void prescribe(Exec& exec, const RemovedColumns<typename Exec::Space>& removed, View<const double> values,
               View<double> b);

}  // namespace tessera::assembly
