#pragma once
// [[initial]] on a mesh.
#include "physics/model.hpp"

namespace tessera::physics {

/// [rows] the start of the deck; empty: the deck has none. Where entries do not reach, u starts at `level`. Throws
/// Error for unknown groups, numbers of components and values that are not finite.
std::vector<double> initial_values(const CommonParams& params, const Discretisation& space, const FieldInfo& field,
                                   double level);

}  // namespace tessera::physics
