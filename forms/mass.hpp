#pragma once
#include <array>

#include "forms/tangent.hpp"

namespace tessera::forms {

/// Data of int rho u v.
struct MassData {
  std::vector<Index> region;  ///< [cells], number of the region; empty: all in region 0
  Coefficient rho;
};

/// int rho u v, the consistent mass matrix. There is nothing between gradients, and kernels know it.
template <class T>
struct BasicMass {
  using Number = T;
  using Data = MassData;
  template <class U>
  using With = BasicMass<U>;
  static constexpr int components = 1;
  static constexpr bool symmetric = true;
  static constexpr unsigned couples = value_value;

  BasicField<T> rho;

  template <int dim>
  TESSERA_HD_INLINE void at_point(const Place& x, Tangent<dim, T>& C, Load<dim, T>& l) const {
    C.gg = {nullptr, 1};
    C.vv = rho.empty() ? T(0) : *rho.at(x);
    l.value = 0;
  }

  TESSERA_HD bool present(Block block) const { return block == value_value && !rho.empty(); }
  TESSERA_HD bool constant(Block block) const { return block != value_value || !rho.per_point; }
  TESSERA_HD static int tensor_components() { return 1; }

  static constexpr std::array<BasicField<T> BasicMass::*, 1> members() { return {&BasicMass::rho}; }
  static constexpr bool needed_by_tangent(std::size_t) { return true; }
  static std::array<NamedCoefficient, 1> coefficients(const Data& data) { return {{{"rho", &data.rho, Rank::scalar}}}; }
  static const std::vector<Index>& region(const Data& data) { return data.region; }
};
using Mass = BasicMass<double>;

}  // namespace tessera::forms
