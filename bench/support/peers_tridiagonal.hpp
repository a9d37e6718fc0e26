#pragma once
#include <optional>

#include "bench/support/bench.hpp"
#include "bench/support/peers.hpp"
#include "solvers/tridiagonal/tridiagonal.hpp"

namespace tessera::bench {

/// Peers for tridiagonal systems in double. `x` is our solution, against which theirs is held; the time of restoring
/// what they overwrite is measured apart and taken off.
using DoubleSystem = solvers::Tridiagonal<double>;

/// cusparseDgtsv2_nopivot or, with `pivoting`, cusparseDgtsv2: one system.
Peer gtsv2_peer(Cuda& exec, const DoubleSystem& A, View<const double> rhs, View<const double> x, bool pivoting);
/// cusparseDgtsv2StridedBatch: contiguous systems, no pivoting.
Peer gtsv2_batch_peer(Cuda& exec, const DoubleSystem& A, View<const double> rhs, View<const double> x);
/// cusparseDgtsvInterleavedBatch: Thomas or, with `pivoting`, LU with pivoting.
Peer gtsv_interleaved_peer(Cuda& exec, const DoubleSystem& A, View<const double> rhs, View<const double> x,
                           bool pivoting);

/// LAPACK's dgtsv, system after system, where the machine has liblapack.
std::optional<Peer> dgtsv_peer(Threads& exec, const DoubleSystem& A, View<const double> rhs, View<const double> x);

}  // namespace tessera::bench
