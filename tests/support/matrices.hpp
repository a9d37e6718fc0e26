#pragma once
// Matrices made by hand, for tests of products and solvers.
#include <random>
#include <vector>

#include "linalg/crs.hpp"

namespace tessera::testing {

/// A matrix on the host, row by row.
struct HostMatrix {
  Index rows = 0, cols = 0;
  std::vector<Offset> row_ptr{0};
  std::vector<Index> col_ind;
  std::vector<double> values;

  void add(Index col, double value) {
    col_ind.push_back(col);
    values.push_back(value);
  }
  void end_row() { row_ptr.push_back(static_cast<Offset>(col_ind.size())); }

  template <class Space>
  linalg::Crs<Space> to() const {
    linalg::Crs<Space> A;
    A.rows = rows;
    A.cols = cols;
    A.row_ptr = to_space<Space>(row_ptr);
    A.col_ind = to_space<Space>(col_ind);
    A.values = to_space<Space>(values);
    return A;
  }
};

/// 2 d on the diagonal and -1 for every neighbour on a grid of n^d unknowns: the Dirichlet Laplacian without 1/h^2.
/// `neumann`: the diagonal counts the neighbours instead, so that constants are its kernel.
inline HostMatrix laplacian(int n, int dim, bool neumann = false) {
  HostMatrix A;
  const Index ny = dim > 1 ? n : 1, nz = dim > 2 ? n : 1;
  A.rows = A.cols = n * ny * nz;
  for (Index z = 0; z < nz; ++z)
    for (Index y = 0; y < ny; ++y)
      for (Index x = 0; x < n; ++x) {
        const Index row = (z * ny + y) * n + x;
        const int neighbours = (x > 0) + (x < n - 1) + (y > 0) + (y < ny - 1) + (z > 0) + (z < nz - 1);
        if (z > 0) A.add(row - n * ny, -1);
        if (y > 0) A.add(row - n, -1);
        if (x > 0) A.add(row - 1, -1);
        A.add(row, neumann ? neighbours : 2 * dim);
        if (x < n - 1) A.add(row + 1, -1);
        if (y < ny - 1) A.add(row + n, -1);
        if (z < nz - 1) A.add(row + n * ny, -1);
        A.end_row();
      }
  return A;
}

/// Random rows of 0 to `longest` non-zeros, ascending columns, values in [-1, 1].
inline HostMatrix random_matrix(Index rows, Index cols, int longest, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  HostMatrix A;
  A.rows = rows;
  A.cols = cols;
  for (Index row = 0; row < rows; ++row) {
    const int length = cols == 0 ? 0 : static_cast<int>(engine() % static_cast<unsigned>(longest + 1));
    Index col = -1;
    for (int k = 0; k < length; ++k) {
      col += 1 + static_cast<Index>(engine() % static_cast<unsigned>(1 + 2 * cols / (longest + 1)));
      if (col >= cols) break;
      A.add(col, value(engine));
    }
    A.end_row();
  }
  return A;
}

inline std::vector<double> random_vector(Offset size, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<double> result(static_cast<std::size_t>(size));
  for (double& v : result) v = value(engine);
  return result;
}

}  // namespace tessera::testing
