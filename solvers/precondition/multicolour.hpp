#pragma once
#include <vector>

#include "linalg/crs.hpp"

namespace tessera::solvers {

/// Colours of the rows, such that rows that share an entry (i, j) or (j, i) differ; A square.
template <class Space>
struct Colouring {
  Array<Index, Space> colour;  ///< [rows]
  Index colours = 0;
};

/// Greedy colouring in the order of a hash of the row number, in parallel (Jones & Plassmann 1993): a row waits for its
/// neighbours that come before it, then takes the least colour that they have left. The result does not depend on the
/// schedule, so it is the same on every backend. 4 + 1 B a row. The pattern of A must be symmetric.
template <class Exec>
Colouring<typename Exec::Space> colour_rows(Exec& exec, const linalg::CrsView<const double>& A);

/// One strict triangle of a matrix in the order of colours, in slices of `slice` rows: entry k of the row in slot s
/// stands at starts[s / slice] + s % slice + k slice. Columns are rows of the matrix, not slots: in the mesh's
/// numbering the neighbours of a row share cache lines, in the order of colours each lies elsewhere. Short rows end
/// with the column -1.
template <class Space, class T>
struct SlicedTriangle {
  Array<Offset, Space> starts;
  Array<Index, Space> col_ind;
  Array<T, Space> values;
};

/// A matrix whose rows stand in slots, colour after colour; each colour starts a new slice, and slots in excess are
/// empty. 12 B a non-zero in double (8 B in float) and, a row, 4 B + 1 value and 16 B / slice.
template <class Space, class T>
struct ColouredMatrix {
  Index slice = 1;
  std::vector<Offset> colour_starts;  ///< [colours + 1] slots, on the host
  Array<Index, Space> row_at;         ///< [slots] row of the matrix, -1: none
  Array<T, Space> inverse;            ///< [slots] omega / diagonal
  SlicedTriangle<Space, T> lower, upper;
  Offset conflicts = 0;  ///< entries between rows of one colour: not 0 where the pattern is not symmetric
};

template <class Exec, class T>
ColouredMatrix<typename Exec::Space, T> make_coloured(Exec& exec, const linalg::CrsView<const double>& A,
                                                      const Colouring<typename Exec::Space>& colouring,
                                                      View<const T> inverse_diagonal, double omega);

/// Takes the values of a matrix of the same pattern, in place.
template <class Exec, class T>
void refill_coloured(Exec& exec, const linalg::CrsView<const double>& A, View<const T> inverse_diagonal, double omega,
                     ColouredMatrix<typename Exec::Space, T>& coloured);

/// z = M^-1 r of SSOR in the order of the colours, 2 colours - 1 passes. Least bytes a row: 12 (k - 1) + 64, k
/// non-zeros a row.
template <class Exec, class T>
void sweep(Exec& exec, const ColouredMatrix<typename Exec::Space, T>& A, double omega, View<const T> r, View<T> z);

}  // namespace tessera::solvers
