#pragma once
#include <vector>

namespace tessera::solvers {

/// Coefficients of Runge-Kutta-Chebyshev of order 2 with s stages: Sommeijer, Shampine & Verwer, RKC: an explicit
/// solver for parabolic PDEs, J. Comput. Appl. Math. 88 (1998) 315-326, section 2; Numerical Computations with GPUs,
/// (8.13) to (8.23), with b_1 = b_2 and not the b_1 of (8.18), which contradicts (8.21) and costs an order where f
/// depends on t.
///   w_1 = u + mu_tilde_1 dt f_0,
///   w_j = (1 - mu_j - nu_j) u + mu_j w_{j-1} + nu_j w_{j-2} + mu_tilde_j dt f(t + c_{j-1} dt, w_{j-1})
///         + gamma_tilde_j dt f_0,   j = 2 ... s.
struct ChebyshevScheme {
  /// s >= 2.
  explicit ChebyshevScheme(int s);

  int stages;
  std::vector<double> mu, nu, mu_tilde, gamma_tilde, c;  ///< [s + 1]
  double beta;                                           ///< stable for dt spectral radius <= beta, on the real axis
};

/// The fewest stages that are stable where dt times the spectral radius is `product`: s = 1 + floor(sqrt(1 + 1.54
/// product)), at least 2 and at most `most_chebyshev_stages`.
int chebyshev_stages(double product);
/// The largest product that `chebyshev_stages` gives s stages for, but for rounding: (s^2 - 1) / 1.54.
double chebyshev_reach(int stages);
/// With s stages, rounding grows like s^2.
inline constexpr int most_chebyshev_stages = 10000;

}  // namespace tessera::solvers
