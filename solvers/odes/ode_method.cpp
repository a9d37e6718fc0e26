// The names of methods for many small systems: one line a method.
#include "solvers/odes/ode_method.hpp"

#include <fmt/format.h>

#include <cmath>

#include "solvers/registry.hpp"

namespace tessera::solvers {

const std::vector<OdeMethod>& ode_methods() {
  static const std::vector<OdeMethod> table = {
      {"cash_karp", "Runge-Kutta pair of orders 5 and 4: for reactions that are not stiff", 5, false, 32},
      {"rkc", "Runge-Kutta-Chebyshev with up to 200 stages: for many species that are somewhat stiff", 2, false, 32},
      {"rosenbrock", "Rodas3: linearly implicit, orders 3 and 2, L-stable: for stiff reactions, and where in doubt", 3,
       true, 32},
      {"exponential",
       "exponential Rosenbrock pair of orders 3 and 2: exact for linear reactions, of any length of step", 3, true, 16},
  };
  return table;
}

const OdeMethod& find_ode_method(const std::string& name, const deck::Where& where) {
  return find(ode_methods(), name, "method for reactions", where);
}

void OdeOptions::check() const {
  (void)find_ode_method(method, where);
  const auto refuse = [&](const std::string& what, const std::string& help) {
    throw Error(ExitCode::usage, what, help, where);
  };
  const double relative = tolerance.relative, absolute = tolerance.absolute;
  if (!(relative >= 0 && std::isfinite(relative)) || !(absolute > 0 && std::isfinite(absolute)))
    refuse(fmt::format("the tolerances of reactions are {} (relative) and {} (absolute)", relative, absolute),
           "the relative one may not be negative, and the absolute one must be positive: it is what counts where a "
           "species is absent");
  if (!(first_step >= 0 && std::isfinite(first_step)))
    refuse(fmt::format("the first step of reactions is {}", first_step),
           "it must be positive, or 0 to have it chosen at each node");
  if (most_steps < 1) refuse(fmt::format("a node may take {} steps in a call", most_steps), "let it take at least 1");
}

}  // namespace tessera::solvers
