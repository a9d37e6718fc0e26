#pragma once
// What Gmsh does: to be called in a child process (base/child_process.hpp) only.
#include <filesystem>

#include "mesh/gmsh_reader.hpp"
#include "mesh/gmsh_reader_model.hpp"
#include "mesh/msh_check.hpp"

namespace tessera::mesh {

/// What a file is to Gmsh.
enum class GmshKind { geometry, triangulation, mesh };

/// Opens the file in Gmsh, meshes it where it is no mesh, and copies the result. Throws as read_gmsh does.
GmshModel load_in_gmsh(const std::filesystem::path& file, GmshKind kind, const MshFacts& facts,
                       const GmshOptions& options);

}  // namespace tessera::mesh
