#include <fmt/format.h>

#include <new>
#include <optional>

#include "app/commands.hpp"
#include "app/open_deck.hpp"
#include "app/progress.hpp"
#include "app/signals.hpp"
#include "base/log.hpp"
#include "base/memory.hpp"
#include "output/files.hpp"
#include "physics/common.hpp"
#include "physics/registry.hpp"

namespace tessera::app {
namespace {

/// What main would report, as an Error: so that summary and terminal say the same.
Error as_error(const std::exception& error) {
  if (const auto* own = dynamic_cast<const Error*>(&error)) return *own;
  if (dynamic_cast<const std::bad_alloc*>(&error)) return out_of_host_memory();
  return Error(ExitCode::internal, fmt::format("internal: {}", error.what()),
               "this is a fault of the program; please report it with the deck");
}

/// Runs the module of the deck between the signals and the progress bar.
ExitCode run_module(const deck::Deck& deck, const DeckOptions& options, const std::filesystem::path& directory,
                    output::Summary& summary) {
  const auto module = physics::make_module(deck);
  deck::check(deck, module->schema());
  const physics::RunParams params = physics::run_section(physics::all_precisions).read(deck);
  Progress progress(options.quiet);
  StopOnSignals signals;
  physics::Context context{.deck = deck,
                           .backend = params.backend,
                           .threads = params.threads,
                           .output_directory = directory,
                           .summary = summary,
                           .quiet = options.quiet,
                           .stop = StopOnSignals::asked,
                           .progress = [&](double fraction, const std::string& what) { progress(fraction, what); }};
  const ExitCode code = module->run(context);
  return StopOnSignals::asked() ? StopOnSignals::exit_code() : code;
}

}  // namespace

ExitCode run(const DeckOptions& options) {
  set_log_level(options.quiet ? "quiet" : "info");
  load_plugins(options);
  const deck::Deck deck = open_deck(options);
  const std::filesystem::path directory = physics::output_section().read(deck).directory;
  output::make_directory(directory);
  // A summary of an earlier run must not pass for this one's, should this one be killed.
  std::error_code none;
  std::filesystem::remove(directory / "summary.json", none);

  output::Summary summary;
  summary.set("tessera", TESSERA_VERSION);
  summary.set("deck", options.deck);
  ExitCode code = ExitCode::ok;
  std::optional<Error> failure;
  try {
    const std::string title = physics::deck_section().read(deck).title;
    if (!title.empty()) summary.set("title", title);
    code = run_module(deck, options, directory, summary);
    if (code == ExitCode::solver) summary.set("status", "not_converged");
    if (code == ExitCode::interrupted || code == ExitCode::terminated) summary.set("status", "interrupted");
  } catch (const std::exception& error) {
    failure = as_error(error);
    code = failure->code();
    summary.set_error(failure->what(), static_cast<int>(code));
    if (code == ExitCode::interrupted || code == ExitCode::terminated) summary.set("status", "interrupted");
  }
  summary.set("exit_code", static_cast<int>(code));
  summary.finish();
  try {
    summary.write(directory / "summary.json");
  } catch (const Error& error) {
    if (!failure) throw;
    fmt::print(stderr, "{}", error.report());  // the first failure is the one to return
  }
  if (failure) throw *failure;
  if (!options.quiet) {
    const char* kind = code == ExitCode::ok       ? "results"
                       : code == ExitCode::solver ? "results, not converged,"
                                                  : "unfinished results";
    fmt::print("{} in {}\n", kind, directory.string());
  }
  return code;
}

}  // namespace tessera::app
