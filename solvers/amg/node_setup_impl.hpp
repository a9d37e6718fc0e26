#pragma once
// Bodies of node_setup.hpp but for P, R and products of matrices; instantiated by node_setup_threads.cpp and
// node_setup_cuda.cu.
#include <cmath>

#include "base/parallel.hpp"
#include "linalg/convert.hpp"
#include "linalg/vector_ops.hpp"
#include "solvers/amg/node_prolongation_impl.hpp"
#include "solvers/amg/node_setup.hpp"
#include "solvers/amg/prolongation.hpp"

namespace tessera::solvers::amg {
namespace detail {

/// A pivot of at most this part of its diagonal is rounding: P is in float, and what it makes of a column that depends
/// on others has the energy of that rounding.
inline constexpr double rounding_pivot = 1e-10;
/// A column is said to depend on those before it where less than this part of it is left: coordinates have seven digits
/// where a file had them in float.
inline constexpr double dependent_column = 1e-7;

/// What a block is beside a multiple of the unit matrix counts by this much towards its strength. Elasticity of cubes
/// of 16^3 cells, theta = 0.35, iterations and operator complexity: with 0 11 and 1.47 of hexes, 29 and 1.75 of those
/// of 10 : 1 : 1; with 1/2 10 and 1.31, 26 and 1.76; with 1 the same; by the norm of the block alone 10 and 1.58, 62
/// and 1.97.
inline constexpr double weight_of_rest = 0.5;

/// a [n, n] becomes its inverse by sweeps (dense_inverse.hpp), with zeros in rows whose pivot is rounding. Returns how
/// many those are; -1: a pivot is negative or not finite.
TESSERA_HD inline int invert_semidefinite(double* a, int n) {
  double diagonal[most_unknowns];
  int dropped = 0;
  for (int k = 0; k < n; ++k) {
    diagonal[k] = a[k * n + k];
    if (!(fabs(diagonal[k]) <= 1e300)) return -1;
  }
  for (int k = 0; k < n; ++k) {
    const double pivot = a[k * n + k], least = rounding_pivot * diagonal[k] + 1e-300;
    if (!(pivot >= -least)) return -1;
    if (!(pivot > least)) {
      for (int j = 0; j < n; ++j) a[k * n + j] = a[j * n + k] = 0;
      ++dropped;
      continue;
    }
    for (int i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = a[i * n + k] / pivot;
      for (int j = 0; j < n; ++j)
        if (j != k) a[i * n + j] -= factor * a[k * n + j];
    }
    for (int j = 0; j < n; ++j)
      if (j != k) a[k * n + j] = a[j * n + k] = a[k * n + j] / pivot;
    a[k * n + k] = -1 / pivot;
  }
  for (int e = 0; e < n * n; ++e) a[e] = -a[e];
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) a[i * n + j] = a[j * n + i];
  return dropped;
}

/// The nodes of each aggregate, as a matrix of numbers [aggregates, nodes] whose values do not count.
template <class Exec>
linalg::Crs<typename Exec::Space, float> members_of(Exec& exec, View<const Index> aggregate, Index aggregates) {
  using Space = typename Exec::Space;
  linalg::Crs<Space, float> of_node;
  of_node.rows = static_cast<Index>(aggregate.size());
  of_node.cols = aggregates;
  of_node.row_ptr = Array<Offset, Space>(aggregate.size() + 1);
  const View<Offset> row_ptr = of_node.row_ptr;
  for_each(exec, aggregate.size(), [=] TESSERA_HD(Offset node) { row_ptr[node] = aggregate[node] >= 0; });
  const Offset count = linalg::counts_to_offsets(exec, row_ptr);
  of_node.col_ind = Array<Index, Space>(count);
  of_node.values = Array<float, Space>(count);
  const View<Index> col_ind = of_node.col_ind;
  const View<float> values = of_node.values;
  for_each(exec, aggregate.size(), [=] TESSERA_HD(Offset node) {
    if (aggregate[node] < 0) return;
    col_ind[row_ptr[node]] = aggregate[node];
    values[row_ptr[node]] = 0;
  });
  return transpose(exec, std::as_const(of_node).view());
}

/// A thread that has all rows of an aggregate.
struct Alone {
  TESSERA_HD int lane() const { return 0; }
  TESSERA_HD int lanes() const { return 1; }
  TESSERA_HD double sum(double part) const { return part; }
};

/// The rows of an aggregate in the kernel, shared by the lanes of a team: each has the same ones always.
template <class Team>
struct Rows {
  const Index* nodes;
  Offset count;
  int height, modes;
  double* kernel;
  Team team;

