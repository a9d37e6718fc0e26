#pragma once
#include "base/array.hpp"
#include "bench/support/peers.hpp"

namespace tessera::bench {

/// The two-point system A u = d of solvers/two_point by cusparseDgtsv2_nopivot: time of one solve, and how far its u is
/// from ours. f and u are [n] on the device, at spacing h. A and d are scaled by 4/(pi h)^2, so that the solves of a
/// timing, each of which takes the last one's solution as its right-hand side, neither grow nor decay.
Peer gtsv_nopivot_peer(Cuda& exec, double h, const Array<double, Device>& f, const Array<double, Device>& u);

}  // namespace tessera::bench
