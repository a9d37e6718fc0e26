#pragma once
// Perfectly matched layers of a deck on the mesh.
#include "assembly/spectral/layer_cells.hpp"
#include "physics/wave/problem.hpp"

namespace tessera::physics::wave {

/// What cells in layers have of the longest step that others of their size have: their viscosity shortens it.
constexpr double part_of_step_in_layers = 0.98;

/// The cells behind the sides of [[boundary]] type = "pml", how far they are stretched, and their viscosity. Throws
/// what check_layers throws. Collective where ranks share the space.
assembly::spectral::Layers make_layers(const Problem& problem);

/// Throws Error(usage) where a side is not a plane of the mesh's outside across an axis, where cells cross the plane at
/// which its layer would begin, where the layers leave nothing between them, or where a source, a plane wave at the
/// start or an absorbing side is in one; warns of plates. For one rank that has the whole; of a box that ranks make in
/// parts it warns alone, for the root's outline of it has other layers.
void check_layers(const Problem& problem);

}  // namespace tessera::physics::wave
