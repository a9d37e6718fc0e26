#include "bench/support/gtsv_peer.hpp"

#include <cusparse.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace tessera::bench {

namespace {

void check(cusparseStatus_t status, const char* call) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw Error(ExitCode::internal, fmt::format("{}: {}", call, cusparseGetErrorString(status)));
}
#define CHECK_SPARSE(call) check((call), #call)

double difference(const std::vector<double>& ours, const std::vector<double>& theirs) {
  double largest = 0, scale = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    largest = std::max(largest, std::abs(ours[i] - theirs[i]));
    scale = std::max(scale, std::abs(theirs[i]));
  }
  return largest / scale;
}

}  // namespace

Peer gtsv_nopivot_peer(Cuda& exec, double h, const Array<double, Device>& f, const Array<double, Device>& u) {
  const int n = static_cast<int>(f.size());
  const double pi = 3.14159265358979323846, c = 4 / (pi * pi * h * h);
  std::vector<double> lower(f.size(), -c), diagonal(f.size(), 2 * c), upper(f.size(), -c), d = to_vector(f);
  lower.front() = upper.back() = 0;
  diagonal.front() = c;
  d.front() *= 0.5;
  for (double& value : d) value *= c * h * h;
  const auto dl = to_space<Device>(lower), dd = to_space<Device>(diagonal), du = to_space<Device>(upper);
  auto x = to_space<Device>(d);

  cusparseHandle_t handle{};
  CHECK_SPARSE(cusparseCreate(&handle));
  CHECK_SPARSE(cusparseSetStream(handle, exec.stream()));
  std::size_t bytes = 0;
  CHECK_SPARSE(
      cusparseDgtsv2_nopivot_bufferSizeExt(handle, n, 1, dl.data(), dd.data(), du.data(), x.data(), n, &bytes));
  Array<unsigned char, Device> buffer(static_cast<Offset>(bytes) + 16);
  const auto solve = [&] {
    CHECK_SPARSE(cusparseDgtsv2_nopivot(handle, n, 1, dl.data(), dd.data(), du.data(), x.data(), n, buffer.data()));
  };
  solve();
  exec.synchronize();
  Peer peer{"cuSPARSE gtsv2_nopivot", 0, difference(to_vector(u), to_vector(x))};
  peer.ms = measure(exec, solve, 5).median_ms;
  CHECK_SPARSE(cusparseDestroy(handle));
  return peer;
}

}  // namespace tessera::bench
