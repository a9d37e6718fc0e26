#pragma once
// What a deck says to any model.
#include "physics/model.hpp"
#include "physics/module.hpp"

namespace tessera::physics {

/// The sections that a deck may have.
deck::Schema schema_of(const Traits& traits);
/// Those of the model, of [[initial]] and of [exact].
std::vector<deck::Expression> expressions_of(Model& model);
/// Model::params of a deck with what the command line says over it, and every check that needs no mesh. Throws Error.
void read_deck(const Context& context, Model& model);

}  // namespace tessera::physics
