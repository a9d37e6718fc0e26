#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/communicator.hpp"

namespace tessera {

/// Cores of this machine by their numbers, ascending.
using Cores = std::vector<int>;

/// Those that this process may use, as whoever started it has left them to it. Empty: not known.
Cores usable_cores();
/// From now on this thread, and those that it makes, use these alone. Whether the system has let it.
bool keep_to(const Cores& cores);
/// "0-3,8".
std::string ranges_of(const Cores& cores);

/// The cores by what holds them: those that share the units of one are together, those of a socket are neighbours.
std::vector<Cores> by_units(const Cores& cores);
/// The part that one of `parts` gets of them, numbered from 0: consecutive units, as equal as they can be, or single
/// cores where units do not suffice. Empty: there are fewer cores than parts.
Cores part_of(const std::vector<Cores>& units, int parts, int part);

/// The first rank of the machine of each rank, wherever a launcher has put them. Collective.
std::vector<int> first_ranks_of_machines(Communicator& ranks);

}  // namespace tessera
