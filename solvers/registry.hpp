#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "solvers/params.hpp"

/// The CUDA column of a table of names: the function, or nothing in a build without CUDA.
#ifdef TESSERA_HAVE_CUDA
#define TESSERA_ON_CUDA(...) __VA_ARGS__
#else
#define TESSERA_ON_CUDA(...) nullptr
#endif

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

}  // namespace tessera::solvers
