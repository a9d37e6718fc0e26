#pragma once
#include "bench/support/peers.hpp"
#include "linalg/block_crs.hpp"
#include "linalg/sliced_ell.hpp"

namespace tessera::bench {

/// y = A x by the best other library on the same data, and by its sliced ELL where it has one (no name otherwise). `y`
/// is our result, which theirs is compared with.
struct SpmvPeers {
  Peer csr;
  Peer sliced;
  const Peer& best() const { return sliced.ms > 0 && sliced.ms < csr.ms ? sliced : csr; }
};

/// Eigen, row-major, with OpenMP.
SpmvPeers spmv_peers(Threads& exec, const linalg::Crs<Host>& A, const linalg::SlicedEll<Host>& sliced,
                     const Array<double>& x, const Array<double>& y);
/// The better of cuSPARSE's CSR algorithms; its SELL on slices of 32.
SpmvPeers spmv_peers(Cuda& exec, const linalg::Crs<Device>& A, const linalg::SlicedEll<Device>& sliced,
                     const Array<double, Device>& x, const Array<double, Device>& y);

/// The same for a matrix of block rows, whose `entries` are these: Eigen has no blocks and takes the entries; of
/// cuSPARSE the better of its BSR and its older bsrmv, or the one that takes the matrix.
Peer block_peer(Threads& exec, const linalg::BlockCrs<Host>& A, const linalg::Crs<Host>& entries,
                const Array<double>& x, const Array<double>& y);
Peer block_peer(Cuda& exec, const linalg::BlockCrs<Device>& A, const linalg::Crs<Device>& entries,
                const Array<double, Device>& x, const Array<double, Device>& y);

/// max |a - b| / max |b|
double difference(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace tessera::bench
