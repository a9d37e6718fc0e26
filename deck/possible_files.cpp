#include "deck/possible_files.hpp"

#include "deck/node.hpp"

namespace tessera::deck {

namespace {

void add_strings(const Deck& deck, const Deck::Node& node, std::vector<PossibleFile>& files) {
  if (node.kind == Deck::Node::Kind::string && !node.string.empty())
    files.push_back({node.path, node.string, deck.resolve(node.string), node.where});
  for (const Deck::Node& child : node.children) add_strings(deck, child, files);
}

}  // namespace

std::vector<PossibleFile> possible_files(const Deck& deck) {
  std::vector<PossibleFile> files;
  add_strings(deck, deck.root(), files);
  return files;
}

}  // namespace tessera::deck