  TESSERA_HD double* row(Offset r) const { return kernel + (Offset{nodes[r / height]} * height + r % height) * modes; }
  template <class Do>
  TESSERA_HD void each(Do visit) const {
    for (Offset r = team.lane(); r < count * height; r += team.lanes()) visit(row(r));
  }
  TESSERA_HD double dot(int a, int b) const {
    double sum = 0;
    each([&](const double* row) { sum += row[a] * row[b]; });
    return team.sum(sum);
  }
  /// Column b -= factor column a.
  TESSERA_HD void subtract(double factor, int a, int b) const {
    each([=](double* row) { row[b] -= factor * row[a]; });
  }
  TESSERA_HD void scale(double factor, int a) const {
    each([=](double* row) { row[a] *= factor; });
  }
};
template <class Team>
Rows(const Index*, Offset, int, int, double*, Team) -> Rows<Team>;

/// R [modes, modes], zero on entry.
template <class Team>
TESSERA_HD void orthonormalise(const Rows<Team>& rows, double* R) {
  const int m = rows.modes;
  const bool writes = rows.team.lane() == 0;
  for (int column = 0; column < m; ++column) {
    const double before = std::sqrt(rows.dot(column, column));
    for (int pass = 0; pass < 2; ++pass)
      for (int other = 0; other < column; ++other) {
        const double part = rows.dot(other, column);
        rows.subtract(part, other, column);
        if (writes) R[other * m + column] += part;
      }
    const double left = std::sqrt(rows.dot(column, column));
    const bool independent = left > dependent_column * before;
    if (writes) R[column * m + column] = independent ? left : 0;
    rows.scale(independent ? 1 / left : 0, column);
  }
}

}  // namespace detail

template <class Exec>
void condense(Exec& exec, const NodeMatrixView<const double>& A, int leading, View<double> numbers) {
  for_each(exec, A.rows, [=] TESSERA_HD(Offset row) {
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
      const double* block = A.values.data() + k * A.numbers();
      double trace = 0, square = 0;
      for (int c = 0; c < leading; ++c) trace += block[c * (A.width + 1)];
      for (int c = 0; c < leading; ++c)
        for (int d = 0; d < leading; ++d) {
          const double a = block[c * A.width + d] - (c == d ? trace / leading : 0);
          square += a * a;
        }
      const bool beside = A.col_ind[k] != row;
      numbers[k] = trace / std::sqrt(1.0 * leading) - (beside ? detail::weight_of_rest * std::sqrt(square) : 0);
    }
  });
}

template <class Exec>
DiagonalBlocks<typename Exec::Space> invert_diagonal(Exec& exec, const NodeMatrixView<const double>& A, bool whole) {
  using Space = typename Exec::Space;
  DiagonalBlocks<Space> result;
  const int n = A.height;
  result.inverse = Array<double, Space>(Offset{A.rows} * n * n);
  const View<double> inverse = result.inverse;
  Array<double, Space> sums(2);
  reduce(
      exec, A.rows,
      [=] TESSERA_HD(Offset row) {
        double* block = inverse.data() + row * n * n;
        for (int e = 0; e < n * n; ++e) block[e] = 0;
        double trace = 0;
        for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k)
          if (A.col_ind[k] == row)
            for (int e = 0; e < n * n; ++e) block[e] = A.values[k * n * n + e];
        for (int i = 0; i < n; ++i) trace += block[i * (n + 1)];
        return trace;
      },
      sums.data());
  reduce(
      exec, A.rows,
      [=] TESSERA_HD(Offset row) {
        const int dropped = detail::invert_semidefinite(inverse.data() + row * n * n, n);
        return dropped < 0 || (whole && dropped > 0) ? 1.0 : 0.0;
      },
      sums.data() + 1);
  const auto host = to_vector(sums);
  result.trace = host[0];
  result.bad = host[1];
  return result;
}

template <class Exec>
void leave_out_fixed(Exec& exec, const NodeMatrixView<const double>& A, int modes, View<double> kernel) {
  const int n = A.height;
  for_each(exec, Offset{A.rows} * n, [=] TESSERA_HD(Offset row) {
    const Offset node = row / n;
    const int i = static_cast<int>(row % n);
    for (Offset k = A.row_ptr[node]; k < A.row_ptr[node + 1]; ++k)
      for (int j = 0; j < n; ++j)
        if (A.values[(k * n + i) * n + j] != 0 && !(A.col_ind[k] == node && i == j)) return;
    for (int c = 0; c < modes; ++c) kernel[row * modes + c] = 0;
  });
}

template <class Exec>
void orthonormalise(Exec& exec, View<const Index> aggregate, Index aggregates, int height, int modes,
                    View<double> kernel, View<double> factors) {
  const auto members = detail::members_of(exec, aggregate, aggregates);
  linalg::fill(exec, factors, 0);
  orthonormalise_rows(exec, members.row_ptr.view(), members.col_ind.view(), height, modes, kernel, factors);
  const Offset of_node = Offset{height} * modes;
  for_each(exec, kernel.size(), [=] TESSERA_HD(Offset e) {
    if (aggregate[e / of_node] < 0) kernel[e] = 0;
  });
}

