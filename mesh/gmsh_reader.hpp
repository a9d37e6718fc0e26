#pragma once
#include <filesystem>
#include <optional>

#include "base/error.hpp"
#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// Reads a mesh (.msh 2.2 and 4.1, ascii and binary, and other mesh formats of Gmsh), or opens a geometry (.geo, .step,
/// .brep, .iges, .stl) and meshes it with elements of about `size` and geometric order `order`. A mesh file keeps its order.
///
/// Physical groups of every dimension become groups; one without a name is called "tag_<number>". A geometry with groups
/// of the highest dimension gives the cells of those groups only, as Gmsh saves them; else all cells are read. Elements that
/// a file repeats for each of their groups are read once; in a 2.2 file each element has the groups that it names. Inverted cells are mirrored, nodes without a cell dropped, and
/// nodes are in the order of their tags.
///
/// Throws Error(file_system) where the file cannot be read, at `where` (its place in the deck), and Error(mesh) for a
/// corrupt file, an unsupported element (pyramids, serendipity, order > 2), a surface mesh in space, a facet of a group that is
/// no side of a cell, and whatever Gmsh refuses, in its own words.
Mesh read_gmsh(const std::filesystem::path& file, std::optional<double> size = {}, int order = 1,
               std::optional<Position> where = {});

}  // namespace tessera::mesh
