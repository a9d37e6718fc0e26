#pragma once
// Perfectly matched layers of a deck on the mesh.
#include "assembly/spectral/layer_cells.hpp"
#include "physics/wave/coupled.hpp"

namespace tessera::physics::wave {

/// What cells in layers have of the longest step that others of their size have: their viscosity shortens it.
constexpr double part_of_step_in_layers = 0.98;

/// The cells behind the sides of [[boundary]] type = "pml", how far they are stretched, and their viscosity. Throws
/// what check_layers throws. Collective where ranks share the space.
assembly::spectral::Layers make_layers(const Problem& problem);
/// Of fluids and of the solids beside them, each of its own cells. All are stretched alike, as by the faster medium.
std::array<assembly::spectral::Layers, 2> make_layers(const CoupledProblem& problem);

/// Whether the mesh has the sides of the deck's box, but not its cells: the root's, of a box that ranks make in parts.
bool is_outline(const Params& params, const mesh::Mesh& mesh);

/// Throws Error(usage) where a side is not a plane of the mesh's outside across an axis, where cells cross the plane at
/// which its layer would begin, where the layers leave nothing between them, or where a source, a plane wave at the
/// start or an absorbing side is in one; warns of plates. For one rank that has the whole; of a box that ranks make in
/// parts it warns alone, for the root's outline of it has other layers.
void check_layers(const Problem& problem);
/// The same, and where the interface is not at right angles to the side of a layer, or values are prescribed where it
/// runs in one.
void check_layers(const CoupledProblem& problem);

}  // namespace tessera::physics::wave
