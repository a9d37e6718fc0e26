#include "bench/support/spmv_peers.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "linalg/formats_cusparse.hpp"

namespace tessera::bench {

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0, scale = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::abs(a[i] - b[i]));
    scale = std::max(scale, std::abs(b[i]));
  }
  return scale > 0 ? most / scale : most;
}

SpmvPeers spmv_peers(Threads& exec, const linalg::Crs<Host>& A, const linalg::SlicedEll<Host>&, const Array<double>& x,
                     const Array<double>& y) {
  return {spmv_peer(exec, A, x, y), {}};
}

namespace {

/// Times a product of cuSPARSE into `result` and compares it with ours.
Peer time(Cuda& exec, linalg::CusparseProduct product, const Array<double, Device>& result,
          const std::vector<double>& ours) {
  const Timing timing = measure(exec, [&] { product.apply(); });
  return {product.name(), timing.median_ms, difference(to_vector(result), ours)};
}

}  // namespace

Peer block_peer(Threads& exec, const linalg::BlockCrs<Host>&, const linalg::Crs<Host>& entries, const Array<double>& x,
                const Array<double>& y) {
  return spmv_peer(exec, entries, x, y);
}

Peer block_peer(Cuda& exec, const linalg::BlockCrs<Device>& A, const linalg::Crs<Device>&,
                const Array<double, Device>& x, const Array<double, Device>& y) {
  Array<double, Device> result(A.rows);
  const std::vector<double> ours = to_vector(y);
  Peer best;
  std::string refused;
  for (int algorithm : {1, 2}) {
    try {
      const Peer peer = time(exec, {exec, A, algorithm, x, result.view()}, result, ours);
      if (best.ms == 0 || peer.ms < best.ms) best = peer;
    } catch (const Error& error) {
      refused = error.what();
    }
  }
  if (best.ms == 0) throw Error(ExitCode::usage, "no block product of cuSPARSE takes this matrix: " + refused);
  return best;
}

SpmvPeers spmv_peers(Cuda& exec, const linalg::Crs<Device>& A, const linalg::SlicedEll<Device>& sliced,
                     const Array<double, Device>& x, const Array<double, Device>& y) {
  Array<double, Device> result(A.rows);
  const std::vector<double> ours = to_vector(y);
  const auto time = [&](linalg::CusparseProduct product) {
    return bench::time(exec, std::move(product), result, ours);
  };
  const Peer first = time({exec, A, 1, x, result.view()}), second = time({exec, A, 2, x, result.view()});
  return {first.ms < second.ms ? first : second, time({exec, sliced, x, result.view()})};
}

}  // namespace tessera::bench
