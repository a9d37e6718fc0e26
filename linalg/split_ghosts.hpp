#pragma once
#include "linalg/block_crs.hpp"
#include "linalg/crs.hpp"

namespace tessera::linalg {

/// The rows that a rank owns of the matrix of all that it sees, [local, local], whose last columns are its ghosts:
/// `own` [owned, owned] and `ghost` [owned - interior, ghosts], the columns of the ghosts in the last of those rows,
/// beside which there are none. Matrix is Crs or BlockCrs; numbers are those of nodes, also for block rows.
template <class Matrix>
struct SplitMatrix {
  Matrix own, ghost;
};
template <class Matrix>
SplitMatrix<Matrix> split_ghosts(const Matrix& local, Index interior, Index owned);

}  // namespace tessera::linalg
