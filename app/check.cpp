#include "app/commands.hpp"
#include "app/open_deck.hpp"
#include "app/program.hpp"
#include "app/progress.hpp"
#include "app/ranks.hpp"
#include "app/signals.hpp"
#include "base/collective.hpp"
#include "base/launcher.hpp"
#include "base/log.hpp"
#include "output/files.hpp"
#include "physics/launch_section.hpp"
#include "physics/registry.hpp"
#include "physics/sections.hpp"

namespace tessera::app {

namespace {

/// What a run would be on the ranks that are asked for, on those of a launcher (0: there is none), or on those that the
/// deck asks for.
ExitCode check_for(const DeckOptions& options, int launched) {
  load_plugins(options);
  const deck::Deck deck = open_deck(options);
  const std::filesystem::path directory = output_directory(deck);
  const auto module = physics::make_module(deck);
  deck::check(deck, module->schema_for(deck));
  const physics::RunParams params = physics::read_run(deck);
  const int ranks = launched > 0 && options.ranks == 0 ? launched : physics::launch_section().read_declared(deck).ranks;
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
                           .planned_ranks = ranks};
  module->check(context);
  output::check_directory(directory);
  return StopOnSignals::exit_code();
}

/// Started by mpirun: the first rank checks, what a run on these ranks would be where nothing else is asked for, and
/// all end as it does.
ExitCode check_on(Communicator& ranks, const DeckOptions& options) {
  check_versions(ranks);
  ExitCode code = ExitCode::ok;
  on_root(ranks, [&] { code = check_for(options, ranks.size()); });
  ranks.broadcast(0, &code, sizeof code);
  return code;
}

}  // namespace

ExitCode check(const DeckOptions& options) {
  const StopOnSignals signals;
  set_log_level(options.quiet ? "quiet" : "info");
  const Ranks ranks;
  if (!ranks.get()) return check_for(options, launcher() ? 1 : 0);
  try {
    return check_on(*ranks.get(), options);
  } catch (const std::exception& thrown) {
    const Error error = as_error(thrown);
    ranks.end_after(error);
    StopOnSignals::finish();  // as a run does
    return report(error);     // before MPI ends
  }
}

}  // namespace tessera::app
