#pragma once
// The steps of elimination that all methods share, for host and device.
#include <cmath>

#include "base/reciprocal.hpp"
#include "solvers/tridiagonal/methods.hpp"

namespace tessera::solvers::tridiagonal {

template <class T>
TESSERA_HD inline T magnitude(T value) {
  return value < 0 ? -value : value;
}
template <class T>
TESSERA_HD inline T larger(T a, T b) {
  return a > b ? a : b;
}

/// One equation: lower x_{i-1} + diag x_i + upper x_{i+1} = rhs.
template <class T>
struct Row {
  T lower, diag, upper, rhs;
};

/// Where row i of memory stands in its system.
struct Place {
  Index n, systems;
  bool interleaved;
  TESSERA_HD Offset row(Offset i) const { return interleaved ? i / systems : i % n; }
  TESSERA_HD Offset step() const { return interleaved ? systems : 1; }
  TESSERA_HD Offset first(Offset system) const { return interleaved ? system : system * n; }
};
template <class T>
Place place_of(const Tridiagonal<T>& A) {
  return {A.n, A.systems, A.layout == TridiagonalLayout::interleaved && A.systems > 1};
}

/// Equation of row i of memory, which is row `row` of n: what lies outside the system is zero.
template <class T>
TESSERA_HD inline Row<T> row_at(const Tridiagonal<T>& A, const T* rhs, Offset i, Offset row) {
  return {row == 0 ? T(0) : A.lower[i], A.diag[i], row == A.n - 1 ? T(0) : A.upper[i], rhs[i]};
}

/// How elimination chooses its pivots.
enum class PivotRule {
  rows,     ///< scaled row interchanges
  diagonal  ///< 1x1 or 2x2 pivots
};

/// The row that an elimination with pivoting carries: spike x_s + pivot x_k + next x_{k+1} = rhs, where x_s is the
/// unknown at the end of the partition from which it started. `scale` is the largest coefficient of the row it comes
/// from.
template <class T>
struct Running {
  T spike, pivot, next, rhs, scale;
  bool after_swap;
};

/// A finished row: x_k = inverse (rhs - u1 x_{k+1} - u2 x_{k+2}), the spike left out where its unknown is known.
template <class T>
struct Factor {
  T inverse, u1, u2, rhs;
};

template <class T>
TESSERA_HD inline Running<T> start(T spike, const Row<T>& row, bool upward = false) {
  const T scale = larger(larger(magnitude(row.lower), magnitude(row.upper)), magnitude(row.diag));
  return {spike, row.diag, upward ? row.lower : row.upper, row.rhs, scale, false};
}

/// True when the row below shall be the pivot. rows: |p| / scale_p < |a| / scale_a. diagonal: a 2x2 pivot by the
/// criterion of Bunch for tridiagonal matrices, |p| max < kappa |a c|, kappa = (sqrt 5 - 1) / 2, as the interchange to
/// which it amounts: the second step of the pair may not interchange again.
template <PivotRule rule, class T>
TESSERA_HD inline bool swaps(const Running<T>& run, const Row<T>& row, T scale) {
  if constexpr (rule == PivotRule::rows) {
    return magnitude(run.pivot) * scale < magnitude(row.lower) * run.scale;
  } else {
    const T most = larger(larger(scale, magnitude(run.next)), T(0));
    const T kappa = T(0.6180339887498949);
    return !run.after_swap && magnitude(run.pivot) * most < kappa * magnitude(row.lower) * magnitude(run.next);
  }
}

/// Eliminates x_k between the carried row and `row` (lower x_k + diag x_{k+1} + upper x_{k+2} = rhs): returns the pivot
/// row and carries the other. Branch-free, so that the threads of a warp and the lanes of a vector stay together.
template <PivotRule rule, class T>
TESSERA_HD inline Factor<T> eliminate(Running<T>& run, const Row<T>& row) {
  const T scale = larger(larger(magnitude(row.lower), magnitude(row.upper)), magnitude(row.diag));
  const bool swap = swaps<rule>(run, row, scale);
  const T inverse = reciprocal(swap ? row.lower : run.pivot);
  const T f = (swap ? run.pivot : row.lower) * inverse;
  const T spike = swap ? T(0) : run.spike;
  const Factor<T> factor{inverse, swap ? row.diag : run.next, swap ? row.upper : T(0), swap ? row.rhs : run.rhs};
  run.spike = (swap ? run.spike : T(0)) - f * spike;
  run.pivot = (swap ? run.next : row.diag) - f * factor.u1;
  run.next = (swap ? T(0) : row.upper) - f * factor.u2;
  run.rhs = (swap ? run.rhs : row.rhs) - f * factor.rhs;
  run.scale = swap ? run.scale : scale;
  run.after_swap = swap;
  return factor;
}

/// The sweep without pivoting through a partition: row k is spike x_L + diag x_k + upper x_{k+1} = rhs, with x_L the
/// last unknown of the partition before.  First unknown: x_0 = alpha + beta x_L + gamma x_k.
template <class T>
struct Relation {
  T alpha = 0, beta = 0, gamma = 1;
};
/// Eliminates x_k: (spike, upper, rhs) become those of x_k = rhs - spike x_L - upper x_{k+1}; `below` is updated.
template <class T>
TESSERA_HD inline void sweep(T& spike, T diag, T& upper, T& rhs, T& below_lower, T& below_diag, T& below_rhs) {
  const T r = reciprocal(diag);
  spike *= r;
  upper *= r;
  rhs *= r;
  // row k+1 -= lower row k
  below_diag -= below_lower * upper;
  below_rhs -= below_lower * rhs;
  below_lower *= -spike;
}
/// x_k is known through x_L and x_{k+1}: so is x_0.
template <class T>
TESSERA_HD inline void follow(Relation<T>& first, T spike, T upper, T rhs) {
  first.alpha += first.gamma * rhs;
  first.beta -= first.gamma * spike;
  first.gamma *= -upper;
}

}  // namespace tessera::solvers::tridiagonal
