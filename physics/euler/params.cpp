#include "physics/euler/params.hpp"

#include "physics/euler/checks.hpp"
#include "physics/time_scheme.hpp"

namespace tessera::physics::euler {

namespace {

struct PhysicsSection {
  std::string type;
  int order = 1;
  std::string limiter = "convex";
  std::string mass = "consistent";
  bool relaxed_bounds = true;
  double relaxation = 1;
  std::string viscosity = "guaranteed";
  bool entropy_fix = true;
  deck::Where where;
};

deck::Section<PhysicsSection> physics_section() {
  return deck::Section<PhysicsSection>("physics", "What to solve: compressible gases without friction (Euler)")
      .key("type", &PhysicsSection::type,
           {.help = "the physics module", .choices = {"euler"}, .required = true, .example = "\"euler\""})
      .key("order", &PhysicsSection::order, {.help = "of the elements: linear ones alone", .min = 1, .max = 1})
      .key("limiter", &PhysicsSection::limiter,
           {.help =
                "convex (second order where the flow is smooth, bounds of density and entropy kept), monolithic (the "
                "same bounds by limits that do not depend on the step), fct (flux "
                "correction after each step, one factor for density and pressure) or none (the low order: robust, "
                "first order); where there is [steady], or an implicit scheme, the default is monolithic: convex "
                "and fct correct the end of an implicit step, which convex does up to twice the longest explicit one",
            .choices = {"convex", "monolithic", "fct", "none"}})
      .key("mass", &PhysicsSection::mass,
           {.help = "of limiter = \"convex\", in its high order: consistent or lumped",
            .choices = {"consistent", "lumped"}})
      .key("relaxed_bounds", &PhysicsSection::relaxed_bounds,
           {.help = "bounds of limiter = \"convex\" are widened by the curvature of the flow, so that smooth extrema "
                    "keep their "
                    "order; false: no new extremum at all"})
      .key("relaxation", &PhysicsSection::relaxation,
           {.help = "of relaxed_bounds: bounds may be wider by this factor times (m_i / |domain|)^(3 / (2 dim)) of "
                    "them, and by half at most; more is sharper at strong shocks, and noisier behind them",
            .min = 0,
            .max = 100})
      .key("viscosity", &PhysicsSection::viscosity,
           {.help =
                "of the low order: guaranteed (by a bound of the fastest wave; density and internal energy stay "
                "positive), or of limiter = \"none\" and perfect gases alone: roe (Roe's tensor, which keeps contacts "
                "and shear that stand still) or scalar (the fastest wave of Roe's mean), with which a strong "
                "expansion may lose the gas",
            .choices = {"guaranteed", "scalar", "roe"}})
      .key("entropy_fix", &PhysicsSection::entropy_fix,
           {.help = "of viscosity = \"roe\": waves that open have a viscosity where they stand still, without which "
                    "expansion shocks stay"})
      .position(&PhysicsSection::where);
}

deck::Section<GasParams> gas_section() {
  return deck::Section<GasParams>("gas", "An ideal gas with covolume, p (1 - b rho) = (gamma - 1) rho e")
      .key("gamma", &GasParams::gamma, {.help = "ratio of specific heats", .min = 1, .max = 20, .open_min = true})
      .key("covolume", &GasParams::covolume, {.help = "b", .unit = "m^3/kg", .min = 0})
      .key("constant", &GasParams::constant,
           {.help = "of total temperatures: R in p = rho R T", .unit = "J/(kg K)", .min = 0, .open_min = true})
      .position(&GasParams::where);
}

/// A member of states as one of those that have it.
template <class P, class T>
T P::*member(T StateParams::*of) {
  return of;
}

template <class P>
deck::Section<P>& add_state(deck::Section<P>& section, const std::string& of, bool live) {
  const auto example = [&](const char* text) { return live ? std::string(text) : std::string(); };
  return section
      .key("density", member<P>(&StateParams::density),
           {.help = of + "rho", .unit = "kg/m^3", .example = example("\"1\"")})
      .key("velocity", member<P>(&StateParams::velocity),
           {.help = of + "v, one expression an axis", .unit = "m/s", .example = example("[\"0\", \"0\", \"0\"]")})
      .key("pressure", member<P>(&StateParams::pressure),
           {.help = of + "p", .unit = "Pa", .example = example("\"1 + (x < 0.5)\"")})
      .key("momentum", member<P>(&StateParams::momentum),
           {.help = of + "rho v, one expression an axis; with energy in the place of velocity and pressure",
            .unit = "kg/(m^2 s)"})
      .key("energy", member<P>(&StateParams::energy), {.help = of + "total energy rho (e + v^2 / 2)", .unit = "J/m^3"});
}

deck::Section<InitialState> initial_section() {
  deck::Section<InitialState> section("initial", "The first state. Of two entries at one place the later holds",
                                      deck::SectionKind::array);
  section.key("on", &InitialState::on, {.help = "physical group name(s) of cells; left out: everywhere"})
      .position(&InitialState::where);
  add_state(section, "", true);
  return section;
}

deck::Section<BoundaryParams> boundary_section() {
  deck::Section<BoundaryParams> section("boundary", "Boundary conditions; every side has one",
                                        deck::SectionKind::array);
  section
      .key("on", &BoundaryParams::on, {.help = "names of groups of facets", .required = true, .example = "[\"rest\"]"})
      .key("type", &BoundaryParams::type,
           {.help =
                "slip_wall (v . n = 0), symmetry (the same); inflow (supersonic: the state); outflow (supersonic); "
                "pressure_outflow (subsonic: the pressure); reservoir (subsonic inflow along the normal: "
                "total_pressure, total_temperature); far_field (characteristics of the state); periodic (two groups)",
            .choices = {"slip_wall", "symmetry", "inflow", "outflow", "pressure_outflow", "reservoir", "far_field",
                        "periodic"},
            .required = true,
            .example = "\"slip_wall\""})
      .position(&BoundaryParams::where);
  add_state(section, "of inflow, far_field: ", false);
  return section.key("total_pressure", &BoundaryParams::total_pressure, {.help = "of a reservoir", .unit = "Pa"})
      .key("total_temperature", &BoundaryParams::total_temperature, {.help = "of a reservoir", .unit = "K"});
}

deck::Section<SteadyParams> steady_section() {
  return deck::Section<SteadyParams>(
             "steady", "A march to a steady state: each node takes steps of its own length, which count as 1 of [time]")
      .key("tolerance", &SteadyParams::tolerance,
           {.help = "the run ends where the rate of change of the density is this part of the largest that it was",
            .min = 0,
            .max = 1,
            .open_min = true})
      .key("damping", &SteadyParams::damping,
           {.help = "of limiter = \"monolithic\": in so many steps the limits come to follow the flow half as fast, "
                    "until they stay as they are; more is nearer to a flow at rest with its own limits, 0: they follow "
                    "at once, which may keep the flow from rest; of implicit schemes 20 where it is left out",
            .unit = "steps",
            .min = 0,
            .max = 1e6})
      .key("damping_below", &SteadyParams::damping_below,
           {.help = "from where on: the rate of change is this part of the largest that it was",
            .min = 0,
            .max = 1,
            .open_min = true})
      .key("most_cfl", &SteadyParams::most_cfl,
           {.help =
                "of implicit schemes: up to so many times its longest explicit step each node takes one; steps begin "
                "with time.cfl",
            .min = 0,
            .max = 1e12,
            .open_min = true})
      .key("growth", &SteadyParams::growth,
           {.help =
                "of implicit schemes: steps grow as the inverse of this power of the rate of change, at most to twice "
                "the last one",
            .min = 0,
            .max = 4})
      .position(&SteadyParams::where);
}

deck::Section<NewtonKeys> newton_keys() {
  return deck::Section<NewtonKeys>("newton", "The equations of a step of an implicit scheme")
      .key("tolerance", &NewtonKeys::tolerance,
           {.help = "of the last correction, in the square mean and beside the means of the state",
            .min = 0,
            .max = 1,
            .open_min = true})
      .key("max_iterations", &NewtonKeys::max_iterations,
           {.help = "corrections; a step that needs more is taken again with half its length", .min = 1, .max = 1000})
      .position(&NewtonKeys::where);
}

void add_expressions(const StateParams& state, std::vector<deck::Expression>& all) {
  for (const auto* value : {&state.density, &state.pressure, &state.energy})
    if (*value) all.push_back(**value);
  all.insert(all.end(), state.velocity.begin(), state.velocity.end());
  all.insert(all.end(), state.momentum.begin(), state.momentum.end());
}

}  // namespace

deck::SectionDescription physics_description() { return physics_section().description(); }
deck::SectionDescription gas_description() { return gas_section().description(); }
deck::SectionDescription initial_description() { return initial_section().description(); }
deck::SectionDescription boundary_description() { return boundary_section().description(); }
deck::SectionDescription steady_description() { return steady_section().description(); }
deck::SectionDescription newton_description() { return newton_keys().description(); }

std::vector<std::string> implicit_schemes() { return {"backward_euler", "crank_nicolson", "theta"}; }
solvers::SolverParams solver_of_steps(const Params& params, const std::string& backend) {
  solvers::SolverParams solver = params.solver;
  solver.precision = params.run.precision;
  const bool may_choose = !solvers::is_direct(solver);
  if (may_choose && !solver.given.contains("preconditioner"))
    solver.preconditioner = backend == "threads" ? "block_ilu" : "block_jacobi";
  // Corrections of a march are made again in the next step, with another matrix.
  constexpr double of_march = 0.1;
  constexpr int most = 200;
  if (may_choose && params.steady && !solver.given.contains("tolerance")) solver.tolerance = of_march;
  if (may_choose && !solver.given.contains("max_iterations")) solver.max_iterations = most;
  return solver;
}
double theta_of(const TimeParams& time) {
  if (time.scheme == "theta") return time.theta;
  return time.scheme == "crank_nicolson" ? 0.5 : 1;
}

void read(const deck::Deck& deck, Params& params) {
  const PhysicsSection physics = physics_section().read(deck, true);
  params.physics = {.type = physics.type, .order = physics.order, .where = physics.where};
  const bool has_implicit_steps = params.time && is_implicit(*params.time);
  const bool is_monolithic = deck.has("steady") || has_implicit_steps;
  params.limiter = is_monolithic && !deck.has("physics.limiter") ? "monolithic" : physics.limiter;
  params.mass = physics.mass;
  params.relaxed_bounds = physics.relaxed_bounds;
  params.relaxation = physics.relaxation;
  params.viscosity = physics.viscosity;
  params.entropy_fix = physics.entropy_fix;
  params.gas = gas_section().read(deck);
  params.reference = read_reference(deck);
  params.states = initial_section().read_all(deck);
  params.boundaries.clear();
  params.periodic.clear();
  for (const BoundaryParams& boundary : boundary_section().read_all(deck))
    (boundary.type == "periodic" ? params.periodic : params.boundaries).push_back(boundary);
  params.steady.reset();
  if (deck.has("steady")) params.steady = steady_section().read(deck);
  constexpr double damping_of_implicit = 20;
  if (params.steady && has_implicit_steps && !deck.has("steady.damping")) params.steady->damping = damping_of_implicit;
  params.newton_steps = newton_keys().read(deck);
  check(deck, params);
}

std::vector<deck::Expression> expressions_of(const BoundaryParams& boundary) {
  std::vector<deck::Expression> all;
  add_expressions(boundary, all);
  for (const auto* value : {&boundary.total_pressure, &boundary.total_temperature})
    if (*value) all.push_back(**value);
  return all;
}

std::vector<deck::Expression> expressions_of(const Params& params) {
  std::vector<deck::Expression> all;
  for (const InitialState& state : params.states) add_expressions(state, all);
  for (const BoundaryParams& boundary : params.boundaries) {
    const std::vector<deck::Expression> own = expressions_of(boundary);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

}  // namespace tessera::physics::euler
