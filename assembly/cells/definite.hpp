#pragma once
#include <optional>

#include "base/backend.hpp"
#include "base/types.hpp"

namespace tessera::assembly {

/// Whether a symmetric matrix of 1, 3 (xx xy yy) or 6 (xx xy xz yy yz zz) components is positive definite: all leading
/// minors are positive (Sylvester's criterion). Not where one is NaN.
TESSERA_HD inline bool is_positive_definite(const double* a, int components) {
  if (components == 1) return a[0] > 0;
  if (components == 3) return a[0] > 0 && a[0] * a[2] - a[1] * a[1] > 0;
  const double minor = a[0] * a[3] - a[1] * a[1];
  const double determinant =
      a[0] * (a[3] * a[5] - a[4] * a[4]) - a[1] * (a[1] * a[5] - a[4] * a[2]) + a[2] * (a[1] * a[4] - a[3] * a[2]);
  return a[0] > 0 && minor > 0 && determinant > 0;
}

/// The first of `count` such matrices [count, components] on the backend that is not, if there is one. They are read
/// once; waits.
std::optional<Offset> first_not_definite(Threads& exec, const double* matrices, Offset count, int components);
std::optional<Offset> first_not_definite(Cuda& exec, const double* matrices, Offset count, int components);

}  // namespace tessera::assembly