template <class Exec, class V>
void scale_values(Exec& exec, double scale, View<const double> from, View<V> to) {
  for_each(exec, to.size(), [=] TESSERA_HD(Offset e) { to[e] = static_cast<V>(scale * from[e]); });
}

template <class Exec>
void spread(Exec& exec, const NodeMatrixView<const double>& A, View<double> dense) {
  const int h = A.height, w = A.width;
  const Offset across = Offset{A.cols} * w;
  linalg::fill(exec, dense, 0);
  for_each(exec, Offset{A.rows} * h, [=] TESSERA_HD(Offset row) {
    const Offset node = row / h, i = row % h;
    for (Offset k = A.row_ptr[node]; k < A.row_ptr[node + 1]; ++k)
      for (int j = 0; j < w; ++j) dense[row * across + Offset{A.col_ind[k]} * w + j] = A.values[(k * h + i) * w + j];
  });
}

template <class Exec>
void fill_constants(Exec& exec, int unknowns, View<double> kernel) {
  for_each(exec, kernel.size(),
           [=] TESSERA_HD(Offset e) { kernel[e] = e / unknowns % unknowns == e % unknowns ? 1 : 0; });
}

template <class Exec>
void gather_blocks(Exec& exec, const linalg::CrsView<const double>& from, int block,
                   NodeMatrix<typename Exec::Space, double>& to) {
  using Space = typename Exec::Space;
  to.rows = from.rows / block;
  to.cols = from.cols / block;
  to.height = to.width = block;
  to.row_ptr = Array<Offset, Space>(Offset{to.rows} + 1);
  to.col_ind = Array<Index, Space>(from.col_ind.size() / (Offset{block} * block));
  to.allocate_values();
  const View<Offset> row_ptr = to.row_ptr;
  const View<Index> col_ind = to.col_ind;
  const View<double> values = to.values;
  const Offset numbers = Offset{block} * block;
  for_each(exec, Offset{to.rows} + 1,
           [=] TESSERA_HD(Offset node) { row_ptr[node] = from.row_ptr[node * block] / numbers; });
  for_each(exec, to.rows, [=] TESSERA_HD(Offset node) {
    for (Offset k = row_ptr[node]; k < row_ptr[node + 1]; ++k) {
      const Offset place = (k - row_ptr[node]) * block;
      col_ind[k] = from.col_ind[from.row_ptr[node * block] + place] / block;
      for (int i = 0; i < block; ++i)
        for (int j = 0; j < block; ++j)
          values[(k * block + i) * block + j] = from.values[from.row_ptr[node * block + i] + place + j];
    }
  });
}

#define TESSERA_INSTANTIATE_NODE_SETUP(Exec)                                                                       \
  template void condense(Exec&, const NodeMatrixView<const double>&, int, View<double>);                           \
  template DiagonalBlocks<Exec::Space> invert_diagonal(Exec&, const NodeMatrixView<const double>&, bool);          \
  template void leave_out_fixed(Exec&, const NodeMatrixView<const double>&, int, View<double>);                    \
  template void orthonormalise(Exec&, View<const Index>, Index, int, int, View<double>, View<double>);             \
  template void spread(Exec&, const NodeMatrixView<const double>&, View<double>);                                  \
  template void fill_constants(Exec&, int, View<double>);                                                          \
  template void gather_blocks(Exec&, const linalg::CrsView<const double>&, int, NodeMatrix<Exec::Space, double>&); \
  TESSERA_INSTANTIATE_NODE_SETUP_OF(Exec, float);                                                                  \
  TESSERA_INSTANTIATE_NODE_SETUP_OF(Exec, double)
#define TESSERA_INSTANTIATE_NODE_SETUP_OF(Exec, V)                                                                   \
  template void prolongation_values(Exec&, const NodeMatrixView<const double>&, View<const double>, const Strength&, \
                                    View<const double>, double, const Tentative&, NodeMatrixView<V>);                \
  template void transpose_values(Exec&, const NodeMatrixView<const V>&, NodeMatrixView<V>);                          \
  template void scale_values(Exec&, double, View<const double>, View<V>)
/// Those that a hierarchy needs: A P and R (A P).
#define TESSERA_INSTANTIATE_NODE_MULTIPLIES(Exec)                                                                \
  template void multiply_values(Exec&, const NodeMatrixView<const double>&, const NodeMatrixView<const float>&,  \
                                NodeMatrixView<double>);                                                         \
  template void multiply_values(Exec&, const NodeMatrixView<const float>&, const NodeMatrixView<const double>&,  \
                                NodeMatrixView<double>);                                                         \
  template void multiply_values(Exec&, const NodeMatrixView<const double>&, const NodeMatrixView<const double>&, \
                                NodeMatrixView<double>)

}  // namespace tessera::solvers::amg
