#pragma once
#include <filesystem>

#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// Writes a mesh with its groups as .msh 4.1, binary; read_gmsh gives back the same nodes, cells and groups (cells of
/// one set of groups together). Groups that overlap become one entity for each combination of groups. Facets without a
/// group are not written. Written under a temporary name, then renamed. Throws Error(file_system) where it cannot be
/// written.
void write_msh(const Mesh& mesh, const std::filesystem::path& file);

}  // namespace tessera::mesh
