#pragma once
// Laws of solids that attenuate, for SpectralOperator and AttenuatedOperator.
//
// A modulus that is M(omega) = M_U (1 - sum_l Y_l / (1 + i omega tau_l)) takes from the displacement u what the solid
// remembers of it, w_l with tau_l w_l' = u - w_l:  s = M_U : grad(u - sum_l Y_l w_l). Each of the parts of such a law
// has one modulus, whose numbers Y are its own. H. Emmerich & M. Korn, Geophysics 52 (1987) 1252-1264.
#include "forms/spectral.hpp"

namespace tessera::forms {

// A law of this kind has `parts`, `moduli(dim)` numbers of its moduli, behind which those of Y stand, mechanisms a
// part, and Part<p>, the stress of a part as a law.

/// Of attenuation: as assembly::spectral::mechanisms.
inline constexpr int mechanisms = 3;

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
};

}  // namespace tessera::forms
