#include <cuda_runtime.h>
#include <cusparse.h>
#include <fmt/format.h>

#include <cmath>

#include "base/cuda_check.hpp"
#include "base/error.hpp"
#include "bench/support/peers_tridiagonal.hpp"

namespace tessera::bench {

namespace {

void check(cusparseStatus_t status, const char* call) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    throw Error(ExitCode::internal, fmt::format("{}: {}", call, cusparseGetErrorString(status)));
}
#define CHECK_SPARSE(call) check((call), #call)

struct Handle {
  cusparseHandle_t handle{};
  explicit Handle(Cuda& exec) {
    CHECK_SPARSE(cusparseCreate(&handle));
    CHECK_SPARSE(cusparseSetStream(handle, exec.stream()));
  }
  ~Handle() { (void)cusparseDestroy(handle); }
};

void copy_async(Cuda& exec, View<const double> from, Array<double, Device>& to) {
  TESSERA_CUDA_CHECK(cudaMemcpyAsync(to.data(), from.data(), to.bytes(), cudaMemcpyDeviceToDevice, exec.stream()));
}

template <class Restore, class Solve>
Peer time_peer(Cuda& exec, const char* name, Restore restore, Solve solve, const Array<double, Device>& theirs,
               View<const double> x) {
  const Timing restoring = measure(exec, restore, 7);
  const Timing both = measure(
      exec, [&] { restore(), solve(); }, 7);
  Peer peer{name, both.median_ms - restoring.median_ms, 0};
  const std::vector<double> found = to_vector(theirs);
  std::vector<double> ours(found.size());
  copy_bytes(Device{}, x.data(), Host{}, ours.data(), ours.size() * sizeof(double));
  double scale = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    peer.difference = std::max(peer.difference, std::abs(found[i] - ours[i]));
    scale = std::max(scale, std::abs(ours[i]));
  }
  peer.difference /= scale;
  return peer;
}

}  // namespace

Peer gtsv2_peer(Cuda& exec, const DoubleSystem& A, View<const double> rhs, View<const double> x, bool pivoting) {
  Handle sparse(exec);
  Array<double, Device> d(rhs.size());
  std::size_t bytes = 0;
  const auto size = pivoting ? cusparseDgtsv2_bufferSizeExt : cusparseDgtsv2_nopivot_bufferSizeExt;
  const auto solve = pivoting ? cusparseDgtsv2 : cusparseDgtsv2_nopivot;
  CHECK_SPARSE(size(sparse.handle, A.n, 1, A.lower.data(), A.diag.data(), A.upper.data(), d.data(), A.n, &bytes));
  Array<unsigned char, Device> buffer(static_cast<Offset>(bytes) + 16);
  return time_peer(
      exec, pivoting ? "gtsv2" : "gtsv2_nopivot", [&] { copy_async(exec, rhs, d); },
      [&] {
        CHECK_SPARSE(
            solve(sparse.handle, A.n, 1, A.lower.data(), A.diag.data(), A.upper.data(), d.data(), A.n, buffer.data()));
      },
      d, x);
}

Peer gtsv2_batch_peer(Cuda& exec, const DoubleSystem& A, View<const double> rhs, View<const double> x) {
  Handle sparse(exec);
  Array<double, Device> d(rhs.size());
  std::size_t bytes = 0;
  CHECK_SPARSE(cusparseDgtsv2StridedBatch_bufferSizeExt(sparse.handle, A.n, A.lower.data(), A.diag.data(),
                                                        A.upper.data(), d.data(), A.systems, A.n, &bytes));
  Array<unsigned char, Device> buffer(static_cast<Offset>(bytes) + 16);
  return time_peer(
      exec, "gtsv2StridedBatch", [&] { copy_async(exec, rhs, d); },
      [&] {
        CHECK_SPARSE(cusparseDgtsv2StridedBatch(sparse.handle, A.n, A.lower.data(), A.diag.data(), A.upper.data(),
                                                d.data(), A.systems, A.n, buffer.data()));
      },
      d, x);
}

Peer gtsv_interleaved_peer(Cuda& exec, const DoubleSystem& A, View<const double> rhs, View<const double> x,
                           bool pivoting) {
  Handle sparse(exec);
  const int algorithm = pivoting ? 1 : 0;
  Array<double, Device> a(rhs.size()), b(rhs.size()), c(rhs.size()), d(rhs.size());
  std::size_t bytes = 0;
  CHECK_SPARSE(cusparseDgtsvInterleavedBatch_bufferSizeExt(sparse.handle, algorithm, A.n, a.data(), b.data(), c.data(),
                                                           d.data(), A.systems, &bytes));
  Array<unsigned char, Device> buffer(static_cast<Offset>(bytes) + 16);
  return time_peer(
      exec, pivoting ? "gtsvInterleaved LU" : "gtsvInterleaved",
      [&] {
        copy_async(exec, A.lower, a), copy_async(exec, A.diag, b), copy_async(exec, A.upper, c),
            copy_async(exec, rhs, d);
      },
      [&] {
        CHECK_SPARSE(cusparseDgtsvInterleavedBatch(sparse.handle, algorithm, A.n, a.data(), b.data(), c.data(),
                                                   d.data(), A.systems, buffer.data()));
      },
      d, x);
}

}  // namespace tessera::bench
