#include "linalg/formats.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::linalg {

namespace {

/// Rows below which a GPU is not filled by one thread a row: CRS then puts more threads to work.
constexpr Index few_rows_cuda = 100'000;
/// Rows below which the matrix stays in the caches of the cores, and bytes do not decide.
constexpr Index few_rows_threads = 10'000;
/// Non-zeros a row from which on several threads a row are the better way to read it.
constexpr double long_rows = 64;
/// A longest row of this many times the mean keeps its thread busy while the others have finished.
constexpr double outlier = 16;

}  // namespace

const std::vector<FormatInfo>& format_table() {
  static const std::vector<FormatInfo> table = {
      {"auto", "the best one for the matrix and backend"},
      {"crs", "compressed row storage: 12 B a non-zero, nothing padded"},
      {"ell", "as many columns as the longest row: rows of one length"},
      {"sliced_ell", "slices of 32 rows padded to their own longest row, sorted where rows differ much"},
      {"packed_ell", "sliced ELL with columns packed into 0.25 to 2 B where the numbering allows: the least bytes"},
      {"cmrs", "strips of 16 rows, each entry with its row in the column word"},
  };
  return table;
}

FormatChoice choose_format(const RowLengths& lengths, const std::string& backend) {
  const Index few = backend == "cuda" ? few_rows_cuda : few_rows_threads;
  if (lengths.rows < few)
    return {"crs", fmt::format("{} rows are too few to gain from another format", lengths.rows)};
  if (lengths.mean() > long_rows)
    return {"crs", fmt::format("rows of {:.0f} non-zeros on average are long enough to be read as they are", lengths.mean())};
  if (lengths.longest > outlier * std::max(1.0, lengths.mean()))
    return {"crs", fmt::format("the longest row has {} non-zeros, the average {:.1f}: slices would wait for it",
                               lengths.longest, lengths.mean())};
  return {"packed_ell", fmt::format("rows of {:.1f} non-zeros on average, {} at most: packed columns move the least bytes",
                                    lengths.mean(), lengths.longest)};
}

}  // namespace tessera::linalg
