#pragma once
#include <utility>

#include "assembly/space/dirichlet.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly {

/// Fixed dofs, ascending, each once with the last of its values.
struct FixedDofs {
  std::vector<Index> dofs;
  std::vector<double> values;
};
/// Throws Error(internal) for a dof that is no row, or where dofs and values differ in length.
FixedDofs fixed_dofs(Index rows, const std::vector<Index>& dofs, const std::vector<double>& values);
/// Throws Error(internal) unless there is a value for each fixed dof.
void check_values(std::size_t fixed, std::size_t values);

/// Which rows are fixed, and at what: [rows], 0 on the others.
template <class T, class Space>
struct FixedRows {
  Array<unsigned char, Space> fixed;
  Array<T, Space> values;
};

/// On the backend; waits.
template <class T, class Exec>
FixedRows<T, typename Exec::Space> mark_fixed_rows(Exec& exec, Index rows, const FixedDofs& fixed) {
  using Space = typename Exec::Space;
  FixedRows<T, Space> marks{Array<unsigned char, Space>(rows), Array<T, Space>(rows)};
  const auto dofs = to_space<Space>(fixed.dofs);
  const auto values = to_space<Space>(fixed.values);
  const View<const Index> dof = dofs.view();
  const View<const double> value = values.view();
  const View<unsigned char> is_fixed = marks.fixed.view();
  const View<T> prescribed = marks.values.view();
  for_each(exec, rows, [=] TESSERA_HD(Offset row) { is_fixed[row] = 0, prescribed[row] = 0; });
  for_each(exec, dof.size(), [=] TESSERA_HD(Offset i) {
    is_fixed[dof[i]] = 1;
    prescribed[dof[i]] = static_cast<T>(value[i]);
  });
  exec.synchronize();  // the lists are released here
  return marks;
}

template <class Exec>
void eliminate_dirichlet(Exec& exec, const linalg::Crs<typename Exec::Space>& pattern, const linalg::RowLayout& layout,
                         View<double> values, View<double> b, const std::vector<Index>& dofs,
                         const std::vector<double>& prescribed) {
  if (dofs.empty() && prescribed.empty()) return;
  const auto marks = mark_fixed_rows<double>(exec, pattern.rows, fixed_dofs(pattern.rows, dofs, prescribed));
  const View<const unsigned char> is_fixed = marks.fixed.view();
  const View<const double> value = marks.values.view();
  const linalg::CrsView<const double> a = pattern.view();
  for_each(exec, pattern.rows, [=] TESSERA_HD(Offset row) {
    const Index* cols = a.col_ind.data() + a.row_ptr[row];
    const Offset length = a.row_ptr[row + 1] - a.row_ptr[row];
    double* entries = values.data() + layout.first(static_cast<Index>(row));
    if (is_fixed[row]) {
      double diagonal = 0;
      for (Offset k = 0; k < length; ++k) {
        double& entry = entries[k * layout.step()];
        if (cols[k] == row) {
          if (!(entry > 0)) entry = 1;
          diagonal = entry;
        } else {
          entry = 0;
        }
      }
      b[row] = diagonal * value[row];
      return;
    }
    double lifted = 0;
    for (Offset k = 0; k < length; ++k) {
      if (!is_fixed[cols[k]]) continue;
      lifted += entries[k * layout.step()] * value[cols[k]];
      entries[k * layout.step()] = 0;
    }
    b[row] -= lifted;
  });
  exec.synchronize();  // the marks are released here
}

template <class Exec>
void eliminate_dirichlet(Exec& exec, linalg::Crs<typename Exec::Space>& A, View<double> b,
                         const std::vector<Index>& dofs, const std::vector<double>& values) {
  eliminate_dirichlet(exec, A, {A.row_ptr.data(), 1}, A.values.view(), b, dofs, values);
}

/// The same entries as block rows of one number.
template <class Space>
linalg::BlockCrsView<double> as_blocks(linalg::Crs<Space>& A) {
  return {A.rows, A.cols, 1, A.row_ptr.view(), A.col_ind.view(), A.values.view()};
}

