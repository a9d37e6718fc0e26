#pragma once
#include <vector>

#include "base/backend.hpp"
#include "linalg/block_crs.hpp"
#include "linalg/crs.hpp"

namespace tessera::linalg {

/// The rows that a rank owns of the matrix of all that it sees, [local, local], whose last columns are its ghosts:
/// `own` [owned, owned] and `ghost` [boundary, ghosts], the columns of the ghosts in the rows `boundary`, ascending,
/// beside which there are none. Matrix is Crs or BlockCrs, whose numbers are those of its block rows.
template <class Matrix>
struct SplitMatrix {
  Matrix own, ghost;
};
template <class Exec, class Matrix>
SplitMatrix<Matrix> split_ghosts(Exec& exec, const Matrix& local, const std::vector<Index>& boundary, Index owned);

}  // namespace tessera::linalg
