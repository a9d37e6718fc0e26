#pragma once
#include <cassert>
#include <span>
#include <vector>

#include "base/types.hpp"

namespace tessera {

/// How one rank numbers what it sees (nodes, cells, dofs or rows) among the numbers of all ranks. Of the global numbers
/// each rank owns consecutive ones, which follow those of the ranks below it. Its local numbers are
///
///     [0, owned)       owned, in the order that they have without ranks: so rows of a grid keep the pattern of a grid
///     [owned, size)    ghosts: owned by others, grouped by owner in the order of ranks, ascending within a group
///
/// so that an owned number differs from its global one by a constant, and the global numbers of all ghosts ascend.
/// 8 B a ghost; on one rank there are none, and nothing is allocated.
class IndexMap {
 public:
  /// Another rank, with which numbers are shared, and the local numbers [first, last) of the ghosts that it owns: none
  /// where it only has ghosts of this rank's.
  struct Neighbour {
    int rank = 0;
    Index first = 0;
    Index last = 0;
  };

  /// What a rank says of its numbers.
  struct Parts {
    struct Ghosts {
      int owner = 0;
      std::vector<Offset> numbers = {};  ///< global
    };
    int rank = 0;
    Offset global_size = 0;  ///< of all ranks together
    Offset first_owned = 0;  ///< global number of the first that it owns
    Index owned = 0;         ///< how many
    std::vector<Ghosts> ghosts = {};
  };

  IndexMap() = default;
  /// Of one rank alone, which owns [0, size). Throws Error(internal) where that is negative.
  explicit IndexMap(Index size);
  /// Of one among several ranks. Throws Error(internal) where the parts contradict each other or the order above,
  /// Error(mesh) where local numbers exceed 32 bits.
  explicit IndexMap(const Parts& parts);

  Index owned() const { return owned_; }
  /// Owned numbers and ghosts.
  Index size() const { return owned_ + static_cast<Index>(ghosts_.size()); }
  Offset global_size() const { return global_size_; }
  Offset first_owned() const { return first_owned_; }
  std::span<const Neighbour> neighbours() const { return neighbours_; }
  /// Global numbers of the local numbers [owned, size).
  std::span<const Offset> ghosts() const { return ghosts_; }

  Offset global_of(Index local) const {
    assert(local >= 0 && local < size());
    return local < owned_ ? first_owned_ + local : ghosts_[static_cast<std::size_t>(local - owned_)];
  }
  /// -1 where this rank does not see that number. Of a ghost O(log ghosts).
  Index local_of(Offset global) const;

 private:
  Index owned_ = 0;
  Offset first_owned_ = 0;
  Offset global_size_ = 0;
  std::vector<Neighbour> neighbours_;
  std::vector<Offset> ghosts_;
};

}  // namespace tessera
