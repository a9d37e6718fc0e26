#pragma once
#include <cmath>

#include "base/types.hpp"

namespace tessera::linalg {

/// Sizes of blocks that invert_general takes.
inline constexpr int largest_inverted_block = 16;

namespace detail {
TESSERA_HD inline double magnitude(double x) { return x < 0 ? -x : x; }
inline constexpr double largest_double = 1.7976931348623157e308;
}  // namespace detail

/// a [n, n], row-major and symmetric, becomes its inverse by Cholesky's factorisation; only the lower triangle is read,
/// and the result is symmetric to the bit. false, and a of no use, where it is not positive definite: a pivot not above
/// `lost` times its diagonal entry. `size`: n as a constant, 0: none. Golub, van Loan, Matrix Computations, 4.2.
template <int size, class T>
TESSERA_HD bool invert_positive(T* a, int given, double lost) {
  const int n = size > 0 ? size : given;
  // A = L L^T
  for (int j = 0; j < n; ++j) {
    const double before = a[j * n + j];
    double pivot = before;
    for (int k = 0; k < j; ++k) pivot -= static_cast<double>(a[j * n + k]) * a[j * n + k];
    if (!(pivot > lost * before && 1 / pivot <= detail::largest_double && pivot <= detail::largest_double))
      return false;
    const double root = std::sqrt(pivot);
    a[j * n + j] = static_cast<T>(root);
    for (int i = j + 1; i < n; ++i) {
      double sum = a[i * n + j];
      for (int k = 0; k < j; ++k) sum -= static_cast<double>(a[i * n + k]) * a[j * n + k];
      a[i * n + j] = static_cast<T>(sum / root);
    }
  }
  // M = L^-1, row by row
  for (int i = 0; i < n; ++i) {
    const double inverse = 1 / static_cast<double>(a[i * n + i]);
    for (int j = 0; j < i; ++j) {
      double sum = 0;
      for (int k = j; k < i; ++k) sum += static_cast<double>(a[i * n + k]) * a[k * n + j];
      a[i * n + j] = static_cast<T>(-inverse * sum);
    }
    a[i * n + i] = static_cast<T>(inverse);
  }
  // A^-1 = M^T M
  for (int i = 0; i < n; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = 0;
      for (int k = i; k < n; ++k) sum += static_cast<double>(a[k * n + i]) * a[k * n + j];
      a[i * n + j] = static_cast<T>(sum);
    }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) a[j * n + i] = a[i * n + j];
  return true;
}

/// a [n, n], row-major, becomes its inverse by Gauss and Jordan with the pivot of each column; n at most
/// largest_inverted_block. false, and a of no use, where it is singular: a pivot not above `lost` times the largest
/// entry that its column had.
template <int size, class T>
TESSERA_HD bool invert_general(T* a, int given, double lost) {
  constexpr int most = size > 0 ? size : largest_inverted_block;
  const int n = size > 0 ? size : given;
  double largest[most];
  unsigned char pivot_row[most];
  for (int j = 0; j < n; ++j) {
    largest[j] = 0;
    for (int i = 0; i < n; ++i) {
      const double value = detail::magnitude(a[i * n + j]);
      if (!(value <= detail::largest_double)) return false;
      if (value > largest[j]) largest[j] = value;
    }
  }
  for (int c = 0; c < n; ++c) {
    int pivot = c;
    for (int i = c + 1; i < n; ++i)
      if (detail::magnitude(a[i * n + c]) > detail::magnitude(a[pivot * n + c])) pivot = i;
    const double value = a[pivot * n + c], inverse = 1 / value;
    if (!(detail::magnitude(value) > lost * largest[c] && detail::magnitude(inverse) <= detail::largest_double))
      return false;
    pivot_row[c] = static_cast<unsigned char>(pivot);
    for (int j = 0; j < n; ++j) {  // rows change places, the pivot's is divided
      const T upper = a[c * n + j];
      a[c * n + j] = static_cast<T>((j == c ? 1 : static_cast<double>(a[pivot * n + j])) * inverse);
      if (pivot != c) a[pivot * n + j] = upper;
    }
    for (int i = 0; i < n; ++i) {
      if (i == c) continue;
      const double factor = a[i * n + c];
      a[i * n + c] = 0;
      for (int j = 0; j < n; ++j) a[i * n + j] = static_cast<T>(a[i * n + j] - factor * a[c * n + j]);
    }
  }
  for (int c = n - 1; c >= 0; --c) {
    const int other = pivot_row[c];
    if (other == c) continue;
    for (int i = 0; i < n; ++i) {
      const T left = a[i * n + c];
      a[i * n + c] = a[i * n + other];
      a[i * n + other] = left;
    }
  }
  return true;
}

}  // namespace tessera::linalg
