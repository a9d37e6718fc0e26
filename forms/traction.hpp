#pragma once
#include <array>
#include <span>

#include "forms/components.hpp"

namespace tessera::forms {

/// Data of sigma n + S u = t on facets of a body with `dim` displacements; empty: 0.
struct TractionData {
  std::span<const double> traction;  ///< t [facets, points, dim]
  std::span<const double> spring;    ///< S [facets, points, dim (dim+1)/2], symmetric, packed as a tensor
};

/// int v . S u ds = int t . v ds over facets: tractions, pressures (t = -p n) and springs.
struct Traction {
  using Number = double;
  using Data = TractionData;
  static constexpr unsigned couples = value_value | load_value;
  static constexpr int components(int dim) { return dim; }

  Field traction, spring;

  /// Between component c of the test function and component d of the trial function. Place::cell is the facet.
  template <int dim>
  TESSERA_HD double tangent(const Place& x, int c, int d) const {
    return spring.at(x)[packed_symmetric(c, d, dim)];
  }
  template <int dim>
  TESSERA_HD double load(const Place& x, int c) const {
    return traction.at(x)[c];
  }
  TESSERA_HD bool present(Block block) const { return !(block == value_value ? spring : traction).empty(); }

  static constexpr std::array<Field Traction::*, 2> members() { return {&Traction::traction, &Traction::spring}; }
  static constexpr std::array<int, 2> field_components(int dim) { return {dim, dim * (dim + 1) / 2}; }
  static std::array<std::span<const double>, 2> values(const Data& data) { return {data.traction, data.spring}; }
};

}  // namespace tessera::forms
