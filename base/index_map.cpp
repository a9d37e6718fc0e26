#include "base/index_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"

namespace tessera {

namespace {

[[noreturn]] void refuse(int rank, const std::string& what, const std::string& help) {
  throw Error(ExitCode::internal, fmt::format("the numbers of rank {}: {}", rank, what), help);
}

void check_owned(const IndexMap::Parts& of) {
  if (of.rank < 0 || of.owned < 0)
    refuse(of.rank, fmt::format("{} of them", of.owned), "ranks count from 0, and no number of numbers is negative");
  const Offset end = of.first_owned + of.owned;
  if (of.first_owned < 0 || end > of.global_size)
    refuse(of.rank, fmt::format("it owns [{}, {}) of {}", of.first_owned, end, of.global_size),
           "the first number that a rank owns is the sum of those of the ranks below it");
}

/// A ghost of another rank stands outside the owned numbers, on the side of its owner's.
void check_ghost(const IndexMap::Parts& of, int owner, Offset ghost) {
  const Offset end = of.first_owned + of.owned;
  const bool below = owner < of.rank;
  if (ghost < (below ? 0 : end) || ghost >= (below ? of.first_owned : of.global_size))
    refuse(of.rank,
           fmt::format("ghost {} of rank {}, where it owns [{}, {}) of {}", ghost, owner, of.first_owned, end,
                       of.global_size),
           "ranks own consecutive numbers, each those that follow the ranks below it");
}

}  // namespace

IndexMap::IndexMap(Index size) : owned_(size), global_size_(size) {
  if (size < 0) refuse(0, fmt::format("{} of them", size), "no number of numbers is negative");
}

IndexMap::IndexMap(const Parts& parts) : first_owned_(parts.first_owned), global_size_(parts.global_size) {
  Offset size = parts.owned;
  for (const Parts::Ghosts& group : parts.ghosts) size += static_cast<Offset>(group.numbers.size());
  if (size > std::numeric_limits<Index>::max())
    throw Error(ExitCode::mesh, fmt::format("{} numbers of rank {} exceed 32 bits", size, parts.rank),
                "use more ranks, a coarser mesh or a lower order");
  check_owned(parts);
  owned_ = parts.owned;
  int last_owner = -1;
  for (const Parts::Ghosts& group : parts.ghosts) {
    if (group.owner <= last_owner || group.owner == parts.rank)
      refuse(parts.rank, fmt::format("ghosts of rank {} after those of rank {}", group.owner, last_owner),
             "give each other rank once, in ascending order");
    last_owner = group.owner;
    const Index first = this->size();
    for (const Offset ghost : group.numbers) {
      check_ghost(parts, group.owner, ghost);
      if (!ghosts_.empty() && ghost <= ghosts_.back())
        refuse(parts.rank, fmt::format("ghost {} of rank {} after {}", ghost, group.owner, ghosts_.back()),
               "sort the ghosts of each neighbour, each once");
      ghosts_.push_back(ghost);
    }
    neighbours_.push_back({group.owner, first, this->size()});
  }
}

Index IndexMap::local_of(Offset global) const {
  if (global >= first_owned_ && global < first_owned_ + owned_) return static_cast<Index>(global - first_owned_);
  const auto found = std::lower_bound(ghosts_.begin(), ghosts_.end(), global);
  return found != ghosts_.end() && *found == global ? owned_ + static_cast<Index>(found - ghosts_.begin()) : -1;
}

}  // namespace tessera
