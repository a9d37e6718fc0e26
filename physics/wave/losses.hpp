#pragma once
// Quality factors of materials at the nodes of elements.
#include "physics/wave/attenuation.hpp"
#include "physics/wave/problem.hpp"

namespace tessera::physics::wave {

/// Whether a material has quality factors that are not the same everywhere.
bool qualities_vary(const MaterialParams& m);

/// Makes of moduli those of a sudden load and sets what attenuates, at the places `where` of a material: cells, or
/// nodes of cells, whose dofs these are. `dofs` empty: all numbers are constant. Throws Error(usage) where a factor is
/// below 2.
void set_losses(const Problem& problem, const MaterialParams& m, const ConstantQuality& qualities,
                const std::vector<std::size_t>& where, const std::vector<Index>& dofs, Media& media);

}  // namespace tessera::physics::wave
