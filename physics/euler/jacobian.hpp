#pragma once
// The Jacobian of the flux, for implicit steps.
#include "physics/euler/gas.hpp"

namespace tessera::physics::euler {

/// a = d(F(u) c)/du of a state, [numbers, numbers], row-major, for ideal gases of any gamma with a covolume. With the
/// pressure's slopes p_E = (gamma - 1)/(1 - b rho), p_m = -p_E v, p_rho = p_E |v|^2/2 + b p/(1 - b rho). Of perfect
/// gases a u = F(u) c. Goeddeke, Komatitsch and Moeller, section 9.2.4.
template <int dim, class State>
TESSERA_HD_INLINE inline void flux_jacobian(const Gas& gas, const State& w, const double (&c)[dim],
                                            double (&a)[numbers<dim> * numbers<dim>]) {
  constexpr int n = numbers<dim>;
  const double flow = w.along(c), inverse_free = reciprocal(gas.free_volume(w.u[density]));
  const double by_energy = (gas.gamma - 1) * inverse_free, enthalpy = (w.u[energy] + w.p) * w.inverse;
  double square = 0;
  for (int d = 0; d < dim; ++d) square += w.v[d] * w.v[d];
  const double by_density = 0.5 * by_energy * square + gas.covolume * w.p * inverse_free;
  // rho: m . c
  a[density * n + density] = a[density * n + energy] = 0;
  // E: (v . c) (E + p)
  a[energy * n + density] = flow * (by_density - enthalpy);
  a[energy * n + energy] = flow * (1 + by_energy);
  for (int d = 0; d < dim; ++d) {
    a[density * n + momentum + d] = c[d];
    a[energy * n + momentum + d] = c[d] * enthalpy - flow * by_energy * w.v[d];
  }
  // m: (v . c) m + p c
  for (int k = 0; k < dim; ++k) {
    double* const row = a + (momentum + k) * n;
    row[density] = by_density * c[k] - flow * w.v[k];
    row[energy] = by_energy * c[k];
    for (int d = 0; d < dim; ++d) row[momentum + d] = w.v[k] * c[d] - by_energy * w.v[d] * c[k] + (d == k ? flow : 0);
  }
}

}  // namespace tessera::physics::euler
