#pragma once
// split_ghosts, written once; instantiated by split_ghosts_threads.cpp and split_ghosts_cuda.cu.
#include "base/parallel.hpp"
#include "linalg/split_ghosts.hpp"

namespace tessera::linalg {

namespace detail {

/// How many of ascending `items` are less than `value`.
TESSERA_HD inline Offset less_than(const View<const Index>& items, Offset value) {
  Offset first = 0, last = items.size();
  while (first < last) {
    const Offset middle = (first + last) / 2;
    if (items[middle] < value)
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

/// Entries [from, from + count) of one matrix to `to` of another, whose columns count from `first_column`; `size`
/// values an entry.
struct MoveEntries {
  View<const Index> from_columns;
  View<const double> from_values;
  View<Index> columns;
  View<double> values;
  Index first_column;
  Offset size;

  TESSERA_HD void operator()(Offset from, Offset to, Offset count) const {
    for (Offset k = 0; k < count; ++k) columns[to + k] = from_columns[from + k] - first_column;
    for (Offset k = 0; k < count * size; ++k) values[to * size + k] = from_values[from * size + k];
  }
};

template <class Space>
void reserve_entries(Crs<Space>& matrix, Offset entries) {
  matrix.col_ind = Array<Index, Space>(entries);
  matrix.values = Array<double, Space>(entries);
}
template <class Space>
void reserve_entries(BlockCrs<Space>& matrix, Offset entries) {
  matrix.col_ind = Array<Index, Space>(entries);
  matrix.values = Array<double, Space>(entries * matrix.block * matrix.block);
}

/// Ghosts of each row of `rows`, added up: [rows + 1].
template <class Exec>
std::vector<Offset> ghosts_before(Exec& exec, View<const Offset> row_ptr, View<const Index> col_ind,
                                  View<const Index> rows, Index owned) {
  Array<Index, typename Exec::Space> counts(rows.size());
  const View<Index> count = counts.view();
  for_each(exec, rows.size(), [=] TESSERA_HD(Offset k) {
    Index ghosts = 0;
    for (Offset e = row_ptr[rows[k] + 1]; e > row_ptr[rows[k]] && col_ind[e - 1] >= owned; --e) ++ghosts;
    count[k] = ghosts;
  });
  std::vector<Offset> before{0};
  for (const Index ghosts : to_vector(counts)) before.push_back(before.back() + ghosts);
  return before;
}

}  // namespace detail

/// The columns of a row ascend: its ghosts are its last entries.
template <class Exec, class Matrix>
SplitMatrix<Matrix> split_ghosts(Exec& exec, const Matrix& local, const std::vector<Index>& boundary, Index owned) {
  using Space = typename Exec::Space;
  SplitMatrix<Matrix> result;
  Index block = 1;
  if constexpr (requires { local.block; }) block = result.own.block = result.ghost.block = local.block;
  const Array<Index, Space> list = to_space<Space>(boundary);
  const View<const Index> rows = list.view(), col_ind = local.col_ind.view();
  const View<const Offset> row_ptr = local.row_ptr.view();
  const std::vector<Offset> ghosts = detail::ghosts_before(exec, row_ptr, col_ind, rows, owned);
  Offset entries = 0;
  copy_bytes(Space{}, row_ptr.data() + owned, Host{}, &entries, sizeof entries);

  result.own.rows = result.own.cols = owned * block;
  result.ghost.rows = static_cast<Index>(boundary.size()) * block;
  result.ghost.cols = local.cols - owned * block;
  result.own.row_ptr = Array<Offset, Space>(Offset{owned} + 1);
  result.ghost.row_ptr = to_space<Space>(ghosts);
  detail::reserve_entries(result.own, entries - ghosts.back());
  detail::reserve_entries(result.ghost, ghosts.back());

  const View<Offset> own_ptr = result.own.row_ptr.view();
  const View<const Offset> ghost_ptr = std::as_const(result.ghost).row_ptr.view();
  for_each(exec, Offset{owned} + 1,
           [=] TESSERA_HD(Offset row) { own_ptr[row] = row_ptr[row] - ghost_ptr[detail::less_than(rows, row)]; });
  const auto mover = [&](Matrix& to, Index first_column) {
    return detail::MoveEntries{col_ind,          local.values.view(), to.col_ind.view(),
                               to.values.view(), first_column,        Offset{block} * block};
  };
  const detail::MoveEntries move_own = mover(result.own, 0), move_ghosts = mover(result.ghost, owned);
  for_each(exec, owned,
           [=] TESSERA_HD(Offset row) { move_own(row_ptr[row], own_ptr[row], own_ptr[row + 1] - own_ptr[row]); });
  for_each(exec, rows.size(), [=] TESSERA_HD(Offset k) {
    const Offset count = ghost_ptr[k + 1] - ghost_ptr[k];
    move_ghosts(row_ptr[rows[k] + 1] - count, ghost_ptr[k], count);
  });
  return result;
}

#define TESSERA_INSTANTIATE_SPLIT_GHOSTS(Exec)                                                                   \
  template SplitMatrix<Crs<Exec::Space>> split_ghosts(Exec&, const Crs<Exec::Space>&, const std::vector<Index>&, \
                                                      Index);                                                    \
  template SplitMatrix<BlockCrs<Exec::Space>> split_ghosts(Exec&, const BlockCrs<Exec::Space>&,                  \
                                                           const std::vector<Index>&, Index)

}  // namespace tessera::linalg
