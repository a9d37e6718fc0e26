#pragma once
// Laws of solids that attenuate, for SpectralOperator and AttenuatedOperator.
//
// A modulus that is M(omega) = M_U (1 - sum_l Y_l / (1 + i omega tau_l)) takes from the displacement u what the solid
// remembers of it, w_l with tau_l w_l' = u - w_l:  s = M_U : grad(u - sum_l Y_l w_l). Each of the parts of such a law
// has one modulus, whose numbers Y are its own. H. Emmerich & M. Korn, Geophysics 52 (1987) 1252-1264.
#include <type_traits>
#include <utility>

#include "forms/spectral.hpp"

namespace tessera::forms {

// A law of this kind has `parts`, `moduli(dim)` numbers of its moduli, behind which those of Y stand, mechanisms a
// part, and Part<p>, the stress of a part as a law.
//
// Where points remember their strain in the place of nodes their displacement, s = M_U : (e - sum_l Y_l e_l) with tau_l
// e_l' = e - e_l, a law has `strains(dim)` numbers of the strain, each of the part part_of(number) alone: `strain`
// takes them of a gradient, and `stress` makes the flux of them, which is that of `flux`.

/// Of attenuation: as assembly::spectral::mechanisms.
inline constexpr int mechanisms = 3;

/// One third of the numbers of V, a number or a vector of them.
template <class V>
TESSERA_HD_INLINE constexpr auto third() {
  if constexpr (std::is_arithmetic_v<V>)
    return V(1) / V(3);
  else
    return std::remove_cvref_t<decltype(std::declval<V&>()[0])>(1) / 3;
}

/// The parts of a law; one without parts is its own only one.
template <class Law>
struct PartsOf {
  static constexpr bool attenuates = false;
  static constexpr int count = 1;
  template <int>
  using Part = Law;
};
template <class Law>
requires(Law::parts > 0) struct PartsOf<Law> {
  static constexpr bool attenuates = true;
  static constexpr int count = Law::parts;
  template <int part>
  using Part = typename Law::template Part<part>;
};

/// s = kappa tr(e) I of one displacement, and 2 mu dev(e) of another. k: kappa, mu, their Y.
struct AttenuatedStress {
  static constexpr int parts = 2;
  static constexpr int components(int dim) { return dim; }
  static constexpr int moduli(int) { return parts; }
  static constexpr int coefficients(int) { return parts * (1 + mechanisms); }

  /// The stress of a part, as a law.
  template <int part>
  struct Part {
    static constexpr int components(int dim) { return dim; }
    static constexpr int coefficients(int dim) { return AttenuatedStress::coefficients(dim); }
    template <int dim, class V>
    TESSERA_HD_INLINE static void flux(const V* k, const V (&g)[dim][dim], V (&s)[dim][dim]) {
      V divergence = g[0][0];
      for (int d = 1; d < dim; ++d) divergence += g[d][d];
      const V pressure = part == 0 ? k[0] * divergence : (k[1] * divergence) * -2.0F / 3.0F;
      for (int c = 0; c < dim; ++c) {
        for (int d = 0; d < c; ++d) s[c][d] = s[d][c] = part == 0 ? V{} : k[1] * (g[c][d] + g[d][c]);
        s[c][c] = part == 0 ? pressure : pressure + k[1] * (g[c][c] + g[c][c]);
      }
    }
  };
  /// Both of one displacement: what a sudden load meets.
  template <int dim, class V>
  TESSERA_HD_INLINE static void flux(const V* k, const V (&g)[dim][dim], V (&s)[dim][dim]) {
    V shear[dim][dim];
    Part<0>::template flux<dim, V>(k, g, s);
    Part<1>::template flux<dim, V>(k, g, shear);
    for (int c = 0; c < dim; ++c)
      for (int d = 0; d < dim; ++d) s[c][d] += shear[c][d];
  }

