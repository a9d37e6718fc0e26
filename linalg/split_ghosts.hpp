#pragma once
#include <vector>

#include "base/backend.hpp"
#include "linalg/block_crs.hpp"
#include "linalg/crs.hpp"

namespace tessera::linalg {

/// The rows that a rank owns of the matrix of all that it sees, [local, local], whose last columns are its ghosts:
/// `own` [owned, owned] and `ghost` [boundary, ghosts], the columns of the ghosts in the rows `boundary`, ascending,
/// beside which there are none. Matrix is Crs or BlockCrs, whose numbers are those of its block rows; the columns of a
/// row ascend, so that its ghosts are its last entries.
template <class Matrix>
struct SplitMatrix;
template <template <class, class> class Matrix, class Space, class T>
struct SplitMatrix<Matrix<Space, T>> {
  Matrix<Space, T> own, ghost;
  Array<Index, Space> boundary;
};
template <class Exec, class Matrix>
SplitMatrix<Matrix> split_ghosts(Exec& exec, const Matrix& local, const std::vector<Index>& boundary, Index owned);

/// Takes the values of a matrix of the pattern that `to` was made of. Nothing is allocated, and nothing goes over the
/// host.
template <class Exec, class Matrix>
void refill_split(Exec& exec, const Matrix& local, SplitMatrix<Matrix>& to);

}  // namespace tessera::linalg
