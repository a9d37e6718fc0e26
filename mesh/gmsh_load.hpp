#pragma once
// What Gmsh and VTK do: to be called in a child process (base/child_process.hpp) only.
#include <filesystem>

#include "mesh/gmsh_reader.hpp"
#include "mesh/gmsh_reader_model.hpp"
#include "mesh/msh_check.hpp"

namespace tessera::mesh {

/// What a file is to Gmsh: what it meshes, a mesh, or a mesh of a format that it does not read.
enum class GmshKind { geometry, triangulation, mesh, abaqus, vtu };

constexpr bool is_geometry(GmshKind kind) { return kind == GmshKind::geometry || kind == GmshKind::triangulation; }

/// Opens the file in Gmsh, meshes it where it is no mesh, and copies the result; or reads it, where Gmsh cannot, and
/// has Gmsh convert its cells. Throws as read_gmsh does.
GmshModel load_in_gmsh(const std::filesystem::path& file, GmshKind kind, const MshFacts& facts,
                       const GmshOptions& options);

}  // namespace tessera::mesh
