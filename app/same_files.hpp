#pragma once
#include <string>
#include <vector>

#include "base/communicator.hpp"
#include "deck/deck.hpp"

namespace tessera::app {

/// Throws Error(usage) on all ranks where one has another file than the first in the place of one that the deck names,
/// which is the same deck on all, or of a plugin. Not compared are those that the first rank alone reads, and those
/// that are not there, which whoever reads them says. Collective.
void check_same_files(Communicator& ranks, const deck::Deck& deck, const std::vector<std::string>& plugins);

}  // namespace tessera::app
