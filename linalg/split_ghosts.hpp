#pragma once
#include "base/backend.hpp"
#include "linalg/block_crs.hpp"
#include "linalg/crs.hpp"

namespace tessera::linalg {

/// The rows that a rank owns of the matrix of all that it sees, [local, local], whose last columns are its ghosts:
/// `own` [owned, owned] and `ghost` [owned - interior, ghosts], the columns of the ghosts in the last of those rows,
/// beside which there are none. Matrix is Crs or BlockCrs; numbers are those of nodes, also for block rows.
template <class Matrix>
struct SplitMatrix;
template <template <class, class> class Matrix, class Space, class T>
struct SplitMatrix<Matrix<Space, T>> {
  Matrix<Space, T> own, ghost;
  /// Where in `local` entries stand: those of `own` but for the interior rows, which begin both; then those of `ghost`.
  Array<Offset, Space> own_from, ghost_from;
};
template <class Matrix>
SplitMatrix<Matrix> split_ghosts(const Matrix& local, Index interior, Index owned);

/// Takes the values of a matrix of the pattern that `to` was made of. Nothing is allocated, and nothing goes over the
/// host.
template <class Exec, template <class, class> class Matrix, class T>
void refill_split(Exec& exec, const Matrix<typename Exec::Space, T>& local,
                  SplitMatrix<Matrix<typename Exec::Space, T>>& to);

}  // namespace tessera::linalg
