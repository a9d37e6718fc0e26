#pragma once
// Decks whose model changes the mesh that mesh::make_mesh makes of them.
#include "deck/deck.hpp"

namespace tessera::physics {

/// Whether a deck has contacts, along which its model takes the mesh apart. Nothing else has a conductance.
bool has_contacts(const deck::Deck& deck);
/// Whether layers of cells grow out of the mesh of a deck. Nothing else has a key `grow`.
bool has_growing_layers(const deck::Deck& deck);

}  // namespace tessera::physics
