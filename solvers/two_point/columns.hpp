#pragma once
#include <algorithm>
#include <cmath>

#include "base/types.hpp"
#include "deck/section.hpp"

namespace tessera::solvers::two_point {

/// The unknowns as r columns of s rows, one after another: the s x r array of [BVP10] (11). It needs no tail: where r s
/// > n the *first* column is shorter, which is the same as r s - n zeros in front of d and leaves y and u as they are
/// (zeros behind d would not).
struct Columns {
  Offset n;  ///< unknowns
  Offset s;  ///< rows
  Offset r;  ///< columns

  TESSERA_HD Offset missing() const { return r * s - n; }  ///< rows that the first column lacks, below s
  TESSERA_HD Offset begin(Offset j) const { return j == 0 ? 0 : j * s - missing(); }
  TESSERA_HD Offset rows(Offset j) const { return j == 0 ? s - missing() : s; }
};

/// Rows of a column where the deck leaves them open: sqrt(n), which makes both kinds of steps equally long, but at most
/// 256: beyond that rounding in single precision grows with s (P2, n = 2^22, mixed: s = 2^12 7e-6, s = 2^8 6e-8), and a
/// GPU, which gives a thread to each column, has too few of them.
inline constexpr Offset most_default_rows = 256;

/// [solver] of divide_and_conquer.
struct ColumnsParams {
  int rows = 0;  ///< s; 0: the default of make_columns
};
/// The key of `rows`, which square_blocked has too.
inline deck::KeyInfo rows_key() {
  return {.help = "Unknowns of a column; 0: the square root of their number, at most 256.", .min = 0};
}

/// n >= 1; rows <= 0: the default.
inline Columns make_columns(Offset n, Offset rows) {
  if (rows <= 0) rows = std::min(static_cast<Offset>(std::sqrt(static_cast<double>(n))), most_default_rows);
  const Offset s = std::clamp<Offset>(rows, 1, n);
  return {n, s, (n + s - 1) / s};
}

}  // namespace tessera::solvers::two_point
