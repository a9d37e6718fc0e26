#pragma once
#include <array>
#include <span>

#include "forms/tangent.hpp"

namespace tessera::forms {

/// Data of k du/dn + alpha u = g on facets, [facets, points]; empty: 0. Without alpha it is Neumann's condition.
struct RobinData {
  std::span<const double> alpha, g;
};

/// int alpha u v ds = int g v ds over facets. What it says at a point of a facet: a facet's form has a value between
/// values, and a load.
struct Robin {
  using Number = double;
  using Data = RobinData;
  static constexpr int components = 1;
  static constexpr unsigned couples = value_value | load_value;

  Field alpha, g;

  /// Coefficients are given at the points of facets: Place::cell is the facet.
  template <int dim>
  TESSERA_HD_INLINE void at_point(const Place& x, Tangent<dim>& C, Load<dim>& l) const {
    C.gg = {nullptr, 1};
    C.vv = alpha.empty() ? 0.0 : *alpha.at(x);
    l.value = g.empty() ? 0.0 : *g.at(x);
  }
  TESSERA_HD bool present(Block block) const { return !(block == value_value ? alpha : g).empty(); }

  static constexpr std::array<Field Robin::*, 2> members() { return {&Robin::alpha, &Robin::g}; }
  static std::array<std::span<const double>, 2> values(const Data& data) { return {data.alpha, data.g}; }
};

}  // namespace tessera::forms
