#pragma once
// A guaranteed upper bound of the largest wave speed between two states.
#include "base/quick_quotients.hpp"
#include "physics/euler/gas.hpp"

namespace tessera::physics::euler {

/// A state as the Riemann problem along c sees it; speeds are those times |c|.
template <class Real>
struct RiemannSideOf {
  Real v = 0;                ///< along c
  Real p = 0;                ///< pressure
  Real a = 0;                ///< speed of sound
  Real free_volume = 1;      ///< 1 - b rho
  Real p_power = 0;          ///< p^-z
  Real inverse_density = 0;  ///< (1 / rho - b) |c|^2
};
using RiemannSide = RiemannSideOf<double>;

/// The Mach number of a shock, into the gas ahead of it, behind which the pressure is that many times as large.
template <class Real>
TESSERA_HD_INLINE inline Real shock_mach(const GasOf<Real>& gas, Real ratio) {
  return quick_root(1 + gas.shock_factor * (ratio - 1));
}

/// A number not below |c| times the largest wave speed |lambda| of the Riemann problem: that of the pressure p* of two
/// rarefactions, which is not below the one between the waves. Guermond & Popov, J. Comput. Phys. 321 (2016) 908, lemma
/// 4.3 with covolume; for gamma > 5/3 with the constant of Clayton, Guermond & Popov (2022). Exchanging the sides and
/// turning c gives the same number to rounding (sums that the compiler contracts round on one side alone). It may be
/// below 0 by rounding.
template <class Real>
TESSERA_HD_INLINE inline Real wave_speed_bound(const GasOf<Real>& gas, const RiemannSideOf<Real>& left,
                                               const RiemannSideOf<Real>& right) {
  Real a_left = left.a, a_right = right.a;
  if (gas.covolume > 0) {
    a_left *= left.free_volume;
    a_right *= right.free_volume;
  }
  // p*^z = (a_L + a_R - (gamma - 1)/2 (v_R - v_L)/c) / (a_L p_L^-z + a_R p_R^-z)
  const Real closing = left.v - right.v;
  const Real above = (a_left + a_right) + gas.closing_factor * closing;
  const Real power_of_star = above * quick_reciprocal(a_left * left.p_power + a_right * right.p_power);
  const bool left_least = left.p < right.p;
  const Real over_least = power_of_star * (left_least ? left.p_power : right.p_power);  // (p* / p_min)^z
  Real of_least = 1, of_most = 1;
  if (over_least > 1 || gas.rarefaction_share < 1) {  // else both waves are rarefactions
    Real least_ratio = over_least > 1 ? power(over_least, gas.inverse_z, gas.whole_inverse_z) : 0;  // p* / p_min
    const Real over_most = power_of_star * (left_least ? right.p_power : left.p_power);
    if (over_most > 1 || gas.rarefaction_share < 1) {
      // With phi(p_max) >= 0, one shock at most, p* is not above p_max; of gamma > 5/3 the bound holds above p_max
      // alone.
      const Real jump = left.p - right.p, thin = left_least ? left.inverse_density : right.inverse_density;
      const bool at_most_one_shock =
          closing <= 0 ||
          2 * thin * jump * jump >= closing * closing * (gas.gamma * (left.p + right.p) + std::fabs(jump));
      if (at_most_one_shock || !(over_most > 1))
        least_ratio = (left_least ? right.p : left.p) * quick_reciprocal(left_least ? left.p : right.p);
      else
        of_most = shock_mach(gas, power(over_most, gas.inverse_z, gas.whole_inverse_z));
    }
    of_least = shock_mach(gas, least_ratio);
  }
  const Real first = left.a * (left_least ? of_least : of_most) - left.v,
             last = right.a * (left_least ? of_most : of_least) + right.v;
  return first == first ? larger(first, last) : first;  // what is no number stays none
}

}  // namespace tessera::physics::euler
