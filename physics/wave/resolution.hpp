#pragma once
// How well a mesh bears the waves of a deck.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assembly/spectral/cells.hpp"
#include "physics/wave/problem.hpp"
#include "physics/wave/wave_times.hpp"

namespace tessera::physics::wave {

/// The frequency below which a function of time has 95 per cent of its power between two times; of one that stays at
/// another value than it began with, its rate of change has it. None: it does nothing, or it jumps, so that it has
/// waves of all frequencies, or what 65,536 samples see of it has not settled, or that frequency has less than three
/// periods in between, so that the times make it and not the function, or it has no value at one of their times, which
/// the steps of a run need not meet.
std::optional<double> highest_part(const deck::TimeFunction& f, double from, double to);

/// The longest time that the slowest wave takes through a cell, and where.
assembly::spectral::Most slowest_passage(std::span<const Problem* const> media);
/// That of all ranks, of the lowest that has it. Collective.
assembly::spectral::Most slowest_of(Communicator& ranks, const assembly::spectral::Most& mine);

/// The times of all ranks, of each plane wave. Collective.
std::vector<TimesOfWave> times_of(Communicator& ranks, std::vector<TimesOfWave> mine);

/// How many nodes stand on the shortest wave of a source or plane wave.
struct NodesOnWave {
  std::string text;
  bool few;
};
/// Of each source and plane wave of a deck, where a cell takes so long: of its frequency, of a width that of 1 / (pi
/// width), of other functions of highest_part, of plane waves between the times that the mesh sees of them. Functions
/// that are written alike are looked at once, and a hundred at most, which is said.
std::vector<NodesOnWave> nodes_on_waves(const Params& params, const assembly::spectral::Most& slowest,
                                        std::span<const TimesOfWave> plane_waves);
void warn_of_few(std::span<const NodesOnWave> waves);

/// Warns of the cell that bounds the steps where it is so badly shaped that they are many times shorter than those of
/// the other cells.
void warn_of_bad_cells(std::span<const Problem* const> media);

}  // namespace tessera::physics::wave
