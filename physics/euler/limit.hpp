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
/// the mean of powers with the same weights. rho_0 > 0. Wherever it fails nothing is known.
template <int dim>
TESSERA_HD bool stays_above(const Gas& gas, const Bounds& bounds, double rho_0, const double (&to)[numbers<dim>]) {
  if (gas.covolume > 0 || gas.gamma > 2) return false;
  const double rho = to[density];
  return rho_0 * density_times_internal<dim>(to) >=
         bounds.guard * rho * rho * ((2 - gas.gamma) * rho_0 + (gas.gamma - 1) * rho);
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
  return t > 0 ? smaller(t, most) : 0;  // a state at its bound stays there; quotients may round upward
}

/// What largest_part looks for where a power decides, which is rare: by value and apart, so that it takes no registers
/// of the loop around.
template <int dim>
struct EntropySearch {
  double u[numbers<dim>], by[numbers<dim>];
  double least_s, guard;
  double right;  ///< u + right by keeps the bounds of the density
};

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
  const double floor_right = density_times_internal<dim>(at) - psi_right;  // s_min / K, along the way between its ends
  const double rounding = -1e-12 * std::fmin(of.guard * of.u[density] * of.u[density], floor_right);
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

/// Whether t is known without a power: the largest part t <= 1 with which u + t by keeps its bounds. u is within them,
/// to rounding.
template <int dim>
TESSERA_HD_INLINE inline bool decide_part(const Gas& gas, const Bounds& bounds, const double (&u)[numbers<dim>],
                                          const double (&by)[numbers<dim>], double& t) {
  t = detail::limit_density(bounds, u[density], by[density], 1);
  double at[numbers<dim>];
  detail::move<numbers<dim>>(u, t, by, at);
  return t == 0 || detail::stays_above<dim>(gas, bounds, u[density], at);
}

/// A t in [0, 1] with u + t by within the bounds, almost the largest.
template <int dim>
TESSERA_HD inline double largest_part(const Gas& gas, const Bounds& bounds, const double (&u)[numbers<dim>],
                                      const double (&by)[numbers<dim>]) {
  double t;
  if (decide_part<dim>(gas, bounds, u, by, t)) return t;
  detail::EntropySearch<dim> of{{}, {}, bounds.least_s, bounds.guard, t};
  for (int k = 0; k < numbers<dim>; ++k) {
    of.u[k] = u[k];
    of.by[k] = by[k];
  }
  return detail::keep_entropy<dim>(gas, of);
}

}  // namespace tessera::physics::euler
