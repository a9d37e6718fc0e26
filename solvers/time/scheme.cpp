// The names of time.scheme: one line a scheme.
#include "solvers/time/scheme.hpp"

#include "solvers/registry.hpp"

namespace tessera::solvers {

const std::vector<Scheme>& schemes() {
  using enum SchemeKind;
  static const std::vector<Scheme> table = {
      {"euler", "forward Euler", explicit_, 1, false, 1},
      {"ssp_rk2", "Runge-Kutta that keeps the bounds of Euler steps, in the form of Shu and Osher", explicit_, 2, false,
       2},
      {"ssp_rk3", "Runge-Kutta that keeps the bounds of Euler steps, in the form of Shu and Osher", explicit_, 3, false,
       3},
      {"erk22", "Runge-Kutta with stages an equal part of the step apart: the midpoint rule", explicit_, 2, false, 2},
      {"erk33", "Runge-Kutta with stages an equal part of the step apart: Heun's method of order 3", explicit_, 3,
       false, 3},
      {"rk4", "the classical Runge-Kutta method", explicit_, 4, false, 4},
      {"low_storage_rk45", "Runge-Kutta of Carpenter and Kennedy, which needs the fewest vectors", explicit_, 4, false,
       5},
      {"cash_karp", "Runge-Kutta pair of orders 5 and 4", explicit_, 5, true, 6},
      {"dormand_prince", "Runge-Kutta pair of orders 5 and 4 whose last evaluation serves the next step", explicit_, 5,
       true, 6},
      {"tableau", "a Runge-Kutta scheme of your own: its Butcher tableau in the deck", explicit_, 0, true, 0},
      {"rkc", "Runge-Kutta-Chebyshev for diffusion: s stages allow steps of 0.65 s^2 over the spectral radius",
       stabilised, 2, true, 0},
      {"theta", "theta f(new) + (1 - theta) f(old); order 2 for theta = 0.5", implicit, 1, false, 1},
      {"backward_euler", "implicit Euler", implicit, 1, false, 1},
      {"crank_nicolson", "trapezoidal rule", implicit, 2, true, 1},
      {"bdf2", "backward differentiation over two steps", implicit, 2, true, 1},
      {"sdirk2", "two implicit stages with one matrix, L-stable", implicit, 2, true, 2},
      {"newmark", "explicit Newmark, also known as leapfrog and velocity Verlet, for u'' = f(t, u, u')", second_order,
       2, false, 1},
  };
  return table;
}

const Scheme& find_scheme(const std::string& name, const deck::Where& where) {
  return find(schemes(), name, "scheme", where);
}

const char* name_of(SchemeKind kind) {
  switch (kind) {
    case SchemeKind::explicit_: return "explicit";
    case SchemeKind::stabilised: return "stabilised";
    case SchemeKind::implicit: return "implicit";
    case SchemeKind::second_order: return "second order";
  }
  return "";
}

}  // namespace tessera::solvers
