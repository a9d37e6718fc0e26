#pragma once
#include <cmath>

#include "base/types.hpp"

namespace tessera::solvers {

// Dense systems of a few unknowns, one in each thread: host-device functions over local arrays. Where n is a constant
// and small, the loops unroll, every index is known to the compiler, and the arrays are registers on CUDA.

/// P A = L U in place, A [n, n] row-major, n <= bound. Row interchanges are chosen by entries relative to the largest
/// one of their row before elimination, so that the units of the rows do not matter (Golub & Van Loan, Matrix
/// Computations, section 3.4.10). The diagonal of U is stored inverted. pivot [n]: the row that became row k in step k.
/// False where A is singular, or has an entry that is not finite; A is spoilt then. 2/3 n^3 operations.
template <int bound>
TESSERA_HD inline bool lu_factor(int n, double* a, int* pivot) {
  double scale[bound];
  for (int i = 0; i < n; ++i) {
    double largest = 0;
    for (int j = 0; j < n; ++j) largest = std::fmax(largest, std::abs(a[i * n + j]));
    scale[i] = 1 / largest;
  }
  for (int k = 0; k < n; ++k) {
    int best = k;
    double largest = 0;
    for (int i = k; i < n; ++i) {
      const double size = scale[i] * std::abs(a[i * n + k]);
      if (size > largest) {
        largest = size;
        best = i;
      }
    }
    pivot[k] = best;
    // The row is found by comparing, not by its number: an index that is computed would keep A out of registers.
    for (int i = k + 1; i < n; ++i) {
      if (i != best) continue;
      for (int j = 0; j < n; ++j) {
        const double other = a[i * n + j];
        a[i * n + j] = a[k * n + j];
        a[k * n + j] = other;
      }
      const double other = scale[i];
      scale[i] = scale[k];
      scale[k] = other;
    }
    const double inverse = 1 / a[k * n + k];
    if (!(largest > 0) || !std::isfinite(inverse)) return false;
    a[k * n + k] = inverse;
    for (int i = k + 1; i < n; ++i) {
      const double factor = a[i * n + k] * inverse;
      a[i * n + k] = factor;
      for (int j = k + 1; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return true;
}

/// x = A^-1 x with what lu_factor left; the entry i of x stands at x[i stride]. 2 n^2 operations.
TESSERA_HD inline void lu_solve(int n, const double* a, const int* pivot, double* x, int stride = 1) {
  for (int k = 0; k < n; ++k) {
    for (int i = k + 1; i < n; ++i) {
      if (i != pivot[k]) continue;
      const double other = x[i * stride];
      x[i * stride] = x[k * stride];
      x[k * stride] = other;
    }
  }
  for (int i = 1; i < n; ++i) {
    double sum = x[i * stride];
    for (int j = 0; j < i; ++j) sum -= a[i * n + j] * x[j * stride];
    x[i * stride] = sum;
  }
  for (int i = n - 1; i >= 0; --i) {
    double sum = x[i * stride];
    for (int j = i + 1; j < n; ++j) sum -= a[i * n + j] * x[j * stride];
    x[i * stride] = sum * a[i * n + i];
  }
}

/// Whether det A < 0, of what lu_factor left.
TESSERA_HD inline bool negative_determinant(int n, const double* a, const int* pivot) {
  bool negative = false;
  for (int k = 0; k < n; ++k) negative = negative != ((a[k * n + k] < 0) != (pivot[k] != k));
  return negative;
}

}  // namespace tessera::solvers
