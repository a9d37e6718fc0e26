#pragma once
#include <string>

#include "base/backend.hpp"
#include "bench/support/bench.hpp"
#include "linalg/crs.hpp"

namespace tessera::bench {

/// The vendor's or a well-known library's time for the same job on the same data, with the largest difference of its
/// result.
struct Peer {
  std::string name;
  double ms = 0;
  double difference = 0;  ///< max |y - y_peer| / max |y|
};

/// y = A x: Eigen (row-major, OpenMP). Those of CUDA are in spmv_peers.hpp.
Peer spmv_peer(Threads& exec, const linalg::Crs<Host>& A, const Array<double>& x, const Array<double>& y);

/// One Jacobi-PCG iteration written with cuSPARSE and cuBLAS, device scalars read back as those libraries' users do.
Peer cg_peer(Threads& exec, const linalg::Crs<Host>& A, int iterations);
Peer cg_peer(Cuda& exec, const linalg::Crs<Device>& A, int iterations);

}  // namespace tessera::bench
