#include "linalg/formats.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/on_cuda.hpp"
#include "linalg/formats_operator.hpp"

namespace tessera::linalg {

TESSERA_MAKERS_OF_OPERATORS(extern template, Threads, double);
TESSERA_MAKERS_OF_OPERATORS(extern template, Threads, float);
TESSERA_MAKERS_OF_OPERATORS(extern template, Cuda, double);
TESSERA_MAKERS_OF_OPERATORS(extern template, Cuda, float);

/// The columns of a format that every backend has in both types.
#define TESSERA_EVERYWHERE(make) \
  make<Threads, double>, make<Threads, float>, TESSERA_ON_CUDA(make<Cuda, double>), TESSERA_ON_CUDA(make<Cuda, float>)
/// The same of a format of block rows.
#define TESSERA_EVERYWHERE_IN_BLOCKS(make) nullptr, nullptr, nullptr, nullptr, TESSERA_EVERYWHERE(make)

namespace {

/// Rows below which a GPU is not filled by one thread a row: CRS then puts more threads to work. H200, 2026-11-21: P1
/// tets are level at 51 k rows (0.0041 ms), hexes still 1.16 times slower packed at 30 k.
constexpr Index few_rows_cuda = 50'000;
/// Rows below which nothing was measured on threads: packed columns gain from the smallest systems on. One core of a
/// Xeon (Sapphire Rapids), 2026-11-21, time in relation to CRS: triangles, 441 rows 0.73, 10 k 0.62, 161 k 0.68; P1
/// tets, 729 rows 0.88, 11 k 0.86, 97 k 0.80.
constexpr Index few_rows_threads = 400;
/// Non-zeros a row from which on several threads a row are the better way to read it. H200: Q2 hexes, 62 a row, 0.096
/// ms packed and 0.134 in CRS; P4 tets, 73 a row, 0.102 and 0.069.
constexpr double long_rows = 64;
/// On threads a longest row costs the padding of its slice, 32 times its length: more than a seventh of the matrix
/// would eat the gain. Among 97 k rows of P1 tets, one of 1000 entries 0.92 of the time of CRS, 4000 0.96, 8000 1.08.
/// Up to this many times the mean it does no harm.
constexpr double outlier_threads = 16;
constexpr Offset slice_of_outlier = 200;
/// The same on CUDA, where a thread takes 0.11 us an entry of a long row and the GPU 2.9 ps a non-zero: up to this many
/// times the mean, or up to one in so many of all non-zeros, the rest takes long enough. (One row among 0.5 M of P1
/// tets: level with CRS at 110 entries.)
constexpr double outlier_cuda = 4;
constexpr Offset rest_of_outlier = 75'000;

double longest_allowed(const RowLengths& lengths, bool on_gpu) {
  const double mean = std::max(1.0, lengths.mean());
  if (!on_gpu) return std::max(outlier_threads * mean, static_cast<double>(lengths.nnz / slice_of_outlier));
  return std::max(outlier_cuda * mean, static_cast<double>(lengths.nnz / rest_of_outlier));
}

}  // namespace

const std::vector<FormatInfo>& format_table() {
  // clang-format off
  static const std::vector<FormatInfo> table = {
      {"auto", "the best one for the matrix and backend"},
      {"crs", "compressed row storage: 12 B a non-zero, nothing padded", TESSERA_EVERYWHERE(make_crs_operator)},
      {"ell", "as many columns as the longest row: rows of one length", TESSERA_EVERYWHERE(make_ell_operator)},
      {"sliced_ell", "slices of 32 rows padded to their own longest row, sorted where rows differ much",
       TESSERA_EVERYWHERE(make_sliced_ell_operator)},
      {"packed_ell", "sliced ELL with columns packed into 0.25 to 2 B where the numbering allows: the least bytes",
       TESSERA_EVERYWHERE(make_packed_ell_operator)},
      {"cmrs", "strips of 16 rows, each entry with its row in the column word", TESSERA_EVERYWHERE(make_cmrs_operator)},
      {"block_crs", "of several unknowns a node: compressed rows of dense blocks, a column a block",
       TESSERA_EVERYWHERE_IN_BLOCKS(make_block_crs_operator)},
      {"block_sliced_ell", "of several unknowns a node: slices of 32 rows of dense blocks",
       TESSERA_EVERYWHERE_IN_BLOCKS(make_block_sliced_ell_operator)},
  };
  // clang-format on
  return table;
}

std::vector<std::string> format_names(Index block) {
  std::vector<std::string> names;
  for (const FormatInfo& entry : format_table())
    if (block > 1 || !entry.only_blocks()) names.push_back(entry.name);
  return names;
}

namespace detail {

const FormatInfo& find_format(const std::string& name, bool block_rows) {
  const auto& table = format_table();
  const auto found = std::find_if(table.begin(), table.end(), [&](const FormatInfo& e) { return e.name == name; });
  const std::vector<std::string> names = format_names(block_rows ? 2 : 1);
  if (found == table.end()) throw Error(ExitCode::usage, "unknown matrix format '" + name + "'", suggest(name, names));
  if (found->only_blocks() && !block_rows)
    throw Error(ExitCode::usage,
                "the matrix format '" + name + "' stores the blocks of several unknowns a node; this matrix has one",
                fmt::format("choose {}", fmt::join(names, ", ")));
  return *found;
}

void refuse_refill(const std::string& format, const char* kind) {
  throw Error(ExitCode::internal, fmt::format("values of a matrix of {} cannot refill this one in '{}'", kind, format),
              "refill it from a matrix of the kind that it was made from");
}

}  // namespace detail

FormatChoice choose_format(const RowLengths& lengths, const std::string& backend) {
  const bool on_gpu = backend == "cuda";
  const Index few = on_gpu ? few_rows_cuda : few_rows_threads;
  if (lengths.rows < few) return {"crs", fmt::format("{} rows are too few to gain from another format", lengths.rows)};
  if (lengths.mean() > long_rows)
    return {"crs",
            fmt::format("rows of {:.0f} non-zeros on average are long enough to be read as they are", lengths.mean())};
  if (lengths.longest > longest_allowed(lengths, on_gpu))
    return {"crs", fmt::format("the longest row has {} non-zeros, the average {:.1f}: slices would wait for it",
                               lengths.longest, lengths.mean())};
  return {"packed_ell",
          fmt::format("rows of {:.1f} non-zeros on average, {} at most: packed columns move the least bytes",
                      lengths.mean(), lengths.longest)};
}

FormatChoice choose_block_format(const RowLengths& lengths, const std::string& backend) {
  if (backend != "cuda") return {"block_crs", "the numbers of a block row stand together, as threads read them best"};
  if (lengths.rows < few_rows_cuda)
    return {"block_crs", fmt::format("several threads a block row, for {} are too few for one each", lengths.rows)};
  if (lengths.mean() > long_rows)
    return {"block_crs", fmt::format("block rows of {:.0f} blocks on average are long enough to be read as they are",
                                     lengths.mean())};
  if (lengths.longest > longest_allowed(lengths, true))
    return {"block_crs",
            fmt::format("the longest block row has {} blocks, the average {:.1f}: slices would wait for it",
                        lengths.longest, lengths.mean())};
  return {"block_sliced_ell",
          fmt::format("block rows of {:.1f} blocks on average, {} at most: a warp streams through 32 of them",
                      lengths.mean(), lengths.longest)};
}

}  // namespace tessera::linalg
