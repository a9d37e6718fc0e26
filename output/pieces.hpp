#pragma once
// A solution in pieces, one a rank, and the .pvtu file that names them.
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "output/vtk_writer.hpp"

namespace tessera::output {

/// The values of these points or cells.
Field taken(const Field& field, const std::vector<Index>& items);

/// The cells that are marked [cells], with the points and values that they need; `points` becomes which points they
/// are.
VtkData of_cells(const VtkData& data, std::span<const char> cells, std::vector<Index>& points);
inline VtkData of_cells(const VtkData& data, std::span<const char> cells) {
  std::vector<Index> points;
  return of_cells(data, cells, points);
}

/// File name of the piece of a rank: solution_0.vtu, ...
std::string piece_name(int rank, const std::string& stem = "solution");

/// The file that makes one grid of so many pieces, which lie beside it and have the fields of `like` in this
/// precision. Throws Error(file_system) where it cannot be written, or a piece is not there.
void write_pvtu(const std::filesystem::path& path, const VtkData& like, int pieces,
                Precision precision = Precision::of_double);

}  // namespace tessera::output
