#include "linalg/convert.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/memory.hpp"

namespace tessera::linalg {

void require_little_padding(const std::string& format, const RowLengths& lengths, Offset entries, double entry_bytes,
                            double crs_entry_bytes) {
  const double stored = static_cast<double>(entries) * entry_bytes;
  const double crs = static_cast<double>(lengths.nnz) * crs_entry_bytes + 8.0 * (lengths.rows + 1.0);
  constexpr double negligible = 1 << 20;  // a small matrix may be padded as it likes
  if (stored <= padding_limit * crs + negligible) return;
  throw Error(ExitCode::usage,
              fmt::format("format {} would store {} for {} non-zeros: {:.1f} times as much as crs ({} rows of {:.1f} "
                          "non-zeros on average, the longest has {})",
                          format, human_bytes(stored), lengths.nnz, stored / crs, lengths.rows, lengths.mean(),
                          lengths.longest),
              "rows of such different lengths want the format sliced_ell (which sorts them), crs or auto");
}

void require_same_sizes(Index from_rows, Index from_cols, Offset from_nnz, Index rows, Index cols, Offset nnz) {
  if (from_rows == rows && from_cols == cols && from_nnz == nnz) return;
  throw Error(ExitCode::internal,
              fmt::format("values of a matrix [{}, {}] with {} non-zeros cannot refill one [{}, {}] with {}", from_rows,
                          from_cols, from_nnz, rows, cols, nnz),
              "convert the matrix anew when its pattern changed");
}

}  // namespace tessera::linalg
