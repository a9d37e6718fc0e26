#include "physics/conservation/tiles.hpp"

#include <algorithm>
#include <utility>

namespace tessera::physics::conservation {

std::vector<Index> in_tiles(const std::vector<Index>& around, Index width, int tile) {
  const auto slices = static_cast<Index>(width > 0 ? around.size() / static_cast<std::size_t>(width) : 0);
  std::vector<Index> order;
  order.reserve(static_cast<std::size_t>(slices));
  std::vector<char> is_taken(static_cast<std::size_t>(slices), 0);
  std::vector<std::pair<Index, int>> links;  // of slices that are not taken, to those of the tile
  const auto take = [&](Index slice) {
    is_taken[static_cast<std::size_t>(slice)] = 1;
    order.push_back(slice);
    std::erase_if(links, [&](const auto& of) { return of.first == slice; });
    for (Index k = 0; k < width; ++k) {
      const Index other = around[static_cast<std::size_t>(Offset{slice} * width + k)];
      if (other < 0 || is_taken[static_cast<std::size_t>(other)]) continue;
      const auto found = std::find_if(links.begin(), links.end(), [&](const auto& of) { return of.first == other; });
      if (found == links.end())
        links.emplace_back(other, 1);
      else
        ++found->second;
    }
  };
  Index next = 0;
  while (static_cast<Index>(order.size()) < slices) {
    links.clear();
    for (int k = 0; k < tile && static_cast<Index>(order.size()) < slices; ++k) {
      const auto best = std::max_element(links.begin(), links.end(), [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second < b.second : a.first > b.first;
      });
      while (is_taken[static_cast<std::size_t>(next)]) ++next;
      take(best == links.end() ? next : best->first);
    }
  }
  return order;
}

}  // namespace tessera::physics::conservation
