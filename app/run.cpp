#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/closing_report.hpp"
#include "app/commands.hpp"
#include "app/last_words.hpp"
#include "app/last_words_of.hpp"
#include "app/launch.hpp"
#include "app/open_deck.hpp"
#include "app/program.hpp"
#include "app/progress.hpp"
#include "app/rank_cores.hpp"
#include "app/ranks.hpp"
#include "app/run_of.hpp"
#include "app/same_files.hpp"
#include "app/signals.hpp"
#include "app/version.hpp"
#include "base/backend.hpp"
#include "base/collective.hpp"
#include "base/console.hpp"
#include "base/input_file.hpp"
#include "base/log.hpp"
#include "base/memory.hpp"
#include "output/checkpoint_folder.hpp"
#include "output/pieces.hpp"
#include "output/results.hpp"
#include "output/run_folder.hpp"
#include "physics/launch_section.hpp"
#include "physics/registry.hpp"
#include "physics/sections.hpp"

namespace tessera::app {
namespace {

/// Runs the module of the deck.
ExitCode run_module(const deck::Deck& deck, const RunOf& run, Communicator* ranks,
                    const std::filesystem::path& directory, Progress& progress, output::Summary& summary) {
  const auto module = physics::make_module(deck);
  deck::check(deck, module->schema_for(deck));
  if (run.refusal) throw *run.refusal;
  const physics::RunParams params = physics::read_run(deck);
  const int threads =
      ranks ? take_cores(*ranks, params.threads, resolve_backend(params.backend) == "cuda", summary) : params.threads;
  physics::Context context{.deck = deck,
                           .backend = params.backend,
                           .threads = threads,
                           .output_directory = directory,
                           .summary = summary,
                           .quiet = run.options.quiet,
                           .stop = StopOnSignals::asked,
                           .progress = [&](double fraction, const std::string& what) { progress(fraction, what); },
                           .ends_at_phases = [&](bool ends) { progress.ends_phases = ends && !ranks; },
                           .ranks = ranks,
                           .origin = run.origin,
                           .checkpoint = run.checkpoint ? &*run.checkpoint : nullptr};
  return module->run(context);
}

/// The module's run and what became of it, in the summary. A failure is returned beside the code.
ExitCode run_and_summarise(const deck::Deck& deck, const RunOf& run, const Ranks& ranks,
                           const std::filesystem::path& directory, output::Summary& summary,
                           std::optional<Error>& failure) {
  Progress progress(ProgressOutput::standard(run.options.quiet));
  progress.ends_phases = !ranks.get();  // ranks end together: the solver asks all
  progress.at_phase = LastWordsOf(summary);
  ExitCode code = ExitCode::ok;
  try {
    const std::string title = physics::deck_section().read(deck).title;
    if (!title.empty()) summary.set("title", title);
    code = run_module(deck, run, ranks.get(), directory, progress, summary);
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
ExitCode run_into(const output::RunFolder& folder, const deck::Deck& deck, const RunOf& run, const Ranks& ranks) {
  output::begin_results();
  output::Summary summary;
  summary.set("tessera", version());
  summary.set("deck", deck.file());
  std::optional<Error> failure;
  const ExitCode code = run_and_summarise(deck, run, ranks, folder.path(), summary, failure);
  const bool interrupted = StopOnSignals::asked() || code == ExitCode::interrupted;
  StopOnSignals::finish();
  if (interrupted) {
    // Half of the files, or those of a state that is no solution, would pass for results.
    output::remove_results();
    summary.set("status", "interrupted");
  }
  const ExitCode last = StopOnSignals::asked() ? StopOnSignals::exit_code() : code;
  std::vector<std::string> files = output::keep_results();
  if (!interrupted && summary.has("ranks.pieces"))  // those of the other ranks
    for (int rank = 1; rank < summary.json()["ranks"]["pieces"]; ++rank) files.push_back(output::piece_name(rank));
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
    if (failure) ranks.end_after(*failure);  // of this rank alone: the others wait
    const bool goes_on = !output::checkpoints_in(folder.path()).empty();
    console::say(files.empty()
                     ? fmt::format("interrupted: no results in {}, only its summary.json\n", folder.path().string())
                     : fmt::format("interrupted: the states so far are in {}{}\n", folder.path().string(),
                                   goes_on ? fmt::format("; tessera restart {} goes on", folder.path().string()) : ""));
    return last;
  }
  if (failure) throw *failure;
  if (!run.options.quiet) say_end(code, folder.path(), summary);
  return code;
}

/// What the ranks must have in common, as a number: the deck, and what the command line changes in it.
std::uint64_t fingerprint(const RunOf& run) {
  std::string text = run.origin.text;
  for (const std::string& set : run.origin.overrides) text += '\n' + set;
  if (run.checkpoint) text += run.checkpoint->header.dump();
  return std::hash<std::string>()(text);
}

/// Of a run that goes on the deck that it began with. Where it begins, its text is kept for checkpoints.
deck::Deck open_deck(RunOf& run) {
  if (!run.checkpoint) {
    if (run.options.deck == "-") keep_standard_input();
    deck::Deck deck = open_deck(run.options);
    if (run.options.deck == "-") return deck;
    std::ifstream file(run.options.deck, std::ios::binary);
    run.origin.text.assign(std::istreambuf_iterator<char>(file), {});
    run.origin.folder = std::filesystem::absolute(run.options.deck).parent_path();
    return deck;
  }
  return deck::Deck::parse(run.origin.text, run.options.deck, run.origin.overrides, run.origin.folder);
}

/// The deck of all ranks where it comes from standard input, which the launcher hands to the root alone.
deck::Deck open_deck_of_root(RunOf& run, Communicator& all) {
  std::string text;
  on_root(all, [&] {
    (void)open_deck(run);  // says what is wrong with it once
    again_from_standard_input();
    text = read_standard_input("deck", std::numeric_limits<std::size_t>::max());
  });
  return deck::Deck::parse(first_text(all, text), "<stdin>", overrides_of(run.options));
}

/// The deck of this rank, which is that of all.
deck::Deck open_deck_of(RunOf& run, const Ranks& ranks) {
  Communicator* const all = ranks.get();
  if (!all) return open_deck(run);
  check_versions(*all);
  std::optional<deck::Deck> deck;
  if (run.options.deck == "-" && !run.checkpoint)
    deck = open_deck_of_root(run, *all);
  else
    on_each_rank(*all, [&] { deck = open_deck(run); });
  const std::vector<std::uint64_t> prints = gathered(*all, fingerprint(run));
  const auto other =
      std::find_if(prints.begin(), prints.end(), [&](std::uint64_t print) { return print != prints[0]; });
  if (other != prints.end())
    throw Error(ExitCode::usage,
                fmt::format("rank {} of {} has another deck than rank 0", other - prints.begin(), prints.size()),
                "let all machines see the same files");
  check_same_files(*all, *deck, run.origin.plugins);
  return *deck;
}

/// A rank beside the root: it says nothing, and writes into the root's folder what the module lets it write.
ExitCode run_beside(const deck::Deck& deck, const RunOf& run, const Ranks& ranks) {
  output::begin_results();
  output::Summary summary;
  std::optional<Error> failure;
  const ExitCode code = run_and_summarise(deck, run, ranks, output_directory(deck), summary, failure);
  if (StopOnSignals::asked() || code == ExitCode::interrupted) output::remove_results();
  output::keep_results();
  if (failure) throw *failure;
  return code;
}

ExitCode run_deck(RunOf run, const Ranks& ranks) {
  load_plugins(run.options);
  const deck::Deck deck = open_deck_of(run, ranks);
  // A run that goes on has all fields here; the first rank reads them again.
  const Launch launched = launch(deck, run.options, ranks, [&] { run.checkpoint.reset(); });
  if (launched.ended) return *launched.ended;
  run.refusal = launched.refusal;
  std::optional<output::RunFolder> folder;
  const auto make_folder = [&] { folder.emplace(output_directory(deck), run.checkpoint.has_value()); };
  if (ranks.get())
    on_root(*ranks.get(), make_folder);
  else
    make_folder();
  if (!ranks.is_root()) return run_beside(deck, run, ranks);
  LastWords::begin(folder->path());
  try {
    return run_into(*folder, deck, run, ranks);
  } catch (const std::exception& error) {
    // Whatever had no memory: the module, the summary, this message.
    const auto* own = dynamic_cast<const Error*>(&error);
    if (own && own->code() == ExitCode::memory) LastWords::write_of_failure(own->what());
    if (dynamic_cast<const std::bad_alloc*>(&error)) LastWords::write_of_failure("out of host memory");
    throw;
  }
}

}  // namespace

ExitCode run(const DeckOptions& options) {
  RunOf run{options, {.version = version(), .overrides = overrides_of(options)}};
  for (const std::string& plugin : options.plugins)
    run.origin.plugins.push_back(std::filesystem::absolute(plugin).string());
  return app::run(options, [&](const Ranks&) { return run; });
}

ExitCode run(const DeckOptions& options, const std::function<RunOf(const Ranks&)>& prepare) {
  const StopOnSignals signals;  // before the first line is printed
  set_log_level(options.quiet ? "quiet" : "info");
  const Ranks ranks;
  try {
    return run_deck(prepare(ranks), ranks);
  } catch (const std::exception& error) {
    ranks.end_after(as_error(error));
    const auto* const own = dynamic_cast<const Error*>(&error);
    if (!own || !ranks.get()) throw;
    // Before MPI ends: from then on the first rank that is gone ends the others, before they have said a word, and what
    // ends them is no news.
    StopOnSignals::finish();
    return report(*own);
  }
}

}  // namespace tessera::app
