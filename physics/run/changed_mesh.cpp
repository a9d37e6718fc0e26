#include "physics/run/changed_mesh.hpp"

#include <fmt/format.h>

namespace tessera::physics {

namespace {

bool any_boundary_has(const deck::Deck& deck, const char* key) {
  for (int i = 0; deck.has(fmt::format("boundary[{}]", i)); ++i)
    if (deck.has(fmt::format("boundary[{}].{}", i, key))) return true;
  return false;
}

}  // namespace

bool has_contacts(const deck::Deck& deck) { return any_boundary_has(deck, "conductance"); }
bool has_growing_layers(const deck::Deck& deck) { return any_boundary_has(deck, "grow"); }

}  // namespace tessera::physics
