#pragma once
// A guaranteed upper bound of the largest wave speed between two states.
#include "base/quick_quotients.hpp"
#include "physics/euler/gas.hpp"

namespace tessera::physics::euler {

/// A state as the Riemann problem along a normal sees it.
template <class Real>
struct RiemannSideOf {
  Real v = 0;                ///< along the normal
  Real p = 0;                ///< pressure
  Real a = 0;                ///< speed of sound
  Real free_volume = 1;      ///< 1 - b rho
  Real p_power = 0;          ///< p^-z
  Real inverse_density = 0;  ///< 1 / rho - b
};
using RiemannSide = RiemannSideOf<double>;

/// A number not below the largest wave speed |lambda| of the Riemann problem: that of the pressure of two rarefactions,
/// which is not below the one between the waves. Guermond & Popov, J. Comput. Phys. 321 (2016) 908, lemma 4.3 with
/// covolume; for gamma > 5/3 with the constant of Clayton, Guermond & Popov (2022). Exchanging the sides and turning
/// the normal gives the same number to rounding (sums that the compiler contracts round on one side alone).
template <class Real>
TESSERA_HD inline Real wave_speed_bound(const GasOf<Real>& gas, const RiemannSideOf<Real>& left,
                                        const RiemannSideOf<Real>& right) {
  const Real a_left = left.a * left.free_volume, a_right = right.a * right.free_volume;
  // p*^z = (a_L + a_R - (gamma - 1)/2 (v_R - v_L)/c) / (a_L p_L^-z + a_R p_R^-z)
  const Real closing = left.v - right.v;
  const Real above = (a_left + a_right) + gas.closing_factor * closing;
  const Real below = a_left * left.p_power + a_right * right.p_power;
  const bool left_least = left.p < right.p;
  const Real least_p = left_least ? left.p : right.p, most_p = left_least ? right.p : left.p;
  const Real ratio = above > 0 ? above * quick_reciprocal(below) : 0;
  const Real ratio_z = ratio * (left_least ? left.p_power : right.p_power);
  Real of_least = 1, of_most = 1;
  if (ratio_z > 1 || gas.rarefaction_share < 1) {  // else both waves are rarefactions
    Real star = ratio_z > 1 ? power(ratio_z, gas.inverse_z, gas.whole_inverse_z) : 0;  // p* / least_p
    // With phi(p_max) >= 0, one shock at most, it is not above p_max; of gamma > 5/3 the bound holds above p_max alone.
    const Real quotient = most_p * quick_reciprocal(least_p);
    const Real thin = left_least ? left.inverse_density : right.inverse_density, jump = most_p - least_p;
    const bool at_most_one_shock =
        closing <= 0 ||
        2 * thin * jump * jump >= closing * closing * ((gas.gamma + 1) * most_p + (gas.gamma - 1) * least_p);
    if (at_most_one_shock)
      star = gas.rarefaction_share < 1 ? quotient : smaller(star, quotient);
    else if (gas.rarefaction_share < 1)
      star = larger(star, quotient);
    of_least = quick_root(1 + gas.shock_factor * larger(star - 1, Real(0)));
    if (star > quotient) of_most = quick_root(1 + gas.shock_factor * (star * quick_reciprocal(quotient) - 1));
  }
  const Real first = left.a * (left_least ? of_least : of_most) - left.v,
             last = right.a * (left_least ? of_most : of_least) + right.v;
  return first == first ? larger(Real(0), larger(first, last)) : first;  // what is no number stays none
}

}  // namespace tessera::physics::euler
