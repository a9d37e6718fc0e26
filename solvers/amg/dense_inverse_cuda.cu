#include <utility>

#include "base/parallel.hpp"
#include "solvers/amg/dense_inverse.hpp"

namespace tessera::solvers::amg {
namespace {

constexpr int tile = 16;

/// to = from swept with pivot k. Each step reads one copy and writes the other, so that no entry is read too late.
__global__ void __launch_bounds__(tile* tile)
    sweep(Index n, Index k, bool last, const double* __restrict__ from, double* __restrict__ to,
          const double* __restrict__ bound, double* ratios) {
  const Index tiles = (n + tile - 1) / tile;
  const Index i = static_cast<Index>(blockIdx.x) / tiles * tile + threadIdx.x / tile;
  const Index j = static_cast<Index>(blockIdx.x) % tiles * tile + threadIdx.x % tile;
  if (i >= n || j >= n) return;
  const double pivot = from[Offset{k} * n + k], ratio = pivot / bound[k];
  const double column = from[Offset{i} * n + k], row = from[Offset{k} * n + j];
  double value;
  if (!(ratio > 1))
    value = i == k || j == k ? 0 : from[Offset{i} * n + j];
  else if (i == k && j == k)
    value = -1 / pivot;
  else if (i == k)
    value = row / pivot;
  else if (j == k)
    value = column / pivot;
  else
    value = from[Offset{i} * n + j] - column / pivot * row;
  to[Offset{i} * n + j] = last ? -value : value;
  if (i == k && j == k) ratios[k] = ratio;
}

}  // namespace

template <>
void invert_semidefinite(Cuda& exec, Index n, double dependent, Array<double, Device>& A, View<double> ratios) {
  Array<double, Device> other(A.size()), bounds(n);
  const View<const double> entries = std::as_const(A).view();
  const View<double> bound = bounds;
  for_each(exec, n, [=] TESSERA_HD(Offset i) {
    double largest = 0;
    for (Offset j = 0; j < n; ++j) largest = entries[j * n + j] > largest ? entries[j * n + j] : largest;
    bound[i] = dependent * entries[i * n + i] + pivot_rounding * largest;
  });
  const Offset tiles = (n + tile - 1) / tile;
  for (Index k = 0; k < n; ++k) {
    launch(exec, sweep, tiles * tiles, tile * tile, n, k, k == n - 1, static_cast<const double*>(A.data()),
           other.data(), static_cast<const double*>(bounds.data()), ratios.data());
    std::swap(A, other);
  }
}

}  // namespace tessera::solvers::amg
