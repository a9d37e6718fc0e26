#include <fmt/format.h>

#include <new>
#include <optional>

#include "app/closing_report.hpp"
#include "app/commands.hpp"
#include "app/last_words.hpp"
#include "app/open_deck.hpp"
#include "app/progress.hpp"
#include "app/signals.hpp"
#include "base/console.hpp"
#include "base/log.hpp"
#include "base/memory.hpp"
#include "output/results.hpp"
#include "output/run_folder.hpp"
#include "physics/registry.hpp"
#include "physics/sections.hpp"

namespace tessera::app {
namespace {

/// What main would report, as an Error: so that summary and terminal say the same.
Error as_error(const std::exception& error) {
  if (const auto* own = dynamic_cast<const Error*>(&error)) return *own;
  if (dynamic_cast<const std::bad_alloc*>(&error)) return out_of_host_memory();
  return Error(ExitCode::internal, fmt::format("internal: {}", error.what()),
               "this is a fault of the program; please report it with the deck");
}

/// Runs the module of the deck.
ExitCode run_module(const deck::Deck& deck, const DeckOptions& options, const std::filesystem::path& directory,
                    Progress& progress, output::Summary& summary) {
  const auto module = physics::make_module(deck);
  deck::check(deck, module->schema());
  const physics::RunParams params = physics::run_section(physics::all_precisions).read(deck);
  physics::Context context{.deck = deck,
                           .backend = params.backend,
                           .threads = params.threads,
                           .output_directory = directory,
                           .summary = summary,
                           .quiet = options.quiet,
                           .stop = StopOnSignals::asked,
                           .progress = [&](double fraction, const std::string& what) { progress(fraction, what); }};
  return module->run(context);
}

}  // namespace

namespace {

/// The module's run and what became of it, in the summary. A failure is returned beside the code.
ExitCode run_and_summarise(const deck::Deck& deck, const DeckOptions& options, const std::filesystem::path& directory,
                           output::Summary& summary, std::optional<Error>& failure) {
  Progress progress(ProgressOutput::standard(options.quiet));
  progress.at_phase = [&] {
    if (StopOnSignals::asked()) return;  // a handler may be reading
    LastWords::set(summary.text_if_ended("interrupted", "", static_cast<int>(ExitCode::interrupted)),
                   summary.text_if_ended("error", LastWords::message, static_cast<int>(ExitCode::memory)));
  };
  ExitCode code = ExitCode::ok;
  try {
    const std::string title = physics::deck_section().read(deck).title;
    if (!title.empty()) summary.set("title", title);
    code = run_module(deck, options, directory, progress, summary);
    if (code == ExitCode::solver) summary.set("status", "not_converged");
  } catch (const std::exception& error) {
    failure = as_error(error);
    code = failure->code();
    summary.set_error(failure->what(), static_cast<int>(code));
  }
  return code;
}

void say_end(ExitCode code, const std::filesystem::path& directory, const output::Summary& summary) {
  fmt::print("{}", closing_report(summary));
  fmt::print("{} in {}\n", code == ExitCode::ok ? "results" : "results, not converged,", directory.string());
}

/// Where a deck runs into its folder: what became of it is in the summary there.
ExitCode run_into(const output::RunFolder& folder, const deck::Deck& deck, const DeckOptions& options) {
  output::begin_results();
  output::Summary summary;
  summary.set("tessera", TESSERA_VERSION);
  summary.set("deck", deck.file());
  std::optional<Error> failure;
  const ExitCode code = run_and_summarise(deck, options, folder.path(), summary, failure);
  const bool interrupted = StopOnSignals::asked();
  StopOnSignals::finish();
  if (interrupted) {
    // Half of the files, or those of a state that is no solution, would pass for results.
    output::remove_results();
    summary.set("status", "interrupted");
  }
  const ExitCode last = interrupted ? StopOnSignals::exit_code() : code;
  const std::vector<std::string> files = output::keep_results();
  if (!files.empty()) summary.set("files", files);
  summary.set("exit_code", static_cast<int>(last));
  summary.finish();
  try {
    summary.write(folder.path() / "summary.json");
    LastWords::end();
  } catch (const Error& error) {
    if (!failure) throw;
    console::say(error.report());  // the first failure is the one to return
  }
  if (interrupted) {
    console::say(fmt::format("interrupted: no results in {}, only its summary.json\n", folder.path().string()));
    return last;
  }
  if (failure) throw *failure;
  if (!options.quiet) say_end(code, folder.path(), summary);
  return code;
}

}  // namespace

ExitCode run(const DeckOptions& options) {
  const StopOnSignals signals;  // before the first line is printed
  set_log_level(options.quiet ? "quiet" : "info");
  load_plugins(options);
  const deck::Deck deck = open_deck(options);
  const output::RunFolder folder(physics::output_section().read(deck).directory);
  LastWords::begin(folder.path());
  try {
    return run_into(folder, deck, options);
  } catch (const std::exception& error) {
    // Whatever had no memory: the module, the summary, this message.
    const auto* own = dynamic_cast<const Error*>(&error);
    if (own && own->code() == ExitCode::memory) LastWords::write_of_failure(own->what());
    if (dynamic_cast<const std::bad_alloc*>(&error)) LastWords::write_of_failure("out of host memory");
    throw;
  }
}

}  // namespace tessera::app
