#include "app/open_deck.hpp"

#include <fmt/format.h>

#include "physics/registry.hpp"
#include "physics/sections.hpp"

namespace tessera::app {
namespace {

std::string toml_string(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

}  // namespace

std::vector<std::string> overrides_of(const DeckOptions& options) {
  std::vector<std::string> overrides = options.set;
  if (!options.backend.empty()) overrides.push_back("run.backend=" + toml_string(options.backend));
  if (options.threads >= 0) overrides.push_back(fmt::format("run.threads={}", options.threads));
  if (options.ranks > 0) overrides.push_back(fmt::format("run.ranks={}", options.ranks));
  if (!options.output.empty()) overrides.push_back("output.directory=" + toml_string(options.output));
  return overrides;
}

deck::Deck open_deck(const DeckOptions& options) { return deck::Deck::read(options.deck, overrides_of(options)); }

std::filesystem::path output_directory(const deck::Deck& deck) {
  const std::string directory = physics::output_section().read_declared(deck).directory;
  if (directory.empty())
    throw Error(ExitCode::usage, "output.directory is empty",
                "name the folder of the results, \".\" for this one, or leave the key out: then it is \"out\"",
                deck.where("output.directory"));
  return directory;
}

void load_plugins(const DeckOptions& options) {
  for (const std::string& library : options.plugins) physics::load_plugin(library);
}

}  // namespace tessera::app
