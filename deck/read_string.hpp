#pragma once
#include <string>

#include "deck/deck.hpp"

namespace tessera::deck {

/// The string at a dotted key, for those who must see it before they know what the section may hold; empty where the
/// deck does not have the key. Throws Error(usage) at its place, with `help`, where it is no string.
std::string read_string(const Deck& deck, const std::string& dotted_key, const std::string& help);

}  // namespace tessera::deck
