#pragma once
#include <filesystem>

#include "mesh/file_mesh.hpp"

namespace tessera::mesh {

/// Reads the mesh of an input deck of Abaqus or CalculiX (.inp): *NODE, *ELEMENT, *NSET, *ELSET, *SURFACE, *INCLUDE,
/// and a single *PART with a single *INSTANCE that stays where it is. Keywords that are no mesh are passed over.
/// Materials, steps and loads belong to the other program.
///
/// Element sets become groups of each dimension that they have, surfaces groups of sides, node sets those that
/// add_node_sets makes. A set of the part whose name a set of the assembly has is called "instance.set", as in
/// Abaqus. An internal set that a surface is made of is no group.
///
/// Throws Error(mesh) with file and line for a damaged deck, an unknown element type, keywords that make a mesh out
/// of another (*NGEN ...), several instances, or one that is moved.
FileMesh read_abaqus(const std::filesystem::path& file);

}  // namespace tessera::mesh
