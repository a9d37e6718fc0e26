#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <unsupported/Eigen/MatrixFunctions>
#include <vector>

#include "base/team.hpp"
#include "bench/support/exponential_peer.hpp"

namespace tessera::bench {

Peer exponential_peer(Threads& exec, int n, Offset count, const Array<double>& a, const Array<double>& result) {
  Array<double> theirs(a.size());
  const auto one = [&](Offset k) {
    Eigen::MatrixXd A(n, n);
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) A(i, j) = a[(Offset{i} * n + j) * count + k];
    const Eigen::MatrixXd X = A.exp();
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) theirs[(Offset{i} * n + j) * count + k] = X(i, j);
  };
  const Timing timing = measure(
      exec,
      [&] {
        parallel_ranges(exec.count(), count, [&](Offset first, Offset last, int) {
          for (Offset k = first; k < last; ++k) one(k);
        });
      },
      5);
  double difference = 0, largest = 0;
  for (Offset k = 0; k < a.size(); ++k) {
    difference = std::max(difference, std::abs(result[k] - theirs[k]));
    largest = std::max(largest, std::abs(result[k]));
  }
  return {"Eigen", timing.median_ms, difference / largest};
}

}  // namespace tessera::bench
