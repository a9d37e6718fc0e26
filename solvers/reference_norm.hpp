#pragma once
// What a residual is relative to. Host code: it only calls declared functions.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "linalg/shift_ops.hpp"

namespace tessera::solvers {

/// What the residual of A y = b at the present y is in proportion to; `row_sums` t = A 1, empty: norm_b, which is
/// ||b||.
///
/// b - t y, entry by entry, is what acts on an unknown from outside: its source, and what flows in from fixed values
/// beside it. ||b|| is no measure of that where neighbours with fixed values are coupled strongly: on a mesh graded by
/// 0.15^12 to a side ||b|| is 1e10 though what flows is 1, and a residual of 1e-8 ||b|| is a flow of 100. So the lesser
/// of both counts, but no less than what rounding leaves of b - t y: with 8 units of the last digit the tolerance can
/// be met. `sums` [2] is room for sums, of the backend.
template <class Exec, class T>
double reference_norm(Exec& exec, View<const T> b, View<const double> row_sums, View<const T> y, double norm_b,
                      double tolerance, double* sums) {
  if (row_sums.empty()) return norm_b;
  linalg::loads(exec, b, row_sums, y, sums, sums + 1);
  double squares[2];
  copy_bytes(typename Exec::Space{}, sums, Host{}, squares, sizeof squares);
  const double net = std::sqrt(squares[0]), gross = std::sqrt(squares[1]);
  if (!(gross > 0) || !std::isfinite(gross)) return norm_b;
  const double rounding = 8 * std::numeric_limits<double>::epsilon() * gross;
  return std::min(norm_b, std::max(net, rounding / tolerance));
}

/// Two numbers with as many digits, 3 at least, as tell them apart.
struct Apart {
  std::string first, second;
  Apart(double a, double b) {
    for (int digits = 3; digits <= 17; ++digits) {
      first = fmt::format("{:.{}g}", a, digits);
      second = fmt::format("{:.{}g}", b, digits);
      if (first != second) return;
    }
  }
};

}  // namespace tessera::solvers
