#include "physics/advection/params.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace tessera::physics::advection {

namespace {

struct PhysicsKeys {
  std::string type;
  int order = 1;
  std::string limiter = "convex";
  std::string mass = "consistent";
  bool relaxed_bounds = false;
  deck::Where where;
};

deck::Section<PhysicsKeys> physics_section() {
  return deck::Section<PhysicsKeys>("physics", "What to solve: a scalar conservation law, du/dt + div F(x, t, u) = 0")
      .key("type", &PhysicsKeys::type,
           {.help = "the physics module", .choices = {"advection"}, .required = true, .example = "\"advection\""})
      .key("order", &PhysicsKeys::order, {.help = "of the elements: linear ones alone", .min = 1, .max = 1})
      .key("limiter", &PhysicsKeys::limiter,
           {.help = "convex (second order where u is smooth, within the bounds of the values around), monolithic (the "
                    "same by limits that do not depend on the step) or none (the low order: first order)",
            .choices = {"convex", "monolithic", "none"}})
      .key("mass", &PhysicsKeys::mass,
           {.help = "of limiter = \"convex\", in its high order: consistent or lumped",
            .choices = {"consistent", "lumped"}})
      .key("relaxed_bounds", &PhysicsKeys::relaxed_bounds,
           {.help =
                "bounds of limiter = \"convex\" are widened by the curvature of u, so that smooth extrema keep their "
                "order, and jumps may overshoot by some per cent; false: u stays within the values of the start "
                "and the boundaries, and smooth extrema are cut a little"})
      .position(&PhysicsKeys::where);
}

deck::Section<FluxParams> flux_section() {
  return deck::Section<FluxParams>("flux", "F = velocity u + function: at least one of them is there")
      .key("velocity", &FluxParams::velocity,
           {.help = "v(x, t), one expression an axis", .unit = "m/s", .example = "[\"0.5 - y\", \"x - 0.5\", \"0\"]"})
      .key("function", &FluxParams::function,
           {.help = "f(u), one expression an axis: [\"u^2/2\"] is Burgers' equation", .knows = deck::Knows::solution})
      .position(&FluxParams::where);
}

deck::Section<BoundaryParams> boundary_section() {
  return deck::Section<BoundaryParams>("boundary", "Boundary conditions; every side has one", deck::SectionKind::array)
      .key("on", &BoundaryParams::on, {.help = "names of groups of facets", .required = true, .example = "[\"rest\"]"})
      .key(
          "type", &BoundaryParams::type,
          {.help = "inflow (u = value where the flow of that value enters, nothing where it leaves), outflow (nothing) "
                   "or periodic (two groups)",
           .choices = {"inflow", "outflow", "periodic"},
           .required = true,
           .example = "\"inflow\""})
      .key("value", &BoundaryParams::value, {.help = "of inflow", .example = "\"0\""})
      .position(&BoundaryParams::where);
}

[[noreturn]] void refuse(const std::string& what, const std::string& help, const deck::Where& where) {
  throw Error(ExitCode::usage, what, help, where);
}

void check_flux(const deck::Deck& deck, const Params& params) {
  if (!deck.has("flux"))
    refuse("the deck has no [flux]: nothing moves", "add [flux] with velocity, function, or both",
           params.physics.where);
  if (params.flux.velocity.empty() && params.flux.function.empty())
    refuse("[flux] has neither a velocity nor a function", "give velocity = [...], function = [...], or both",
           params.flux.where);
  for (const deck::Expression& f : params.flux.function)
    for (const deck::Variable other : {deck::Variable::x, deck::Variable::y, deck::Variable::z, deck::Variable::t})
      if (f.depends_on(other))
        refuse(fmt::format("flux.function \"{}\" depends on more than u", f.text()),
               "a function is one of u alone; velocity takes x, y, z and t", deck.where("flux.function"));
}

void check_boundary(const BoundaryParams& b) {
  if (b.on.empty())
    refuse("a boundary names no group", "on = [\"...\"]; `tessera mesh DECK --list` shows what there is", b.where);
  if (b.type == "inflow" && !b.value)
    refuse("the boundary of type \"inflow\" has no value", "write value = \"...\"", b.where);
  if (b.type != "inflow" && b.value)
    refuse(fmt::format("the boundary of type \"{}\" has a value", b.type), "leave value out", b.where);
}

void check_limiter(const deck::Deck& deck, const Params& params) {
  for (const char* key : {"physics.mass", "physics.relaxed_bounds"})
    if (params.limiter != "convex" && params.limiter != "monolithic" && deck.has(key))
      refuse(fmt::format("{} is of limiter = \"convex\" or \"monolithic\", and the deck has limiter = \"{}\"", key,
                         params.limiter),
             "leave it out, or choose limiter = \"convex\"", deck.where(key));
}

}  // namespace

deck::SectionDescription physics_description() { return physics_section().description(); }
deck::SectionDescription flux_description() { return flux_section().description(); }
deck::SectionDescription boundary_description() { return boundary_section().description(); }

void read(const deck::Deck& deck, Params& params) {
  const PhysicsKeys physics = physics_section().read(deck, true);
  params.physics = {.type = physics.type, .order = physics.order, .where = physics.where};
  params.limiter = physics.limiter;
  params.mass = physics.mass;
  params.relaxed_bounds = physics.relaxed_bounds;
  check_limiter(deck, params);
  params.flux = flux_section().read(deck);
  check_flux(deck, params);
  params.boundaries.clear();
  params.periodic.clear();
  for (const BoundaryParams& boundary : boundary_section().read_all(deck)) {
    check_boundary(boundary);
    (boundary.type == "periodic" ? params.periodic : params.boundaries).push_back(boundary);
  }
}

std::vector<deck::Expression> expressions_of(const Params& params) {
  std::vector<deck::Expression> all = params.flux.velocity;
  all.insert(all.end(), params.flux.function.begin(), params.flux.function.end());
  for (const BoundaryParams& b : params.boundaries)
    if (b.value) all.push_back(*b.value);
  return all;
}

}  // namespace tessera::physics::advection
