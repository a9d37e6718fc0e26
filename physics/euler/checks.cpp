#include "physics/euler/checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "physics/euler/limit.hpp"
#include "physics/time_scheme.hpp"

namespace tessera::physics::euler {

namespace {

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

/// gas.constant is of reservoirs alone.
void check_constant(const deck::Deck& deck, const Params& params) {
  const auto is_reservoir = [](const BoundaryParams& boundary) { return boundary.type == "reservoir"; };
  if (deck.has("gas.constant") && std::none_of(params.boundaries.begin(), params.boundaries.end(), is_reservoir))
    refuse("gas.constant is of total temperatures, and no boundary is a reservoir", "leave it out",
           deck.where("gas.constant"));
}

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
    for (const deck::Expression& e : expressions_of(b))
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

void check(const deck::Deck& deck, const Params& params) {
  check_limiter(deck, params);
  if (params.states.empty())
    refuse("the deck has no [[initial]]: a gas has a density and a pressure everywhere",
           "add [[initial]] with density, velocity and pressure", params.physics.where);
  for (const InitialState& state : params.states) check_state(state, "[[initial]]", state.where);
  for (const auto* boundaries : {&params.boundaries, &params.periodic})
    for (const BoundaryParams& boundary : *boundaries) check_boundary(boundary, params.gas.covolume);
  check_constant(deck, params);
  check_steady(deck, params);
  check_implicit(deck, params);
}

}  // namespace tessera::physics::euler
