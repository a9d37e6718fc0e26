#include "solvers/amg/shared_level.hpp"

#include <algorithm>

namespace tessera::solvers::amg {

std::vector<Offset> first_nodes(Communicator& ranks, Offset owned) {
  std::vector<Offset> result{0};
  for (const Offset of_rank : gathered(ranks, owned)) result.push_back(result.back() + of_rank);
  return result;
}

IndexMap map_with_ghosts(const std::vector<Offset>& firsts, int rank, const std::vector<Offset>& ghosts) {
  IndexMap::Parts parts;
  parts.rank = rank;
  parts.global_size = firsts.back();
  parts.first_owned = firsts[static_cast<std::size_t>(rank)];
  parts.owned = static_cast<Index>(firsts[static_cast<std::size_t>(rank) + 1] - parts.first_owned);
  for (const Offset ghost : ghosts) {
    const int owner = static_cast<int>(std::upper_bound(firsts.begin(), firsts.end(), ghost) - firsts.begin()) - 1;
    if (parts.ghosts.empty() || parts.ghosts.back().owner != owner) parts.ghosts.push_back({owner, {}});
    parts.ghosts.back().numbers.push_back(ghost);
  }
  return IndexMap(parts);
}

}  // namespace tessera::solvers::amg
