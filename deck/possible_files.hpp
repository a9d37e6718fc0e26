#pragma once
#include "deck/deck.hpp"

namespace tessera::deck {

/// A string of a deck as the path of a file, which may be there or not.
struct PossibleFile {
  std::string key;             ///< "material[1].file"
  std::string text;            ///< as the deck has it
  std::filesystem::path path;  ///< absolute
  Position where;
};

/// All strings of a deck, in its order. Every file that a deck names is one of them, whatever the key is called and
/// whichever module has it.
std::vector<PossibleFile> possible_files(const Deck& deck);

}  // namespace tessera::deck
