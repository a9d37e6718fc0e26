#pragma once
#include <functional>

#include "base/types.hpp"

namespace tessera::assembly {

/// A symmetric coefficient on the host, for quantities and fluxes: 1 component (isotropic), 3 (xx, xy, yy; in 2-D) or
/// 6 (xx, xy, xz, yy, yz, zz; in 3-D).
struct HostTensorField {
  int components = 1;
  /// Writes `components` values for a cell and a point. Called from several threads at once.
  std::function<void(Index cell, const double* xyz, double* k)> evaluate;

  static HostTensorField constant(double value) {
    return {1, [value](Index, const double*, double* k) { k[0] = value; }};
  }

  /// result = K gradient, in `dim` dimensions.
  void apply(Index cell, const double* xyz, int dim, const double* gradient, double* result) const {
    double k[6];
    evaluate(cell, xyz, k);
    if (components == 1) {
      for (int i = 0; i < dim; ++i) result[i] = k[0] * gradient[i];
    } else if (components == 3) {
      result[0] = k[0] * gradient[0] + k[1] * gradient[1];
      result[1] = k[1] * gradient[0] + k[2] * gradient[1];
    } else {
      result[0] = k[0] * gradient[0] + k[1] * gradient[1] + k[2] * gradient[2];
      result[1] = k[1] * gradient[0] + k[3] * gradient[1] + k[4] * gradient[2];
      result[2] = k[2] * gradient[0] + k[4] * gradient[1] + k[5] * gradient[2];
    }
  }
};

/// Throws Error(internal) unless 1 component, or dim (dim+1)/2 of them, are given.
void check_components(const HostTensorField& field, int dim);

}  // namespace tessera::assembly
