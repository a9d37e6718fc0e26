#pragma once
#include <functional>
#include <optional>

#include "app/commands.hpp"
#include "app/ranks.hpp"
#include "output/checkpoint.hpp"
#include "physics/module.hpp"

namespace tessera::app {

/// A run: what the command line says of it, where its deck comes from, and where it goes on.
struct RunOf {
  DeckOptions options;
  physics::Origin origin;
  /// None: it begins. Ranks beside the root have of it what all must know, and no fields: the root gives them theirs.
  std::optional<output::Checkpoint> checkpoint = {};
  /// Why it cannot be that of the ranks that its deck asks for.
  std::optional<Error> refusal = {};
};

/// Runs what `prepare` says from the first line to the exit code; the ranks are there when it is called on each of
/// them.
ExitCode run(const DeckOptions& options, const std::function<RunOf(const Ranks&)>& prepare);

}  // namespace tessera::app
