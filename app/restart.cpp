#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/open_deck.hpp"
#include "app/run_of.hpp"
#include "app/version.hpp"
#include "base/collective.hpp"
#include "base/log.hpp"
#include "output/checkpoint_folder.hpp"
#include "output/checkpoint_header.hpp"
#include "output/files.hpp"
#include "physics/time_of_flows.hpp"

namespace tessera::app {
namespace {

/// The deck that the run in this folder was made from, empty where no summary says it.
std::string deck_of(const std::filesystem::path& directory) {
  if (!std::filesystem::exists(directory / "summary.json")) return {};
  const auto json = nlohmann::json::parse(output::read_text(directory / "summary.json"), nullptr, false);
  return json.is_object() && json.contains("deck") && json["deck"].is_string() ? json["deck"].get<std::string>()
                                                                               : std::string{};
}

/// Keys that may change where a run goes on: they say how long and where it runs, not what it computes.
constexpr std::array allowed = {"time.end",     "run.backend",      "run.threads",    "run.ranks",
                                "output.every", "checkpoint.every", "checkpoint.keep"};

void check_changes(const std::vector<std::string>& changes) {
  for (const std::string& change : changes) {
    const std::string key = change.substr(0, change.find('='));
    if (std::any_of(allowed.begin(), allowed.end(),
                    [&](const std::string& name) { return key == name || key.starts_with(name + "."); }))
      continue;
    throw Error(ExitCode::usage, fmt::format("--set {} would make another run of it: {} stays as it is", change, key),
                fmt::format("where a run goes on these may change: {}; `tessera run` begins another",
                            fmt::join(allowed, ", ")));
  }
}

/// A run that is done is refused before its folder is touched. Nothing but the end is looked at here: what else [time]
/// must say depends on the module, which checks it as the run goes on.
void check_end(const RunOf& run, double t) {
  const deck::Deck deck = deck::Deck::parse(run.origin.text, run.options.deck, run.origin.overrides, run.origin.folder);
  if (!deck.has("time")) return;
  const physics::TimeParams time = physics::time_section_of_flow().read(deck, true);
  if (t < time.end) return;
  throw Error(ExitCode::usage,
              fmt::format("the checkpoint is of t = {:g}, and the run ends at {:g}: it is done", t, time.end),
              "go on with --set time.end=...", time.where);
}

output::NewestCheckpoint newest(const std::filesystem::path& directory) {
  if (!output::checkpoints_in(directory).empty()) return output::newest_checkpoint(directory);
  const std::string deck = deck_of(directory);
  throw Error(ExitCode::usage, fmt::format("{} holds no checkpoint: there is nothing to restart", directory.string()),
              fmt::format("runs through time write them, as [checkpoint] says and where they are stopped; solve a "
                          "stationary problem again with `tessera run {}`",
                          deck.empty() ? "DECK" : deck));
}

/// The arrays of a checkpoint that are no fields, by name: all ranks take the same numbers from it.
constexpr const char* of_all_ranks = "numbers";

/// What the root has found: folder and header on all ranks, the fields on the root alone, which hands them out by
/// parts.
struct Found {
  std::filesystem::path directory;
  output::NewestCheckpoint newest;
};

Found find(const std::string& directory) {
  if (directory.empty())
    throw Error(ExitCode::usage, "the name of the folder is empty", "give the output folder of a run");
  Found found{std::filesystem::absolute(directory), {}};
  if (!std::filesystem::is_directory(found.directory))
    throw Error(ExitCode::file_system, fmt::format("there is no folder {}", directory),
                "give the output folder of a run");
  found.newest = newest(found.directory);
  for (const std::string& unreadable : found.newest.unreadable) warn(unreadable);
  return found;
}

template <class T>
void broadcast(Communicator& ranks, T& numbers) {
  std::size_t count = numbers.size();
  ranks.broadcast(0, &count, sizeof count);
  numbers.resize(count);
  ranks.broadcast(0, numbers.data(), count * sizeof numbers[0]);
}

/// The same on all ranks, of which the root reads.
Found find(const std::string& directory, const Ranks& ranks) {
  Communicator* const all = ranks.get();
  if (!all) return find(directory);
  check_versions(*all);
  Found found;
  on_root(*all, [&] { found = find(directory); });
  output::Checkpoint& checkpoint = found.newest.checkpoint;
  std::string text =
      nlohmann::ordered_json{
          {"directory", found.directory.string()}, {"path", found.newest.path.string()}, {"header", checkpoint.header}}
          .dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  output::CheckpointArray numbers{of_all_ranks, 1, {}};
  for (const output::CheckpointArray& array : checkpoint.arrays)
    if (array.name == of_all_ranks) numbers = array;
  broadcast(*all, text);
  broadcast(*all, numbers.values);
  if (ranks.is_root()) return found;
  const auto said = nlohmann::ordered_json::parse(text);
  found.directory = said.at("directory").get<std::string>();
  found.newest.path = said.at("path").get<std::string>();
  checkpoint.header = said.at("header");
  checkpoint.arrays = {std::move(numbers)};
  return found;
}

RunOf run_of(const RestartCommand& command, Found all) {
  output::NewestCheckpoint found = std::move(all.newest);
  const output::Checkpoint& checkpoint = found.checkpoint;
  const auto texts = [&](const char* name) { return output::header_value<std::vector<std::string>>(checkpoint, name); };
  const auto text = [&](const char* name) { return output::header_value<std::string>(checkpoint, name); };
  RunOf run{command.options, {}};
  run.options.output = all.directory.string();
  run.options.deck = text("deck_file");
  run.options.plugins = texts("plugins");
  run.origin = {.version = version(),
                .text = text("deck"),
                .folder = text("folder"),
                .overrides = texts("overrides"),
                .plugins = run.options.plugins};
  for (const std::string& change : overrides_of(run.options)) run.origin.overrides.push_back(change);
  if (const std::string program = text("program"); program != version())
    warn(fmt::format("{} was written by tessera {}, this is {}", found.path.string(), program, version()));
  check_end(run, output::header_value<double>(checkpoint, "t"));
  run.checkpoint = std::move(found.checkpoint);
  return run;
}

}  // namespace

ExitCode restart(const RestartCommand& command) {
  check_changes(command.options.set);
  return app::run(command.options, [&](const Ranks& ranks) { return run_of(command, find(command.directory, ranks)); });
}

}  // namespace tessera::app
