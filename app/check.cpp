#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/open_deck.hpp"
#include "base/log.hpp"
#include "physics/common.hpp"
#include "physics/registry.hpp"

namespace tessera::app {

ExitCode check(const DeckOptions& options) {
  set_log_level(options.quiet ? "quiet" : "info");
  load_plugins(options);
  const deck::Deck deck = open_deck(options);
  const auto module = physics::make_module(deck);
  deck::check(deck, module->schema());
  const physics::RunParams params = physics::run_section(physics::all_precisions).read(deck);
  output::Summary summary;
  physics::Context context{.deck = deck,
                           .backend = params.backend,
                           .threads = params.threads,
                           .output_directory = physics::output_section().read(deck).directory,
                           .summary = summary,
                           .quiet = options.quiet,
                           .stop = {},
                           .progress = {}};
  module->check(context);
  return ExitCode::ok;
}

}  // namespace tessera::app
