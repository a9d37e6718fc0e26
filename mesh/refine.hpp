#pragma once
#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// Uniform refinement: each cell into 2^dim cells of its shape, conforming also across shapes. Groups of every
/// dimension and facets are carried along; child k of cell c is cell 2^dim c + k. Geometric order 2: new nodes lie on
/// the parent's curved map. Tets are cut into four corners and an octahedron, whose diagonal is chosen such that the
/// worst child is best: Kuhn's tets then stay Kuhn's, as by J. Bey, Tetrahedral grid refinement, Computing 55 (1995),
/// 355-378. The numbering of a structured box is lost, so box_cells becomes zero: generate a box with doubled cells
/// instead. Throws Error(mesh) when the refined mesh would pass 32-bit indices.
Mesh refine(const Mesh& mesh);

}  // namespace tessera::mesh
