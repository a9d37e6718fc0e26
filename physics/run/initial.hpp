#pragma once
// [[initial]] on a mesh.
#include "physics/run/initial_file.hpp"

namespace tessera::physics {

/// [rows] the start of the deck, whose files are in `grids`; empty: the deck has none. Where entries do not reach, u
/// starts at `level`. Values of files are those of the rows that this rank owns. Throws Error for unknown groups,
/// numbers of components, values that are not finite, and what take_from_file throws.
std::vector<double> initial_values(const CommonParams& params, const Discretisation& space, const FieldInfo& field,
                                   double level, const InitialGrids& grids);

}  // namespace tessera::physics
