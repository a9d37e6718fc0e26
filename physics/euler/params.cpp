#include "physics/euler/params.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "physics/euler/limit.hpp"
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
                "first order); where there is [steady] the default is monolithic",
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

[[noreturn]] void refuse(const std::string& what, const std::string& help, const deck::Where& where) {
  throw Error(ExitCode::usage, what, help, where);
}

void check_state(const StateParams& state, const std::string& whose, const deck::Where& where) {
  const std::string help = "give density, velocity and pressure, or density, momentum and energy";
  if (!state.density) refuse(whose + " has no density", help, where);
  const bool primitive = state.pressure && !state.velocity.empty() && !state.energy && state.momentum.empty();
  const bool conservative = state.energy && !state.momentum.empty() && !state.pressure && state.velocity.empty();
  if (!primitive && !conservative) refuse(whose + " is not one state", help, where);
}

/// Which keys a type has.
void check_boundary(const BoundaryParams& b, double covolume) {
  const std::string whose = fmt::format("the boundary of type \"{}\"", b.type);
  if (b.on.empty())
    refuse("a boundary names no group", "on = [\"...\"]; `tessera mesh DECK --list` shows what there is", b.where);
  const bool has_totals = b.total_pressure || b.total_temperature;
  if (has_totals && b.type != "reservoir")
    refuse(whose + " has a total pressure or temperature", "these are of type = \"reservoir\"", b.where);
  if (b.type == "inflow" || b.type == "far_field") {
    check_state(b, whose, b.where);
  } else if (b.type == "pressure_outflow") {
    if (!b.pressure || b.density || b.energy || !b.velocity.empty() || !b.momentum.empty())
      refuse(whose + " takes a pressure and nothing else", "write pressure = \"...\" alone", b.where);
  } else if (!b.is_empty()) {
    refuse(whose + " has a state", "leave density, velocity, pressure, momentum and energy out", b.where);
  }
  if (b.type == "reservoir" && !(b.total_pressure && b.total_temperature))
    refuse(whose + " lacks its total pressure or temperature", "give total_pressure and total_temperature", b.where);
  if (covolume > 0 && (b.type == "far_field" || b.type == "pressure_outflow" || b.type == "reservoir"))
    refuse(whose + " has characteristics of a perfect gas, and this one has a covolume",
           "choose inflow, outflow or walls, or covolume = 0", b.where);
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

namespace {

void check_steady(const deck::Deck& deck, const Params& params) {
  if (!params.steady) return;
  if (params.limiter != "monolithic" && params.limiter != "none")
    refuse(fmt::format("[steady] needs limits that do not depend on the step, and the deck has limiter = \"{}\"",
                       params.limiter),
           "choose limiter = \"monolithic\", or \"none\"", params.steady->where);
  const TimeParams* const time = params.time ? &*params.time : nullptr;
  for (const char* key : {"steady.most_cfl", "steady.growth"})
    if (deck.has(key) && !(time && is_implicit(*time)))
      refuse(fmt::format("{} is of implicit schemes, whose steps grow, and time.scheme = \"{}\" is explicit", key,
                         time ? time->scheme : std::string()),
             "leave it out, or choose scheme = \"backward_euler\"", deck.where(key));
  if (time && is_implicit(*time) && theta_of(*time) < 1)
    refuse(
        fmt::format("[steady] takes steps that damp what they do not follow, and those of time.scheme = \"{}\" do not",
                    time->scheme),
        "choose scheme = \"backward_euler\"", deck.where("time.scheme"));
  if (time && is_implicit(*time) && time->cfl && *time->cfl > params.steady->most_cfl)
    refuse(fmt::format("time.cfl is {:g}, with which the steps of [steady] begin, and steady.most_cfl, to which they "
                       "grow, {:g}",
                       *time->cfl, params.steady->most_cfl),
           "choose a smaller cfl, or raise most_cfl", deck.where("time.cfl"));
  for (const char* key : {"steady.damping", "steady.damping_below"})
    if (params.limiter == "none" && deck.has(key))
      refuse(fmt::format("{} is of limits, and with limiter = \"none\" there are none", key),
             "leave it out, or choose limiter = \"monolithic\"", deck.where(key));
  if (params.steady->tolerance >= 1)
    refuse("steady.tolerance = 1 is met by the first step, whatever the flow does",
           "give the part of the largest rate of change at which the flow is steady, such as 1e-6",
           deck.where("steady.tolerance"));
  if (params.steady->damping == 0 && deck.has("steady.damping_below"))
    refuse("steady.damping_below says from where on limits are damped, and steady.damping = 0", "leave one of them out",
           deck.where("steady.damping_below"));
  for (const BoundaryParams& b : params.boundaries) {
    std::vector<deck::Expression> all;
    add_expressions(b, all);
    for (const auto* value : {&b.total_pressure, &b.total_temperature})
      if (*value) all.push_back(**value);
    for (const deck::Expression& e : all)
      if (e.depends_on_time())
        refuse(fmt::format("the boundary of type \"{}\" depends on t, and [steady] has no time", b.type),
               "write expressions of x, y and z, or leave [steady] out", b.where);
  }
}

/// What explicit steps in float do not go with.
void check_float(const deck::Deck& deck, const Params& params) {
  const auto refuse_float = [&](const std::string& what, const std::string& help) {
    refuse("run.precision = \"float\": " + what, "leave precision out, or " + help, deck.where("run.precision"));
  };
  if (params.limiter == "fct")
    refuse_float("the passes of limiter = \"fct\" are there in double alone", "choose limiter = \"convex\"");
  if (params.viscosity != "guaranteed")
    refuse_float(fmt::format("the passes of viscosity = \"{}\" are there in double alone", params.viscosity),
                 "choose viscosity = \"guaranteed\"");
  if (!has_polynomials(make_gas(params.gas.gamma, params.gas.covolume)))
    refuse_float("its limits are those of perfect gases of gamma up to 2, and this one has another law",
                 "choose gamma up to 2 and covolume = 0");
  if (params.steady)
    refuse_float("the rate of change of [steady] does not fall below what rounds in float",
                 "choose an implicit scheme, whose systems may be in float");
}

/// What implicit steps do not go with, and what is of them alone.
void check_implicit(const deck::Deck& deck, const Params& params) {
  if (!params.time) return;
  const std::string& scheme = params.time->scheme;
  if (!is_implicit(*params.time)) {
    if (params.run.precision == "mixed")
      refuse(fmt::format("run.precision = \"mixed\" is of the systems of implicit steps, and time.scheme = \"{}\" is "
                         "explicit",
                         scheme),
             "choose precision = \"float\", which adds steps in float to a state in double, or scheme = "
             "\"backward_euler\"",
             deck.where("run.precision"));
    if (params.run.precision == "float") check_float(deck, params);
    for (const char* section : {"newton", "solver"})
      if (deck.has(section))
        refuse(fmt::format("[{}] is of implicit schemes, and time.scheme = \"{}\" is explicit: it solves no systems",
                           section, scheme),
               fmt::format("leave [{}] out, or choose scheme = \"backward_euler\"", section), deck.where(section));
    return;
  }
  if (params.limiter == "convex" || params.limiter == "fct")
    refuse(fmt::format("the limits of limiter = \"{}\" depend on the step, and those of an implicit one, time.scheme = "
                       "\"{}\", must not",
                       params.limiter, scheme),
           "choose limiter = \"monolithic\", or \"none\"", deck.where("physics.limiter"));
  if (params.steady && deck.has("newton"))
    refuse("[newton] solves the equations of a step, and a step of [steady] is one correction", "leave [newton] out",
           params.newton_steps.where);
}

/// What the limiter of the deck does not know.
void check_limiter(const deck::Deck& deck, const Params& params) {
  for (const char* key : {"physics.mass", "physics.relaxed_bounds", "physics.relaxation"})
    if (params.limiter != "convex" && params.limiter != "monolithic" && deck.has(key))
      refuse(fmt::format("{} is of limiter = \"convex\" or \"monolithic\", and the deck has limiter = \"{}\"", key,
                         params.limiter),
             "leave it out, or choose limiter = \"convex\"", deck.where(key));
  if (!params.relaxed_bounds && deck.has("physics.relaxation"))
    refuse("physics.relaxation says how far bounds are relaxed, and relaxed_bounds = false", "leave one of them out",
           deck.where("physics.relaxation"));
  if (params.viscosity != "guaranteed" && params.limiter != "none")
    refuse(fmt::format(
               "limiter = \"{}\" begins with a low order that keeps the gas a gas, and viscosity = \"{}\" does not",
               params.limiter, params.viscosity),
           "choose limiter = \"none\", or viscosity = \"guaranteed\"", deck.where("physics.viscosity"));
  if (params.viscosity != "guaranteed" && params.gas.covolume > 0)
    refuse(fmt::format("viscosity = \"{}\" takes the mean of perfect gases, and this one has a covolume",
                       params.viscosity),
           "choose viscosity = \"guaranteed\", or covolume = 0", deck.where("physics.viscosity"));
  if (params.viscosity != "roe" && deck.has("physics.entropy_fix"))
    refuse(fmt::format("physics.entropy_fix is of viscosity = \"roe\", and the deck has viscosity = \"{}\"",
                       params.viscosity),
           "leave it out", deck.where("physics.entropy_fix"));
  if (params.limiter == "fct" && params.gas.covolume > 0)
    refuse("limiter = \"fct\" takes the pressure of a perfect gas, and this one has a covolume",
           "choose limiter = \"convex\", or covolume = 0", params.physics.where);
}

}  // namespace

void read(const deck::Deck& deck, Params& params) {
  const PhysicsSection physics = physics_section().read(deck, true);
  params.physics = {.type = physics.type, .order = physics.order, .where = physics.where};
  const bool is_monolithic = deck.has("steady") || (params.time && is_implicit(*params.time));
  params.limiter = is_monolithic && !deck.has("physics.limiter") ? "monolithic" : physics.limiter;
  params.mass = physics.mass;
  params.relaxed_bounds = physics.relaxed_bounds;
  params.relaxation = physics.relaxation;
  params.viscosity = physics.viscosity;
  params.entropy_fix = physics.entropy_fix;
  params.gas = gas_section().read(deck);
  check_limiter(deck, params);
  params.reference = read_reference(deck);
  params.states = initial_section().read_all(deck);
  if (params.states.empty())
    refuse("the deck has no [[initial]]: a gas has a density and a pressure everywhere",
           "add [[initial]] with density, velocity and pressure", params.physics.where);
  for (const InitialState& state : params.states) check_state(state, "[[initial]]", state.where);
  params.boundaries.clear();
  params.periodic.clear();
  for (const BoundaryParams& boundary : boundary_section().read_all(deck)) {
    check_boundary(boundary, params.gas.covolume);
    (boundary.type == "periodic" ? params.periodic : params.boundaries).push_back(boundary);
  }
  const auto is_reservoir = [](const BoundaryParams& boundary) { return boundary.type == "reservoir"; };
  if (deck.has("gas.constant") && std::none_of(params.boundaries.begin(), params.boundaries.end(), is_reservoir))
    refuse("gas.constant is of total temperatures, and no boundary is a reservoir", "leave it out",
           deck.where("gas.constant"));
  params.steady.reset();
  if (deck.has("steady")) params.steady = steady_section().read(deck);
  constexpr double damping_of_implicit = 20;
  const bool has_implicit_steps = params.time && is_implicit(*params.time);
  if (params.steady && has_implicit_steps && !deck.has("steady.damping")) params.steady->damping = damping_of_implicit;
  check_steady(deck, params);
  params.newton_steps = newton_keys().read(deck);
  check_implicit(deck, params);
}

std::vector<deck::Expression> expressions_of(const Params& params) {
  std::vector<deck::Expression> all;
  for (const InitialState& state : params.states) add_expressions(state, all);
  for (const BoundaryParams& b : params.boundaries) {
    add_expressions(b, all);
    for (const auto* value : {&b.total_pressure, &b.total_temperature})
      if (*value) all.push_back(**value);
  }
  return all;
}

}  // namespace tessera::physics::euler
