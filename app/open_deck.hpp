#pragma once
#include <filesystem>

#include "app/commands.hpp"
#include "deck/deck.hpp"

namespace tessera::app {

/// All that the command line changes in a deck, as key=value: --backend, --threads, --ranks and --output are keys, too.
std::vector<std::string> overrides_of(const DeckOptions& options);
/// Reads the deck of a command with its overrides.
deck::Deck open_deck(const DeckOptions& options);

/// The folder of the results. Throws Error(usage) where its name is empty.
std::filesystem::path output_directory(const deck::Deck& deck);

/// Loads the plugins of a command.
void load_plugins(const DeckOptions& options);

}  // namespace tessera::app
