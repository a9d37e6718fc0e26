#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "output/vtk_writer.hpp"

namespace tessera::output {

/// A name as a table has it: quoted where it has commas, quotes or line ends, as RFC 4180 wants it.
std::string csv_name(const std::string& name);

/// A column of numbers under its name.
struct Column {
  std::string name;
  std::vector<double> values;
};

/// Writes columns of the same length as a table: a line of names, then one line a row, commas between; 17 digits, so
/// that numbers read back are the same. As `atomic_write` does.
void write_csv(const std::vector<Column>& columns, const std::filesystem::path& path);

/// The points of `data` as a table, one row a node: x, y, z, then each point field, a vector as name_x, name_y, name_z.
void write_csv(const VtkData& data, const std::filesystem::path& path);

/// Reads a table as it was written. Throws Error(file_system) for a file that is none.
std::vector<Column> read_csv(const std::filesystem::path& path);

}  // namespace tessera::output
