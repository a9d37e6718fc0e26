#include "physics/conservation/stages.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace tessera::physics::conservation {

namespace {

struct SchemeEntry {
  const char* name;
  std::vector<Stage> stages;
};

/// Shu and Osher, J. Comput. Phys. 77 (1988) 439: "ssp_rk3", "ssp_rk2" and "euler". Ern and Guermond, SIAM J. Sci.
/// Comput. 44 (2022) A3366: "erk33" and "erk22", whose stages are equal parts of the step, each from the one before: as
/// many evaluations go s times as far. Their weights are s times the difference of two rows of the tableau, less that
/// of the stage itself.
const std::vector<SchemeEntry>& schemes() {
  constexpr double third = 1.0 / 3;
  static const std::vector<SchemeEntry> all{
      {"ssp_rk3", {{0, 1}, {0.75, 0.5}, {third, 1}}},
      {"ssp_rk2", {{0, 1}, {0.5, 1}}},
      {"erk33", {{0, third, third, {}}, {0, 2 * third, third, {-1}}, {0, 1, third, {0.75, -2}}}},
      {"erk22", {{0, 0.5, 0.5, {}}, {0, 1, 0.5, {-1}}}},
      {"euler", {{0, 1}}},
  };
  return all;
}

}  // namespace

std::vector<std::string> time_schemes() {
  std::vector<std::string> names;
  for (const SchemeEntry& entry : schemes()) names.emplace_back(entry.name);
  return names;
}

bool is_of_stages(const std::string& scheme) {
  return std::any_of(schemes().begin(), schemes().end(),
                     [&](const SchemeEntry& entry) { return entry.name == scheme; });
}

std::vector<Stage> stages_of(const std::string& scheme) {
  const auto found =
      std::find_if(schemes().begin(), schemes().end(), [&](const SchemeEntry& entry) { return entry.name == scheme; });
  if (found == schemes().end())
    throw Error(ExitCode::internal, fmt::format("conservation laws have no scheme '{}'", scheme),
                "ask time_schemes() for those that there are");
  return found->stages;
}

void check_scheme(const deck::Deck& deck, const TimeParams& time, const std::string& limiter) {
  if (limiter == "convex" || !is_of_stages(time.scheme) || stages_of(time.scheme).front().length == 1) return;
  throw Error(
      ExitCode::usage,
      fmt::format("time.scheme = \"{}\" has stages whose high order is limited, by limiter = \"convex\", and the "
                  "deck has limiter = \"{}\"",
                  time.scheme, limiter),
      "choose limiter = \"convex\", or scheme = \"ssp_rk3\"", deck.where("time.scheme"));
}

}  // namespace tessera::physics::conservation
