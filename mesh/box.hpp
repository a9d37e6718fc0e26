#pragma once
#include "mesh/mesh.hpp"
#include "mesh/params.hpp"

namespace tessera::mesh {

/// A box of [cells] intervals per axis, each product of intervals cut into 1 cell (interval, quad, hex) or into
/// 2 triangles, 6 tets (Kuhn: one per order of the axes, all sharing the diagonal from the lowest to the highest
/// corner) or 2 prisms (triangles x interval). All diagonals point the same way, so the P1 Laplacian is the 5-/7-point
/// stencil. Nodes are numbered lexicographically, x fastest; order 2 numbers the lattice of half intervals so. Groups:
/// sides left right (x), bottom top (y), back front (z), and "domain". Throws Error(usage) for wrong parameters,
/// Error(mesh) where 32-bit numbers do not suffice.
Mesh make_box(const BoxParams& params, int order = 1);

}  // namespace tessera::mesh
