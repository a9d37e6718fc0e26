#pragma once
// Entries of a deck as messages name them.
#include <fmt/format.h>

#include <string>

#include "deck/section.hpp"

namespace tessera::physics {

/// "material 2 (deck.toml:14)": an entry of a list as a reader of the deck finds it.
inline std::string entry(const char* list, std::size_t index, const deck::Where& where) {
  return fmt::format("{} {}{}", list, index + 1, where ? fmt::format(" ({}:{})", where->file, where->line) : "");
}

inline bool is_zero(const deck::Expression& e) { return e.is_constant() && e.constant() == 0; }

}  // namespace tessera::physics
