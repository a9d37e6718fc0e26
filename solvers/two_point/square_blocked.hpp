#pragma once
#include "solvers/method.hpp"
#include "solvers/two_point/columns.hpp"
#include "solvers/two_point/two_point.hpp"

namespace tessera::solvers::two_point {

/// The square blocked full column major order of an s x r array [BVP08] fig. 2: blocks of n_b x n_b, each contiguous
/// and column major, in column major order themselves.
struct SquareBlocked {
  Offset s, r;
  Offset block;  ///< n_b

  Offset block_rows() const { return (s + block - 1) / block; }
  Offset block_columns() const { return (r + block - 1) / block; }
  Offset size() const { return block_rows() * block_columns() * block * block; }
  /// Where block (I, J) begins, and entry (i, j), from 0.
  Offset begin(Offset I, Offset J) const { return (J * block_rows() + I) * block * block; }
  Offset at(Offset i, Offset j) const { return begin(i / block, j / block) + (j % block) * block + i % block; }
};

inline constexpr int most_block = 256;

struct SquareBlockedParams {
  int rows = 0;    ///< as of ColumnsParams
  int block = 16;  ///< n_b
};

/// ND of [BVP08]: the steps of divide_and_conquer over the square blocked array, a block at a time and in the order
/// that finds the last blocks in the cache. The array is a workspace; where r s > n it begins with zeros.
template <class T, class R>
std::unique_ptr<TwoPointSolver<Threads, T>> make_square_blocked(const Columns& columns, int block);

MethodEntry square_blocked_entry();

}  // namespace tessera::solvers::two_point
