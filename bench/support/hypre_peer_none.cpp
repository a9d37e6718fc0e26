// Of builds that have found no hypre.
#include "bench/support/hypre_peer.hpp"

namespace tessera::bench {

HyprePeer::HyprePeer() = default;
HyprePeer::~HyprePeer() = default;
void HyprePeer::meet() const {}
void HyprePeer::give_up(const std::string&) const {}
std::vector<std::string> HyprePeer::configurations() { return {}; }
HypreTimes HyprePeer::solve(const linalg::Crs<Host>&, View<const double>, const std::string&) const { return {}; }

}  // namespace tessera::bench
