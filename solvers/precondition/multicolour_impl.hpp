#pragma once
// Kernels of multicolour.hpp, written once; instantiated by multicolour_threads.cpp and multicolour_cuda.cu.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/parallel.hpp"
#include "linalg/vector_ops.hpp"
#include "solvers/precondition/entries.hpp"
#include "solvers/precondition/multicolour.hpp"

namespace tessera::solvers {
namespace detail {

/// Rows are taken in the order of this number, then of their own.
TESSERA_HD inline std::uint32_t priority(Index row) {
  std::uint32_t bits = static_cast<std::uint32_t>(row) * 0x9e3779b9u + 0x7f4a7c15u;
  bits = (bits ^ (bits >> 16)) * 0x85ebca6bu;
  bits = (bits ^ (bits >> 13)) * 0xc2b2ae35u;
  return bits ^ (bits >> 16);
}
TESSERA_HD inline bool comes_before(Index a, Index b) {
  const std::uint32_t pa = priority(a), pb = priority(b);
  return pa != pb ? pa < pb : a < b;
}

/// The least colour that no neighbour of the row has, 64 candidates at a time.
TESSERA_HD inline Index least_free_colour(const linalg::CrsView<const double>& A, const View<Index>& colour,
                                          Index row) {
  for (Index base = 0;; base += 64) {
    std::uint64_t taken = 0;
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
      const Index other = A.col_ind[k];
      const Index c = other == row ? -1 : colour[other] - base;
      if (c >= 0 && c < 64) taken |= std::uint64_t{1} << c;
    }
    for (Index c = 0; c < 64; ++c)
      if (!(taken >> c & 1)) return base + c;
  }
}

template <class Exec>
void choose_rows(Exec& exec, const linalg::CrsView<const double>& A, View<Index> colour, View<unsigned char> chosen) {
  for_each(exec, A.rows, [=] TESSERA_HD(Offset i) {
    const Index row = static_cast<Index>(i);
    bool first = colour[row] < 0;
    for (Offset k = A.row_ptr[row]; first && k < A.row_ptr[row + 1]; ++k) {
      const Index other = A.col_ind[k];
      first = other == row || colour[other] >= 0 || comes_before(row, other);
    }
    chosen[row] = first;
  });
}

/// Colours the chosen rows; *left = rows still without a colour. Chosen rows are no neighbours, so none reads what is
/// written.
template <class Exec>
void colour_chosen(Exec& exec, const linalg::CrsView<const double>& A, View<Index> colour, View<unsigned char> chosen,
                   double* left) {
  reduce(
      exec, A.rows,
      [=] TESSERA_HD(Offset i) {
        const Index row = static_cast<Index>(i);
        if (chosen[row]) colour[row] = least_free_colour(A, colour, row);
        return colour[row] < 0 ? 1.0 : 0.0;
      },
      left);
}

/// below[row], above[row]: entries with a lower and a higher colour; *conflicts: entries with the same.
template <class Exec>
void count_triangles(Exec& exec, const linalg::CrsView<const double>& A, View<const Index> colour, View<Index> below,
                     View<Index> above, double* conflicts) {
  reduce(
      exec, A.rows,
      [=] TESSERA_HD(Offset row) {
        Index lower = 0, upper = 0, same = 0;
        for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
          const Index other = A.col_ind[k];
          lower += colour[other] < colour[row];
          upper += colour[other] > colour[row];
          same += colour[other] == colour[row] && other != row;
        }
        below[row] = lower;
        above[row] = upper;
        return static_cast<double>(same);
      },
      conflicts);
}

template <class T>
struct TriangleView {
  View<const Offset> starts;
  View<Index> col_ind;
  View<T> values;
};
template <class Space, class T>
TriangleView<T> view(SlicedTriangle<Space, T>& triangle) {
  return {triangle.starts.view(), triangle.col_ind.view(), triangle.values.view()};
}

/// Puts the entries whose colour is lower (`want` -1) or higher (1) than their row's into their places.
template <class Exec, class T>
void fill_triangle(Exec& exec, const linalg::CrsView<const double>& A, View<const Index> colour,
                   View<const Index> row_at, Index slice, int want, TriangleView<T> triangle) {
  for_each(exec, row_at.size(), [=] TESSERA_HD(Offset slot) {
    const Index row = row_at[slot];
    Offset at = triangle.starts[slot / slice] + slot % slice;
    const Offset end = triangle.starts[slot / slice + 1];
    if (row >= 0) {
      for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1]; ++k) {
        const Index other = A.col_ind[k];
        const int side = (colour[other] > colour[row]) - (colour[other] < colour[row]);
        if (side != want) continue;
        triangle.col_ind[at] = other;
        triangle.values[at] = static_cast<T>(A.values[k]);
        at += slice;
      }
    }
    for (; at < end; at += slice) {
      triangle.col_ind[at] = -1;
      triangle.values[at] = 0;
    }
  });
}

