#pragma once
#include <cmath>

#include "solvers/odes/small_lu.hpp"

namespace tessera::solvers {

/// Scratch of `matrix_exponential`: 56 B an entry of the matrix, and small vectors.
template <int bound>
struct ExponentialScratch {
  double power2[bound * bound], power4[bound * bound], power6[bound * bound];
  double odd[bound * bound], even[bound * bound], sum[bound * bound], scaled[bound * bound];
  double balance[bound];
  int pivot[bound];
};

namespace detail {

/// c = a b, [n, n].
TESSERA_HD inline void multiply_small(int n, const double* a, const double* b, double* c) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      c[i * n + j] = sum;
    }
}

/// The largest sum of magnitudes of a column; NaN where there is one.
TESSERA_HD inline double one_norm(int n, const double* a) {
  double largest = 0;
  for (int j = 0; j < n; ++j) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += std::abs(a[i * n + j]);
    if (!(sum <= largest)) largest = sum;
  }
  return largest;
}

/// D^-1 A D in place of A, with powers of 2 in D that make rows and columns about equally large, so that nothing is
/// rounded (Parlett & Reinsch 1969; James, Langou & Lowery 2014). Those that are zero but for the diagonal stay.
TESSERA_HD inline void balance_small(int n, double* a, double* d) {
  for (int i = 0; i < n; ++i) d[i] = 1;
  bool changed = true;
  for (int sweep = 0; changed && sweep < 50; ++sweep) {
    changed = false;
    for (int i = 0; i < n; ++i) {
      double column = 0, row = 0;
      for (int j = 0; j < n; ++j) {
        if (j == i) continue;
        column += std::abs(a[j * n + i]);
        row += std::abs(a[i * n + j]);
      }
      if (!(column > 0 && row > 0 && std::isfinite(column) && std::isfinite(row))) continue;
      // The power of 2 next to sqrt(row / column).
      const double factor = std::exp2(std::round(0.5 * std::log2(row / column)));
      if (!(column * factor + row / factor < 0.95 * (column + row))) continue;
      changed = true;
      d[i] *= factor;
      for (int j = 0; j < n; ++j) {
        a[j * n + i] *= factor;
        a[i * n + j] /= factor;
      }
    }
  }
}

/// Up to which norm of A the approximants of these degrees are exact to rounding: table 2.3 of Higham 2005.
inline constexpr double pade3_reach = 1.495585217958292e-2, pade7_reach = 9.504178996162932e-1,
                        pade13_reach = 5.371920351148152;

/// work.sum and work.even, polynomials of A^2: the Pade approximant of exp(A) is (even - A sum)^-1 (even + A sum).
template <int bound>
TESSERA_HD inline void pade_sums(int n, const double* a, double norm, ExponentialScratch<bound>& work) {
  const int entries = n * n;
  multiply_small(n, a, a, work.power2);
  double odd0, even0;
  if (norm <= pade3_reach) {
    odd0 = 60;
    even0 = 120;
    for (int i = 0; i < entries; ++i) {
      work.sum[i] = work.power2[i];
      work.even[i] = 12 * work.power2[i];
    }
  } else if (norm <= pade7_reach) {
    odd0 = 8648640;
    even0 = 17297280;
    multiply_small(n, work.power2, work.power2, work.power4);
    multiply_small(n, work.power4, work.power2, work.power6);
    for (int i = 0; i < entries; ++i) {
      work.sum[i] = work.power6[i] + 1512 * work.power4[i] + 277200 * work.power2[i];
      work.even[i] = 56 * work.power6[i] + 25200 * work.power4[i] + 1995840 * work.power2[i];
    }
  } else {
    odd0 = 32382376266240000.0;
    even0 = 64764752532480000.0;
    multiply_small(n, work.power2, work.power2, work.power4);
    multiply_small(n, work.power4, work.power2, work.power6);
    for (int i = 0; i < entries; ++i)
      work.scaled[i] = work.power6[i] + 16380 * work.power4[i] + 40840800 * work.power2[i];
    multiply_small(n, work.power6, work.scaled, work.sum);
    for (int i = 0; i < entries; ++i) {
      work.sum[i] +=
          33522128640.0 * work.power6[i] + 10559470521600.0 * work.power4[i] + 1187353796428800.0 * work.power2[i];
      work.scaled[i] = 182 * work.power6[i] + 960960 * work.power4[i] + 1323241920.0 * work.power2[i];
    }
    multiply_small(n, work.power6, work.scaled, work.even);
    for (int i = 0; i < entries; ++i)
      work.even[i] +=
          670442572800.0 * work.power6[i] + 129060195264000.0 * work.power4[i] + 7771770303897600.0 * work.power2[i];
  }
  for (int i = 0; i < n; ++i) {
    work.sum[i * n + i] += odd0;
    work.even[i * n + i] += even0;
  }
}

}  // namespace detail

/// A = exp(A) in place, A [n, n] row-major, n <= bound: balancing, then scaling and squaring with the Pade approximants
/// of degrees 3, 7 and 13 (Higham, SIAM J. Matrix Anal. Appl. 26 (2005) 1179, algorithm 2.3). False where A or the
/// result is not finite. About 16 n^3 operations, and 2 n^3 for each of the log2(|A| / 5.4) squarings.
template <int bound>
TESSERA_HD inline bool matrix_exponential(int n, double* a, ExponentialScratch<bound>& work) {
  detail::balance_small(n, a, work.balance);
  const double norm = detail::one_norm(n, a);
  if (!std::isfinite(norm)) return false;
  const int entries = n * n;
  int squarings = 0;
  if (norm > detail::pade13_reach) {
    squarings = static_cast<int>(std::ceil(std::log2(norm / detail::pade13_reach)));
    const double factor = std::exp2(-squarings);
    for (int i = 0; i < entries; ++i) a[i] *= factor;
  }

  // r(A) = (even - odd)^-1 (even + odd), odd = A sum.
  detail::pade_sums(n, a, norm, work);
  detail::multiply_small(n, a, work.sum, work.odd);
  for (int i = 0; i < entries; ++i) {
    a[i] = work.even[i] + work.odd[i];
    work.even[i] -= work.odd[i];
  }
  if (!lu_factor<bound>(n, work.even, work.pivot)) return false;
  for (int j = 0; j < n; ++j) lu_solve(n, work.even, work.pivot, a + j, n);

  for (int k = 0; k < squarings; ++k) {
    detail::multiply_small(n, a, a, work.sum);
    for (int i = 0; i < entries; ++i) a[i] = work.sum[i];
  }
  bool finite = true;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      a[i * n + j] *= work.balance[i] / work.balance[j];
      finite = finite && std::isfinite(a[i * n + j]);
    }
  return finite;
}

}  // namespace tessera::solvers
