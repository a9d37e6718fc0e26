#pragma once
// The deck of gases.
#include <optional>
#include <string>
#include <vector>

#include "physics/euler/reference.hpp"
#include "physics/euler/surfaces.hpp"
#include "physics/sections.hpp"

namespace tessera::physics::euler {

struct GasParams {
  double gamma = 1.4;
  double covolume = 0;
  double constant = 287.05;
  deck::Where where;
};

/// A state in primitive (density, velocity, pressure) or conservative variables (density, momentum, energy).
struct StateParams {
  std::optional<deck::Expression> density, pressure, energy;
  std::vector<deck::Expression> velocity, momentum;  ///< one an axis

  bool is_primitive() const { return pressure || !velocity.empty(); }
  bool is_empty() const { return !density && !pressure && !energy && velocity.empty() && momentum.empty(); }
};

struct InitialState : StateParams {
  std::vector<std::string> on;
  deck::Where where;
};

struct BoundaryParams : StateParams {
  std::vector<std::string> on;
  std::string type;
  std::optional<deck::Expression> total_pressure, total_temperature;
  deck::Where where;
};

/// A march to a steady state.
struct SteadyParams {
  double tolerance = 1e-6;
  double damping = 200;
  double damping_below = 0.1;
  double most_cfl = 1000;  ///< of implicit steps
  double growth = 1;       ///< of the same
  deck::Where where;
};

/// The equations of an implicit step.
struct NewtonKeys {
  double tolerance = 1e-6;
  int max_iterations = 20;
  deck::Where where;
};

struct Params : CommonParams {
  std::string limiter = "convex";
  std::string mass = "consistent";
  bool relaxed_bounds = true;
  double relaxation = 1;  ///< factor of how far bounds are relaxed
  std::string viscosity = "guaranteed";
  bool entropy_fix = true;
  GasParams gas;
  std::optional<SteadyParams> steady;
  NewtonKeys newton_steps;
  std::optional<ReferenceParams> reference;
  std::vector<SurfaceParams> surfaces;
  std::vector<InitialState> states;
  std::vector<BoundaryParams> boundaries;  ///< but periodic ones
  std::vector<BoundaryParams> periodic;
};

deck::SectionDescription physics_description();
deck::SectionDescription gas_description();
deck::SectionDescription initial_description();
deck::SectionDescription boundary_description();
deck::SectionDescription steady_description();
deck::SectionDescription newton_description();
/// Names of time.scheme whose steps are implicit.
std::vector<std::string> implicit_schemes();
/// Of an implicit scheme: 1 of backward_euler, 0.5 of crank_nicolson.
double theta_of(const TimeParams& time);
/// [solver] of implicit steps on a backend: what the deck leaves out depends on these.
solvers::SolverParams solver_of_steps(const Params& params, const std::string& backend);
/// Reads the sections above. Throws Error(usage) for states that say too little or two things at once, for a gas that
/// is none, and for keys that a type of boundary does not have.
void read(const deck::Deck& deck, Params& params);
std::vector<deck::Expression> expressions_of(const BoundaryParams& boundary);
std::vector<deck::Expression> expressions_of(const Params& params);

}  // namespace tessera::physics::euler
