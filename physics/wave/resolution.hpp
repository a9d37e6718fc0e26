#pragma once
// How well a mesh bears the waves of a deck.
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "physics/wave/problem.hpp"

namespace tessera::physics::wave {

/// The frequency below which a function of time has 95 per cent of its power between two times; of one that stays at
/// another value than it began with, its rate of change has it. None: it does nothing, or jumps, so that it has waves
/// of all frequencies. Throws what the function throws.
std::optional<double> highest_part(const deck::TimeFunction& f, double from, double to);

/// Calls say(text, whether they are too few) with how many nodes stand on the shortest wave of each source and plane
/// wave: of its frequency, of a width that of 1 / (pi width), of other functions of highest_part.
void each_wave(const Params& params, std::span<const Problem* const> media,
               const std::function<void(const std::string&, bool)>& say);

/// Warns of the cell that bounds the steps where it is so badly shaped that they are many times shorter than those of
/// the other cells.
void warn_of_bad_cells(std::span<const Problem* const> media);

}  // namespace tessera::physics::wave
