#pragma once
#include "app/commands.hpp"
#include "deck/deck.hpp"

namespace tessera::app {

/// Reads the deck of a command with its overrides; --backend, --threads and --output become overrides of their keys.
deck::Deck open_deck(const DeckOptions& options);

/// Loads the plugins of a command.
void load_plugins(const DeckOptions& options);

}  // namespace tessera::app
