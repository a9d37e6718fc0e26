#pragma once
// Names of the ways to put a step together of its reactions and its diffusion.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "physics/run/splitting.hpp"

namespace tessera::physics::reaction_diffusion {

struct SplittingEntry {
  std::string name;
  SplitScheme scheme;
  std::string help;
};

inline const std::vector<SplittingEntry>& splittings() {
  static const std::vector<SplittingEntry> table = {
      {"strang", SplitScheme::strang, "half of the reactions, diffusion, the other half, of order 2"},
      {"lie", SplitScheme::lie, "reactions, then diffusion, of order 1"}};
  return table;
}

/// Of a name of the table.
inline SplitScheme splitting(std::string_view name) {
  return std::find_if(splittings().begin(), splittings().end(), [&](const auto& entry) { return entry.name == name; })
      ->scheme;
}

}  // namespace tessera::physics::reaction_diffusion
