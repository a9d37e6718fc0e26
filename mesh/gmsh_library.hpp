#pragma once
// Gmsh is loaded where a file of a mesh or a geometry is read: it brings ninety libraries, whose loading takes ten
// times as long as the rest of the program's start.

namespace tessera::mesh {

/// Loads Gmsh's library; nothing where that is done. Calls of gmsh:: do so by themselves, but a parent does it for its
/// children. Throws Error(memory) where the address space does not hold it, else Error(usage) where it is not found.
/// Of other versions of Gmsh than gmsh_library.cpp knows, the program is linked to the library.
void load_gmsh();

}  // namespace tessera::mesh
