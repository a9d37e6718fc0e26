#pragma once
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/types.hpp"

namespace tessera::deck {

/// Numbers at the points of a grid whose axes are those of space, linear along each axis between the points.
struct GridTable {
  std::filesystem::path file;
  std::array<std::vector<double>, 3> axes;   ///< coordinates that ascend; empty: the same everywhere along that axis
  std::vector<std::string> columns;          ///< names of the numbers
  std::vector<std::vector<double>> numbers;  ///< [columns][points], the first axis fastest

  /// The number of a column, -1: there is none of this name.
  int column(const std::string& name) const;
  std::size_t points() const;
  /// Whether x lies between the first and the last point along each axis, or beyond them by a rounding of their
  /// distance.
  bool contains(const double* x) const;
  /// Of a place that it does not contain that of the nearest one that it does.
  double at(int column, const double* x) const;
  /// "x from 0 to 5, z from -1 to 0"
  std::string extent() const;
};

/// Reads a grid from a table: the first row names the columns, of which x, y and z are coordinates, one of them at
/// least; then one row a point, in any order, with commas, semicolons or blanks between its numbers. Empty lines and
/// those that begin with # are skipped. Coordinates that differ by less than 1e-9 of their range are the same. `where`
/// is the place that names the file. Throws Error(file_system) for a file that is missing or cannot be read;
/// Error(usage) at the line for names that stand twice, rows with other numbers of entries or that are not finite, and
/// a point that stands twice; where points of the grid are missing, and for an axis of one point.
GridTable read_grid_table(const std::filesystem::path& file, const std::optional<Position>& where = {});

}  // namespace tessera::deck
