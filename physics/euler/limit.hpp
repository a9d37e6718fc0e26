#pragma once
// How far a state may go in a direction without leaving its bounds: convex limiting.
#include <type_traits>

#include "physics/euler/gas.hpp"

namespace tessera::physics::euler {

/// Bounds of the states of a node.
template <class Real>
struct BoundsOf {
  Real least_rho = 0, most_rho = 0;
  Real least_s = 0;  ///< of s = rho e K(rho)
  Real guard = 0;    ///< least_s rho^(gamma - 1) of the state that is moved; see stays_above
};
using Bounds = BoundsOf<double>;

/// By which part of its bound rounding may put the entropy below it: of double, and of float, whose own is 6e-8.
template <class Real>
inline constexpr Real rounding_of_entropy = Real(std::is_same_v<Real, double> ? 1e-12 : 1e-6);

/// In float rho e is a difference of rho E and |m|^2 / (2 rho), which are known to this part of rho E: so much rounding
/// makes of it, in a fast gas much more than the part of its bound. No more than half of the bound is given away.
inline constexpr float rounding_of_energies = 4 * 1.2e-7F;

/// Whether polynomials say how far the entropy lets a state go: see detail::keep_entropy_by_polynomial.
template <class Real>
TESSERA_HD_INLINE inline bool has_polynomials(const GasOf<Real>& gas) {
  return !(gas.covolume > 0) && gas.gamma <= 2;
}

namespace detail {

/// Psi(u) = rho (rho e - s_min / K(rho)), whose sign is that of s - s_min.
template <int dim>
TESSERA_HD double entropy_excess(const Gas& gas, double least_s, const double (&u)[numbers<dim>]) {
  double most = std::pow(u[density], gas.gamma + 1);
  if (gas.covolume > 0) most *= std::pow(gas.free_volume(u[density]), 1 - gas.gamma);
  return density_times_internal<dim>(u) - least_s * most;
}

/// The derivative of Psi at u along `by`.
template <int dim>
TESSERA_HD double entropy_slope(const Gas& gas, double least_s, const double (&u)[numbers<dim>],
                                const double (&by)[numbers<dim>]) {
  double slope = u[density] * by[energy] + u[energy] * by[density];
  for (int d = 0; d < dim; ++d) slope -= u[momentum + d] * by[momentum + d];
  const double rho = u[density], free = gas.free_volume(rho);
  double grows = (gas.gamma + 1) * std::pow(rho, gas.gamma);
  if (gas.covolume > 0)
    grows = std::pow(rho, gas.gamma) * std::pow(free, -gas.gamma) *
            ((gas.gamma + 1) * free + (gas.gamma - 1) * gas.covolume * rho);
  return slope - least_s * grows * by[density];
}

/// Whether Psi >= 0 at `to` follows without a power: with x = rho / rho_0 and 1 < gamma <= 2,
///   x^(gamma+1) <= (2 - gamma) x^2 + (gamma - 1) x^3,
/// the mean of powers with the same weights. Wherever it fails nothing is known.
template <int dim, class Real>
TESSERA_HD bool stays_above(const GasOf<Real>& gas, const BoundsOf<Real>& bounds, Real rho_0,
                            const Real (&to)[numbers<dim>]) {
  if (!has_polynomials(gas)) return false;
  const Real rho = to[density];
  return rho_0 * density_times_internal<dim>(to) >=
         bounds.guard * rho * rho * ((2 - gas.gamma) * rho_0 + (gas.gamma - 1) * rho);
}

template <int n, class Real>
TESSERA_HD void move(const Real (&u)[n], Real t, const Real (&by)[n], Real (&to)[n]) {
  for (int k = 0; k < n; ++k) to[k] = u[k] + t * by[k];
}

/// The largest t <= most at which the density keeps its bounds. A state at its bound stays there, and quotients may
/// round upward.
template <class Real>
TESSERA_HD_INLINE inline Real limit_density(const BoundsOf<Real>& bounds, Real rho, Real by, Real most) {
  const Real to = rho + most * by;
  const bool is_thin = to < bounds.least_rho;
  if (!is_thin && !(to > bounds.most_rho)) return most;
  const Real t = ((is_thin ? bounds.least_rho : bounds.most_rho) - rho) * reciprocal(by);
  return t > 0 ? smaller(t, most) : 0;
}

/// The entropy along a line u + t by of a gas with has_polynomials(). With x = rho / rho_0 = 1 + y and a = gamma - 1,
/// the derivatives of x^a have signs that alternate, so that
///   x^a <= T(y) = 1 + a y (1 + (a - 1) / 2 y (1 + (a - 2) / 3 y)),
/// exact to fourth order, and s is not below its bound where
///   P(t) = rho (rho e) - s_min rho_0^(gamma + 1) x^2 T(y) >= 0.
/// With s_min >= 0 that is one interval, for the first term over rho is concave, and x T is convex. The third
/// derivative of P has one sign, for that of x^2 T has no root.
template <class Real>
struct EntropyAlong {
  Real energy[3];  ///< rho (rho e) = sum_k energy[k] t^k
  Real floor;      ///< s_min rho_0^(gamma + 1)
  Real slope;      ///< dy / dt
  Real a;
  Real rounding = 0;  ///< of energy[0], in float

