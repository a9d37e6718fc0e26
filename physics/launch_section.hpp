#pragma once
// What a deck says of how its run begins, and which runs can begin so. The program looks at it; modules do not.
#include <string>
#include <vector>

#include "deck/section.hpp"
#include "physics/sections.hpp"

namespace tessera::physics {

/// The keys of [run] that say how it begins, beside those of run_section.
struct LaunchParams {
  int ranks = 1;  ///< that a run begins by itself; where a launcher has begun them, their number counts
};
deck::Section<LaunchParams> launch_section();

/// All keys of [run], of which run_section has what a module takes part in. `precisions`: those that the module offers.
deck::SectionDescription run_description(const std::vector<std::string>& precisions);
/// What run_section has, of a deck whose [run] has keys of run_description alone: others are refused.
RunParams read_run(const deck::Deck& deck, const std::vector<std::string>& precisions = all_precisions);

/// Throws Error(usage) where the method that [solver] names works on one rank only: what is known before there are
/// ranks, which refuse the rest.
void check_takes_ranks(const deck::Deck& deck);

}  // namespace tessera::physics
