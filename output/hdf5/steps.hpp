#pragma once
// Names of what a VTKHDF file has of its states.
#include <array>
#include <cstdint>
#include <utility>

#include "output/hdf5/datasets.hpp"

namespace tessera::output::hdf5 {

/// Fields of points or of cells: the group of their values, that of the first rows of each step, and how many there
/// are.
struct FieldKind {
  const char *data, *offsets, *count;
};
constexpr FieldKind point_data{"PointData", "PointDataOffsets", "NumberOfPoints"};
constexpr FieldKind cell_data{"CellData", "CellDataOffsets", "NumberOfCells"};

/// Numbers that all steps have, for all share one grid, of one part.
constexpr std::array<std::pair<const char*, std::int64_t>, 5> step_numbers{
    {{"PartOffsets", 0}, {"NumberOfParts", 1}, {"PointOffsets", 0}, {"CellOffsets", 0}, {"ConnectivityIdOffsets", 0}}};

/// How many points, cells or entries of cells the grid has.
inline std::int64_t read_count(const Place& root, const char* name) {
  return rows_of<std::int64_t>(open_dataset(root, name), 0, 1, root.path).front();
}

}  // namespace tessera::output::hdf5
