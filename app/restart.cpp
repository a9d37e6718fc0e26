#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/open_deck.hpp"
#include "app/run_of.hpp"
#include "app/version.hpp"
#include "base/log.hpp"
#include "output/checkpoint_folder.hpp"
#include "output/files.hpp"
#include "physics/sections.hpp"

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
constexpr std::array allowed = {"time.end",     "run.backend",      "run.threads",
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
  const physics::TimeParams time = physics::time_section().read(deck, true);
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

}  // namespace

ExitCode restart(const RestartCommand& command) {
  const std::filesystem::path directory = std::filesystem::absolute(command.directory);
  if (!std::filesystem::is_directory(directory))
    throw Error(ExitCode::file_system, fmt::format("there is no folder {}", command.directory),
                "give the output folder of a run");
  check_changes(command.options.set);
  output::NewestCheckpoint found = newest(directory);
  for (const std::string& unreadable : found.unreadable) warn(unreadable);
  const auto& header = found.checkpoint.header;
  RunOf run{command.options, {}};
  run.options.output = directory.string();
  run.options.deck = header.at("deck_file").get<std::string>();
  run.options.plugins = header.at("plugins").get<std::vector<std::string>>();
  run.origin = {.version = version(),
                .text = header.at("deck").get<std::string>(),
                .folder = header.at("folder").get<std::string>(),
                .overrides = header.at("overrides").get<std::vector<std::string>>(),
                .plugins = run.options.plugins};
  for (const std::string& change : overrides_of(run.options)) run.origin.overrides.push_back(change);
  if (const std::string program = header.at("program").get<std::string>(); program != version())
    warn(fmt::format("{} was written by tessera {}, this is {}", found.path.string(), program, version()));
  check_end(run, header.at("t").get<double>());
  run.checkpoint = std::move(found.checkpoint);
  return app::run(run);
}

}  // namespace tessera::app
