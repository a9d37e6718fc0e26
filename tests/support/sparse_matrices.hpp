#pragma once
// Sparse patterns of many kinds, for property tests of formats and products.
#include <algorithm>
#include <string>
#include <utility>

#include "support/matrices.hpp"

namespace tessera::testing {

/// Rows whose lengths follow a power law: most have one or two entries, a few have hundreds.
inline HostMatrix power_law(Index rows, Index cols, unsigned seed, double longest = 1500) {
  std::mt19937 engine(seed);
  HostMatrix A;
  A.rows = rows;
  A.cols = cols;
  for (Index row = 0; row < rows; ++row) {
    const double u = (1.0 + engine()) / 4294967297.0;
    const Index length = std::min<Index>(cols, static_cast<Index>(std::min(longest, 1 / (u * u))));
    std::vector<Index> columns;
    for (Index k = 0; k < length; ++k) columns.push_back(static_cast<Index>(engine() % static_cast<unsigned>(cols)));
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    for (Index col : columns) A.add(col, static_cast<double>(engine() % 2001) / 1000 - 1);
    A.end_row();
  }
  return A;
}

/// Entries within `half` of the diagonal.
inline HostMatrix banded(Index n, Index half) {
  HostMatrix A;
  A.rows = A.cols = n;
  for (Index row = 0; row < n; ++row) {
    for (Index col = std::max(0, row - half); col <= std::min(n - 1, row + half); ++col)
      A.add(col, 1.0 / (1 + row + 2 * col));
    A.end_row();
  }
  return A;
}

/// Empty rows but for every `every`-th, which has `length` neighbouring entries.
inline HostMatrix mostly_empty(Index rows, Index cols, Index every, Index length) {
  HostMatrix A;
  A.rows = rows;
  A.cols = cols;
  for (Index row = 0; row < rows; ++row) {
    if (row % every == every - 1)
      for (Index k = 0; k < std::min(length, cols); ++k) A.add(k, 0.5 + k + row);
    A.end_row();
  }
  return A;
}

/// One row that names all columns among short ones.
inline HostMatrix one_dense_row(Index rows, Index cols) {
  HostMatrix A;
  A.rows = rows;
  A.cols = cols;
  for (Index row = 0; row < rows; ++row) {
    const Index length = row == rows / 3 ? cols : 2;
    for (Index col = 0; col < std::min(length, cols); ++col) A.add(col, 1.0 / (1 + row + col));
    A.end_row();
  }
  return A;
}

/// The rows and columns of A under a random permutation.
inline HostMatrix shuffled(const HostMatrix& A, unsigned seed) {
  std::vector<Index> place(static_cast<std::size_t>(A.rows)), row_at(place.size());
  for (Index i = 0; i < A.rows; ++i) place[i] = i;
  std::shuffle(place.begin(), place.end(), std::mt19937(seed));
  for (Index i = 0; i < A.rows; ++i) row_at[place[i]] = i;
  HostMatrix B;
  B.rows = A.rows;
  B.cols = A.cols;
  for (Index row : row_at) {
    std::vector<std::pair<Index, double>> entries;
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) entries.push_back({place[A.col_ind[k]], A.values[k]});
    std::sort(entries.begin(), entries.end());
    for (auto [col, value] : entries) B.add(col, value);
    B.end_row();
  }
  return B;
}

using NamedMatrices = std::vector<std::pair<std::string, HostMatrix>>;

inline NamedMatrices make_matrices_of_many_shapes() {
  NamedMatrices result = {
      {"no rows, no columns", random_matrix(0, 0, 0, 1)},
      {"no rows", random_matrix(0, 7, 0, 1)},
      {"no columns", random_matrix(7, 0, 0, 1)},
      {"no entries", random_matrix(70, 70, 0, 1)},
      {"1 x 1", banded(1, 0)},
      {"1 x n", one_dense_row(1, 3000)},
      {"n x 1", mostly_empty(3000, 1, 1, 1)},
      {"tridiagonal", banded(1000, 1)},
      {"wide band", banded(700, 40)},
      {"power law", power_law(1500, 1500, 2)},
      {"wide power law", power_law(200, 70000, 3)},
      {"every fifth row", mostly_empty(1003, 50, 5, 50)},
      {"one dense row", one_dense_row(500, 500)},
      {"one dense row, long", one_dense_row(40, 5000)},
      {"grid", laplacian(11, 3)},
      {"grid of whole slices", laplacian(32, 2)},
      {"wide and short", random_matrix(150, 70000, 20, 7)},
      {"shuffled grid", shuffled(laplacian(13, 3), 4)},
  };
  unsigned seed = 20;
  for (int longest : {1, 16, 33, 100})
    for (auto [rows, cols] : {std::pair{31, 400}, {33, 5}, {500, 499}})
      result.push_back(
          {std::to_string(rows) + " x " + std::to_string(cols) + ", rows of up to " + std::to_string(longest),
           random_matrix(rows, cols, longest, ++seed)});
  return result;
}
inline const NamedMatrices& matrices_of_many_shapes() {
  static const NamedMatrices matrices = make_matrices_of_many_shapes();
  return matrices;
}

}  // namespace tessera::testing
