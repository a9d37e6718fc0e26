#pragma once
// A peer of algebraic multigrid on threads: CG with BoomerAMG of hypre, where the build has found it.
#include <string>
#include <vector>

#include "linalg/crs.hpp"

namespace tessera::bench {

/// One set-up and one solve to 1e-8 in milliseconds, of the clock and, over all ranks, of their cores.
struct HypreTimes {
  double set_up_ms = 0, solve_ms = 0;
  double set_up_core_ms = 0, solve_core_ms = 0;
  int iterations = 0;
};

/// hypre works on ranks and not on threads: on those that mpirun started this program with, or on one. Builds without
/// hypre have one rank and no configurations.
class HyprePeer {
 public:
  HyprePeer();
  ~HyprePeer();
  HyprePeer(const HyprePeer&) = delete;
  HyprePeer& operator=(const HyprePeer&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }
  /// Waits, asleep, until all ranks are here.
  void meet() const;
  /// For one of several ranks that cannot go on: says why and ends all of them, which would wait for it without end.
  void give_up(const std::string& why) const;
  /// Names of those that do well on one core or on few.
  static std::vector<std::string> configurations();
  /// Solves A x = b from zero. All ranks have all of A, of which each takes a slab of rows.
  HypreTimes solve(const linalg::Crs<Host>& A, View<const double> b, const std::string& configuration) const;

 private:
  int rank_ = 0, ranks_ = 1;
};

}  // namespace tessera::bench
