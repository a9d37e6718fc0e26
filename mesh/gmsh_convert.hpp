#pragma once
#include <string>

#include "mesh/gmsh_reader_model.hpp"

namespace tessera::mesh {

/// Makes cells of the types that the program has from those of Gmsh that it has not; says so in model.infos, or in
/// model.warnings where the geometry changes. In the child process only: Gmsh evaluates its own bases.
///
/// Serendipity cells get the missing nodes, where the cell's own map puts them: the geometry stays what it is. Cells of
/// orders 3 and 4 become those of order 2 through the points of their maps. New nodes belong to edges and faces, by
/// their vertices, so that neighbours share them. Where there are pyramids, all cells become tetrahedra: each face is
/// cut from its vertex of the smallest number, each cell from its own, so that neighbours fit. Source: Dompierre,
/// Labbe, Vallet, Camarero, How to subdivide pyramids, prisms and hexahedra into tetrahedra, 8th International Meshing
/// Roundtable, 1999 (their hexahedra sometimes have 5 tetrahedra, ours always 6).
void convert_cells(const std::string& file, GmshModel& model);

}  // namespace tessera::mesh
