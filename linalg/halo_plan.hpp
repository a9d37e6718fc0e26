#pragma once
#include <vector>

#include "base/index_map.hpp"
#include "base/link.hpp"

namespace tessera::linalg {

/// What goes where in an exchange of ghosts.
struct HaloPlan {
  ExchangePlan exchange;
  std::vector<Index> rows;  ///< that are sent, rank after rank
};
/// Collective.
HaloPlan make_halo_plan(Communicator& ranks, const IndexMap& map, int components);

}  // namespace tessera::linalg
