#include "physics/run/changed_mesh.hpp"

#include <fmt/format.h>

#include "deck/node.hpp"

namespace tessera::physics {

namespace {

/// Whether test(value) holds for this key of any boundary.
template <class Test>
bool any_boundary(const deck::Deck& deck, const char* key, Test test) {
  for (int i = 0; deck.has(fmt::format("boundary[{}]", i)); ++i) {
    const deck::Deck::Node* const value = deck::find_path(deck.root(), fmt::format("boundary[{}].{}", i, key));
    if (value && test(*value)) return true;
  }
  return false;
}

}  // namespace

bool has_contacts(const deck::Deck& deck) {
  return any_boundary(deck, "conductance", [](const deck::Deck::Node&) { return true; });
}
bool has_growing_layers(const deck::Deck& deck) {
  return any_boundary(deck, "grow", [](const deck::Deck::Node& value) { return value.boolean; });
}

}  // namespace tessera::physics
