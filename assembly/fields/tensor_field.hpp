#pragma once
#include <algorithm>
#include <functional>

#include "assembly/fields/derived.hpp"

namespace tessera::assembly {

/// A symmetric coefficient on the host, for quantities and fluxes: 1 component (isotropic), 3 (xx, xy, yy; in 2-D) or
/// 6 (xx, xy, xz, yy, yz, zz; in 3-D).
struct HostTensorField {
  int components = 1;
  /// Writes k [count, components] at points of a cell. Called from several threads at once.
  std::function<void(Index cell, int count, const deck::Points& points, double* k)> evaluate;
  /// Whether it is the same everywhere in a cell; empty: in none.
  std::function<bool(Index cell)> is_constant = {};
  bool of_solution = false;  ///< see PointField

  static HostTensorField constant(double value) {
    return {1, [value](Index, int count, const deck::Points&, double* k) { std::fill_n(k, count, value); },
            [](Index) { return true; }};
  }
  /// With a positive diagonal.
  PointField at_points(int dim) const {
    std::vector<int> diagonal{0};
    for (int i = 1; i < dim && components > 1; ++i) diagonal.push_back(diagonal.back() + dim - i + 1);
    return {components, evaluate, is_constant, diagonal, of_solution};
  }

  /// result = K gradient, in `dim` dimensions.
  void apply(Index cell, const double* xyz, int dim, const double* gradient, double* result) const {
    double k[6];
    evaluate(cell, 1, {xyz}, k);
    multiply(components, k, dim, gradient, result);
  }
  /// The same of its values at a point.
  static void multiply(int components, const double* k, int dim, const double* gradient, double* result) {
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
