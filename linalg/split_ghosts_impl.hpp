#pragma once
// split_ghosts, written once; instantiated by split_ghosts_threads.cpp and split_ghosts_cuda.cu.
#include <utility>

#include "base/lower_bound.hpp"
#include "base/parallel.hpp"
#include "linalg/split_ghosts.hpp"

namespace tessera::linalg {

namespace detail {

/// Columns of entries [from, from + count) of one matrix to `to` of another, where they count from `first_column`.
struct MoveColumns {
  View<const Index> from_columns;
  View<Index> columns;
  Index first_column;

  TESSERA_HD void operator()(Offset from, Offset to, Offset count) const {
    for (Offset k = 0; k < count; ++k) columns[to + k] = from_columns[from + k] - first_column;
  }
};
/// Their values, `size` an entry.
struct MoveValues {
  View<const double> from_values;
  View<double> values;
  Offset size;

  TESSERA_HD void operator()(Offset from, Offset to, Offset count) const {
    for (Offset k = 0; k < count * size; ++k) values[to * size + k] = from_values[from * size + k];
  }
};

/// move_own(from, to, count) of the entries of each owned row that are its own, move_ghosts of the others.
template <class Exec, class Matrix, class Move>
void move_parts(Exec& exec, const Matrix& local, const SplitMatrix<Matrix>& to, Move move_own, Move move_ghosts) {
  const View<const Index> rows = to.boundary.view();
  const View<const Offset> row_ptr = local.row_ptr.view(), own_ptr = to.own.row_ptr.view(),
                           ghost_ptr = to.ghost.row_ptr.view();
  for_each(exec, own_ptr.size() - 1,
           [=] TESSERA_HD(Offset row) { move_own(row_ptr[row], own_ptr[row], own_ptr[row + 1] - own_ptr[row]); });
  for_each(exec, rows.size(), [=] TESSERA_HD(Offset k) {
    const Offset count = ghost_ptr[k + 1] - ghost_ptr[k];
    move_ghosts(row_ptr[rows[k] + 1] - count, ghost_ptr[k], count);
  });
}

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

template <class Exec, class Matrix>
void refill_split(Exec& exec, const Matrix& local, SplitMatrix<Matrix>& to) {
  Offset size = 1;
  if constexpr (requires { local.block; }) size = Offset{local.block} * local.block;
  detail::move_parts(exec, local, to, detail::MoveValues{local.values.view(), to.own.values.view(), size},
                     detail::MoveValues{local.values.view(), to.ghost.values.view(), size});
}

template <class Exec, class Matrix>
SplitMatrix<Matrix> split_ghosts(Exec& exec, const Matrix& local, const std::vector<Index>& boundary, Index owned) {
  using Space = typename Exec::Space;
  SplitMatrix<Matrix> result;
  Index block = 1;
  if constexpr (requires { local.block; }) block = result.own.block = result.ghost.block = local.block;
  result.boundary = to_space<Space>(boundary);
  const View<const Index> rows = std::as_const(result).boundary.view(), col_ind = local.col_ind.view();
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
  for_each(exec, Offset{owned} + 1, [=] TESSERA_HD(Offset row) {
    own_ptr[row] = row_ptr[row] - ghost_ptr[lower_bound(rows.data(), 0, rows.size(), row)];
  });
  detail::move_parts(exec, local, result, detail::MoveColumns{col_ind, result.own.col_ind.view(), 0},
                     detail::MoveColumns{col_ind, result.ghost.col_ind.view(), owned});
  refill_split(exec, local, result);
  return result;
}

#define TESSERA_INSTANTIATE_SPLIT_GHOSTS(Exec)                                                                   \
  template SplitMatrix<Crs<Exec::Space>> split_ghosts(Exec&, const Crs<Exec::Space>&, const std::vector<Index>&, \
                                                      Index);                                                    \
  template SplitMatrix<BlockCrs<Exec::Space>> split_ghosts(Exec&, const BlockCrs<Exec::Space>&,                  \
                                                           const std::vector<Index>&, Index);                    \
  template void refill_split(Exec&, const Crs<Exec::Space>&, SplitMatrix<Crs<Exec::Space>>&);                    \
  template void refill_split(Exec&, const BlockCrs<Exec::Space>&, SplitMatrix<BlockCrs<Exec::Space>>&)

}  // namespace tessera::linalg
