#pragma once
#include <array>

#include "forms/tangent.hpp"

namespace tessera::forms {

/// Data of int f v.
struct SourceData {
  std::vector<Index> region;  ///< [cells], number of the region; empty: all in region 0
  Coefficient f;
};

/// int f v alone: a right-hand side that changes while its matrix stays, by Assembler::refill_vector.
struct Source {
  using Number = double;
  using Data = SourceData;
  static constexpr int components = 1;
  static constexpr bool symmetric = true;
  static constexpr unsigned couples = load_value;

  Field f;

  template <int dim>
  TESSERA_HD_INLINE void at_point(const Place& x, Tangent<dim>& C, Load<dim>& l) const {
    C.gg = {nullptr, 1};
    C.vv = 0;
    l.value = f.empty() ? 0.0 : *f.at(x);
  }

  TESSERA_HD bool present(Block block) const { return block == load_value && !f.empty(); }
  TESSERA_HD bool constant(Block block) const { return block != load_value || !f.per_point; }
  TESSERA_HD static int tensor_components() { return 1; }

  static constexpr std::array<Field Source::*, 1> members() { return {&Source::f}; }
  static std::array<NamedCoefficient, 1> coefficients(const Data& data) { return {{{"f", &data.f, Rank::scalar}}}; }
  static const std::vector<Index>& region(const Data& data) { return data.region; }
};

}  // namespace tessera::forms
