#pragma once
// [[initial]] on a mesh.
#include "physics/model.hpp"

namespace tessera::physics {

/// [rows] the start of the deck; empty: the deck has none. Where entries do not reach, u starts at `level`. Throws
/// Error for unknown groups, numbers of components and values that are not finite.
std::vector<double> initial_values(const CommonParams& params, const Discretisation& space, const FieldInfo& field,
                                   double level);

/// [rows] the rate of change at the start, of what accelerates; 0 where the deck says nothing.
std::vector<double> initial_rates(const CommonParams& params, const Discretisation& space, const FieldInfo& field);

}  // namespace tessera::physics