  /// tr(e), two of the diagonal of its deviator, whose trace is 0, and 2 e_yz, 2 e_xz, 2 e_xy, in the plane 2 e_xy.
  static constexpr int strains(int dim) { return dim == 2 ? 4 : 6; }
  static constexpr int part_of(int number) { return number == 0 ? 0 : 1; }
  template <int dim, class V>
  TESSERA_HD_INLINE static void strain(const V (&g)[dim][dim], V (&e)[strains(dim)]) {
    e[0] = g[0][0] + g[1][1];
    if constexpr (dim == 3) e[0] += g[2][2];
    const V mean = third<V>() * e[0];
    e[1] = g[0][0] - mean;
    e[2] = g[1][1] - mean;
    e[strains(dim) - 1] = g[0][1] + g[1][0];
    if constexpr (dim == 3) {
      e[3] = g[1][2] + g[2][1];
      e[4] = g[0][2] + g[2][0];
    }
  }
  template <int dim, class V>
  TESSERA_HD_INLINE static void stress(const V* k, const V (&e)[strains(dim)], V (&s)[dim][dim]) {
    const V mean = k[0] * e[0], twice = k[1] + k[1];
    s[0][0] = mean + twice * e[1];
    s[1][1] = mean + twice * e[2];
    s[0][1] = s[1][0] = k[1] * e[strains(dim) - 1];
    if constexpr (dim == 3) {
      s[2][2] = mean - twice * (e[1] + e[2]);
      s[1][2] = s[2][1] = k[1] * e[3];
      s[0][2] = s[2][0] = k[1] * e[4];
    }
  }
};

/// s = mu grad u, of shear waves out of the plane. k: mu, its Y.
struct AttenuatedGradient {
  static constexpr int parts = 1;
  static constexpr int components(int) { return 1; }
  static constexpr int moduli(int) { return parts; }
  static constexpr int coefficients(int) { return parts + mechanisms; }

  template <int dim, class V>
  TESSERA_HD_INLINE static void flux(const V* k, const V (&g)[1][dim], V (&s)[1][dim]) {
    for (int d = 0; d < dim; ++d) s[0][d] = k[0] * g[0][d];
  }
  template <int>
  using Part = AttenuatedGradient;

  static constexpr int strains(int dim) { return dim; }
  static constexpr int part_of(int) { return 0; }
  template <int dim, class V>
  TESSERA_HD_INLINE static void strain(const V (&g)[1][dim], V (&e)[strains(dim)]) {
    for (int d = 0; d < dim; ++d) e[d] = g[0][d];
  }
  template <int dim, class V>
  TESSERA_HD_INLINE static void stress(const V* k, const V (&e)[strains(dim)], V (&s)[1][dim]) {
    for (int d = 0; d < dim; ++d) s[0][d] = k[0] * e[d];
  }
};

/// s = C : e(u) of any elastic solid whose moduli have one quality factor. k: C_ij as AnisotropicStress, its Y.
struct AttenuatedAnisotropicStress {
  static constexpr int parts = 1;
  static constexpr int components(int dim) { return dim; }
  static constexpr int moduli(int dim) { return AnisotropicStress::coefficients(dim); }
  static constexpr int coefficients(int dim) { return moduli(dim) + mechanisms; }

  template <int dim, class V>
  TESSERA_HD_INLINE static void flux(const V* k, const V (&g)[dim][dim], V (&s)[dim][dim]) {
    AnisotropicStress::flux<dim, V>(k, g, s);
  }
  template <int>
  using Part = AttenuatedAnisotropicStress;

  static constexpr int strains(int dim) { return AnisotropicStress::strains(dim); }
  static constexpr int part_of(int) { return 0; }
  template <int dim, class V>
  TESSERA_HD_INLINE static void strain(const V (&g)[dim][dim], V (&e)[strains(dim)]) {
    AnisotropicStress::strain<dim, V>(g, e);
  }
  template <int dim, class V>
  TESSERA_HD_INLINE static void stress(const V* k, const V (&e)[strains(dim)], V (&s)[dim][dim]) {
    AnisotropicStress::stress<dim, V>(k, e, s);
  }
};

/// A law whose points remember their strain: those of a coarser rule in each cell (CoarseOperator).
template <class Law>
struct CoarseMemory {};
template <class Law>
inline constexpr bool has_coarse_memory = false;
template <class Law>
inline constexpr bool has_coarse_memory<CoarseMemory<Law>> = true;

/// The law of a sudden load, of the moduli of a law alone.
template <class Law>
struct Unrelaxed {
  static constexpr int components(int dim) { return Law::components(dim); }
  static constexpr int coefficients(int dim) { return Law::moduli(dim); }
  template <int dim, class V>
  TESSERA_HD_INLINE static void flux(const V* k, const V (&g)[components(dim)][dim], V (&s)[components(dim)][dim]) {
    V e[Law::strains(dim)];
    Law::template strain<dim, V>(g, e);
    Law::template stress<dim, V>(k, e, s);
  }
};

}  // namespace tessera::forms
