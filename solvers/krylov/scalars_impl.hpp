#pragma once
#include <cmath>

#include "base/parallel.hpp"
#include "solvers/krylov/scalars.hpp"

namespace tessera::solvers {
namespace detail {
TESSERA_HD inline double divided(double a, double b) { return b != 0 ? a / b : 0; }
TESSERA_HD inline double root(double a) { return a > 0 ? sqrt(a) : 0; }
}  // namespace detail

template <class Exec>
void minres_begin(Exec& exec, MinresScalars* scalars, const double* zv) {
  for_each(exec, 1, [=] TESSERA_HD(Offset) {
    MinresScalars& at = *scalars;
    at.gamma = detail::root(*zv);
    at.gamma_before = 1;
    at.c = at.c_before = 1;
    at.s = at.s_before = 0;
    at.eta = at.gamma;
  });
}

template <class Exec>
void minres_lanczos(Exec& exec, MinresScalars* scalars, const double* zq) {
  for_each(exec, 1, [=] TESSERA_HD(Offset) {
    MinresScalars& at = *scalars;
    const double inverse = detail::divided(1, at.gamma);
    at.delta = *zq * inverse * inverse;
    at.of_q = inverse;
    at.of_v = -at.delta * inverse;
    at.of_v_before = -detail::divided(at.gamma, at.gamma_before);
  });
}

template <class Exec>
void minres_rotate(Exec& exec, MinresScalars* scalars, const double* zv) {
  for_each(exec, 1, [=] TESSERA_HD(Offset) {
    MinresScalars& at = *scalars;
    const double next = detail::root(*zv);
    const double a0 = at.c * at.delta - at.c_before * at.s * at.gamma;
    const double a1 = sqrt(a0 * a0 + next * next);
    const double a2 = at.s * at.delta + at.c_before * at.c * at.gamma;
    const double a3 = at.s_before * at.gamma;
    const double inverse = detail::divided(1, a1);
    const double c = a0 * inverse, s = a1 > 0 ? next * inverse : 1;
    at.of_z = detail::divided(inverse, at.gamma);
    at.of_w = -a2 * inverse;
    at.of_w_before = -a3 * inverse;
    at.of_step = c * at.eta;
    at.eta = -s * at.eta;
    at.keep_r = s * s;
    at.of_v_next = detail::divided(c * at.eta, next);
    at.gamma_before = at.gamma;
    at.gamma = next;
    at.c_before = at.c;
    at.c = c;
    at.s_before = at.s;
    at.s = s;
  });
}

template <class Exec>
void bicgstab_alpha(Exec& exec, BicgstabScalars* scalars, const double* rv) {
  for_each(exec, 1, [=] TESSERA_HD(Offset) { scalars->alpha = detail::divided(scalars->rho, *rv); });
}

template <class Exec>
void bicgstab_omega(Exec& exec, BicgstabScalars* scalars, const double* ts, const double* tt) {
  for_each(exec, 1, [=] TESSERA_HD(Offset) { scalars->omega = detail::divided(*ts, *tt); });
}

template <class Exec>
void bicgstab_beta(Exec& exec, BicgstabScalars* scalars, const double* rho_next) {
  for_each(exec, 1, [=] TESSERA_HD(Offset) {
    BicgstabScalars& at = *scalars;
    at.beta = detail::divided(*rho_next, at.rho) * detail::divided(at.alpha, at.omega);
    at.beta_omega = at.beta * at.omega;
    at.rho = *rho_next;
  });
}

#define TESSERA_INSTANTIATE_KRYLOV_SCALARS(Exec)                                       \
  template void minres_begin(Exec&, MinresScalars*, const double*);                    \
  template void minres_lanczos(Exec&, MinresScalars*, const double*);                  \
  template void minres_rotate(Exec&, MinresScalars*, const double*);                   \
  template void bicgstab_alpha(Exec&, BicgstabScalars*, const double*);                \
  template void bicgstab_omega(Exec&, BicgstabScalars*, const double*, const double*); \
  template void bicgstab_beta(Exec&, BicgstabScalars*, const double*)

}  // namespace tessera::solvers
