#pragma once
// Materials whose numbers are columns of a grid in a file.
#include <span>

#include "base/types.hpp"
#include "physics/wave/params.hpp"

namespace tessera::physics::wave {

/// Reads the file of a material, if it has one, and notes in the material what its columns give. Throws what
/// read_grid_table throws, and Error(usage) for columns that no material has, for numbers that the deck gives, too, for
/// half of a list, and for `outside` without a file.
void take_grid(const deck::Deck& deck, MaterialParams& material);

/// A number of the material at points[dofs[i]], points [dofs, 3]. Throws Error(usage) for a point outside of the grid
/// where the deck does not say that the nearest place counts.
std::vector<double> evaluate_number(const MaterialParams& material, const MaterialNumber& number,
                                    std::span<const double> points, std::span<const Index> dofs, int threads);

}  // namespace tessera::physics::wave
