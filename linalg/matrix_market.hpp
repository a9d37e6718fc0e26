#pragma once
#include <string>

#include "linalg/crs.hpp"

namespace tessera::linalg {

/// What the header of a Matrix Market file says besides the sizes.
enum class MarketField { real, integer, pattern };
enum class MarketSymmetry { general, symmetric, skew_symmetric };

/// Reads a sparse matrix from a Matrix Market file: coordinate format; real, integer or pattern (all values 1);
/// general, symmetric or skew-symmetric, of which the file holds the lower triangle and the result both. Columns ascend
/// within the rows of the result; entries given more than once are added. Memory grows with the file, whatever counts
/// its header claims. Throws Error(file_system) where the file cannot be read, Error(usage) with file, line and column
/// where it is not what the format allows. Boisvert, Pozo, Remington, "The Matrix Market exchange formats", NISTIR
/// 5935.
Crs<Host> read_matrix_market(const std::string& path);

struct MarketOptions {
  MarketField field = MarketField::real;
  MarketSymmetry symmetry = MarketSymmetry::general;
  std::string comment = {};  ///< lines after the header
};

/// Whether A equals its transpose but for rounding: |a_ij - a_ji| <= tolerance max(|a_ii|, |a_jj|). Then the entries
/// above the diagonal become those below, so that the matrix is what a symmetric file says; else it stays as it is.
bool symmetrise(Crs<Host>& A, double tolerance = 1e-13);

/// Writes A so that reading gives the same matrix, bit for bit. Of a symmetric or skew-symmetric one only the lower
/// triangle is written; throws Error(usage) when A is not what `options` say, Error(file_system) where the file cannot
/// be written.
void write_matrix_market(const std::string& path, const Crs<Host>& A, const MarketOptions& options = {});

}  // namespace tessera::linalg
