#pragma once
// [[initial]] on a mesh.
#include "physics/run/initial_file.hpp"

namespace tessera::physics {

/// [rows] the start that entries of the deck say, of a field or of its rate of change; their files are in `grids`;
/// empty: there are no entries. Where they do not reach it is `level`. Values of files are those of the rows that this
/// rank owns. Throws Error for unknown groups, numbers of components, values that are not finite, and what
/// take_from_file throws.
std::vector<double> initial_values(const std::vector<InitialParams>& entries, const std::optional<TimeParams>& time,
                                   const Discretisation& space, const FieldInfo& field, double level,
                                   const InitialGrids& grids);

}  // namespace tessera::physics
