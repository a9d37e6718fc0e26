#pragma once
// What tests of many small systems share: a reaction of their own, runs of one node or many, mechanisms.
#include <cmath>

#include "physics/reaction_diffusion/reaction_table.hpp"
#include "solvers/time_problems.hpp"

namespace tessera::testing {

/// `turning` of time_problems.hpp, which depends on t; its solution is known. Instantiated by odes_own_reaction.cpp and
/// odes_own_reaction_cuda.cu.
struct Turning {
  static constexpr int most_species = 3;
  static constexpr bool needs_time = true;
  TESSERA_HD static constexpr int species() { return 3; }

  TESSERA_HD void rates(const double* u, double t, double* du) const {
    const double square = u[1] * u[1] + u[2] * u[2];
    du[0] = -u[0] * u[0] * std::cos(t) * square;
    du[1] = -(1 + t) * u[2] * square;
    du[2] = (1 + t) * u[1] * u[0] * (2 + std::sin(t));
  }
  TESSERA_HD void jacobian(const double* u, double t, double* J) const {
    const double square = u[1] * u[1] + u[2] * u[2], c = std::cos(t), s = 2 + std::sin(t);
    J[0] = -2 * u[0] * c * square, J[1] = -2 * u[0] * u[0] * c * u[1], J[2] = -2 * u[0] * u[0] * c * u[2];
    J[3] = 0, J[4] = -2 * (1 + t) * u[2] * u[1], J[5] = -(1 + t) * (square + 2 * u[2] * u[2]);
    J[6] = (1 + t) * u[1] * s, J[7] = (1 + t) * u[0] * s, J[8] = 0;
  }
  TESSERA_HD void time_derivative(const double* u, double t, double* dfdt) const {
    const double square = u[1] * u[1] + u[2] * u[2];
    dfdt[0] = u[0] * u[0] * std::sin(t) * square;
    dfdt[1] = -u[2] * square;
    dfdt[2] = u[1] * u[0] * (2 + std::sin(t) + (1 + t) * std::cos(t));
  }
};

struct Reacted {
  Values u;
  solvers::OdeReport report;
};

/// u(t) -> u(t + dt) of nodes in the layout [species, count].
template <class Exec>
Reacted react(solvers::ReactionStep<Exec>& step, double t, double dt, const Values& u0) {
  auto u = to_space<typename Exec::Space>(u0);
  Reacted result;
  result.report = step.advance(t, dt, u.view());
  result.u = to_vector(u);
  return result;
}

/// A reaction of the table with its defaults from t = 0, at as many nodes as u0 has.
template <class Exec>
Reacted react(Exec& exec, const physics::reaction_diffusion::ReactionParams& params, const solvers::OdeOptions& options,
              double dt, const Values& u0) {
  const auto species = params.name == "mass_action"
                           ? params.mechanism.species.size()
                           : physics::reaction_diffusion::find_reaction(params.name).species.size();
  const auto step =
      physics::reaction_diffusion::make_reaction_step(exec, params, static_cast<Offset>(u0.size() / species), options);
  return react(*step, 0, dt, u0);
}

inline solvers::OdeOptions ode_options(const std::string& method, double relative, double absolute) {
  solvers::OdeOptions options;
  options.method = method;
  options.tolerance = {relative, absolute};
  return options;
}

/// Steps of the length of a call, whatever their error.
inline solvers::OdeOptions steps_of_calls(const std::string& method) {
  solvers::OdeOptions options = ode_options(method, 0, 1e6);
  options.first_step = 1e6;
  return options;
}

inline physics::reaction_diffusion::ReactionParams mass_action(
    std::vector<std::string> species, const std::vector<std::pair<std::string, double>>& equations) {
  physics::reaction_diffusion::ReactionParams params{.name = "mass_action"};
  params.mechanism.species = std::move(species);
  for (const auto& [equation, k] : equations)
    params.mechanism.reactions.push_back(physics::reaction_diffusion::parse_reaction(equation, k));
  return params;
}

inline physics::reaction_diffusion::ReactionParams robertson_as_table() {
  return mass_action({"A", "B", "C"}, {{"A -> B", 0.04}, {"2 B -> B + C", 3e7}, {"B + C -> A + C", 1e4}});
}

inline double largest_relative_difference(const Values& x, const Values& y) {
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double difference = std::abs(x[i] - y[i]) / std::abs(y[i]);
    if (!(difference <= largest)) largest = difference;
  }
  return largest;
}

}  // namespace tessera::testing
