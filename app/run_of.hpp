#pragma once
#include <optional>

#include "app/commands.hpp"
#include "output/checkpoint.hpp"
#include "physics/module.hpp"

namespace tessera::app {

/// A run: what the command line says of it, where its deck comes from, and where it goes on.
struct RunOf {
  DeckOptions options;
  physics::Origin origin;
  std::optional<output::Checkpoint> checkpoint = {};  ///< none: it begins
};

/// Runs it from the first line to the exit code.
ExitCode run(const RunOf& run);

}  // namespace tessera::app
