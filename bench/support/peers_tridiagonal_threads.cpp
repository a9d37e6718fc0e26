#include <dlfcn.h>

#include <algorithm>
#include <cmath>

#include "bench/support/peers_tridiagonal.hpp"

namespace tessera::bench {

std::optional<Peer> dgtsv_peer(Threads& exec, const DoubleSystem& A, View<const double> rhs, View<const double> x) {
  // Looked up at run time, so that the benchmark starts where there is no LAPACK.
  using Dgtsv = void (*)(const int*, const int*, double*, double*, double*, double*, const int*, int*);
  void* library = dlopen("liblapack.so.3", RTLD_NOW);
  const auto dgtsv = library ? reinterpret_cast<Dgtsv>(dlsym(library, "dgtsv_")) : nullptr;
  if (!dgtsv) return {};
  std::vector<double> lower, diag, upper, d;
  auto restore = [&] {
    lower.assign(A.lower.begin(), A.lower.end());
    diag.assign(A.diag.begin(), A.diag.end());
    upper.assign(A.upper.begin(), A.upper.end());
    d.assign(rhs.begin(), rhs.end());
  };
  const int one = 1;
  auto solve = [&] {
    for (Index system = 0; system < A.systems; ++system) {
      const std::size_t first = static_cast<std::size_t>(system) * A.n;
      int info = 0;
      dgtsv(&A.n, &one, lower.data() + first + 1, diag.data() + first, upper.data() + first, d.data() + first, &A.n,
            &info);
    }
  };
  const Timing restoring = measure(exec, restore, 5);
  const Timing both = measure(
      exec, [&] { restore(), solve(); }, 5);
  Peer peer{"LAPACK dgtsv", both.median_ms - restoring.median_ms, 0};
  double scale = 0;
  for (Offset i = 0; i < x.size(); ++i) {
    peer.difference = std::max(peer.difference, std::abs(d[static_cast<std::size_t>(i)] - x[i]));
    scale = std::max(scale, std::abs(x[i]));
  }
  peer.difference /= scale;
  return peer;
}

}  // namespace tessera::bench
