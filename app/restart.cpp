#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "app/commands.hpp"
#include "output/files.hpp"

namespace tessera::app {
namespace {

/// The deck that the run in this folder was made from, empty where no summary says it.
std::string deck_of(const std::filesystem::path& directory) {
  if (!std::filesystem::exists(directory / "summary.json")) return {};
  const auto json = nlohmann::json::parse(output::read_text(directory / "summary.json"), nullptr, false);
  return json.is_object() && json.contains("deck") && json["deck"].is_string() ? json["deck"].get<std::string>()
                                                                               : std::string{};
}

}  // namespace

ExitCode restart(const std::string& directory) {
  if (!std::filesystem::is_directory(directory))
    throw Error(ExitCode::file_system, fmt::format("there is no folder {}", directory),
                "give the output folder of a run");
  const std::string deck = deck_of(directory);
  throw Error(
      ExitCode::usage, fmt::format("{} holds no checkpoint: there is nothing to restart", directory),
      fmt::format("only transient physics writes checkpoints; solve a stationary problem again with `tessera run {}`",
                  deck.empty() ? "DECK" : deck));
}

}  // namespace tessera::app
