#include "bench/support/stencils.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <vector>

#include "base/team.hpp"

namespace tessera::bench {

namespace {

/// Neighbours of a node, by rising number.
std::vector<std::array<int, 3>> neighbours(const std::string& shape) {
  const int depth = shape == "triangle" ? 0 : 1;
  std::vector<std::array<int, 3>> result;
  for (int z = -depth; z <= depth; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x) {
        const bool upward = x >= 0 && y >= 0 && z >= 0, downward = x <= 0 && y <= 0 && z <= 0;
        if (shape == "hex" || upward || downward)
          result.push_back({x, y, z});  // edges of simplices rise in all directions
      }
  return result;
}

void make_offsets(linalg::Crs<Host>& A) {
  std::exclusive_scan(A.row_ptr.begin(), A.row_ptr.end(), A.row_ptr.begin(), Offset{0});
}

}  // namespace

linalg::Crs<Host> stencil_matrix(const std::string& shape, int n) {
  const Index m = n + 1, depth = shape == "triangle" ? 1 : m;
  const auto around = neighbours(shape);
  linalg::Crs<Host> A;
  A.rows = A.cols = m * m * depth;
  A.row_ptr = Array<Offset>(Offset{A.rows} + 1);
  auto for_neighbours = [&](Index row, auto f) {
    const int x = row % m, y = row / m % m, z = row / (m * m);
    for (const auto& d : around)
      if (x + d[0] >= 0 && x + d[0] < m && y + d[1] >= 0 && y + d[1] < m && z + d[2] >= 0 && z + d[2] < depth)
        f(row + d[0] + m * (d[1] + m * d[2]));
  };
  parallel_for(default_threads(), A.rows, [&](Index row) {
    Offset count = 0;
    for_neighbours(row, [&](Index) { ++count; });
    A.row_ptr[row] = count;
  });
  A.row_ptr[A.rows] = 0;
  make_offsets(A);
  A.col_ind = Array<Index>(A.row_ptr[A.rows]);
  A.values = Array<double>(A.row_ptr[A.rows]);
  parallel_for(default_threads(), A.rows, [&](Index row) {
    Offset k = A.row_ptr[row];
    for_neighbours(row, [&](Index col) {
      A.col_ind[k] = col;
      A.values[k] = random_value(static_cast<std::uint64_t>(k));
      ++k;
    });
  });
  return A;
}

linalg::Crs<Host> shuffled(const linalg::Crs<Host>& A, Offset window) {
  if (window == 0) window = std::max(A.rows, 1);
  std::vector<Index> row_at(static_cast<std::size_t>(A.rows)), place(row_at.size());
  std::iota(row_at.begin(), row_at.end(), 0);
  std::mt19937_64 generator(1);
  for (Offset first = 0; first < A.rows; first += window)
    std::shuffle(row_at.begin() + first, row_at.begin() + std::min<Offset>(A.rows, first + window), generator);
  for (Index i = 0; i < A.rows; ++i) place[row_at[i]] = i;
  linalg::Crs<Host> B;
  B.rows = A.rows;
  B.cols = A.cols;
  B.row_ptr = Array<Offset>(Offset{A.rows} + 1);
  B.row_ptr[A.rows] = 0;
  for (Index row = 0; row < A.rows; ++row) B.row_ptr[row] = A.row_ptr[row_at[row] + 1] - A.row_ptr[row_at[row]];
  make_offsets(B);
  B.col_ind = Array<Index>(A.nnz());
  B.values = Array<double>(A.nnz());
  parallel_for(default_threads(), A.rows, [&](Index row) {
    Offset k = B.row_ptr[row];
    for (Offset old = A.row_ptr[row_at[row]]; old < A.row_ptr[row_at[row] + 1]; ++old, ++k) {
      B.col_ind[k] = place[A.col_ind[old]];
      B.values[k] = A.values[old];
    }
    std::sort(B.col_ind.data() + B.row_ptr[row], B.col_ind.data() + k);
  });
  return B;
}

}  // namespace tessera::bench
