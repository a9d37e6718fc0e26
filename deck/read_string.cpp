#include "deck/read_string.hpp"

#include "deck/node.hpp"
#include "deck/section.hpp"

namespace tessera::deck {

std::string read_string(const Deck& deck, const std::string& dotted_key, const std::string& help) {
  std::string value;
  if (const Deck::Node* node = find_path(deck.root(), dotted_key))
    detail::read_value(*node, {node->name, "string", {}, {.help = help}, {}}, value);
  return value;
}

}  // namespace tessera::deck
