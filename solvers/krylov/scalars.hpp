#pragma once
#include "base/backend.hpp"

namespace tessera::solvers {

// The arithmetic between the passes of MINRES and BiCGStab. It happens where the vectors live, in one thread, so that
// no iteration waits for the host. Every function exists for Threads and Cuda. Where a method has broken down,
// coefficients become 0.

/// Paige & Saunders 1975 in the form of Elman, Silvester & Wathen, algorithm 4.1; v is not normalised, gamma is its
/// norm.
struct MinresScalars {
  double gamma, gamma_before;       ///< sqrt of (z, v), z = M^-1 v
  double c, c_before, s, s_before;  ///< the last two Givens rotations
  double eta, delta;
  double of_q, of_v, of_v_before;  ///< v next = of_q A z + of_v v + of_v_before v before
  double of_z, of_w, of_w_before;  ///< w next, the direction of the step
  double of_step;                  ///< x += of_step w next
  double keep_r, of_v_next;        ///< r = keep_r r + of_v_next v next
};
/// Before the first iteration; zv = (z, v).
template <class Exec>
void minres_begin(Exec& exec, MinresScalars* scalars, const double* zv);
/// After q = A z, zq = (z, q).
template <class Exec>
void minres_lanczos(Exec& exec, MinresScalars* scalars, const double* zq);
/// After z next = M^-1 v next, zv = (z next, v next).
template <class Exec>
void minres_rotate(Exec& exec, MinresScalars* scalars, const double* zv);

/// van der Vorst 1992, preconditioned from the right.
struct BicgstabScalars {
  double rho, alpha, omega, beta, beta_omega;
};
/// alpha = rho / (r^, v).
template <class Exec>
void bicgstab_alpha(Exec& exec, BicgstabScalars* scalars, const double* rv);
/// omega = (t, s) / (t, t).
template <class Exec>
void bicgstab_omega(Exec& exec, BicgstabScalars* scalars, const double* ts, const double* tt);
/// beta = (rho next / rho) (alpha / omega) ; rho = rho next.
template <class Exec>
void bicgstab_beta(Exec& exec, BicgstabScalars* scalars, const double* rho_next);

}  // namespace tessera::solvers
