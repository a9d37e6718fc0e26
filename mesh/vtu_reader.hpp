#pragma once
#include <filesystem>

#include "mesh/file_mesh.hpp"

namespace tessera::mesh {

/// Reads the mesh of a VTK XML file of an unstructured grid (.vtu): linear and quadratic cells, and Lagrange cells of
/// orders 1 to 8, as the program itself writes them. Orders above 2 become order 2 through the points of their maps.
///
/// Groups: an array of integers on the cells, of at most 1000 values, makes the groups "array_value" of cells, and of
/// elements of lower dimension. Of an array "in NAME" of zeros and ones, as the program writes for each group, the
/// ones are the group NAME. Ghost cells are left out.
///
/// Throws Error(mesh) for what is no whole .vtu file and for cells of other kinds. In the child process only: on a
/// damaged file VTK may crash.
FileMesh read_vtu_mesh(const std::filesystem::path& file);

}  // namespace tessera::mesh
