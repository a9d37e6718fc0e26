#pragma once
#include <array>

#include "forms/components.hpp"

namespace tessera::forms {

/// Strains and stresses in Voigt's order, with engineering shears gamma_ij = 2 eps_ij: 1-D xx, in the plane xx yy xy,
/// with a third normal component (axisymmetric: the hoop) xx yy zz xy, in space xx yy zz yz xz xy. How many there are.
TESSERA_HD_INLINE constexpr int voigt_size(int dim, bool hoop) { return dim == 1 ? 1 : dim == 3 ? 6 : hoop ? 4 : 3; }

/// Which of them has d u_c / d x_a.
TESSERA_HD_INLINE constexpr int voigt_index(int dim, bool hoop, int c, int a) {
  if (c == a) return c;
  return dim == 2 ? (hoop ? 3 : 2) : 6 - c - a;
}

/// Data of -div sigma = f, sigma = D (eps(u) - eps_0) = D eps(u) - sigma_0.
struct ElasticityData {
  std::vector<Index> region;  ///< [cells], number of the region; empty: all in region 0
  Coefficient stiffness;      ///< D, upper half row by row, of voigt_size() rows
  Coefficient force;          ///< f, `dim` components; empty: 0
  Coefficient initial;        ///< sigma_0, voigt_size() components; empty: 0
  Coefficient radius;         ///< of a body of revolution; empty: it is none. The others have the weight 2 pi r then
};

/// Linear elasticity: int eps(v) : D eps(u) = int f . v + int eps(v) : sigma_0.   Hughes, The Finite Element Method,
/// (2.7.7) to (2.7.18). With a radius r the hoop strain u_r / r is the third component of eps, (2.12.1).
template <class T>
struct BasicElasticity {
  using Number = T;
  using Data = ElasticityData;
  template <class U>
  using With = BasicElasticity<U>;
  static constexpr bool symmetric = true;
  static constexpr unsigned couples =
      gradient_gradient | gradient_value | value_gradient | value_value | load_value | load_gradient;
  TESSERA_HD static constexpr int components(int dim) { return dim; }

  BasicField<T> stiffness = {}, force = {}, initial = {}, radius = {};
  int radial = 0;  ///< which axis the radius is along

  TESSERA_HD bool tests_values() const { return !radius.empty(); }

  template <int dim>
  TESSERA_HD_INLINE void tangent(const Place& x, int c, int d, T (&C)[dim + 1][dim + 1]) const {
    const bool hoop = dim == 2 && tests_values();
    const int n = voigt_size(dim, hoop);
    const T* D = stiffness.at(x);
    const T of_c = hoop && c == radial ? 1 / *radius.at(x) : T(0),
            of_d = hoop && d == radial ? 1 / *radius.at(x) : T(0);
    for (int a = 0; a < dim; ++a) {
      const int row = voigt_index(dim, hoop, c, a);
      for (int b = 0; b < dim; ++b) C[a][b] = D[packed_symmetric(row, voigt_index(dim, hoop, d, b), n)];
      C[a][dim] = of_d != 0 ? of_d * D[packed_symmetric(row, 2, n)] : T(0);
    }
    for (int b = 0; b < dim; ++b)
      C[dim][b] = of_c != 0 ? of_c * D[packed_symmetric(2, voigt_index(dim, hoop, d, b), n)] : T(0);
    C[dim][dim] = of_c != 0 && of_d != 0 ? of_c * of_d * D[packed_symmetric(2, 2, n)] : T(0);
  }

  template <int dim>
  TESSERA_HD_INLINE void load(const Place& x, int c, T (&l)[dim + 1]) const {
    const bool hoop = dim == 2 && tests_values();
    for (int a = 0; a < dim; ++a) l[a] = initial.empty() ? T(0) : initial.at(x)[voigt_index(dim, hoop, c, a)];
    l[dim] = force.empty() ? T(0) : force.at(x)[c];
    if (hoop && c == radial && !initial.empty()) l[dim] += initial.at(x)[2] / *radius.at(x);
  }

  TESSERA_HD bool present(Block block) const {
    if (block == load_value) return !force.empty() || !initial.empty();
    if (block == load_gradient) return !initial.empty();
    return block == gradient_gradient ? !stiffness.empty() : tests_values();
  }
  TESSERA_HD bool constant() const {
    return !stiffness.per_point && !force.per_point && !initial.per_point && !radius.per_point;
  }

  /// The same with fields of other numbers, which are empty.
  template <class U>
  BasicElasticity<U> without_fields() const {
    BasicElasticity<U> other;
    other.radial = radial;
    return other;
  }

  static constexpr std::array<BasicField<T> BasicElasticity::*, 4> members() {
    return {&BasicElasticity::stiffness, &BasicElasticity::force, &BasicElasticity::initial, &BasicElasticity::radius};
  }
  /// Whether C needs the member, or only the load.
  static constexpr bool needed_by_tangent(std::size_t member) { return member == 0 || member == 3; }
  static std::array<NamedCoefficient, 4> coefficients(const Data& data) {
    return {{{"stiffness", &data.stiffness, Rank::voigt_matrix},
             {"force", &data.force, Rank::vector},
             {"initial stress", &data.initial, Rank::voigt},
             {"radius", &data.radius, Rank::scalar}}};
  }
  static const std::vector<Index>& region(const Data& data) { return data.region; }

  /// Displacements without strain: translations, then rotations about the origin. Those of the plane serve a body of
  /// revolution, too: the strain u_r / r that they have there is small on every small part of it.
  static constexpr int kernel_size(int dim) { return dim * (dim + 1) / 2; }
  /// The displacement of one of them at a point.
  static std::array<double, 3> kernel(int dim, int mode, const double* x) {
    if (mode < dim) return {mode == 0 ? 1.0 : 0.0, mode == 1 ? 1.0 : 0.0, mode == 2 ? 1.0 : 0.0};
    if (dim == 2) return {-x[1], x[0], 0};
    const int a = (mode - dim + 1) % 3, b = (mode - dim + 2) % 3;  // about the axis before them
    std::array<double, 3> u{};
    u[a] = -x[b];
    u[b] = x[a];
    return u;
  }
};
using Elasticity = BasicElasticity<double>;

}  // namespace tessera::forms
