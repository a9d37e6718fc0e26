#pragma once
#include <string>

#include "base/array.hpp"

namespace tessera::linalg {

/// Reads a vector: a Matrix Market file in array format (real or integer, general, one column), or a plain list of
/// numbers between blanks and line ends. Throws Error(file_system) where the file cannot be read, Error(usage) with its
/// place where it is neither.
Array<double> read_market_vector(const std::string& path);

/// Writes a vector as a Matrix Market array of one column, so that reading gives the same numbers, bit for bit. Throws
/// Error(file_system) where the file cannot be written.
void write_market_vector(const std::string& path, View<const double> values, const std::string& comment = {});

}  // namespace tessera::linalg
