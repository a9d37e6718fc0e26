#include <fmt/format.h>

#include "app/commands.hpp"
#include "app/open_deck.hpp"
#include "app/progress.hpp"
#include "app/signals.hpp"
#include "base/log.hpp"
#include "output/files.hpp"
#include "physics/registry.hpp"
#include "physics/sections.hpp"

namespace tessera::app {

ExitCode check(const DeckOptions& options) {
  const StopOnSignals signals;
  set_log_level(options.quiet ? "quiet" : "info");
  load_plugins(options);
  const deck::Deck deck = open_deck(options);
  const std::filesystem::path directory = output_directory(deck);
  const auto module = physics::make_module(deck);
  deck::check(deck, module->schema_for(deck));
  const physics::RunParams params = physics::run_section(physics::all_precisions).read(deck);
  output::Summary summary;
  Progress progress(ProgressOutput::standard(options.quiet));
  physics::Context context{.deck = deck,
                           .backend = params.backend,
                           .threads = params.threads,
                           .output_directory = directory,
                           .summary = summary,
                           .quiet = options.quiet,
                           .stop = StopOnSignals::asked,
                           .progress = [&](double fraction, const std::string& what) { progress(fraction, what); },
                           .planned_ranks = options.ranks};
  module->check(context);
  output::check_directory(directory);
  return StopOnSignals::exit_code();
}

}  // namespace tessera::app
