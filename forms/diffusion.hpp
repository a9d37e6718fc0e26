#pragma once
#include <array>

#include "forms/tangent.hpp"

namespace tessera::forms {

/// Data of -div(k grad u) + c u = f.
struct DiffusionData {
  std::vector<Index> region;  ///< [cells], number of the region; empty: all in region 0
  Coefficient k;              ///< scalar or symmetric tensor
  Coefficient c;              ///< reaction
  Coefficient f;              ///< source
};

/// int k grad u . grad v + c u v = int f v.   Ern & Guermond, Finite Elements II, (31.2).
template <class T>
struct BasicDiffusion {
  using Number = T;
  using Data = DiffusionData;
  template <class U>
  using With = BasicDiffusion<U>;
  static constexpr int components = 1;
  static constexpr bool symmetric = true;
  static constexpr unsigned couples = gradient_gradient | value_value | load_value;

  BasicField<T> k, c, f;

  template <int dim>
  TESSERA_HD_INLINE void at_point(const Place& x, Tangent<dim, T>& C, Load<dim, T>& l) const {
    C.gg = {k.empty() ? nullptr : k.at(x), k.components};
    C.vv = c.empty() ? T(0) : *c.at(x);
    l.value = f.empty() ? T(0) : *f.at(x);
  }

  TESSERA_HD bool present(Block block) const {
    return !(block == gradient_gradient ? k : block == value_value ? c : f).empty();
  }
  /// Whether a block is the same everywhere in a cell.
  TESSERA_HD bool constant(Block block) const {
    return !(block == gradient_gradient ? k : block == value_value ? c : f).per_point;
  }

  /// Of the tensor between gradients.
  TESSERA_HD int tensor_components() const { return k.components; }

  static constexpr std::array<BasicField<T> BasicDiffusion::*, 3> members() {
    return {&BasicDiffusion::k, &BasicDiffusion::c, &BasicDiffusion::f};
  }
  /// Whether C needs the member, or only the load.
  static constexpr bool needed_by_tangent(std::size_t member) { return member < 2; }
  static std::array<NamedCoefficient, 3> coefficients(const Data& data) {
    return {{{"k", &data.k, Rank::scalar_or_tensor}, {"c", &data.c, Rank::scalar}, {"f", &data.f, Rank::scalar}}};
  }
  static const std::vector<Index>& region(const Data& data) { return data.region; }
};
using Diffusion = BasicDiffusion<double>;

}  // namespace tessera::forms
