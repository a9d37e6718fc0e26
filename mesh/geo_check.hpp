#pragma once
#include <filesystem>

namespace tessera::mesh {

/// Looks through a script of Gmsh (.geo), its options (.geo.opt), and scripts that it includes or merges for commands
/// that start programs or write files: SystemCall, NonBlockingSystemCall, System, OnelabRun, CreateDir, Save, Print,
/// Printf and its like with > or >>, the field ExternalProcess; and for scripts that cannot be looked through because
/// their names are computed. Throws Error(mesh) at the first, with its place; missing files are left to Gmsh. The child
/// process in which Gmsh works is confined all the same (base/confine.hpp): this is for the message.
void check_geo(const std::filesystem::path& file);

/// Throws Error(mesh) where Gmsh would take the file for a script, whatever its name says: where <file>.opt stands
/// beside it, which Gmsh reads as one, and for extensions in mixed case, which Gmsh does not know.
void check_no_script(const std::filesystem::path& file);

}  // namespace tessera::mesh
