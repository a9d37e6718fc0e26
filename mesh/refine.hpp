#pragma once
#include "mesh/mesh.hpp"

namespace tessera::mesh {

/// Uniform refinement: each cell into 2^dim cells of its shape, conforming also across shapes. Groups of every dimension
/// and facets are carried along. Geometric order 2: new nodes lie on the parent's curved map.
/// Tets are cut by Bey's rule with an inner diagonal that keeps the number of similarity classes at three for Kuhn's
/// tets (J. Bey, Tetrahedral grid refinement, Computing 55 (1995), 355-378); others take the shortest diagonal.
/// The numbering of a structured box is lost, so box_cells becomes zero: generate a box with doubled cells instead.
/// Throws Error(mesh) when the refined mesh would pass 32-bit indices.
Mesh refine(const Mesh& mesh);

}  // namespace tessera::mesh
