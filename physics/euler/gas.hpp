#pragma once
// An ideal gas with covolume, on host and device: p (1 - b rho) = (gamma - 1) rho e. Covolume 0 is the perfect gas.
// Real is that of the numbers of a state, double or float.
#include <cmath>

#include "base/extremes.hpp"
#include "base/quick_quotients.hpp"

namespace tessera::physics::euler {

/// The numbers of a state (rho, E, m), E the total energy and m the momentum in a unit of volume. The vector comes
/// last, so that the place of a number does not depend on the dimension.
template <int dim>
inline constexpr int numbers = dim + 2;
inline constexpr int density = 0, energy = 1, momentum = 2;

/// x^exponent for x >= 0 and a positive exponent, nearly to rounding; `whole`: the exponent where it is a small whole
/// number, else 0. 7 for gamma = 1.4. Without std::pow, which is a call on the device and takes the registers of rows.
template <class Real>
TESSERA_HD inline Real power(Real x, Real exponent, int whole) {
  if (whole == 0) return std::exp(exponent * std::log(x));
  if (whole == 7) {
    const Real square = x * x;
    return x * square * (square * square);
  }
  Real result = 1;
  for (; whole > 0; whole >>= 1, x *= x)
    if (whole & 1) result *= x;
  return result;
}

/// Constants of the gas with what formulas make of them; see make_gas.
template <class Real>
struct GasOf {
  Real gamma = Real(1.4);
  Real covolume = 0;                  ///< b
  Real z = Real(1.0 / 7);             ///< (gamma - 1) / (2 gamma)
  Real inverse_z = 7;                 ///< of pressures in rarefactions
  int whole_inverse_z = 7;            ///< the same where it is a whole number, else 0
  Real shock_factor = Real(6.0 / 7);  ///< (gamma + 1) / (2 gamma)
  Real rarefaction_share = 1;         ///< c with f_shock >= c f_rarefaction above the pressure of a state
  Real closing_factor = Real(0.2);    ///< (gamma - 1) / (2 c)
  Real inverse_gamma_minus_one = Real(2.5);
  Real speed_margin = 1;  ///< by which bounds of speeds are larger in float, so that they are bounds after rounding

  /// 1 - b rho, which is positive.
  TESSERA_HD Real free_volume(Real rho) const { return 1 + -covolume * rho; }  // nvcc makes one instruction of a sum
  TESSERA_HD Real pressure(Real rho, Real internal) const {
    return (gamma - 1) * internal * reciprocal(free_volume(rho));
  }
  /// rho e.
  TESSERA_HD Real internal_energy(Real rho, Real p) const { return p * free_volume(rho) * inverse_gamma_minus_one; }
  TESSERA_HD Real sound(Real rho, Real p) const { return square_root(gamma * p * reciprocal(rho * free_volume(rho))); }
  /// K(rho) with the entropy s = rho e K(rho): (1 - b rho)^(gamma - 1) / rho^gamma. s grows with the physical entropy.
  TESSERA_HD Real entropy_factor(Real rho) const {
    const Real factor = std::pow(rho, -gamma);
    return covolume > 0 ? factor * std::pow(free_volume(rho), gamma - 1) : factor;
  }
};
using Gas = GasOf<double>;

/// What rounds in float below the power 1 / z of a bound grows by this times 1 / z.
inline constexpr double rounding_of_powers = 3.2e-7;

/// The same gas for numbers in single precision.
inline GasOf<float> in_float(const Gas& gas) {
  const auto of = [](double x) { return static_cast<float>(x); };
  return {of(gas.gamma),
          of(gas.covolume),
          of(gas.z),
          of(gas.inverse_z),
          gas.whole_inverse_z,
          of(gas.shock_factor),
          of(gas.rarefaction_share),
          of(gas.closing_factor),
          of(gas.inverse_gamma_minus_one),
          of(1 + rounding_of_powers * (4 + gas.inverse_z))};
}

/// The constant c of a shock and a rarefaction beside each other: Clayton, Guermond & Popov, SIAM J. Sci. Comput. 44
/// (2022) A444, section 4. gamma > 1.
inline double rarefaction_share(double gamma) {
  if (gamma <= 5.0 / 3) return 1;
  if (gamma <= 3) return std::sqrt(0.5 + 4 / (3 * (gamma + 1)));
  return std::sqrt(0.5 + 2 / (gamma - 1) * std::pow(3, (4 - 2 * gamma) / (gamma - 1)));
}

/// gamma > 1, covolume >= 0.
inline Gas make_gas(double gamma, double covolume = 0) {
  Gas gas{.gamma = gamma, .covolume = covolume};
  gas.z = (gamma - 1) / (2 * gamma);
  gas.inverse_z = 1 / gas.z;
  const double whole = std::round(gas.inverse_z);
  constexpr double rounding = 1e-13, most = 64;
  gas.whole_inverse_z =
      whole <= most && std::abs(gas.inverse_z - whole) <= rounding * whole ? static_cast<int>(whole) : 0;
  gas.shock_factor = (gamma + 1) / (2 * gamma);
  gas.rarefaction_share = rarefaction_share(gamma);
  gas.closing_factor = 0.5 * (gamma - 1) / gas.rarefaction_share;
  gas.inverse_gamma_minus_one = 1 / (gamma - 1);
  return gas;
}

/// What of a state is looked at again and again.
template <int dim>
struct Primitive {
  double rho = 1, v[dim] = {}, p = 1;
};

/// rho E - |m|^2 / 2 = rho (rho e): of a state without a division.
template <int dim, class Real>
TESSERA_HD Real density_times_internal(const Real (&u)[numbers<dim>]) {
  Real kinetic = 0;
  for (int d = 0; d < dim; ++d) kinetic += u[momentum + d] * u[momentum + d];
  return u[density] * u[energy] - Real(0.5) * kinetic;
}

template <int dim>
TESSERA_HD Primitive<dim> primitive(const Gas& gas, const double (&u)[numbers<dim>]) {
  Primitive<dim> w;
  const double inverse = reciprocal(u[density]);
  w.rho = u[density];
  for (int d = 0; d < dim; ++d) w.v[d] = inverse * u[momentum + d];
  w.p = gas.pressure(w.rho, inverse * density_times_internal<dim>(u));
  return w;
}

template <int dim>
TESSERA_HD void conservative(const Gas& gas, const Primitive<dim>& w, double (&u)[numbers<dim>]) {
  double kinetic = 0;
  for (int d = 0; d < dim; ++d) {
    u[momentum + d] = w.rho * w.v[d];
    kinetic += w.v[d] * u[momentum + d];
  }
  u[density] = w.rho;
  u[energy] = gas.internal_energy(w.rho, w.p) + 0.5 * kinetic;
}

/// Whether a state is one of a gas: density and internal energy positive and finite, no denser than the covolume lets
/// it be.
template <int dim>
TESSERA_HD bool is_admissible(const Gas& gas, const double (&u)[numbers<dim>]) {
  const double internal = density_times_internal<dim>(u);
  constexpr double most = 1e300;
  return u[density] > 0 && u[density] < most && internal > 0 && internal < most && gas.free_volume(u[density]) > 0;
}

}  // namespace tessera::physics::euler