  /// P, and its derivative.
  TESSERA_HD_INLINE Real at(Real t, Real& derivative) const {
    const Real y = slope * t, x = 1 + y, last = (a - 2) * y;
    const Real T = 1 + a * y * (1 + Real(0.5) * (a - 1) * y * (1 + last * Real(1.0 / 3)));
    derivative = energy[1] + 2 * t * energy[2] -
                 floor * slope * x * (2 * T + x * a * (1 + (a - 1) * y * (1 + Real(0.5) * last)));
    return energy[0] + t * (energy[1] + t * energy[2]) - floor * x * x * T;
  }
  /// What rounding alone may put P below 0 between 0 and t: a state there is at its bound.
  TESSERA_HD_INLINE Real band(Real t) const {
    const Real thin = smaller(1 + slope * t, Real(1));  // as x^(gamma + 1) >= x^3 there
    const Real least = floor * (thin * thin * thin);
    if constexpr (std::is_same_v<Real, double>)
      return rounding_of_entropy<Real> * least;
    else
      return rounding_of_entropy<Real> * least + smaller(rounding, Real(0.5) * least);
  }
};

/// Of the density where a way begins, where it ends at least: P there is known to the rounding of its terms at the
/// beginning alone.
template <class Real>
inline constexpr Real thinnest = Real(1e-2);

/// The least s > 0 at which the parabola value + slope s + bend s^2, value >= 0, is 0; there is one. Continuous, and
/// without a difference of numbers that may be close.
template <class Real>
TESSERA_HD_INLINE inline Real root_of_parabola(Real value, Real slope, Real bend) {
  const Real sum = square_root(larger(slope * slope - 4 * value * bend, Real(0))) + std::fabs(slope);
  const bool rises = slope > 0;  // then bend < 0
  return (rises ? sum : 2 * value) * reciprocal(rises ? -2 * bend : sum);
}

/// A t in [0, right] with s not below its bound, by three steps from both sides: parabolas through both ends with the
/// slope of one of them have their roots on both sides of that of P. No sign of what rounding alone makes decides where
/// it goes, so that both ends of an edge find the same. No call goes to a density below the thinnest: a shorter way
/// keeps the bound, too.
template <class Real>
TESSERA_HD inline Real keep_entropy_by_polynomial(const EntropyAlong<Real>& along, Real right) {
  constexpr int steps = 3;
  if (1 + along.slope * right < thinnest<Real>) right = (thinnest<Real> - 1) * reciprocal(along.slope);
  const Real band = along.band(right);
  Real left = 0, slope_left, slope_right;
  for (int step = 0; step < steps; ++step) {
    const Real above = larger(along.at(left, slope_left), Real(0)) + band;
    const Real below = along.at(right, slope_right) + band, width = right - left;
    if (below >= 0 || !(width > 0)) return right;
    const Real inverse = reciprocal(width), chord = (below - above) * inverse;
    const Real from_left = smaller(root_of_parabola(above, slope_left, (chord - slope_left) * inverse), width),
               from_right = smaller(root_of_parabola(-below, slope_right, (chord - slope_right) * inverse), width);
    const Real a = left + from_left, b = right - from_right;
    left = smaller(a, b);
    right = larger(a, b);
  }
  return left;
}

/// The entropy along u + t weight f.
template <int dim, class Real>
TESSERA_HD_INLINE inline EntropyAlong<Real> entropy_along(const GasOf<Real>& gas, const BoundsOf<Real>& bounds,
                                                          const Real (&u)[numbers<dim>], const Real (&f)[numbers<dim>],
                                                          Real weight) {
  Real by[numbers<dim>];
  for (int k = 0; k < numbers<dim>; ++k) by[k] = weight * f[k];
  Real linear = u[density] * by[energy] + u[energy] * by[density];
  for (int d = 0; d < dim; ++d) linear -= u[momentum + d] * by[momentum + d];
  return {{density_times_internal<dim>(u), linear, density_times_internal<dim>(by)},
          bounds.guard * u[density] * u[density],
          by[density] * reciprocal(u[density]),
          gas.gamma - 1,
          std::is_same_v<Real, double> ? Real(0) : Real(rounding_of_energies) * (u[density] * u[energy])};
}

/// What is looked for where a power decides: by value and apart, so that it takes no registers of the loop around.
template <int dim>
struct EntropySearch {
  double u[numbers<dim>], by[numbers<dim>];
  double least_s, guard;
  double right;  ///< u + right by keeps the bounds of the density
};

template <int dim>
TESSERA_HD_INLINE inline EntropySearch<dim> entropy_search(const Bounds& bounds, const double (&u)[numbers<dim>],
                                                           const double (&f)[numbers<dim>], double weight,
                                                           double right) {
  EntropySearch<dim> of{{}, {}, bounds.least_s, bounds.guard, right};
  for (int k = 0; k < numbers<dim>; ++k) {
    of.u[k] = u[k];
    of.by[k] = weight * f[k];
  }
  return of;
}

/// What is above it is not below 0, where psi is Psi `at` the end of the way.
template <int dim>
TESSERA_HD double rounding_of_excess(const EntropySearch<dim>& of, const double (&at)[numbers<dim>], double psi) {
  const double floor = density_times_internal<dim>(at) - psi;  // s_min / K, along the way between its ends
  return -1e-12 * std::fmin(of.guard * of.u[density] * of.u[density], floor);
}

/// Whether keep_entropy() goes all the way.
template <int dim>
__attribute__((noinline)) TESSERA_HD bool keeps_entropy_to_the_end(Gas gas, EntropySearch<dim> of) {
  double at[numbers<dim>];
  move<numbers<dim>>(of.u, of.right, of.by, at);
  const double psi = entropy_excess<dim>(gas, of.least_s, at);
  return psi >= rounding_of_excess<dim>(of, at, psi);
}

/// A t in [0, right] with s of u + t by not below its bound, as large as three steps of a quadratic Newton
/// iteration find it:
/// Psi along a line has a third derivative of one sign, so that parabolas through both ends with the slope of one of
/// them have their roots on both sides of that of Psi. Guermond, Nazarov, Popov & Tomas, SIAM J. Sci. Comput. 40 (2018)
/// A3211, section 4; Guermond & Popov (2016), lemma 4.5. u is within the bounds, to rounding.
template <int dim>
__attribute__((noinline)) TESSERA_HD double keep_entropy(Gas gas, EntropySearch<dim> of) {
  constexpr int n = numbers<dim>;
  constexpr int steps = 3;
  constexpr double enough = 1e-10;
  double right = of.right;
  double at[n];
  move<n>(of.u, right, of.by, at);
  // What rounding alone puts below zero is at its bound: else its sign would decide where the iteration goes.
  double psi_right = entropy_excess<dim>(gas, of.least_s, at);
  const double rounding = rounding_of_excess<dim>(of, at, psi_right);
  if (psi_right >= rounding) return right;
  double left = 0, psi_left = entropy_excess<dim>(gas, of.least_s, of.u);
  if (psi_left <= 0) return 0;
  double slope_right = entropy_slope<dim>(gas, of.least_s, at, of.by);
  double slope_left = entropy_slope<dim>(gas, of.least_s, of.u, of.by);
  for (int step = 0; step < steps && right - left > enough && psi_left > -rounding; ++step) {
    // Psi = psi_left + (t - left) [l, r] + ..., by divided differences with a double point at either end.
    const double width = right - left, chord = (psi_right - psi_left) / width;
    const double bend_left = (chord - slope_left) / width, bend_right = (slope_right - chord) / width;
    const double root_left = slope_left * slope_left - 4 * psi_left * bend_left,
                 root_right = slope_right * slope_right - 4 * psi_right * bend_right;
    double next_left = left, next_right = right;
    if (root_left >= 0) next_left = left + 2 * psi_left / (-slope_left + std::sqrt(root_left));
    if (root_right >= 0) next_right = right + 2 * psi_right / (-slope_right + std::sqrt(root_right));
    // Rounding, and states at vacuum, may throw them out: then the middle will do.
    if (!(next_left > left && next_left < right)) next_left = 0.5 * (left + right);
    if (!(next_right < right && next_right > left)) next_right = right;
    if (next_right < next_left) {
      const double swap = next_left;
      next_left = next_right;
      next_right = swap;
    }
    for (int k = 0; k < 2; ++k) {
      const double t = k == 0 ? next_left : next_right;
      if (!(t > left && t < right)) continue;
      move<n>(of.u, t, of.by, at);
      const double psi = entropy_excess<dim>(gas, of.least_s, at);
      if (psi >= rounding) {
        left = t;
        psi_left = psi;
        slope_left = entropy_slope<dim>(gas, of.least_s, at, of.by);
      } else {
        right = t;
        psi_right = psi;
        slope_right = entropy_slope<dim>(gas, of.least_s, at, of.by);
      }
    }
  }
  return left;
}

}  // namespace detail

/// A t in [0, 1] with u + t weight f within the bounds, almost the largest. u is within them, to rounding. `powers`: of
/// any gas, in double; else of one with has_polynomials().
template <int dim, bool powers, class Real>
TESSERA_HD_INLINE inline Real largest_part(const GasOf<Real>& gas, const BoundsOf<Real>& bounds,
                                           const Real (&u)[numbers<dim>], const Real (&f)[numbers<dim>], Real weight) {
  const Real t = detail::limit_density<Real>(bounds, u[density], weight * f[density], 1);
  Real at[numbers<dim>];
  detail::move<numbers<dim>, Real>(u, t * weight, f, at);
  if (detail::stays_above<dim>(gas, bounds, u[density], at)) return t;
  if constexpr (powers) {
    return detail::keep_entropy<dim>(gas, detail::entropy_search<dim>(bounds, u, f, weight, t));
  } else {
    return detail::keep_entropy_by_polynomial(detail::entropy_along<dim>(gas, bounds, u, f, weight), t);
  }
}

/// Whether largest_part() is 1, without a search.
template <int dim, bool powers, class Real>
TESSERA_HD_INLINE inline bool takes_all(const GasOf<Real>& gas, const BoundsOf<Real>& bounds,
                                        const Real (&u)[numbers<dim>], const Real (&f)[numbers<dim>], Real weight) {
  const Real to = u[density] + weight * f[density];
  if (to < bounds.least_rho || to > bounds.most_rho) return false;
  Real at[numbers<dim>];
  detail::move<numbers<dim>, Real>(u, weight, f, at);
  if (detail::stays_above<dim>(gas, bounds, u[density], at)) return true;
  if constexpr (powers) {
    return detail::keeps_entropy_to_the_end<dim>(gas, detail::entropy_search<dim>(bounds, u, f, weight, 1));
  } else {
    const detail::EntropyAlong<Real> along = detail::entropy_along<dim>(gas, bounds, u, f, weight);
    Real slope;
    return 1 + along.slope >= detail::thinnest<Real> && along.at(1, slope) + along.band(1) >= 0;
  }
}

/// The same, as it is best of the gas. In float there are none but those with has_polynomials().
template <int dim, class Real>
TESSERA_HD inline Real largest_part(const GasOf<Real>& gas, const BoundsOf<Real>& bounds, const Real (&u)[numbers<dim>],
                                    const Real (&by)[numbers<dim>]) {
  if constexpr (std::is_same_v<Real, double>) {
    if (!has_polynomials(gas)) return largest_part<dim, true>(gas, bounds, u, by, Real(1));
  }
  return largest_part<dim, false>(gas, bounds, u, by, Real(1));
}

}  // namespace tessera::physics::euler
