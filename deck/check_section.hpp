#pragma once
#include "deck/section.hpp"

namespace tessera::deck {

/// Refuses keys of one section of the deck that its description does not have, with the nearest names. Other sections
/// are not looked at.
void check_section(const Deck& deck, const SectionDescription& section);

}  // namespace tessera::deck
