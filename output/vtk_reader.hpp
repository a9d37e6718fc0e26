#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "output/vtk_writer.hpp"

namespace tessera::output {

/// A .vtu file as it lies on the disk, cells in VTK's own types and node order.
struct VtuFile {
  std::vector<double> points;   ///< [points, 3]
  std::vector<int> types;       ///< VTK cell type of each cell
  std::vector<Offset> offsets;  ///< [cells + 1]
  std::vector<Offset> connectivity;
  std::vector<Field> point_fields;
  std::vector<Field> cell_fields;
  std::vector<Field> field_data;  ///< numeric arrays only, e.g. TimeValue
};

/// Throws Error(file_system) for a file that is missing, unreadable, cut off or damaged. VTK works in a child process
/// (run_in_child), for there are files that it crashes on.
VtuFile read_vtu(const std::filesystem::path& path);

}  // namespace tessera::output
