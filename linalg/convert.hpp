#pragma once
#include <string>

#include "base/backend.hpp"
#include "linalg/crs.hpp"

namespace tessera::linalg {

// What the conversions between formats are made of. Everything stays where the matrix lives; only sizes reach the host.

/// Rows of a slice in the sliced formats: one warp.
inline constexpr Index slice_height = 32;

/// In place: counts[i] becomes the sum of the counts before it. counts [n + 1], the last one does not count; returns
/// the sum of all, which then stands there.
template <class Exec>
Offset counts_to_offsets(Exec& exec, View<Offset> counts);

/// How long the rows of a matrix are: what formats are chosen by.
struct RowLengths {
  Index rows = 0;
  Index cols = 0;
  Offset nnz = 0;
  Index longest = 0;
  Offset sliced = 0;  ///< entries of slices of 32 rows, each as wide as its longest row

  double mean() const { return rows == 0 ? 0 : static_cast<double>(nnz) / rows; }
  /// Entries that plain and sliced ELL store, per non-zero.
  double ell_padding() const { return nnz == 0 ? 1 : static_cast<double>(longest) * rows / static_cast<double>(nnz); }
  double sliced_padding() const { return nnz == 0 ? 1 : static_cast<double>(sliced) / static_cast<double>(nnz); }
};

/// Reads the row pointers once. row_ptr [rows + 1].
template <class Exec>
RowLengths row_lengths(Exec& exec, Index cols, View<const Offset> row_ptr);

/// The rows by decreasing length within windows of `window` rows, those of equal length in their order. [rows]
template <class Exec>
Array<Index, typename Exec::Space> sort_rows(Exec& exec, View<const Offset> row_ptr, Offset window);

/// Whether the sliced formats sort rows by length.
struct SortParams {
  /// Rows of a sorting window. 1 keeps the order of the rows; 0 takes `usual` when padding would otherwise exceed
  /// `bearable` of the non-zeros, and 1 when not.
  Index window = 0;
  static constexpr Index usual = 1024;
  static constexpr double bearable = 0.1;
};
/// The row in each slot; empty where the rows keep their order.
template <class Exec>
Array<Index, typename Exec::Space> order_rows(Exec& exec, Index cols, View<const Offset> row_ptr,
                                              const SortParams& params) {
  Index window = params.window;
  if (window == 0)
    window = row_lengths(exec, cols, row_ptr).sliced_padding() > 1 + SortParams::bearable ? SortParams::usual : 1;
  if (window == 1) return {};
  return sort_rows(exec, row_ptr, window);
}

/// Throws Error(usage) when `entries` stored ones of `bytes` each would take more than `padding_limit` times what CRS
/// takes. Formats that pad ask before they allocate.
void require_little_padding(const std::string& format, const RowLengths& lengths, Offset entries, double entry_bytes,
                            double crs_entry_bytes);
inline constexpr double padding_limit = 3;

/// A refill needs the pattern that the format was made from: throws Error(internal) when the sizes differ.
void require_same_sizes(Index from_rows, Index from_cols, Offset from_nnz, Index rows, Index cols, Offset nnz);

/// Length of the longest row of a slice; `row_of` as in sliced ELL.
TESSERA_HD inline Index longest_of_slice(View<const Offset> row_ptr, View<const Index> row_of, Offset slice) {
  const Offset rows = row_ptr.size() - 1;
  Offset longest = 0;
  for (Offset slot = slice * slice_height; slot < rows && slot < (slice + 1) * slice_height; ++slot) {
    const Offset row = row_of.empty() ? slot : row_of[slot], length = row_ptr[row + 1] - row_ptr[row];
    longest = length > longest ? length : longest;
  }
  return static_cast<Index>(longest);
}

/// Slices of 32 that hold `rows` rows.
TESSERA_HD constexpr Offset slices_of(Offset rows) { return (rows + slice_height - 1) / slice_height; }

}  // namespace tessera::linalg
