#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

namespace tessera {

/// A number with its noun: "1 facet", "2 facets". `many`: the plural of a noun that does not just add an s.
template <class Count>
std::string counted(Count count, std::string_view one, std::string_view many = {}) {
  if (count == Count{1}) return fmt::format("1 {}", one);
  return many.empty() ? fmt::format("{} {}s", count, one) : fmt::format("{} {}", count, many);
}

}  // namespace tessera