/// Calls visit(column, entry) for the entries of a row.
template <class Visit>
TESSERA_HD inline void visit_entries(const linalg::BlockCrsView<double>& A, Offset row, Visit visit) {
  const int m = A.block;
  const Offset node = row / m;
  for (Offset k = A.row_ptr[node]; k < A.row_ptr[node + 1]; ++k)
    for (int d = 0; d < m; ++d) visit(Offset{A.col_ind[k]} * m + d, A.values[(k * m + row % m) * m + d]);
}

template <class Exec>
void eliminate_dirichlet(Exec& exec, linalg::BlockCrs<typename Exec::Space>& A, View<double> b,
                         const std::vector<Index>& rows, const std::vector<double>& values) {
  if (rows.empty() && values.empty()) return;
  const auto marks = mark_fixed_rows<double>(exec, A.rows, fixed_dofs(A.rows, rows, values));
  const View<const unsigned char> is_fixed = marks.fixed.view();
  const View<const double> value = marks.values.view();
  const linalg::BlockCrsView<double> view = A.view();
  for_each(exec, A.rows, [=] TESSERA_HD(Offset row) {
    const bool fixed = is_fixed[row];
    double lifted = 0, diagonal = 0;
    visit_entries(view, row, [&](Offset col, double& entry) {
      if (fixed && col == row) {
        if (!(entry > 0)) entry = 1;
        diagonal = entry;
      } else if (fixed || is_fixed[col]) {
        if (!fixed) lifted += entry * value[col];
        entry = 0;
      }
    });
    b[row] = fixed ? diagonal * value[row] : b[row] - lifted;
  });
  exec.synchronize();  // the marks are released here
}

/// The entries of A that stand in the rows and columns of `removed` go there.
template <class Exec>
void take_entries(Exec& exec, const linalg::BlockCrsView<double>& A, RemovedColumns<typename Exec::Space>& removed) {
  const View<const Index> row_of = removed.rows.view(), fixed = removed.fixed.view(), number_of = removed.number.view();
  const View<const Offset> first = removed.ptr.view();
  const View<Index> column = removed.columns.view();
  const View<double> entry_of = removed.entries.view(), diagonal = removed.diagonal.view();
  for_each(exec, removed.rows.size(), [=] TESSERA_HD(Offset k) {
    Offset to = first[k];
    visit_entries(A, row_of[k], [&](Offset col, double& entry) {
      if (number_of[col] < 0) return;
      column[to] = number_of[col];
      entry_of[to++] = entry;
      entry = 0;
    });
  });
  for_each(exec, removed.fixed.size(), [=] TESSERA_HD(Offset k) {
    const Index row = fixed[k];
    if (row < 0) return;
    visit_entries(A, row, [&](Offset col, double& entry) {
      if (col != row) {
        entry = 0;
        return;
      }
      if (!(entry > 0)) entry = 1;
      diagonal[k] = entry;
    });
  });
}

template <class Exec>
RemovedColumns<typename Exec::Space> take_columns(Exec& exec, const linalg::BlockCrsView<double>& A,
                                                  const std::vector<Index>& fixed) {
  using Space = typename Exec::Space;
  RemovedColumns<Space> removed;
  std::vector<Index> number(static_cast<std::size_t>(A.rows), -1);
  fixed_dofs(A.rows, fixed, std::vector<double>(fixed.size()));  // for its checks
  for (std::size_t i = 0; i < fixed.size(); ++i) number[fixed[i]] = static_cast<Index>(i);
  std::vector<Index> last = fixed;  // of a row that is there twice the last place counts
  for (std::size_t i = 0; i < fixed.size(); ++i)
    if (number[fixed[i]] != static_cast<Index>(i)) last[i] = -1;
  removed.fixed = to_space<Space>(last);
  removed.number = to_space<Space>(number);
  const View<const Index> number_of = std::as_const(removed.number).view();

  // How many entries each free row loses, zeros among them: their places stay when the values change.
  Array<Index, Space> counts(A.rows);
  const View<Index> count_of = counts.view();
  for_each(exec, A.rows, [=] TESSERA_HD(Offset row) {
    Index count = 0;
    if (number_of[row] < 0) visit_entries(A, row, [&](Offset col, double&) { count += number_of[col] >= 0; });
    count_of[row] = count;
  });
  exec.synchronize();
  std::vector<Index> rows;
  std::vector<Offset> ptr{0};
  const std::vector<Index> on_host = to_vector(counts);
  for (Index row = 0; row < A.rows; ++row)
    if (on_host[row] > 0) rows.push_back(row), ptr.push_back(ptr.back() + on_host[row]);
  removed.rows = to_space<Space>(rows);
  removed.ptr = to_space<Space>(ptr);
  removed.columns = Array<Index, Space>(ptr.back());
  removed.entries = Array<double, Space>(ptr.back());
  removed.diagonal = Array<double, Space>(static_cast<Offset>(fixed.size()));
  take_entries(exec, A, removed);
  return removed;
}

