#pragma once
// Reactions of many nodes by CVODE of SUNDIALS, where the build has found it.
#include <vector>

#include "bench/support/peers.hpp"

namespace tessera::bench {

/// du = f(t, u) of one node; `of` is what f is a function of beside these.
struct NodeRates {
  const void* of = nullptr;
  void (*rates)(const void* of, double t, const double* u, double* du) = nullptr;
  int species = 0;
};

/// u(0) -> u(dt) of `nodes` nodes one by one on all cores, by Adams' methods with fixed-point iterations, as problems
/// that are not stiff ask for: each core has one integrator, which is set to the start of each node. `start` and `ours`
/// are [species, stride], of which the first `nodes` are taken; the difference is that of the results. Without CVODE it
/// has no name.
Peer cvode_peer(const NodeRates& rates, Offset nodes, Offset stride, const std::vector<double>& start,
                const std::vector<double>& ours, double dt, double relative, double absolute);

}  // namespace tessera::bench
