#pragma once
// How far a state may go in a direction without leaving its bounds: convex limiting.
#include "physics/euler/gas.hpp"

namespace tessera::physics::euler {

/// Bounds of the states of a node.
struct Bounds {
  double least_rho = 0, most_rho = 0;
  double least_s = 0;  ///< of s = rho e K(rho)
  double guard = 0;    ///< least_s rho^(gamma - 1) of the state that is moved; see stays_above
};

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
template <int dim>
TESSERA_HD bool stays_above(const Gas& gas, const Bounds& bounds, double rho_0, const double (&to)[numbers<dim>]) {
  if (gas.covolume > 0 || gas.gamma > 2) return false;
  const double rho = to[density], x = rho * reciprocal(rho_0);
  return density_times_internal<dim>(to) >= bounds.guard * rho * rho * ((2 - gas.gamma) + (gas.gamma - 1) * x);
}

template <int n>
TESSERA_HD void move(const double (&u)[n], double t, const double (&by)[n], double (&to)[n]) {
  for (int k = 0; k < n; ++k) to[k] = u[k] + t * by[k];
}

/// The largest t <= most at which the density keeps its bounds, to rounding: where all densities are equal it shall not
/// decide.
TESSERA_HD inline double limit_density(const Bounds& bounds, double rho, double by, double most) {
  const double to = rho + most * by, rounding = 1e-14 * rho;
  double t = most;
  if (to < bounds.least_rho - rounding) t = (bounds.least_rho - rho) * reciprocal(by);
  if (to > bounds.most_rho + rounding) t = (bounds.most_rho - rho) * reciprocal(by);
  return t > 0 ? std::fmin(t, most) : 0;  // a state at its bound stays there; quotients may round upward
}

}  // namespace detail

/// A t in [0, most] with u + t by within the bounds, as large as three steps of a quadratic Newton iteration find it:
/// Psi along a line has a third derivative of one sign, so that parabolas through both ends with the slope of one of
/// them have their roots on both sides of that of Psi. Guermond, Nazarov, Popov & Tomas, SIAM J. Sci. Comput. 40 (2018)
/// A3211, section 4; Guermond & Popov (2016), lemma 4.5. u is within the bounds, to rounding.
template <int dim>
TESSERA_HD double largest_part(const Gas& gas, const Bounds& bounds, const double (&u)[numbers<dim>],
                               const double (&by)[numbers<dim>], double most) {
  constexpr int n = numbers<dim>;
  constexpr int steps = 3;
  constexpr double enough = 1e-10;
  double right = detail::limit_density(bounds, u[density], by[density], most);
  double at[n];
  detail::move<n>(u, right, by, at);
  if (right == 0 || detail::stays_above<dim>(gas, bounds, u[density], at)) return right;
  // What rounding alone puts below zero is at its bound: else its sign would decide where the iteration goes.
  double psi_right = detail::entropy_excess<dim>(gas, bounds.least_s, at);
  const double floor_right = density_times_internal<dim>(at) - psi_right;  // s_min / K, along the way between its ends
  const double rounding = -1e-12 * std::fmin(bounds.guard * u[density] * u[density], floor_right);
  if (psi_right >= rounding) return right;
  double left = 0, psi_left = detail::entropy_excess<dim>(gas, bounds.least_s, u);
  if (psi_left <= 0) return 0;
  double slope_right = detail::entropy_slope<dim>(gas, bounds.least_s, at, by);
  double slope_left = detail::entropy_slope<dim>(gas, bounds.least_s, u, by);
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
      detail::move<n>(u, t, by, at);
      const double psi = detail::entropy_excess<dim>(gas, bounds.least_s, at);
      if (psi >= rounding) {
        left = t;
        psi_left = psi;
        slope_left = detail::entropy_slope<dim>(gas, bounds.least_s, at, by);
      } else {
        right = t;
        psi_right = psi;
        slope_right = detail::entropy_slope<dim>(gas, bounds.least_s, at, by);
      }
    }
  }
  return left;
}

}  // namespace tessera::physics::euler
