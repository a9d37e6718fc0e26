#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "deck/section.hpp"

namespace tessera::solvers {

template <class Entry>
std::vector<std::string> names(const std::vector<Entry>& table) {
  std::vector<std::string> result;
  for (const Entry& entry : table) result.push_back(entry.name);
  return result;
}

/// The entry of that name; throws Error(usage) with the nearest names.
template <class Entry>
const Entry& find(const std::vector<Entry>& table, const std::string& name, const std::string& what,
                  const deck::Where& where) {
  const auto entry = std::find_if(table.begin(), table.end(), [&](const Entry& e) { return e.name == name; });
  if (entry == table.end())
    throw Error(ExitCode::usage, "unknown " + what + " '" + name + "'", suggest(name, names(table)), where);
  return *entry;
}

/// A key of [solver] at `key` that the method chosen at `choice` does not read: Error(usage), since it would be
/// ignored. Where --set chose the method over a key of the deck it is a warning: --set cannot take a key out, and
/// comparing methods is what it is for.
void refuse_unread(const std::string& what, const std::string& help, const deck::Where& key, const deck::Where& choice);

}  // namespace tessera::solvers
