#include <algorithm>
#include <vector>

#include <cmath>
#include "base/parallel.hpp"

#include "solvers/grid/grid_operator_impl.hpp"

namespace tessera::solvers::grid {

std::array<double, 8> stencil_weights(const GridProblem& problem) {
  // One axis: stiffness and mass at distance 0 and 1.
  double K[3][2] = {}, M[3][2] = {{1, 0}, {1, 0}, {1, 0}};
  for (int axis = 0; axis < problem.dim; ++axis) {
    const double h = problem.h[axis];
    const bool star = problem.stencil == Stencil::star;
    const double k = star ? 1 / (h * h) : 1 / h;
    K[axis][0] = 2 * k;
    K[axis][1] = -k;
    if (!star) {
      M[axis][0] = 4 * h / 6;
      M[axis][1] = h / 6;
    }
  }
  std::array<double, 8> weights{};
  for (int place = 0; place < 8; ++place) {
    const int x = place % 2, y = place / 2 % 2, z = place / 4;
    weights[place] = K[0][x] * M[1][y] * M[2][z] + M[0][x] * K[1][y] * M[2][z] + M[0][x] * M[1][y] * K[2][z] +
                     problem.shift * M[0][x] * M[1][y] * M[2][z];
  }
  return weights;
}

double largest_row_sum(const GridProblem& problem) {
  const std::array<double, 8> w = stencil_weights(problem);
  double sum = 0;
  for (int place = 0; place < 8; ++place) sum += std::abs(w[place]) * (1 << (place % 2 + place / 2 % 2 + place / 4));
  return sum;
}

namespace {

/// Nodes of one row that a thread takes at a time: sums are formed piece by piece, whatever the number of threads.
constexpr Index piece = reduce_chunk;

/// A row of nodes and its neighbour rows. Rows outside the grid are rows of zeros; a star has neighbours along x in its
/// own row only.
template <class T, int rows, bool star>
struct RowStencil {
  const T* row[rows];
  T centre[rows], side[rows];

  T operator()(Index i) const {
    T sum = side[0] * (row[0][i - 1] + row[0][i + 1]);
    for (int r = 0; r < rows; ++r) sum += centre[r] * row[r][i];
    if constexpr (!star)
      for (int r = 1; r < rows; ++r) sum += side[r] * (row[r][i - 1] + row[r][i + 1]);
    return sum;
  }
  /// At the ends of the row, where neighbours may be missing.
  T at_end(Index i, Index nx) const {
    T sum = 0;
    for (int r = 0; r < rows; ++r) {
      sum += centre[r] * row[r][i];
      if (star && r > 0) continue;
      sum += side[r] * ((i > 0 ? row[r][i - 1] : T(0)) + (i + 1 < nx ? row[r][i + 1] : T(0)));
    }
    return sum;
  }
};

/// The neighbour rows in the order of RowStencil: own plane first.
template <class T, int rows, bool star>
RowStencil<T, rows, star> row_stencil(const PlaneStencil<T>& s, const T* x, const T* zeros, Index j, Index k) {
  RowStencil<T, rows, star> result{};
  int count = 0;
  const auto add = [&](int dy, int dz, T centre, T side) {
    const Offset y = Offset{j} + dy, z = Offset{k} + dz;
    const bool inside = y >= 0 && y < s.ny && z >= 0 && z < s.nz;
    result.row[count] = inside ? x + s.nx * (y + s.ny * z) : zeros;
    result.centre[count] = centre;
    result.side[count++] = side;
  };
  add(0, 0, s.here[0], s.here[1]);
  for (int d : {-1, 1}) add(0, d, s.above[0], s.above[1]);
  if constexpr (rows > 3)
    for (int d : {-1, 1}) add(d, 0, s.here[2], s.here[3]);
  if constexpr (rows > 5)
    for (int dz : {-1, 1})
      for (int dy : {-1, 1}) add(dy, dz, s.above[2], s.above[3]);
  return result;
}

template <int rows, bool star, class T, class Store>
void apply_rows(Threads& exec, const PlaneStencil<T>& s, const T* x, Store store, double* result) {
  const std::vector<T> zeros(static_cast<std::size_t>(s.nx), T(0));
  const Offset pieces = (s.nx + piece - 1) / piece, items = pieces * s.ny * s.nz;
  std::vector<double> sums(Store::sums ? static_cast<std::size_t>(items) : 0);
  parallel_for(exec.count(), items, [&](Offset item) {
    const Offset line = item / pieces;
    const Index first = static_cast<Index>(item % pieces) * piece, last = std::min(s.nx, first + piece);
    const Offset start = line * s.nx;
    const auto stencil = row_stencil<T, rows, star>(s, x, zeros.data(), static_cast<Index>(line % s.ny),
                                                    static_cast<Index>(line / s.ny));
    double sum = 0;
    const auto end = [&](Index i) { sum += store(start + i, x[start + i], stencil.at_end(i, s.nx)); };
    if (first == 0) end(0);
    const Index from = std::max(first, 1), to = std::min(last, s.nx - 1);
#pragma omp simd reduction(+ : sum)
    for (Index i = from; i < to; ++i) sum += store(start + i, x[start + i], stencil(i));
    if (last == s.nx && s.nx > 1) end(s.nx - 1);
    if constexpr (Store::sums) sums[item] = sum;
  });
  if constexpr (Store::sums) {
    double total = 0;
    for (double sum : sums) total += sum;
    *result = total;
  }
}

}  // namespace

template <class T, class Store>
void apply_stencil(Threads& exec, const PlaneStencil<T>& stencil, bool star, const T* x, Store store, double* result) {
  if (stencil.ny == 1)
    star ? apply_rows<3, true>(exec, stencil, x, store, result) : apply_rows<3, false>(exec, stencil, x, store, result);
  else
    star ? apply_rows<5, true>(exec, stencil, x, store, result) : apply_rows<9, false>(exec, stencil, x, store, result);
}

template class GridOperator<Threads, double>;
template class GridOperator<Threads, float>;

}  // namespace tessera::solvers::grid