/// New values of a triangle that fill_triangle has made: its columns stand in the order of the row's entries.
template <class Exec, class T>
void refill_triangle(Exec& exec, const linalg::CrsView<const double>& A, View<const Index> row_at, Index slice,
                     TriangleView<T> triangle) {
  for_each(exec, row_at.size(), [=] TESSERA_HD(Offset slot) {
    const Index row = row_at[slot];
    if (row < 0) return;
    Offset at = triangle.starts[slot / slice] + slot % slice;
    const Offset end = triangle.starts[slot / slice + 1];
    for (Offset k = A.row_ptr[row]; k < A.row_ptr[row + 1] && at < end; ++k) {
      if (A.col_ind[k] != triangle.col_ind[at]) continue;
      triangle.values[at] = static_cast<T>(A.values[k]);
      at += slice;
    }
  });
}

template <class Exec, class T>
void fill_inverse(Exec& exec, View<const Index> row_at, View<const T> inverse_diagonal, double omega, View<T> inverse) {
  for_each(exec, row_at.size(), [=] TESSERA_HD(Offset slot) {
    inverse[slot] = row_at[slot] >= 0 ? static_cast<T>(omega) * inverse_diagonal[row_at[slot]] : T{0};
  });
}

/// sum of the entries of a row of the triangle times z.
template <class T>
TESSERA_HD T triangle_times(const View<const Offset>& starts, const View<const Index>& col_ind,
                            const View<const T>& values, Index slice, Offset slot, const View<T>& z) {
  T sum = 0;
  const Offset end = starts[slot / slice + 1];
#pragma unroll 4
  for (Offset at = starts[slot / slice] + slot % slice; at < end; at += slice) {
    const Index col = col_ind[at];
    sum += col >= 0 ? values[at] * z[col] : T{0};
  }
  return sum;
}

/// Slots of one colour: z = y = (D/w + L)^-1 r; after the last colour the second sweep starts at once, as nothing is
/// above it.
template <class Exec, class T>
void sweep_up(Exec& exec, const ColouredMatrix<typename Exec::Space, T>& A, Offset first, Offset count, bool last,
              T omega, View<const T> r, View<T> z) {
  const View<const Index> row_at = A.row_at.view(), col_ind = A.lower.col_ind.view();
  const View<const Offset> starts = A.lower.starts.view();
  const View<const T> values = A.lower.values.view(), inverse = A.inverse.view();
  const Index slice = A.slice;
  for_each(exec, count, [=] TESSERA_HD(Offset i) {
    const Offset slot = first + i;
    const Index row = row_at[slot];
    if (row < 0) return;
    T value = (r[row] - triangle_times(starts, col_ind, values, slice, slot, z)) * inverse[slot];
    if (last) value *= 2 - omega;
    z[row] = value;
  });
}

/// Slots of one colour: z = (D/w + U)^-1 ((2-w)/w) D y.
template <class Exec, class T>
void sweep_down(Exec& exec, const ColouredMatrix<typename Exec::Space, T>& A, Offset first, Offset count, T omega,
                View<T> z) {
  const View<const Index> row_at = A.row_at.view(), col_ind = A.upper.col_ind.view();
  const View<const Offset> starts = A.upper.starts.view();
  const View<const T> values = A.upper.values.view(), inverse = A.inverse.view();
  const Index slice = A.slice;
  for_each(exec, count, [=] TESSERA_HD(Offset i) {
    const Offset slot = first + i;
    const Index row = row_at[slot];
    if (row < 0) return;
    z[row] = (2 - omega) * z[row] - triangle_times(starts, col_ind, values, slice, slot, z) * inverse[slot];
  });
}

/// Where each slice of a triangle starts: every row of a slice has as many places as its longest.
inline std::vector<Offset> slice_starts(const std::vector<Index>& row_at, const std::vector<Index>& length,
                                        Index slice) {
  std::vector<Offset> starts{0};
  for (std::size_t first = 0; first < row_at.size(); first += static_cast<std::size_t>(slice)) {
    Index longest = 0;
    for (std::size_t slot = first; slot < first + static_cast<std::size_t>(slice); ++slot)
      if (row_at[slot] >= 0) longest = std::max(longest, length[static_cast<std::size_t>(row_at[slot])]);
    starts.push_back(starts.back() + static_cast<Offset>(longest) * slice);
  }
  return starts;
}

}  // namespace detail

template <class Exec>
Colouring<typename Exec::Space> colour_rows(Exec& exec, const linalg::CrsView<const double>& A) {
  using Space = typename Exec::Space;
  Colouring<Space> result;
  result.colour = Array<Index, Space>(A.rows);
  Array<unsigned char, Space> chosen(A.rows);
  Array<double, Space> left(1);
  const View<Index> colour = result.colour;
  for_each(exec, A.rows, [=] TESSERA_HD(Offset row) { colour[row] = -1; });
  do {
    detail::choose_rows(exec, A, colour, chosen.view());
    detail::colour_chosen(exec, A, colour, chosen.view(), left.data());
  } while (to_vector(left)[0] > 0);
  const auto host = to_vector(result.colour);
  result.colours = host.empty() ? 0 : *std::max_element(host.begin(), host.end()) + 1;
  return result;
}

