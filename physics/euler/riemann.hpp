#pragma once
// A guaranteed upper bound of the largest wave speed between two states.
#include "physics/euler/gas.hpp"

namespace tessera::physics::euler {

/// A state as the Riemann problem along a normal sees it.
struct RiemannSide {
  double v = 0;                ///< along the normal
  double p = 0;                ///< pressure
  double a = 0;                ///< speed of sound
  double free_volume = 1;      ///< 1 - b rho
  double p_power = 0;          ///< p^-z
  double inverse_density = 0;  ///< 1 / rho - b
};

/// A number not below the largest wave speed |lambda| of the Riemann problem: that of the pressure of two rarefactions,
/// which is not below the one between the waves. Guermond & Popov, J. Comput. Phys. 321 (2016) 908, lemma 4.3 with
/// covolume; for gamma > 5/3 with the constant of Clayton, Guermond & Popov (2022). Exchanging the sides and turning
/// the normal gives the same number to rounding (sums that the compiler contracts round on one side alone).
TESSERA_HD inline double wave_speed_bound(const Gas& gas, const RiemannSide& left, const RiemannSide& right) {
  const double a_left = left.a * left.free_volume, a_right = right.a * right.free_volume;
  // p*^z = (a_L + a_R - (gamma - 1)/2 (v_R - v_L)/c) / (a_L p_L^-z + a_R p_R^-z)
  const double closing = left.v - right.v;
  const double above = (a_left + a_right) + 0.5 * (gas.gamma - 1) / gas.rarefaction_share * closing;
  const double below = a_left * left.p_power + a_right * right.p_power;
  const double least_p = left.p < right.p ? left.p : right.p,
               most_power = left.p < right.p ? left.p_power : right.p_power;
  const double ratio_z = above > 0 ? above * most_power * reciprocal(below) : 0;  // (p* / least_p)^z
  double star = 0;
  if (ratio_z > 1) star = least_p * power(ratio_z, gas.inverse_z, gas.whole_inverse_z);
  // With phi(p_max) >= 0, one shock at most, it is not above p_max; of gamma > 5/3 the bound holds above p_max alone.
  const double most_p = left.p < right.p ? right.p : left.p;
  const double thin = left.p < right.p ? left.inverse_density : right.inverse_density;
  const double shock =
      (most_p - least_p) * square_root(2 * thin * reciprocal((gas.gamma + 1) * most_p + (gas.gamma - 1) * least_p));
  if (shock >= closing)
    star = gas.rarefaction_share < 1 ? most_p : std::fmin(star, most_p);
  else if (gas.rarefaction_share < 1)
    star = std::fmax(star, most_p);
  const double over_left = std::fmax(star - left.p, 0.0) * reciprocal(left.p),
               over_right = std::fmax(star - right.p, 0.0) * reciprocal(right.p);
  const double first = left.a * square_root(1 + gas.shock_factor * over_left) - left.v,
               last = right.a * square_root(1 + gas.shock_factor * over_right) + right.v;
  return std::fmax(std::fmax(first, last), 0.0);
}

}  // namespace tessera::physics::euler
