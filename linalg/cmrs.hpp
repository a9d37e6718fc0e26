#pragma once
#include "linalg/convert.hpp"
#include "linalg/formats_ops.hpp"

namespace tessera::linalg {

/// Rows of a strip; the row within its strip takes 4 bits.
inline constexpr int strip_height = 16;
inline constexpr int strip_chunk = 32;
/// An M for threads, which have no lanes to keep apart: the rows of a strip stand one after the other, and nothing is
/// padded.
inline constexpr Index whole_rows = strip_chunk;

/// Borrowed CMRS.
template <class T>
struct CmrsView {
  using Scalar = T;
  static constexpr const char* format = "cmrs";
  /// Marks padding, in a column word of either kind.
  static constexpr unsigned padding = 0xffffffffu;
  /// Columns that fit beside the row in a word.
  static constexpr Index packed_cols = (1 << 28) - 1;

  Index rows = 0;
  Index cols = 0;
  Index buffers = 4;             ///< M: entries of a row that a chunk of 32 may hold, or `whole_rows`
  View<const Offset> strip_ptr;  ///< [strips + 1], multiples of 32 but for whole rows
  View<const unsigned> code;     ///< [entries], column * 16 + row in strip; the column where row_in_strip is given
  View<const unsigned char> row_in_strip;  ///< [entries], or empty: packed into `code`
  View<const T> values;                    ///< [entries]

  TESSERA_HD Offset strips() const { return strip_ptr.size() - 1; }
  TESSERA_HD bool packed() const { return row_in_strip.empty(); }
  TESSERA_HD bool is_padding(Offset entry) const { return code[entry] == padding; }
  TESSERA_HD Index column(Offset entry) const { return static_cast<Index>(packed() ? code[entry] >> 4 : code[entry]); }
  TESSERA_HD int strip_row(Offset entry) const {
    return packed() ? static_cast<int>(code[entry] & 15u) : row_in_strip[entry];
  }
  /// The same pattern with other values.
  template <class U>
  CmrsView<U> with(View<const U> others) const {
    return {rows, cols, buffers, strip_ptr, code, row_in_strip, others};
  }
};

/// Compressed multi-row storage: strips of 16 rows, cut into chunks of 32 entries, which a warp takes in one step.
/// Every entry carries its row within the strip, packed into 4 bits of the column word, or apart where the matrix has
/// 2^28 columns or more. A chunk holds at most M neighbouring entries of a row, so that M sums a row, 16 M a strip,
/// suffice and no two lanes add to the same one. Strips are padded to whole chunks. Threads sum the runs of equal rows
/// that whole rows make. 12 B an entry in double, padding included, and 0.5 B a row. Koza, Matyka, Szkoda, Mirosław,
/// SIAM J. Sci. Comput. 36 (2014); "Sparse matrix-vector product", listing 6.7, with its sums placed so that lanes of a
/// chunk never share one.
template <class Space, class T = double>
struct Cmrs {
  using Scalar = T;
  Index rows = 0;
  Index cols = 0;
  Offset nnz = 0;
  Index buffers = 4;
  Array<Offset, Space> strip_ptr;
  Array<unsigned, Space> code;
  Array<unsigned char, Space> row_in_strip;
  Array<T, Space> values;

  CmrsView<T> view() const {
    return {rows, cols, buffers, strip_ptr.view(), code.view(), row_in_strip.view(), values.view()};
  }
  Offset entries() const { return values.size(); }
  double stored_bytes() const {
    return static_cast<double>(strip_ptr.bytes() + code.bytes() + row_in_strip.bytes() + values.bytes());
  }
};

struct CmrsParams {
  Index buffers = 4;  ///< M: 2, 4, 8, `whole_rows`, or 0 for the one that pads least, of nearly equal ones the smaller
  bool rows_apart = false;  ///< row in strip apart even where it fits into the column word
};

/// What a backend reads fastest.
template <class Exec>
constexpr CmrsParams usual_cmrs() {
  return {.buffers = std::is_same_v<Exec, Threads> ? whole_rows : 0};
}

/// Throws Error(usage) for another M, for whole rows on CUDA, and when padding would take more than `padding_limit`
/// times the memory of CRS.
template <class Exec, class T>
Cmrs<typename Exec::Space, T> cmrs_from_crs(Exec& exec, const Crs<typename Exec::Space, T>& A,
                                            const CmrsParams& params = {});

}  // namespace tessera::linalg
