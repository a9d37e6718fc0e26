#pragma once
#include <filesystem>
#include <optional>
#include <vector>

#include "base/error.hpp"

namespace tessera::deck {

/// A function of time by its values at times that ascend, straight between them.
struct TimeTable {
  std::filesystem::path file;
  std::vector<double> times;   ///< [rows], at least 2
  std::vector<double> values;  ///< [rows]

  double first() const { return times.front(); }
  double last() const { return times.back(); }
  /// Between the first time and the last one.
  double at(double t) const;
};

/// Reads a table: one row a line, a time and a value with a comma, a semicolon or blanks between them. The first line
/// may name the columns; empty lines and those that begin with # are skipped. `where` is the place that names the file.
/// Throws Error(file_system) for a file that is missing or cannot be read; Error(usage) at the line for a row that is
/// no two finite numbers or not later than the one before, and for fewer than two rows.
TimeTable read_time_table(const std::filesystem::path& file, const std::optional<Position>& where = {});

}  // namespace tessera::deck
