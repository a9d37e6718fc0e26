// [solver] as the schema shows it: the keys of the methods and preconditioners that fit.
#include <fmt/format.h>

#include <algorithm>

#include "solvers/fit.hpp"
#include "solvers/registry.hpp"

namespace tessera::solvers {

namespace {

using Names = std::vector<std::string>;

/// "Of gmres.": what reads a key that not every method reads.
std::string of_readers(const std::string& key, const Offers& offers) {
  std::vector<MethodEntry> table = solvers_for(offers);
  std::erase_if(table, [](const MethodEntry& entry) { return entry.kind == MethodKind::relaxation; });
  const Names solvers = readers(table, key);
  if (solvers.size() == table.size()) return {};
  if (!solvers.empty()) return fmt::format(" Of {}.", fmt::join(solvers, ", "));
  const Names preconditioners = readers(preconditioners_for(offers), key);
  return fmt::format(" Of the preconditioner{} {}.", preconditioners.size() > 1 ? "s" : "",
                     fmt::join(preconditioners, ", "));
}

/// What [solver] type says of itself. Modules with an "auto" have few methods, each with a word on it.
deck::KeyDescription describe_type(deck::KeyDescription key, const std::vector<MethodEntry>& solvers,
                                   const Offers& offers) {
  key.default_value = fmt::format("\"{}\"", offers.automatic ? "auto" : offers.type);
  key.info.choices = names(solvers);
  if (offers.automatic) {
    key.info.choices.insert(key.info.choices.begin(), "auto");
    key.info.help = fmt::format("Method; auto: {}", offers.type);
    for (const MethodEntry& entry : solvers) key.info.help += fmt::format("; {}: {}", entry.name, entry.help);
    key.info.help += ".";
  }
  return key;
}

/// Adds a relaxation's key: one that others have too is described once.
void add_of_relaxation(const deck::KeyDescription& key, std::vector<deck::KeyDescription>& keys) {
  const auto same = std::find_if(keys.begin(), keys.end(), [&](const auto& other) { return other.name == key.name; });
  if (same == keys.end()) {
    keys.push_back(key);
    keys.back().info.help = "relaxation: " + key.info.help;
  } else if (same->default_value != key.default_value) {
    same->info.help += " Of a relaxation: " + key.default_value + " by default.";
  }
}

}  // namespace

deck::SectionDescription solver_description(const Offers& offers) {
  const auto solvers = solvers_for(offers);
  const auto preconditioners = preconditioners_for(offers);
  deck::SectionDescription result{.name = "solver", .help = "Linear solver", .keys = {}};
  const auto add = [&](deck::KeyDescription key) {
    const bool there = std::any_of(result.keys.begin(), result.keys.end(),
                                   [&](const deck::KeyDescription& other) { return other.name == key.name; });
    if (there) return;
    if (key.name != "type") key.info.help += of_readers(key.name, offers);
    result.keys.push_back(std::move(key));
  };
  for (deck::KeyDescription key : shared_keys().section().description().keys) {
    if (key.name == "type") key = describe_type(key, solvers, offers);
    if (key.name == "preconditioner") {
      key.default_value = "\"auto\"";
      key.info.choices = names(preconditioners);
      key.info.choices.insert(key.info.choices.begin(), "auto");
      key.info.help += fmt::format(" auto: {}", preconditioner_for(offers));
      if (offers.symmetric || offers.block == 1)
        key.info.help += fmt::format(
            ", and for one solution{} amg{} where its set-up is worth less than the iterations that it saves{}",
            offers.symmetric ? " by cg" : "", offers.lower_orders ? " or pmg" : "",
            offers.block == 1 ? "; in steps and in Newton's method amg, as soon as those to come are worth it" : "");
      key.info.help += ".";
    }
    if (key.name == "residual_every") {  // after what the methods have
      for (const PreconditionerEntry& entry : preconditioners)
        for (const deck::KeyDescription& own : entry.own.keys) add(own);
      for (const MethodEntry& entry : solvers)
        if (entry.kind != MethodKind::relaxation)
          for (const deck::KeyDescription& own : entry.own.keys) add(own);
    }
    if (key.name == "type" || !readers(solvers, key.name).empty()) add(key);
  }
  for (const MethodEntry& entry : solvers) {
    if (entry.kind != MethodKind::relaxation) continue;
    for (const deck::KeyDescription& own : entry.own.keys) add_of_relaxation(own, result.keys);
    break;  // they share their keys
  }
  return result;
}

}  // namespace tessera::solvers
