#pragma once
#include "deck/deck.hpp"
#include "mesh/gmsh_reader.hpp"
#include "mesh/mesh.hpp"
#include "mesh/params.hpp"

namespace tessera::mesh {

/// Whether who asks for a mesh knows bodies of revolution (mesh.axis), whose coefficients carry the weight 2 pi r.
enum class Revolution { refused, known };

/// A box of a deck as mesh.refine makes it: with halved intervals, which is the mesh that refine() gives, numbered
/// lexicographically. Throws Error(mesh) where 32-bit numbers do not suffice.
BoxParams refined(BoxParams box, int times);

/// The mesh of a run: reads mesh.file (relative to the deck) or generates mesh.box, refines it, and numbers it.
/// `threads` is the number of threads of the set-up, 0: all. A box that is refined is generated with more cells, so it
/// stays a box; "rcm" leaves its lexicographic order, which grid methods need and is banded as well; after "metis" it
/// is no box any more. Profile: "mesh.read" or "mesh.generate", "mesh.refine", "mesh.number", "mesh.check". Throws
/// Error(usage), Error(file_system) or Error(mesh); see validate, read_gmsh, make_box, refine, check_cells, set_axis.
Mesh make_mesh(const deck::Deck& deck, const MeshParams& params, int threads = 0, const MeshHooks& hooks = {},
               Revolution revolution = Revolution::refused);

}  // namespace tessera::mesh
