#include "deck/check_section.hpp"

namespace tessera::deck {

void check_section(const Deck& deck, const SectionDescription& section) {
  for (const Deck::Node* table : detail::items(deck.root(), section))
    detail::check_known(*table, section.keys, section.name);
}

}  // namespace tessera::deck
