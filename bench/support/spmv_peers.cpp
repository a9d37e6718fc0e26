#include "bench/support/spmv_peers.hpp"

#include <cmath>

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

SpmvPeers spmv_peers(Cuda& exec, const linalg::Crs<Device>& A, const linalg::SlicedEll<Device>& sliced,
                     const Array<double, Device>& x, const Array<double, Device>& y) {
  Array<double, Device> result(A.rows);
  const std::vector<double> ours = to_vector(y);
  auto time = [&](linalg::CusparseProduct product) -> Peer {
    const Timing timing = measure(exec, [&] { product.apply(); });
    return {product.name(), timing.median_ms, difference(to_vector(result), ours)};
  };
  const Peer first = time({exec, A, 1, x, result.view()}), second = time({exec, A, 2, x, result.view()});
  return {first.ms < second.ms ? first : second, time({exec, sliced, x, result.view()})};
}

}  // namespace tessera::bench
