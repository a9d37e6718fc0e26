#pragma once
#include <array>

#include "forms/tangent.hpp"

namespace tessera::forms {

/// Data of a form at a state: everything between test and trial functions, and the load. Empty: zero.
struct LinearisedData {
  std::vector<Index> region;  ///< [cells], number of the region; empty: all in region 0
  Coefficient gg;             ///< between gradients: a scalar, a symmetric tensor, or `dim` x `dim` by rows
  Coefficient gv, vg;         ///< gradient of the test function by value of the trial function, and the reverse
  Coefficient vv;
  Coefficient load_gradient, load;
};

/// int (C_gg grad u + C_gv u) . grad v + (C_vg . grad u + C_vv u) v = int l_g . grad v + l v: a problem that is not
/// linear, linearised at a state u of Newton's method. With a(u; v) = int flux(u, grad u) . grad v + r(u, grad u) v
/// C is the derivative of (flux, r), and l = -(flux, r) what is left of it. Deuflhard, Newton Methods for Nonlinear
/// Problems, section 8.1.
struct Linearised {
  using Number = double;
  using Data = LinearisedData;
  static constexpr int components = 1;
  static constexpr bool symmetric = false;
  static constexpr bool matrix_between_gradients = true;  ///< see forms/pulled.hpp
  static constexpr unsigned couples =
      gradient_gradient | gradient_value | value_gradient | value_value | load_value | load_gradient;

  Field gg = {}, gv = {}, vg = {}, vv = {}, load_gradients = {}, loads = {};

  TESSERA_HD bool present(Block block) const {
    switch (block) {
      case gradient_gradient: return !gg.empty();
      case gradient_value: return !gv.empty();
      case value_gradient: return !vg.empty();
      case value_value: return !vv.empty();
      // Of a load with values or gradients.
      default: return !loads.empty() || !load_gradients.empty();
    }
  }
  /// Whether one point has the coefficients of the whole cell.
  TESSERA_HD bool constant() const {
    return !gg.per_point && !gv.per_point && !vg.per_point && !vv.per_point && !load_gradients.per_point &&
           !loads.per_point;
  }
  static bool needs_second() { return false; }

  template <int dim>
  TESSERA_HD void at_point(const Place& x, Tangent<dim>& C, Load<dim>& l) const {
    C.gg = {gg.empty() ? nullptr : gg.at(x), gg.components};
    for (int d = 0; d < dim; ++d) {
      C.gv[d] = gv.empty() ? 0.0 : gv.at(x)[d];
      C.vg[d] = vg.empty() ? 0.0 : vg.at(x)[d];
      l.gradient[d] = load_gradients.empty() ? 0.0 : load_gradients.at(x)[d];
    }
    C.vv = vv.empty() ? 0.0 : *vv.at(x);
    l.value = loads.empty() ? 0.0 : *loads.at(x);
  }

  static constexpr std::array<Field Linearised::*, 6> members() {
    return {&Linearised::gg,   &Linearised::gv, &Linearised::vg, &Linearised::vv, &Linearised::load_gradients,
            &Linearised::loads};
  }
  static std::array<NamedCoefficient, 6> coefficients(const Data& data) {
    return {{{"gg", &data.gg, Rank::matrix},
             {"gv", &data.gv, Rank::vector},
             {"vg", &data.vg, Rank::vector},
             {"vv", &data.vv, Rank::scalar},
             {"load_gradient", &data.load_gradient, Rank::vector},
             {"load", &data.load, Rank::scalar}}};
  }
  static const std::vector<Index>& region(const Data& data) { return data.region; }
};

}  // namespace tessera::forms
