#pragma once
#include <filesystem>

#include <vtkSmartPointer.h>

#include "base/error.hpp"

class vtkUnstructuredGrid;

namespace tessera::mesh {

/// The grid of a .vtu file, as VTK reads it, with cells that name only points that are there. VTK believes the counts
/// of a file, so they are looked at first (absurd_claim). Throws Error(file_system) for what is no readable file, and
/// Error of `code` for one that is no whole .vtu file.
vtkSmartPointer<vtkUnstructuredGrid> read_vtk_grid(const std::filesystem::path& path, ExitCode code);

}  // namespace tessera::mesh
