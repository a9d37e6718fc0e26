#include <algorithm>
#include <vector>

#include "base/team.hpp"
#include "solvers/amg/dense_inverse.hpp"

namespace tessera::solvers::amg {
namespace {

/// Rows from which a sweep is shared among threads.
constexpr Index parallel_rows = 200;

/// row_i -= factor * pivot row, but for the pivot's column.
void subtract(Index n, Index k, double factor, const double* __restrict__ pivot_row, double* __restrict__ row) {
#pragma omp simd
  for (Index j = 0; j < n; ++j) row[j] -= factor * pivot_row[j];
  row[k] = factor;
}

}  // namespace

template <>
void invert_semidefinite(Threads& exec, Index n, double dependent, Array<double>& A, View<double> ratios) {
  std::vector<double> bound(static_cast<std::size_t>(n)), pivot_row(bound.size());
  double largest = 0;
  const auto row = [&](Offset i) { return A.data() + i * n; };
  for (Index k = 0; k < n; ++k) largest = std::max(largest, row(k)[k]);
  for (Index k = 0; k < n; ++k) bound[static_cast<std::size_t>(k)] = dependent * row(k)[k] + pivot_rounding * largest;
  for (Index k = 0; k < n; ++k) {
    const double pivot = row(k)[k];
    ratios[k] = pivot / bound[static_cast<std::size_t>(k)];
    if (!(ratios[k] > 1)) {
      for (Index j = 0; j < n; ++j) row(k)[j] = row(j)[k] = 0;
      continue;
    }
    std::copy(row(k), row(k) + n, pivot_row.begin());
    parallel_for(n > parallel_rows ? exec.count() : 1, n, [&](Offset i) {
      if (i != k) subtract(n, k, row(i)[k] / pivot, pivot_row.data(), row(i));
    });
    for (Index j = 0; j < n; ++j) row(k)[j] = pivot_row[static_cast<std::size_t>(j)] / pivot;
    row(k)[k] = -1 / pivot;
  }
  for (double& value : A) value = -value;
}

}  // namespace tessera::solvers::amg
