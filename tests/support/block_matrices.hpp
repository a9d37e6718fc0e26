#pragma once
// Matrices of block rows made by hand, and what they are entry by entry.
#include "linalg/block_crs.hpp"
#include "support/sparse_matrices.hpp"

namespace tessera::testing {

/// A matrix of block rows on the host.
struct HostBlocks {
  int block = 1;
  HostMatrix pattern;          ///< of the blocks; its values do not count
  std::vector<double> values;  ///< [blocks, block, block]

  template <class Space, class T = double>
  linalg::BlockCrs<Space, T> to() const {
    linalg::BlockCrs<Space, T> A;
    A.rows = pattern.rows * block;
    A.cols = pattern.cols * block;
    A.block = block;
    A.row_ptr = to_space<Space>(pattern.row_ptr);
    A.col_ind = to_space<Space>(pattern.col_ind);
    A.values = to_space<Space>(std::vector<T>(values.begin(), values.end()));
    return A;
  }
  /// The diagonal block of a node, row by row; null where there is none.
  double* diagonal(Index node) {
    for (Offset k = pattern.row_ptr[node]; k < pattern.row_ptr[node + 1]; ++k)
      if (pattern.col_ind[k] == node) return values.data() + k * block * block;
    return nullptr;
  }
  /// Entry for entry.
  HostMatrix expanded() const {
    HostMatrix A;
    A.rows = pattern.rows * block;
    A.cols = pattern.cols * block;
    for (Index row = 0; row < A.rows; ++row) {
      for (Offset k = pattern.row_ptr[row / block]; k < pattern.row_ptr[row / block + 1]; ++k)
        for (int j = 0; j < block; ++j)
          A.add(pattern.col_ind[k] * block + j, values[(k * block + row % block) * block + j]);
      A.end_row();
    }
    return A;
  }
};

/// Random blocks in (-1, 1) in a pattern.
inline HostBlocks blocks_in(HostMatrix pattern, int block, unsigned seed) {
  HostBlocks A{block, std::move(pattern), {}};
  A.values = random_vector(static_cast<Offset>(A.pattern.col_ind.size()) * block * block, seed);
  return A;
}

/// Like linear elasticity on a grid of n^dim nodes: -C for every neighbour with a random symmetric positive definite C
/// of the edge, and their sum with a share of the unit matrix on the diagonal. Symmetric positive definite.
inline HostBlocks vector_laplacian(int n, int dim, int block, double shift = 0.1) {
  HostBlocks A{block, laplacian(n, dim), {}};
  const int numbers = block * block;
  A.values.assign(A.pattern.col_ind.size() * static_cast<std::size_t>(numbers), 0.0);
  for (Index row = 0; row < A.pattern.rows; ++row) {
    double* diagonal = A.diagonal(row);
    for (int i = 0; i < block; ++i) diagonal[i * block + i] = shift * (1 + 10 * i);
    for (Offset k = A.pattern.row_ptr[row]; k < A.pattern.row_ptr[row + 1]; ++k) {
      const Index col = A.pattern.col_ind[k];
      if (col == row) continue;
      const auto seed = static_cast<unsigned>(std::min(row, col) * 7919 + std::max(row, col));
      const auto g = random_vector(numbers, seed);
      for (int i = 0; i < block; ++i)
        for (int j = 0; j < block; ++j) {
          double c = i == j ? 0.2 : 0.0;  // C = G G^T + 0.2
          for (int l = 0; l < block; ++l) c += g[i * block + l] * g[j * block + l];
          A.values[k * numbers + i * block + j] = -c;
          diagonal[i * block + j] += c;
        }
    }
  }
  return A;
}

}  // namespace tessera::testing
