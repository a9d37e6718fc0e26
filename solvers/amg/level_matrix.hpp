#pragma once
#include "linalg/crs.hpp"

namespace tessera::solvers::amg {

/// A matrix of the cycle in slices of `slice` rows: entry k of a row stands at starts[row / slice] + row % slice +
/// k slice. In slices of one row this is CRS; rows that are shorter than others of their slice end with the column -1.
template <class V>
struct LevelMatrixView {
  Index rows = 0, cols = 0;
  Index slice = 1;
  View<const Offset> starts;  ///< [slices + 1]
  View<const Index> col_ind;
  View<const V> values;

  TESSERA_HD Offset first(Offset row) const { return starts[row / slice] + row % slice; }
  TESSERA_HD Offset end(Offset row) const { return starts[row / slice + 1]; }
};

/// Borrows the pattern of the CRS matrix that it was made of where slices have one row, which must outlive it, and owns
/// its values. One value an entry; in slices also 4 B an entry.
template <class Space, class V>
struct LevelMatrix {
  Index rows = 0, cols = 0;
  Index slice = 1;
  View<const Offset> starts;
  View<const Index> col_ind;
  Array<V, Space> values;
  Array<Offset, Space> own_starts;
  Array<Index, Space> own_col_ind;

  LevelMatrixView<V> view() const { return {rows, cols, slice, starts, col_ind, values.view()}; }
};

/// Rows from which slices of a warp are worth their columns: two waves of threads on an H200.
inline constexpr Index sliced_rows = 1 << 19;

/// Rounded to V, in slices of a warp where a GPU has rows for all its threads, for then each can have a row.
template <class Exec, class V>
LevelMatrix<typename Exec::Space, V> make_level_matrix(Exec& exec, const linalg::CrsView<const double>& A,
                                                       double scale);
/// New values scale * A of the same pattern.
template <class Exec, class V>
void refill_level_matrix(Exec& exec, const linalg::CrsView<const double>& A, double scale,
                         LevelMatrix<typename Exec::Space, V>& to);

}  // namespace tessera::solvers::amg
