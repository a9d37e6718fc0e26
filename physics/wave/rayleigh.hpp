#pragma once
// Rayleigh's damping on the host: M u'' + C u' + K u = f with C = alpha M + beta K, both by material.
#include "physics/wave/problem.hpp"

namespace tessera::physics::wave {

/// Throws Error(usage), at its material, for damping of what cannot have it.
void check_rayleigh(const Params& params);

/// alpha or beta at the nodes of cells, or of whole cells; 0 where a material has none, no components where none has.
/// Throws Error(usage) where a number is negative.
assembly::spectral::Coefficients rayleigh_numbers(const Problem& problem, const char* name,
                                                  std::optional<deck::Expression> MaterialParams::*key);

/// a b at the nodes of cells, where b has one number there.
assembly::spectral::Coefficients product(const assembly::spectral::Cells& cells,
                                         const assembly::spectral::Coefficients& a,
                                         const assembly::spectral::Coefficients& b);

/// Numbers of the cells that a rank sees.
struct Range {
  double least = 0, greatest = 0;
  bool is_one() const { return least == greatest; }
};
/// 0 of coefficients without components.
Range range_of(const assembly::spectral::Coefficients& numbers);

/// Where steps of the leapfrog are shortest, as a frequency: 2 / dt. As an estimate it is one as highest_frequency is.
assembly::spectral::Most frequency_of_leaps(const Problem& problem);

}  // namespace tessera::physics::wave