template <class Exec, class T>
ColouredMatrix<typename Exec::Space, T> make_coloured(Exec& exec, const linalg::CrsView<const double>& A,
                                                      const Colouring<typename Exec::Space>& colouring,
                                                      View<const T> inverse_diagonal, double omega) {
  using Space = typename Exec::Space;
  ColouredMatrix<Space, T> result;
  // A thread a row on CUDA, so a warp reads a slice of 32 rows column by column; a core reads row by row.
  result.slice = std::is_same_v<Exec, Threads> ? 1 : 32;
  const View<const Index> colour = colouring.colour.view();
  Array<Index, Space> below(A.rows), above(A.rows);
  Array<double, Space> conflicts(1);
  detail::count_triangles(exec, A, colour, below.view(), above.view(), conflicts.data());
  result.conflicts = static_cast<Offset>(to_vector(conflicts)[0]);
  if (result.conflicts > 0) return result;

  // Rows in the order of their colours, then of their numbers.
  const auto host_colour = to_vector(colouring.colour);
  std::vector<Offset> next(static_cast<std::size_t>(colouring.colours), 0);
  for (Index c : host_colour) ++next[static_cast<std::size_t>(c)];
  result.colour_starts = {0};
  for (Offset& count : next) {
    const Offset start = result.colour_starts.back();
    result.colour_starts.push_back(start + (count + result.slice - 1) / result.slice * result.slice);
    count = start;
  }
  std::vector<Index> row_at(static_cast<std::size_t>(result.colour_starts.back()), -1);
  for (std::size_t row = 0; row < host_colour.size(); ++row) {
    const Offset slot = next[static_cast<std::size_t>(host_colour[row])]++;
    row_at[static_cast<std::size_t>(slot)] = static_cast<Index>(row);
  }

  result.row_at = to_space<Space>(row_at);
  auto make_triangle = [&](SlicedTriangle<Space, T>& triangle, const Array<Index, Space>& lengths, int want) {
    const auto starts = detail::slice_starts(row_at, to_vector(lengths), result.slice);
    triangle.starts = to_space<Space>(starts);
    triangle.col_ind = Array<Index, Space>(starts.back());
    triangle.values = Array<T, Space>(starts.back());
    detail::fill_triangle(exec, A, colour, View<const Index>(result.row_at), result.slice, want,
                          detail::view(triangle));
  };
  make_triangle(result.lower, below, -1);
  make_triangle(result.upper, above, 1);
  result.inverse = Array<T, Space>(result.row_at.size());
  detail::fill_inverse(exec, View<const Index>(result.row_at), inverse_diagonal, omega, result.inverse.view());
  return result;
}

template <class Exec, class T>
void refill_coloured(Exec& exec, const linalg::CrsView<const double>& A, View<const T> inverse_diagonal, double omega,
                     ColouredMatrix<typename Exec::Space, T>& coloured) {
  const View<const Index> row_at = std::as_const(coloured.row_at).view();
  detail::refill_triangle(exec, A, row_at, coloured.slice, detail::view(coloured.lower));
  detail::refill_triangle(exec, A, row_at, coloured.slice, detail::view(coloured.upper));
  detail::fill_inverse(exec, row_at, inverse_diagonal, omega, coloured.inverse.view());
}

template <class Exec, class T>
void sweep(Exec& exec, const ColouredMatrix<typename Exec::Space, T>& A, double omega, View<const T> r, View<T> z) {
  const T w = static_cast<T>(omega);
  const int colours = static_cast<int>(A.colour_starts.size()) - 1;
  const auto first = [&](int c) { return A.colour_starts[static_cast<std::size_t>(c)]; };
  for (int c = 0; c < colours; ++c)
    detail::sweep_up(exec, A, first(c), first(c + 1) - first(c), c == colours - 1, w, r, z);
  for (int c = colours - 2; c >= 0; --c) detail::sweep_down(exec, A, first(c), first(c + 1) - first(c), w, z);
}

/// One line instantiates the above for a backend and a type; `colour_rows` once a backend.
#define TESSERA_INSTANTIATE_MULTICOLOUR(Exec, T)                                                               \
  template ColouredMatrix<Exec::Space, T> make_coloured(Exec&, const linalg::CrsView<const double>&,           \
                                                        const Colouring<Exec::Space>&, View<const T>, double); \
  template void refill_coloured(Exec&, const linalg::CrsView<const double>&, View<const T>, double,            \
                                ColouredMatrix<Exec::Space, T>&);                                              \
  template void sweep(Exec&, const ColouredMatrix<Exec::Space, T>&, double, View<const T>, View<T>)

}  // namespace tessera::solvers
