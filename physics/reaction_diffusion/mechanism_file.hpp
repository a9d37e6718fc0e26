#pragma once
#include <filesystem>
#include <optional>

#include "physics/reaction_diffusion/mechanism.hpp"

namespace tessera::physics::reaction_diffusion {

/// A mechanism from a small table, a reaction a line, of which what follows a # is a comment:
///   2 B + C -> A + C, 3e7            the rate constant
///   A -> B, 2e9, 0, 5e4              A, n and E of Arrhenius' law, k = A T^n exp(-E / (R T)), with `temperature` T in
///   K
/// The species are in the order in which they first stand there. Throws Error(file_system) for a file that cannot be
/// read, and Error(usage) with the line in the table for one that is no such table, or needs a temperature.
Mechanism read_mechanism(const std::filesystem::path& file, std::optional<double> temperature,
                         const deck::Where& where);

}  // namespace tessera::physics::reaction_diffusion
