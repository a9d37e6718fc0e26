#pragma once
#include "assembly/facets/contact.hpp"
#include "assembly/space/sparsity.hpp"
#include "base/parallel.hpp"

namespace tessera::assembly {

template <class Exec>
void add_entries(Exec& exec, const MatrixEntries& entries, linalg::Crs<typename Exec::Space>& A) {
  using Space = typename Exec::Space;
  const auto rows = to_space<Space>(entries.rows);
  const auto cols = to_space<Space>(entries.cols);
  const auto values = to_space<Space>(entries.values);
  const Index* const row = rows.data();
  const Index* const col = cols.data();
  const double* const value = values.data();
  const Offset* const row_ptr = A.row_ptr.data();
  const Index* const col_ind = A.col_ind.data();
  double* const to = A.values.data();
  for_each(exec, static_cast<Offset>(entries.rows.size()), [=] TESSERA_HD(Offset k) {
    const Offset first = row_ptr[row[k]];
    const Index length = static_cast<Index>(row_ptr[row[k] + 1] - first);
    to[first + find_in_row(col_ind + first, length, col[k])] += value[k];
  });
  exec.synchronize();  // the entries are released here
}

}  // namespace tessera::assembly