template <class Exec>
RemovedColumns<typename Exec::Space> remove_columns(Exec& exec, linalg::Crs<typename Exec::Space>& A,
                                                    const std::vector<Index>& fixed) {
  return take_columns(exec, as_blocks(A), fixed);
}

template <class Exec>
RemovedColumns<typename Exec::Space> remove_columns(Exec& exec, linalg::BlockCrs<typename Exec::Space>& A,
                                                    const std::vector<Index>& fixed) {
  return take_columns(exec, A.view(), fixed);
}

template <class Exec>
void remove_again(Exec& exec, linalg::Crs<typename Exec::Space>& A, RemovedColumns<typename Exec::Space>& removed) {
  take_entries(exec, as_blocks(A), removed);
}

template <class Exec>
void prescribe(Exec& exec, const RemovedColumns<typename Exec::Space>& removed, View<const double> value,
               View<double> b) {
  check_values(static_cast<std::size_t>(removed.fixed.size()), static_cast<std::size_t>(value.size()));
  const View<const double> entry = removed.entries.view(), diagonal = removed.diagonal.view();
  const View<const Index> row_of = removed.rows.view(), column = removed.columns.view(), fixed = removed.fixed.view();
  const View<const Offset> first = removed.ptr.view();
  for_each(exec, removed.rows.size(), [=] TESSERA_HD(Offset k) {
    double lifted = 0;
    for (Offset e = first[k]; e < first[k + 1]; ++e) lifted += entry[e] * value[column[e]];
    b[row_of[k]] -= lifted;
  });
  for_each(exec, removed.fixed.size(), [=] TESSERA_HD(Offset k) {
    if (fixed[k] >= 0) b[fixed[k]] = diagonal[k] * value[k];
  });
}

/// Instantiates the elimination on a backend.
#define TESSERA_DIRICHLET(Exec)                                                                                      \
  template void eliminate_dirichlet<Exec>(Exec&, linalg::Crs<Exec::Space>&, View<double>, const std::vector<Index>&, \
                                          const std::vector<double>&);                                               \
  template void eliminate_dirichlet<Exec>(Exec&, const linalg::Crs<Exec::Space>&, const linalg::RowLayout&,          \
                                          View<double>, View<double>, const std::vector<Index>&,                     \
                                          const std::vector<double>&);                                               \
  template void eliminate_dirichlet<Exec>(Exec&, linalg::BlockCrs<Exec::Space>&, View<double>,                       \
                                          const std::vector<Index>&, const std::vector<double>&);                    \
  template RemovedColumns<Exec::Space> remove_columns<Exec>(Exec&, linalg::Crs<Exec::Space>&,                        \
                                                            const std::vector<Index>&);                              \
  template RemovedColumns<Exec::Space> remove_columns<Exec>(Exec&, linalg::BlockCrs<Exec::Space>&,                   \
                                                            const std::vector<Index>&);                              \
  template void remove_again<Exec>(Exec&, linalg::Crs<Exec::Space>&, RemovedColumns<Exec::Space>&);                  \
  template void prescribe<Exec>(Exec&, const RemovedColumns<Exec::Space>&, View<const double>, View<double>)

}  // namespace tessera::assembly
